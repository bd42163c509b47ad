# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# One kernel, one language: preprocess, keep line numbers, validate, embed as bytes.
# In: COMPILER COMPILER_ID LANGUAGE NAME IN INCLUDE OUT VALIDATOR. Writes OUT (text), OUT.c, and OUT.d, which names the
# files that went into them.
string(TOUPPER ${LANGUAGE} define)
if(COMPILER_ID STREQUAL "MSVC")
  set(command ${COMPILER} /nologo /E /TC /DTACT_${define} /I${INCLUDE} ${IN})
else()
  set(command ${COMPILER} -E -x c -undef -DTACT_${define} -I${INCLUDE} ${IN})
endif()
execute_process(COMMAND ${command} OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "preprocessing ${IN} failed:\n${errors}")
endif()

string(REGEX MATCHALL "(^|\n)#(line)? [0-9]+ \"[^\"<\n]+\"" markers "${text}")
set(files "")
foreach(marker IN LISTS markers)
  string(REGEX REPLACE "^\n?#(line)? [0-9]+ \"(.*)\"$" "\\2" file "${marker}")
  list(APPEND files "${file}")
endforeach()
list(REMOVE_DUPLICATES files)
string(REPLACE " " "\\ " files "${files}")
string(REPLACE ";" " " files "${files}")
string(REPLACE " " "\\ " target "${OUT}.c")
file(WRITE "${OUT}.d" "${target}: ${files}\n")

# Line markers: `# 12 "path/file" flags` or `#line 12 "path/file"`. OpenCL keeps the file's bare name; GLSL knows only
# numbers, so file K of the table is named in a comment on top, from which the library translates build logs.
string(REPLACE "\r" "" text "${text}")
string(REGEX REPLACE "(^|\n)#(line)? ([0-9]+) \"([^\"\n]*[/\\\\])?([^\"/\\\\\n]*)\"[^\n]*" "\\1@@LINE \\3 \\5@@" text "${text}")
# Markers for the compiler's own pseudo files carry no code.
string(REGEX REPLACE "@@LINE [0-9]+ <[^@]*@@" "" text "${text}")
string(REGEX MATCHALL "@@LINE [0-9]+ [^@]*@@" markers "${text}")
set(files "")
foreach(marker IN LISTS markers)
  string(REGEX REPLACE "@@LINE [0-9]+ ([^@]*)@@" "\\1" file "${marker}")
  list(FIND files "${file}" known)
  if(known EQUAL -1)
    list(APPEND files "${file}")
  endif()
endforeach()
set(header "")
set(index 1)
foreach(file IN LISTS files)
  string(REPLACE "." "\\." pattern "${file}")
  if(LANGUAGE STREQUAL "glsl")
    string(REGEX REPLACE "@@LINE ([0-9]+) ${pattern}@@" "#line \\1 ${index}" text "${text}")
    string(APPEND header "// file ${index}: ${file}\n")
  else()
    string(REGEX REPLACE "@@LINE ([0-9]+) ${pattern}@@" "#line \\1 \"${file}\"" text "${text}")
  endif()
  math(EXPR index "${index} + 1")
endforeach()
# A line marker followed by another one has no code of its own; runs of blank lines neither.
string(REGEX REPLACE "\n([ \t]*\n)+(#line)" "\n\\2" text "${text}")
string(REGEX REPLACE "(#line [^\n]*\n)+(#line)" "\\2" text "${text}")
# `#version`, extensions and the variants' #defines are put before this text when it is built on a device.
file(WRITE "${OUT}" "// ${NAME}.kernel\n${header}${text}")

if(VALIDATOR AND LANGUAGE STREQUAL "glsl")
  # Without `precise`: the validator follows it through every path of a function, gigabytes of them where a loop holds
  # many. Leaving it out takes nothing from what is checked otherwise.
  string(REGEX REPLACE "(^|[^A-Za-z0-9_])precise " "\\1" checked "${text}")
  file(WRITE "${OUT}.check.comp" "#version 430 core\n#define TACT_CORRECT_DIV 1\n#define TACT_CORRECT_SQRT 1\n#define TACT_FLUSHES 1\n${header}${checked}")
  execute_process(COMMAND ${VALIDATOR} "${OUT}.check.comp" OUTPUT_VARIABLE log RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${NAME}.kernel is not valid GLSL (files: ${files}):\n${log}")
  endif()
endif()

file(READ "${OUT}" hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
set(group "0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,")
string(REGEX REPLACE "(${group}${group})" "\\1\n" bytes "${bytes}")
set(symbol tact_${LANGUAGE}_${NAME})
file(WRITE "${OUT}.c" "/* Generated from ${NAME}.kernel; do not edit. */
extern const unsigned char ${symbol}[];
extern const unsigned long ${symbol}_size;
const unsigned char ${symbol}[] = {
${bytes}0x00};
const unsigned long ${symbol}_size = sizeof ${symbol} - 1;
")
