# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# docs/hello.md, followed to the letter: its two files, against an installed library, print what it says.
include(${SOURCE}/tests/install/common.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/blocks.cmake)
file(READ ${SOURCE}/docs/hello.md text)
set(line 1)
next_block(cmake "${text}" list text line)
next_block(c "${text}" program text line)
# The output follows "It prints".
string(FIND "${text}" "It prints" at)
string(SUBSTRING "${text}" ${at} -1 text)
next_block("" "${text}" expected text line)
string(FIND "${expected}" "ray 0:" at)
if("${list}" STREQUAL "" OR "${program}" STREQUAL "" OR NOT at EQUAL 0)
  message(FATAL_ERROR "hello.md has lost a block; the output was taken to be:\n${expected}")
endif()
file(REMOVE_RECURSE ${WORK})
file(WRITE ${WORK}/CMakeLists.txt "${list}")
file(WRITE ${WORK}/hello.c "${program}")
configure(${WORK} ${WORK}/build -DCMAKE_PREFIX_PATH=${PREFIX})
run(${CMAKE_COMMAND} --build ${WORK}/build --config ${CONFIG})
find_program(hello hello PATHS ${WORK}/build ${WORK}/build/${CONFIG} NO_DEFAULT_PATH NO_CACHE REQUIRED)
run(${hello})
if(NOT "${output}" STREQUAL "${expected}")
  message(FATAL_ERROR "hello.md promises\n${expected}---\nand its program prints\n${output}")
endif()
