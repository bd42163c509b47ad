# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# The runner of test programs (tests/support/run.h) gives the exit code that tells a skip from a pass. PROGRAM is cases.c,
# FOLDER the one that its files must land in.
set(failed "")

# expect(CODE TEXT ARGUMENT...): the program ends with CODE and prints TEXT.
function(expect code text)
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  string(FIND "${out}" "${text}" at)
  if(NOT status EQUAL code OR at EQUAL -1)
    set(failed "${failed}${ARGN}: exit ${status}, not ${code} with '${text}':\n${out}\n" PARENT_SCOPE)
  endif()
endfunction()

unset(ENV{TACT_REQUIRE_DEVICES})
expect(0 "tests: 1 passed, 0 failed, 0 skipped" good)
expect(1 "tests: 0 passed, 1 failed, 0 skipped" bad)
expect(77 "tests: 0 passed, 0 failed, 2 skipped" skipped)
expect(0 "tests: 1 passed, 0 failed, 1 skipped" partly)
expect(77 "left out: no cl device: as it must" missing)
expect(0 "left out: no gl device: as it must" without)
expect(0 "tests: 1 passed" unasked)
expect(1 "1 failed" setup)
expect(1 "1 failed" group-setup)
expect(1 "1 failed" group-teardown)
expect(77 "skipped: as it must" nothing)
expect(1 "tests: 1 passed" two-groups)
expect(77 "tests: 0 passed" two-skipped)
expect(77 "tests: 0 passed, 0 failed, 0 skipped" good "no such *")
expect(0 "tests: 1 passed, 0 failed, 0 skipped" partly "*ss*")

set(ENV{TACT_REQUIRE_DEVICES} "gl")
expect(77 "left out: no cl device" missing)
expect(1 "TACT_REQUIRE_DEVICES names it: as it must" without)
expect(0 "tests: 1 passed" unasked)
set(ENV{TACT_REQUIRE_DEVICES} "gl,cl")
expect(1 "TACT_REQUIRE_DEVICES names it: as it must" missing)
expect(1 "TACT_REQUIRE_DEVICES names it" two-skipped)
set(ENV{TACT_REQUIRE_DEVICES} "gpu")
expect(1 "'gpu' is neither gl nor cl" good)

# Wherever a program is started, its files land in the build.
unset(ENV{TACT_REQUIRE_DEVICES})
file(MAKE_DIRECTORY ${FOLDER}/elsewhere)
file(REMOVE ${FOLDER}/test_cases.tmp ${FOLDER}/elsewhere/test_cases.tmp)
execute_process(COMMAND ${PROGRAM} writing WORKING_DIRECTORY ${FOLDER}/elsewhere OUTPUT_QUIET ERROR_QUIET)
if(NOT EXISTS ${FOLDER}/test_cases.tmp OR EXISTS ${FOLDER}/elsewhere/test_cases.tmp)
  set(failed "${failed}writing: its file is not in ${FOLDER}\n")
endif()
if(NOT failed STREQUAL "")
  message(FATAL_ERROR "${failed}")
endif()
