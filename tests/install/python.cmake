# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Runs a program of Python's, with its arguments in PROGRAM, which must print EXPECTED.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
string(REPLACE "|" ";" PROGRAM "${PROGRAM}")
if(NOT PYTHON OR "" IN_LIST PROGRAM)
  skip("tact_api.json, or a shared library to load, is not built here")
  return()
endif()
run(${PYTHON} ${PROGRAM})
message("${output}")
if(NOT output MATCHES "${EXPECTED}")
  message(FATAL_ERROR "not what was expected:\n${EXPECTED}")
endif()
