# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Installs ranks by MPI too, moves the prefix, and uses them from outside by both routes: find_package and mpicc with
# pkg-config. The program runs on two ranks (RUN: mpirun and its option for that).
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${WORK})
foreach(component development runtime mpi)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --config ${CONFIG} --component ${component})
endforeach()
file(RENAME ${WORK}/first ${WORK}/moved)
no_paths(${WORK}/moved ${SOURCE} ${BUILD})
string(REPLACE "|" ";" RUN "${RUN}")
configure(${CMAKE_CURRENT_LIST_DIR}/ranks ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/moved)
run(${CMAKE_COMMAND} --build ${WORK}/build --config ${CONFIG})
find_program(consumer consumer_ranks PATHS ${WORK}/build ${WORK}/build/${CONFIG} NO_DEFAULT_PATH NO_CACHE REQUIRED)
run(${RUN} ${consumer})
message("find_package: ${output}")

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG AND MPI_CC)
  file(GLOB_RECURSE description ${WORK}/moved/tact-mpi.pc)
  get_filename_component(folder ${description} DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  run(${PKG_CONFIG} --cflags --libs tact-mpi)
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(${MPI_CC} ${CMAKE_CURRENT_LIST_DIR}/ranks/consumer.c -o ${WORK}/by_hand ${flags})
  get_filename_component(library ${folder} DIRECTORY)
  set(ENV{LD_LIBRARY_PATH} ${library})
  run(${RUN} ${WORK}/by_hand)
  message("pkg-config: ${output}")
endif()
