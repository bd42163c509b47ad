# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Runs PROGRAM with ARGUMENTS, separated by "|", on RANKS ranks, more than there are cores if need be, by MPIEXEC with the
# FLAG that says how many. What says that no rank has begun makes CTest skip the test: a program that has begun says
# "on RANKS ranks".
include(${CMAKE_CURRENT_LIST_DIR}/RanksHere.cmake)
if(NOT ranks_here)
  return()
endif()
if(NOT EXISTS ${PROGRAM})
  message(FATAL_ERROR "${PROGRAM} was not built")
endif()
string(REPLACE "|" ";" ARGUMENTS "${ARGUMENTS}")
execute_process(COMMAND ${MPIEXEC} ${FLAG} ${RANKS} ${PROGRAM} ${ARGUMENTS}
  RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE complained)
message("${said}${complained}")
if(NOT said MATCHES "on [0-9]+ ranks")
  message("skipped: no ranks can be started here")
elseif(NOT code EQUAL 0)
  message(FATAL_ERROR "the ranks ended with ${code}")
elseif(NOT said MATCHES "on ${RANKS} ranks")
  message(FATAL_ERROR "there were not ${RANKS} ranks")
endif()
