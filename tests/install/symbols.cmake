# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Nothing in LIBRARY can clash with a name of the program it is linked into: every global symbol begins with tact_.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
if(NOT NM)
  skip("no nm")
  return()
endif()
run(${NM} ${NM_OPTIONS} -g -P --defined-only ${LIBRARY})
string(REGEX MATCHALL "(^|\n)[^ \n:]+ [A-Za-z] " symbols "${output}")
list(LENGTH symbols count)
if(count LESS 10)
  message(FATAL_ERROR "only ${count} symbols read from ${LIBRARY}:\n${output}")
endif()
set(foreign "")
foreach(symbol IN LISTS symbols)
  string(STRIP "${symbol}" symbol)
  # gcc and clang name the lock of an OpenMP critical section after it.
  string(REGEX REPLACE "^\\.gomp_critical_user_" "" symbol "${symbol}")
  if(NOT symbol MATCHES "^tact_" AND NOT symbol MATCHES "^_(init|fini) ")
    string(APPEND foreign "\n  ${symbol}")
  endif()
endforeach()
if(foreign)
  message(FATAL_ERROR "global symbols without the prefix tact_:${foreign}")
endif()
message("${count} global symbols, all tact_")
