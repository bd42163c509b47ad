# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
cmake_policy(VERSION 3.22)

# between(VARIABLE FILE BEGIN END): the text of FILE after BEGIN and before the END that follows.
function(between variable file begin end)
  file(READ ${file} text)
  string(FIND "${text}" "${begin}" from)
  if(from EQUAL -1)
    message(FATAL_ERROR "${file} has no ${begin}")
  endif()
  string(LENGTH "${begin}" length)
  math(EXPR from "${from} + ${length}")
  string(SUBSTRING "${text}" ${from} -1 text)
  string(FIND "${text}" "${end}" to)
  string(SUBSTRING "${text}" 0 ${to} text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

between(example ${SOURCE}/examples/hello_raycast.c "// [readme]\n" "// [/readme]\n")
between(example_cpp ${SOURCE}/examples/from_cpp.cpp "// [integration]\n" "// [/integration]\n")
between(page ${SOURCE}/docs/integration.md "```cpp\n" "```")
if(NOT "${example_cpp}" STREQUAL "${page}")
  message(FATAL_ERROR "the C++ of docs/integration.md is not examples/from_cpp.cpp's marked part:\n${page}")
endif()
between(readme ${SOURCE}/README.md "```c\n" "```")
if(NOT "${example}" STREQUAL "${readme}")
  message(FATAL_ERROR "README.md's program is not examples/hello_raycast.c's marked part:\n${readme}\n---\n${example}")
endif()
