# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Runs PROGRAM ARGUMENT on the OpenCL interpreter oclgrind and fails when that has anything to say: races, accesses out
# of bounds, barriers that not every item reaches. Its exit code tells nothing, its log (LOG) does.
#
# Its check for uninitialized memory stays off: in version 21.10 it takes for uninitialized what kernels wrote to a
# buffer that was filled before, or that lies where a released one of another size lay.
set(icd /usr/lib/oclgrind/liboclgrind-rt-icd.so)
if(NOT EXISTS ${icd})
  message("skipped: no oclgrind here")
  return()
endif()
set(ENV{OCL_ICD_VENDORS} ${icd})
set(ENV{OCLGRIND_DATA_RACES} 1)
set(ENV{OCLGRIND_CHECK_API} 1)
set(ENV{OCLGRIND_LOG} ${LOG})
# Optimized, kernels hold instructions that the interpreter does not know, such as saturating subtraction, and then are
# not built; what falls back to the CPU is not checked.
set(ENV{OCLGRIND_BUILD_OPTIONS} "-cl-opt-disable")
set(ENV{TACT_CACHE_DIR} "")
if(ONLY)
  set(ENV{TACT_TEST_ONLY} "${ONLY}")
endif()
# A program that finds no OpenCL has checked nothing.
set(ENV{TACT_REQUIRE_DEVICES} cl)
file(REMOVE ${LOG})
execute_process(COMMAND ${PROGRAM} ${ARGUMENT} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ${ARGUMENT}: ${status}")
endif()
if(EXISTS ${LOG})
  file(READ ${LOG} findings LIMIT 4000)
  if(NOT findings STREQUAL "")
    message(FATAL_ERROR "oclgrind found:\n${findings}")
  endif()
endif()
