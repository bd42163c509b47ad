# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Everything public is documented and every reference leads somewhere: Doxygen has nothing to warn of. It writes to a
# folder of the test's own.
cmake_policy(VERSION 3.22)
if(NOT EXISTS "${DOXYFILE}")
  message("skipped: no doxygen, or no awk")
  return()
endif()
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(READ ${DOXYFILE} text)
file(WRITE ${WORK}/Doxyfile "${text}\nOUTPUT_DIRECTORY = \"${WORK}\"\n")
execute_process(COMMAND ${DOXYGEN} ${WORK}/Doxyfile WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status
  OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0 OR NOT "${output}" STREQUAL "")
  message(FATAL_ERROR "doxygen ended with ${status}:\n${output}")
endif()
foreach(page index.html raycast_8h.html structtact__hit.html)
  if(NOT EXISTS ${WORK}/html/${page})
    message(FATAL_ERROR "doxygen made no ${page}")
  endif()
endforeach()
