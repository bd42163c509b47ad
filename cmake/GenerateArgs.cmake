# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# The arguments of all kernels as structs, from the kernels' own parameter lists.
# In: COMPILER COMPILER_ID INCLUDE (folders) IN (a file that includes every kernel) OUT. OUT stays as it is, and what
# includes it is not built again, when no list has changed.
list(TRANSFORM INCLUDE PREPEND "-I")
if(COMPILER_ID STREQUAL "MSVC")
  set(command ${COMPILER} /nologo /EP /TC /DTACT_ARGS ${INCLUDE} ${IN})
else()
  set(command ${COMPILER} -E -P -x c -DTACT_ARGS ${INCLUDE} ${IN})
endif()
execute_process(COMMAND ${command} OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "preprocessing ${IN} failed:\n${errors}")
endif()

# What the kernels include besides stands between the structs. CMake would take a semicolon for the end of an item.
string(REPLACE ";" "@" text "${text}")
string(REGEX MATCHALL "TACT_ARGS_BEGIN[^}]*} *[\r\n]* *TACT_ARGS_END" structs "${text}")
set(out "/* Generated from the parameter lists of the kernels; do not edit. */\n")
foreach(struct IN LISTS structs)
  string(REGEX REPLACE "TACT_ARGS_BEGIN[ \r\n]*([a-z0-9_]+)[ \r\n]*{[ \r\n]*([^}]*)}.*" "\\1;\\2" parts "${struct}")
  list(GET parts 0 name)
  list(GET parts 1 members)
  string(REGEX REPLACE "[ \r\n]+" " " members "${members}")
  string(REGEX REPLACE "@ *$" "" members "${members}")
  string(REGEX REPLACE "@ *" ";\n    " members "${members}")
  string(APPEND out "\ntypedef struct tact_${name} {\n    ${members};\n} TACT_BY_NAME tact_${name};\n")
endforeach()
set(old "")
if(EXISTS "${OUT}")
  file(READ "${OUT}" old)
endif()
if(NOT old STREQUAL out)
  file(WRITE "${OUT}" "${out}")
endif()
