# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# A build that is to have the tool and lacks one of its libraries is refused, with the package and the way to do without.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${WORK})
set(without -DTACT_STB_INCLUDE=TACT_STB_INCLUDE-NOTFOUND -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON
  -DCMAKE_FIND_ROOT_PATH=${WORK}/nothing -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY)
set(arguments -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}
  -DCMAKE_C_COMPILER=${C_COMPILER} -DTACT_GL=OFF -DTACT_CL=OFF -DTACT_MPI=OFF -DTACT_TESTS=OFF -DTACT_EXAMPLES=OFF)
execute_process(COMMAND ${CMAKE_COMMAND} ${arguments} ${without} RESULT_VARIABLE status OUTPUT_VARIABLE output
  ERROR_VARIABLE errors)
string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
if(status EQUAL 0 OR NOT errors MATCHES "stb_image_write" OR NOT errors MATCHES "libstb-dev" OR
   NOT errors MATCHES "-DTACT_TOOL=OFF")
  message(FATAL_ERROR "ended with ${status}:\n${output}\n${errors}")
endif()
run(${CMAKE_COMMAND} ${arguments} ${without} -DTACT_TOOL=OFF)
