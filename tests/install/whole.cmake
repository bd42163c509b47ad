# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Another configuration of the whole project, with the tool, the examples and what tests it has (VARIANT: options), is
# built, and the tool starts. TESTS: an expression for tests of that build that must pass as well.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
configure(${SOURCE} ${WORK}/build ${OPTIONS} ${QUICK_BUILD} ${VARIANT})
run(${CMAKE_COMMAND} --build ${WORK}/build --config ${CONFIG})
find_program(tool tact PATHS ${WORK}/build ${WORK}/build/${CONFIG} NO_DEFAULT_PATH NO_CACHE REQUIRED)
run(${tool} info)
message("${output}")
if(TESTS)
  unset(ENV{TACT_REQUIRE_DEVICES})  # the variant may have none
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build -C ${CONFIG} -R ${TESTS} --output-on-failure)
  message("${output}")
endif()
