# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Each row of docs/sources.md is whole and true: five cells, none empty; what is ours in `code` is a function or a
# constant of the public headers, a file or a command of the tool; tests are CTests of this build. Where parts are left
# out of this build (WHOLE is false), test programs count too. TESTS is a file with the names of the tests, SOURCE the
# project's folder.
cmake_policy(VERSION 3.22)

file(READ ${TESTS} tests)
file(GLOB_RECURSE programs RELATIVE ${SOURCE} ${SOURCE}/tests/test_*.c)
file(READ ${SOURCE}/apps/commands.h text)
string(REGEX MATCHALL " X\\([a-z]+," commands "${text}")

# Declarations, without comments: what these name need not be there.
set(functions "")
set(constants "")
file(GLOB_RECURSE headers ${SOURCE}/include/tact/*.h)
foreach(header IN LISTS headers)
  file(READ ${header} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "[][;]" " " text "${text}")
  string(REGEX MATCHALL "TACT_API[^(]*tact_[a-z0-9_]+\\(" found "${text}")
  foreach(declaration IN LISTS found)
    string(REGEX MATCH "tact_[a-z0-9_]+\\($" name "${declaration}")
    list(APPEND functions "${name}")
  endforeach()
  string(REGEX MATCHALL "TACT_[A-Z0-9_]+" found "${text}")
  list(APPEND constants ${found})
endforeach()
list(LENGTH functions count)
if(count LESS 400)
  message(FATAL_ERROR "only ${count} public functions were found")
endif()

# quoted(OUT CELL): the words of a cell that stand in `code`.
function(quoted out cell)
  string(REGEX MATCHALL "`[^`]+`" words "${cell}")
  string(REPLACE "`" "" words "${words}")
  set(${out} "${words}" PARENT_SCOPE)
endfunction()

# fault_of(OUT ROW): what is wrong with a row, or nothing.
function(fault_of out row)
  set(${out} "" PARENT_SCOPE)
  if(NOT row MATCHES "^\\|([^|]*)\\|([^|]*)\\|([^|]*)\\|([^|]*)\\|([^|]*)\\|$")
    set(${out} "does not have five cells" PARENT_SCOPE)
    return()
  endif()
  set(ours "${CMAKE_MATCH_3}")
  set(held "${CMAKE_MATCH_4}")
  set(verdict "${CMAKE_MATCH_5}")
  foreach(cell IN ITEMS "${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}" "${ours}" "${held}" "${verdict}")
    if(NOT cell MATCHES "[A-Za-z0-9]")
      set(${out} "has an empty cell" PARENT_SCOPE)
      return()
    endif()
  endforeach()

  # What stands in for something that is missing, or is better, is there too.
  string(STRIP "${ours}" plain)
  quoted(names "${ours}")
  quoted(others "${verdict}")
  if(plain STREQUAL "none")
    set(missing TRUE)
  else()
    set(missing FALSE)
    string(REGEX REPLACE "`[^`]+`|[, ]" "" rest "${ours}")
    if(NOT names OR NOT rest STREQUAL "")
      set(${out} "says neither \"none\" nor names alone what is ours" PARENT_SCOPE)
      return()
    endif()
  endif()
  set(kinds "^tact_[a-z0-9_]+\\(\\)$|^TACT_[A-Z0-9_]+$|^tact [a-z ]+$|/")
  foreach(name IN LISTS names others)
    if(NOT name MATCHES "${kinds}")
      if(name IN_LIST names)
        set(${out} "has ${name}, which is no function, constant, command or file" PARENT_SCOPE)
      endif()
    elseif(name MATCHES "^(tact_[a-z0-9_]+\\()\\)$")
      if(NOT CMAKE_MATCH_1 IN_LIST functions)
        set(${out} "names ${name}, which no public header declares" PARENT_SCOPE)
      endif()
    elseif(name MATCHES "^TACT_")
      if(NOT name IN_LIST constants)
        set(${out} "names ${name}, which no public header has" PARENT_SCOPE)
      endif()
    elseif(name MATCHES "^tact bench ([a-z]+)$")
      if(NOT " X(${CMAKE_MATCH_1}," IN_LIST commands)
        set(${out} "names ${name}, which is no command" PARENT_SCOPE)
      endif()
    elseif(name MATCHES "^tact (.*)$")
      if(NOT " X(${CMAKE_MATCH_1}," IN_LIST commands)
        set(${out} "names ${name}, which is no command" PARENT_SCOPE)
      endif()
    elseif(NOT EXISTS ${SOURCE}/${name})
      set(${out} "names ${name}, which is not there" PARENT_SCOPE)
    endif()
  endforeach()

  string(STRIP "${held}" plain)
  quoted(names "${held}")
  string(REGEX REPLACE "`[^`]+`|[, ]" "" rest "${held}")
  if(missing AND plain STREQUAL "none")
    return()
  elseif(NOT names OR NOT rest STREQUAL "")
    set(${out} "has no test" PARENT_SCOPE)
  endif()
  foreach(name IN LISTS names)
    if(NOT name IN_LIST tests AND (WHOLE OR NOT ";${programs};" MATCHES "/test_${name}\\.c;"))
      set(${out} "names ${name}, which is no test" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# A rule that finds nothing any more would go unseen.
foreach(sample IN ITEMS
    "| E 1 | what | `tact_orient2d()` | `predicates` |"
    "| E 1 | what | `tact_orient2d()` | `predicates` | |"
    "| E 1 | what | | `predicates` | best |"
    "| E 1 | what | - | `predicates` | best |"
    "| E 1 | what | `tact_orient2d()` | | best |"
    "| | what | `tact_orient2d()` | `predicates` | best |"
    "| E 1 | what | ours | `predicates` | best |"
    "| E 1 | what | `tact_orient2d()` | none | best |"
    "| E 1 | what | `tact_orient2d()` | predicates | best |"
    "| E 1 | what | `tact_orient1d()` | `predicates` | best |"
    "| E 1 | what | `tact_orient()` | `predicates` | best |"
    "| E 1 | what | none | none | `tact_orient1d()` is better |"
    "| E 1 | what | `TACT_ORIENT` | `predicates` | best |"
    "| E 1 | what | `orient2d` | `predicates` | best |"
    "| E 1 | what | `kernels/orient.h` | `predicates` | best |"
    "| E 1 | what | `tact orient` | `predicates` | best |"
    "| E 1 | what | `tact bench orient` | `predicates` | best |"
    "| E 1 | what | `tact_orient2d()` | `predicate` | best |"
    "| E 1 | what | `tact_orient2d()` | `predicates`, `orient` | best |")
  fault_of(fault "${sample}")
  if(fault STREQUAL "")
    message(FATAL_ERROR "no rule finds: ${sample}")
  endif()
endforeach()

file(READ ${SOURCE}/docs/sources.md text)
# CMake's lists and brackets do not mix.
string(REPLACE ";" "," text "${text}")
string(REPLACE "[" "(" text "${text}")
string(REPLACE "]" ")" text "${text}")
string(REGEX MATCHALL "\n\\|[^\n]*" rows "${text}")
set(count 0)
foreach(row IN LISTS rows)
  string(REPLACE "\n" "" row "${row}")
  if(row MATCHES "^\\| (section|---) ")
    continue()
  endif()
  fault_of(fault "${row}")
  if(NOT fault STREQUAL "")
    message(SEND_ERROR "docs/sources.md ${fault}:\n  ${row}")
  endif()
  math(EXPR count "${count} + 1")
endforeach()
message("${count} rows")
if(count LESS 315)
  message(FATAL_ERROR "only ${count} rows were found")
endif()
