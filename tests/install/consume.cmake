# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# A consumer in LANGUAGE through ROUTE: find_package or add_subdirectory.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
if(NOT ${LANGUAGE}_COMPILER)
  skip("no ${LANGUAGE} compiler")
  return()
endif()
if(ROUTE STREQUAL "find_package")
  file(REMOVE_RECURSE ${WORK})
  build_consumer(find_package ${LANGUAGE} ${WORK} -DCMAKE_PREFIX_PATH=${PREFIX})
else()
  build_consumer(add_subdirectory ${LANGUAGE} ${WORK} -DTACT_SOURCE=${SOURCE} ${OPTIONS} ${QUICK_BUILD})
endif()
