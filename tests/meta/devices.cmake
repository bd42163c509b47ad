# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Each test program that is labelled gpu fails when a device is required and the drivers are hidden, so no such program
# can pass without its devices. PROGRAMS is a file with the path of one program a line, NONE a folder to make, empty.
file(STRINGS ${PROGRAMS} programs)
list(LENGTH programs count)
if(count LESS 20)
  message(FATAL_ERROR "only ${count} programs are listed in ${PROGRAMS}")
endif()
file(MAKE_DIRECTORY ${NONE})
set(ENV{OCL_ICD_VENDORS} ${NONE})
set(ENV{OCL_ICD_FILENAMES} "")
set(ENV{__EGL_VENDOR_LIBRARY_FILENAMES} ${NONE}/no.json)
set(ENV{TACT_REQUIRE_DEVICES} "gl,cl")
set(failed "")
foreach(program IN LISTS programs)
  execute_process(COMMAND ${program} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(status EQUAL 0 OR status EQUAL 77 OR NOT out MATCHES "TACT_REQUIRE_DEVICES names it")
    string(REGEX MATCH "[^\n]*\n[^\n]*\n?$" end "${out}")
    set(failed "${failed}${program}: exit ${status}:\n${end}\n")
  endif()
endforeach()
if(NOT failed STREQUAL "")
  message(FATAL_ERROR "programs that pass without the devices they need:\n${failed}")
endif()
