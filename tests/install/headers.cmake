# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Every public header compiles alone, with strict warnings.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
set(compiler ${${LANGUAGE}_COMPILER})
if(NOT compiler)
  skip("no ${LANGUAGE} compiler")
  return()
endif()
set(standard -std=c17)
set(extension c)
if(LANGUAGE STREQUAL "CXX")
  set(standard -std=c++17)
  set(extension cpp)
endif()
file(REMOVE_RECURSE ${WORK})
file(GLOB_RECURSE headers RELATIVE ${PREFIX}/include ${PREFIX}/include/tact/*.h)
if(NOT headers)
  message(FATAL_ERROR "no headers below ${PREFIX}/include")
endif()
foreach(header IN LISTS headers)
  string(REGEX REPLACE "[/.]" "_" name "${header}")
  file(WRITE ${WORK}/${name}.${extension} "#include <${header}>\n#include <${header}>\nextern int tact_after_${name};\n")
  run(${compiler} ${standard} -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror -fsyntax-only
      -I${PREFIX}/include ${WORK}/${name}.${extension})
endforeach()
