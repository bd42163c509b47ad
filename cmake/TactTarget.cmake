# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Profiles of static functions are told apart by the main file's name. clang takes its last part alone, and there are
# files of one name in several folders; with the whole name each has a profile of its own.
if(TACT_COVERAGE AND CMAKE_C_COMPILER_ID MATCHES "Clang")
  string(REPLACE "<FLAGS>" "<FLAGS> -Xclang -main-file-name -Xclang <SOURCE>" CMAKE_C_COMPILE_OBJECT
    "${CMAKE_C_COMPILE_OBJECT}")
endif()

# tact_name_files(TARGET [FOLDER...]): a binary is the same wherever its sources and its build lay. Files that the compiler
# names in it begin in the project's folder, in the build's or in one of these.
include(CheckCCompilerFlag)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND NOT MSVC)
  check_c_compiler_flag(-ffile-prefix-map=/a/=/b/ TACT_MAPS_FILE_NAMES)
endif()
function(tact_name_files target)
  if(NOT TACT_MAPS_FILE_NAMES)
    return()
  endif()
  # The build's without a slash at its end: the compiler starts there, and says so to debuggers.
  target_compile_options(${target} PRIVATE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
    -ffile-prefix-map=${PROJECT_BINARY_DIR}=.)
  foreach(folder IN LISTS ARGN)
    target_compile_options(${target} PRIVATE -ffile-prefix-map=${folder}/=)
  endforeach()
endfunction()

# What every target of this project is compiled with. Nothing of it is forced on consumers.
function(tact_target target)
  set_target_properties(${target} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND NOT MSVC)
    # One answer on every device: no fused multiply-add, no reassociation.
    target_compile_options(${target} PRIVATE -ffp-contract=$<IF:$<BOOL:${TACT_LOOSE}>,fast,off> -fno-fast-math
      -Wall -Wextra -Wpedantic -Wmissing-prototypes -Wstrict-prototypes -Wshadow -Wconversion -Wno-sign-conversion
      -Wdouble-promotion -Wundef -Wpointer-arith -Wvla)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
      # gcc 12 forgets to round two neighbouring doubles to float on their way back to double (tests/test_rounding.c).
      target_compile_options(${target} PRIVATE $<$<NOT:$<BOOL:${TACT_LOOSE}>>:-fno-tree-slp-vectorize>)
      if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 13)
        # gcc 12 ends with an internal error when it vectorizes a reduction by fmin() or fmax().
        target_compile_options(${target} PRIVATE -fno-builtin-fmin -fno-builtin-fmax)
      endif()
      if(CMAKE_SYSTEM_PROCESSOR MATCHES "^s390")
        # By the letter of C17 gcc computes floats as doubles there (base/float_env.h asserts that it does not).
        target_compile_options(${target} PRIVATE -fexcess-precision=fast)
      endif()
    endif()
    if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(i[3-6]86|x86|x86_64|AMD64|amd64)$")
      # The 80 bits of the x87 would round otherwise.
      target_compile_options(${target} PRIVATE -msse2 -mfpmath=sse)
    endif()
    if(CMAKE_C_COMPILER_ID MATCHES "Clang")
      # clang 19 warns of a constant of an enum in floating arithmetic, which C++ deprecates and C does not.
      target_compile_options(${target} PRIVATE -Wno-enum-float-conversion)
    endif()
    tact_name_files(${target})
    if(MINGW)
      target_compile_definitions(${target} PRIVATE __USE_MINGW_ANSI_STDIO=1)
      # Its isfinite() and the like convert to float in a branch that is not taken.
      target_compile_options(${target} PRIVATE -Wno-float-conversion)
    endif()
    if(TACT_WARNINGS_AS_ERRORS)
      target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(TACT_SANITIZE)
      target_compile_options(${target} PRIVATE -fsanitize=${TACT_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
      target_link_options(${target} PUBLIC -fsanitize=${TACT_SANITIZE})
    endif()
    if(TACT_LIBFUZZER)
      # clang's UBSan objects to NULL + 0, which stands for an empty array in many places; C2y allows it.
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link -fno-sanitize=pointer-overflow)
    endif()
    if(TACT_COVERAGE AND CMAKE_C_COMPILER_ID MATCHES "Clang")
      set(coverage -fprofile-instr-generate -fcoverage-mapping)
      target_compile_options(${target} PRIVATE ${coverage} $<$<COMPILE_LANGUAGE:C>:-fcoverage-mcdc>)
      target_link_options(${target} PUBLIC ${coverage})
    elseif(TACT_COVERAGE)
      target_compile_options(${target} PRIVATE --coverage)
      target_link_options(${target} PUBLIC --coverage)
    endif()
  elseif(MSVC)
    target_compile_options(${target} PRIVATE /fp:precise /W4)
    target_compile_definitions(${target} PRIVATE _CRT_SECURE_NO_WARNINGS)
    if(CMAKE_C_COMPILER_ID MATCHES "Clang")
      # clang-cl's /fp:precise allows what the other's does not.
      target_compile_options(${target} PRIVATE /clang:-ffp-contract=off)
    else()
      target_compile_options(${target} PRIVATE /wd4200)
      if(MSVC_VERSION GREATER_EQUAL 1935)
        target_compile_options(${target} PRIVATE /experimental:c11atomics)
      endif()
    endif()
    if(TACT_WARNINGS_AS_ERRORS)
      target_compile_options(${target} PRIVATE /WX)
    endif()
  endif()
endfunction()

# Adds a floor of the library: the object library tact_NAME, whose files find headers of the public interface and of the
# folders named after it, and no others: these folders are links in one of the build's.
function(tact_floor name)
  set(view ${PROJECT_BINARY_DIR}/floors/${name})
  file(MAKE_DIRECTORY ${view})
  foreach(folder IN LISTS ARGN)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${view}/${folder} RESULT linked SYMBOLIC)
    if(linked)
      # Windows makes no links for everybody. The test "floors" reads includes there, too.
      set(view ${PROJECT_SOURCE_DIR})
    endif()
  endforeach()
  set(target tact_${name})
  add_library(${target} OBJECT)
  tact_target(${target})
  tact_name_files(${target} ${view})
  set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PRIVATE ${view} $<TARGET_PROPERTY:tact,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:tact,COMPILE_DEFINITIONS>)
  target_sources(tact PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()
