# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Every file names its authors and its licence, in its first lines or in .reuse/dep5, as https://reuse.software asks. The
# licence at the root is the one among the texts that they name.
include(${CMAKE_CURRENT_LIST_DIR}/../install/common.cmake)
file(READ ${SOURCE}/LICENSE root)
file(READ ${SOURCE}/LICENSES/MIT.txt named)
if(NOT root STREQUAL named)
  message(FATAL_ERROR "LICENSE and LICENSES/MIT.txt differ")
endif()
if(NOT REUSE OR NOT EXISTS ${SOURCE}/.git)
  # Without git it would read what was built, too.
  skip("no reuse, or no checkout by git")
  return()
endif()
execute_process(COMMAND ${REUSE} --root ${SOURCE} lint RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT status EQUAL 0 OR NOT output MATCHES "Files with license information: ([0-9]+) / ([0-9]+)")
  message(FATAL_ERROR "reuse finds files without authors or licence")
endif()
if(CMAKE_MATCH_1 LESS 2500)
  message(FATAL_ERROR "reuse read only ${CMAKE_MATCH_1} files")
endif()
