# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Another configuration of the library (VARIANT: options) is built, installed and consumed.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
configure(${SOURCE} ${WORK}/build ${OPTIONS} -DTACT_TOOL=OFF -DTACT_TESTS=OFF -DTACT_EXAMPLES=OFF ${QUICK_BUILD}
          ${VARIANT})
run(${CMAKE_COMMAND} --build ${WORK}/build --config ${CONFIG})
file(REMOVE_RECURSE ${WORK}/prefix)
run(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/prefix --config ${CONFIG})
no_paths(${WORK}/prefix ${SOURCE} ${WORK})
foreach(language C CXX)
  if(${language}_COMPILER)
    file(REMOVE_RECURSE ${WORK}/consumer_${language})
    build_consumer(find_package ${language} ${WORK}/consumer_${language} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
  endif()
endforeach()
set(PREFIX ${WORK}/prefix)
set(LANGUAGE C)
set(WORK ${WORK}/pkg_config)
include(${CMAKE_CURRENT_LIST_DIR}/pkg_config.cmake)
if(SHARED AND NM)
  file(GLOB_RECURSE LIBRARY ${PREFIX}/libtact.so)
  set(NM_OPTIONS -D)
  include(${CMAKE_CURRENT_LIST_DIR}/symbols.cmake)
endif()
