# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
cmake_policy(VERSION 3.22)
unset(ENV{DESTDIR})
unset(ENV{CMAKE_PREFIX_PATH})
string(REPLACE "|" ";" OPTIONS "${OPTIONS}")
string(REPLACE "|" ";" VARIANT "${VARIANT}")
if(NOT CONFIG)
  set(CONFIG Release)
endif()

function(skip reason)
  message("TACT_SKIP: ${reason}")
endfunction()

# run(COMMAND...): the command must succeed; its output is shown when it does not. Result in `output`.
macro(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " shown "${ARGN}")
    message("${shown}\n${output}\n${errors}")
    message(FATAL_ERROR "ended with ${status}: ${shown}")
  endif()
endmacro()

# How a library is built again to be consumed: what is asked is whether it links, not how fast it is.
set(QUICK_BUILD -DCMAKE_C_FLAGS_RELEASE= -DCMAKE_C_FLAGS_RELWITHDEBINFO= -DCMAKE_C_FLAGS_DEBUG=)

# configure(SOURCE_DIR BUILD_DIR [argument...])
function(configure source build)
  set(compilers -DCMAKE_C_COMPILER=${C_COMPILER})
  if(LANGUAGE STREQUAL "CXX")
    list(APPEND compilers -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
  endif()
  run(${CMAKE_COMMAND} -S ${source} -B ${build} -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}
      -DCMAKE_BUILD_TYPE=${CONFIG} ${compilers} ${ARGN} --no-warn-unused-cli)
endfunction()

# build_consumer(ROUTE LANGUAGE BUILD_DIR [argument...]): configures, builds and runs tests/install/consumer.
function(build_consumer route language build)
  set(LANGUAGE ${language})
  configure(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/consumer ${build} -DROUTE=${route} -DLANGUAGE=${language} -DVERSION=${VERSION}
            ${ARGN})
  run(${CMAKE_COMMAND} --build ${build} --config ${CONFIG})
  find_program(consumer consumer_${language} PATHS ${build} ${build}/${CONFIG} NO_DEFAULT_PATH NO_CACHE REQUIRED)
  run(${consumer})
  message("${route}, ${language}: ${output}")
endfunction()

# no_paths(PREFIX PATH...): no library and no program below PREFIX holds one of the paths.
function(no_paths prefix)
  file(GLOB_RECURSE binaries ${prefix}/bin/* ${prefix}/lib*/*tact.* ${prefix}/lib*/*tact.so*)
  if(NOT binaries)
    message(FATAL_ERROR "no library below ${prefix}")
  endif()
  foreach(binary IN LISTS binaries)
    foreach(path IN LISTS ARGN)
      file(STRINGS ${binary} lines REGEX "/")
      string(FIND "${lines}" "${path}/" at)
      if(NOT at EQUAL -1)
        string(SUBSTRING "${lines}" ${at} 200 found)
        message(FATAL_ERROR "${binary} names the folder it was built in: ${found}")
      endif()
    endforeach()
  endforeach()
endfunction()
