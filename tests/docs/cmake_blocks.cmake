# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Every block of CMake in README.md and docs/ configures: in a project that has a target `program`, with the library
# installed in PREFIX, and with its sources for third_party/tact. (No link leads there: who walks a build tree would go
# round and round.)
include(${SOURCE}/tests/install/common.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/blocks.cmake)
file(GLOB documents ${SOURCE}/README.md ${SOURCE}/docs/*.md)
file(REMOVE_RECURSE ${WORK})
set(number 0)
foreach(document IN LISTS documents)
  file(READ ${document} text)
  set(line 1)
  while(TRUE)
    next_block(cmake "${text}" block text line)
    if(block STREQUAL "")
      break()
    endif()
    set(line ${line_after})
    if(block MATCHES "add_executable")
      continue()  # a whole file: hello.md's, which docs_hello builds
    endif()
    math(EXPR number "${number} + 1")
    set(project ${WORK}/${number})
    string(REPLACE "\${CMAKE_CURRENT_SOURCE_DIR}/third_party/tact" "\"${SOURCE}\"" block "${block}")
    string(REPLACE "(third_party/tact)" "(\"${SOURCE}\" tact)" block "${block}")
    file(WRITE ${project}/program.c "int main(void) { return 0; }\n")
    file(WRITE ${project}/CMakeLists.txt
      "cmake_minimum_required(VERSION 3.22)\nproject(block LANGUAGES C)\nadd_executable(program program.c)\n${block}")
    configure(${project} ${project}/build -DCMAKE_PREFIX_PATH=${PREFIX} -DTACT_GL=OFF -DTACT_CL=OFF)
  endwhile()
endforeach()
message("${number} blocks")
if(number LESS 5)
  message(FATAL_ERROR "only ${number} blocks were found")
endif()
