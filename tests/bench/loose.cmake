# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# A build with TACT_LOOSE is refused where it would be tested or installed. With BUILD it is made; it must say what it is,
# and find as many pairs and hits as the tool of this build.
cmake_policy(VERSION 3.22)
set(configure ${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER} -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}
  -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_BUILD_TYPE=Release -DTACT_LOOSE=ON)
set(alone -DTACT_GL=OFF -DTACT_CL=OFF -DTACT_TESTS=OFF -DTACT_EXAMPLES=OFF -DTACT_INSTALL=OFF -DTACT_PEERS=OFF)

foreach(option TACT_GL TACT_CL TACT_TESTS TACT_INSTALL)
  file(REMOVE_RECURSE ${FOLDER})
  execute_process(COMMAND ${configure} ${alone} -D${option}=ON RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
  if(status EQUAL 0 OR NOT errors MATCHES "TACT_LOOSE is for benchmarks")
    message(FATAL_ERROR "TACT_LOOSE with ${option}: ${status}\n${errors}")
  endif()
endforeach()
if(NOT BUILD)
  return()
endif()

file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${configure} ${alone} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${FOLDER} --target tact_tool OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(who strict loose)
  set(program ${PROGRAM})
  if(who STREQUAL "loose")
    set(program ${FOLDER}/tact)
  endif()
  execute_process(COMMAND ${program} --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
  if(version MATCHES "LOOSE")
    set(says loose)
  else()
    set(says strict)
  endif()
  if(NOT says STREQUAL who)
    message(FATAL_ERROR "the ${who} build says: ${version}")
  endif()
  set(${who} "")
  foreach(query pairs ray_all overlap_pairs)
    execute_process(COMMAND ${program} bench --only =${query} --least 10000 --most 10000 --repeat 1 --backend cpu --quiet
      --json OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
    string(JSON results GET "${json}" rows 0 results)
    list(APPEND ${who} ${query} ${results})
  endforeach()
endforeach()
if(NOT strict STREQUAL loose)
  message(FATAL_ERROR "as it is: ${strict}; loose: ${loose}")
endif()
