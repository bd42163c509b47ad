# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# `scripts/package tar`: the archive of a shared build works where it is unpacked, with no word to the system where the
# library is, and what the archive of the sources holds configures.
include(${CMAKE_CURRENT_LIST_DIR}/../install/common.cmake)
find_program(BASH bash)
if(NOT BASH OR NOT EXISTS ${SOURCE}/.git)
  skip("no bash, or no checkout by git")
  return()
endif()
file(REMOVE_RECURSE ${WORK})
unset(ENV{LD_LIBRARY_PATH})
set(ENV{CMAKE_BUILD_TYPE} None)  # quick to build; what is packed is the same
run(${BASH} ${SOURCE}/scripts/package tar ${WORK}/packages)
file(GLOB archives ${WORK}/packages/tact-${VERSION}*.tar.gz)
list(LENGTH archives count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "not two archives: ${archives}")
endif()
foreach(archive IN LISTS archives)
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${WORK}/unpacked)
endforeach()
file(GLOB library ${WORK}/unpacked/*/lib/libtact.so)
get_filename_component(PREFIX ${library}/../.. ABSOLUTE)
if(EXISTS ${PREFIX}/bin/tact)
  run(${PREFIX}/bin/tact info)
  message("${output}")
endif()
no_paths(${PREFIX} ${SOURCE} ${WORK})
build_consumer(find_package C ${WORK}/consumer -DCMAKE_PREFIX_PATH=${PREFIX})
configure(${WORK}/unpacked/tact-${VERSION} ${WORK}/build -DTACT_TESTS=OFF)
