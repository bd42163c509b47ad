# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# PROGRAM, which uses all of tact.hpp, compiles without a warning by COMPILER, as C++STANDARD, with exceptions and
# without.
if(NOT COMPILER)
  message("TACT_SKIP: the compiler is not here")
  return()
endif()
string(REPLACE "|" ";" INCLUDES "${INCLUDES}")
foreach(exceptions -fexceptions -fno-exceptions)
  execute_process(COMMAND ${COMPILER} -std=c++${STANDARD} ${exceptions} -Wall -Wextra -Wpedantic -Wconversion
    -Wsign-conversion -Wshadow -Wold-style-cast -Wundef -Werror -fsyntax-only ${INCLUDES} ${PROGRAM}
    RESULT_VARIABLE status ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${exceptions}:\n${errors}")
  endif()
endforeach()
