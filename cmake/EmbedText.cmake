# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Writes the text file IN as the C array SYMBOL, ended by a zero, to OUT.c, and which files went into it to OUT.d.
# A line `#include "NAME"` stands for the file NAME beside IN, because GLSL has no such line of its own. The text that
# comes of it is left in OUT, whose lines are those that drivers count. With VALIDATOR it is checked as GLSL first.
cmake_minimum_required(VERSION 3.22)
get_filename_component(folder "${IN}" DIRECTORY)
file(READ "${IN}" text)
set(files "${IN}")
while("\n${text}" MATCHES "\n(#include[^\n]*)\n")
  set(line "${CMAKE_MATCH_1}")
  if(NOT line MATCHES "^#include \"([^\"]+)\"$")
    message(FATAL_ERROR "${IN}: not understood: ${line}")
  endif()
  set(included "${folder}/${CMAKE_MATCH_1}")
  if(included IN_LIST files)
    message(FATAL_ERROR "${IN}: ${included} is included twice")
  endif()
  list(APPEND files "${included}")
  file(READ "${included}" more)
  string(REPLACE "${line}\n" "${more}" text "${text}")
endwhile()
file(WRITE "${OUT}" "${text}")

string(REPLACE " " "\\ " files "${files}")
string(REPLACE ";" " " files "${files}")
string(REPLACE " " "\\ " target "${OUT}.c")
file(WRITE "${OUT}.d" "${target}: ${files}\n")

# Parts of shaders are checked in those that include them.
if(VALIDATOR AND NOT IN MATCHES "\\.glsl$")
  execute_process(COMMAND ${VALIDATOR} "${OUT}" OUTPUT_VARIABLE log RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${IN} is not valid GLSL:\n${log}")
  endif()
endif()

string(HEX "${text}" hex)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
set(group "0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,")
string(REGEX REPLACE "(${group}${group})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}.c" "/* Generated; do not edit. */
extern const unsigned char ${SYMBOL}[];
const unsigned char ${SYMBOL}[] = {
${bytes}0x00};
")
