# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Whether ranks hold, send and meet as often as bench/scaling says: SCRIPT by PYTHON with ARGUMENTS, separated by "|", of
# TOOL on RANKS ranks.
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/RanksHere.cmake)
if(NOT ranks_here)
  return()
endif()
set(ENV{TACT} ${TOOL})
set(ENV{MPIRUN} "${MPIEXEC} ${FLAG}")
string(REPLACE "|" ";" ARGUMENTS "${ARGUMENTS}")
execute_process(COMMAND ${PYTHON} ${SCRIPT} ${ARGUMENTS} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE complained)
message("${said}${complained}")
if(NOT code EQUAL 0)
  message(FATAL_ERROR "bench/scaling ended with ${code}")
endif()
