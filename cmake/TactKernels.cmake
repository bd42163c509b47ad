# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Runs every kernel through the C preprocessor twice, checks the GLSL, embeds both texts, and writes the lists that
# gpu/kernel_table.c includes and the arguments' structs, for `target` and the targets after it. Uses TACT_KERNELS of the calling folder. A text is
# made again when a file that went into it changes.
function(tact_kernels target)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${out})
  set(list "")
  set(includes "")
  foreach(name IN LISTS TACT_KERNELS)
    string(APPEND list "TACT_KERNEL(${name})\n")
    string(APPEND includes "#include \"kernels/${name}.kernel\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${out}/kernel_list.h CONTENT "${list}" @ONLY)
  file(CONFIGURE OUTPUT ${out}/kernel_includes.h CONTENT "${includes}" @ONLY)

  find_program(GLSLANG_VALIDATOR glslangValidator)
  foreach(name IN LISTS TACT_KERNELS)
    foreach(language glsl opencl)
      add_custom_command(
        OUTPUT ${out}/${name}.${language}.c ${out}/${name}.${language}
        COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_C_COMPILER} -DCOMPILER_ID=${CMAKE_C_COMPILER_ID}
                -DLANGUAGE=${language} -DNAME=${name} -DIN=${CMAKE_CURRENT_SOURCE_DIR}/${name}.kernel
                -DINCLUDE=${CMAKE_CURRENT_SOURCE_DIR} -DOUT=${out}/${name}.${language}
                -DVALIDATOR=$<$<BOOL:${GLSLANG_VALIDATOR}>:${GLSLANG_VALIDATOR}>
                -P ${PROJECT_SOURCE_DIR}/cmake/GenerateKernel.cmake
        DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.kernel ${PROJECT_SOURCE_DIR}/cmake/GenerateKernel.cmake
        DEPFILE ${out}/${name}.${language}.d
        COMMENT "Generating ${language} of ${name}.kernel" VERBATIM)
      # A custom command's output is only known in the folder that adds it: one target carries them all.
      list(APPEND generated ${out}/${name}.${language}.c)
    endforeach()
  endforeach()
  file(GLOB headers ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  list(TRANSFORM TACT_KERNELS APPEND .kernel OUTPUT_VARIABLE kernels)
  add_custom_command(
    OUTPUT ${out}/kernel_args.h
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_C_COMPILER} -DCOMPILER_ID=${CMAKE_C_COMPILER_ID}
            "-DINCLUDE=${PROJECT_SOURCE_DIR};${CMAKE_CURRENT_SOURCE_DIR}" -DIN=${out}/kernel_includes.h
            -DOUT=${out}/kernel_args.h -P ${PROJECT_SOURCE_DIR}/cmake/GenerateArgs.cmake
    DEPENDS ${kernels} ${headers} ${PROJECT_SOURCE_DIR}/cmake/GenerateArgs.cmake
    COMMENT "Generating the arguments of kernels" VERBATIM)
  add_custom_target(${target}_kernel_args DEPENDS ${out}/kernel_args.h)
  add_library(${target}_kernels OBJECT ${generated})
  tact_target(${target}_kernels)
  set_target_properties(${target}_kernels PROPERTIES C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_kernels>)
  foreach(user IN ITEMS ${target} LISTS ARGN)
    target_include_directories(${user} PRIVATE ${out})
    add_dependencies(${user} ${target}_kernel_args)
  endforeach()
endfunction()
