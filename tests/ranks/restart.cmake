# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Runs that end and go on on another number of ranks end like one that did not end. MPIEXEC, FLAG: what starts ranks, and
# says how many; RANKS: the most of them; PROGRAM: rank_files; TACT, TOOL: the command, without and with ranks; FOLDER: to
# be made anew.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/RanksHere.cmake)
if(NOT ranks_here)
  return()
endif()
execute_process(COMMAND ${MPIEXEC} ${FLAG} 1 ${PROGRAM} 1 run ${FOLDER}.none 200 0 1 0 OUTPUT_VARIABLE said)
if(NOT said MATCHES "on 1 ranks")
  message("skipped: no ranks can be started here")
  return()
endif()
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# on(RANKS WELL COMMAND...): the output goes to `said`; WELL: whether it is to end well.
function(on ranks well)
  execute_process(COMMAND ${MPIEXEC} ${FLAG} ${ranks} ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE code
    OUTPUT_VARIABLE out ERROR_VARIABLE complained TIMEOUT 100)
  if(well AND NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} on ${ranks} ranks: ${code}\n${out}${complained}")
  elseif(NOT well AND code EQUAL 0)
    message(FATAL_ERROR "${ARGN} on ${ranks} ranks: ended well")
  elseif(NOT well AND complained STREQUAL "" AND out STREQUAL "")
    message(FATAL_ERROR "${ARGN} on ${ranks} ranks: ended without a word")
  endif()
  set(said "${out}${complained}" PARENT_SCOPE)
endfunction()

# expect(TEXT REGEX)
function(expect text regex)
  if(NOT text MATCHES "${regex}")
    message(FATAL_ERROR "not \"${regex}\":\n${text}")
  endif()
  set(matched "${CMAKE_MATCH_0}" PARENT_SCOPE)
endfunction()

# A rank is killed in step 27 while the others are in it or wait; the file is that of step 20, or of step 25.
on(2 TRUE ${PROGRAM} 2 run whole 1500 40 5 0)
expect("${said}" "digest [0-9a-f]+")
set(digest "${matched}")
on(3 FALSE ${PROGRAM} 3 run broken 1500 40 5 27)
on(2 TRUE ${PROGRAM} 2 run broken 1500 40 5 0)
expect("${said}" "from step 25 on, on 2 ranks")
expect("${said}" "${digest}")
# Again, in the next run too, and at last in one process.
file(REMOVE ${FOLDER}/broken)
on(2 FALSE ${PROGRAM} 2 run broken 1500 40 5 12)
on(5 FALSE ${PROGRAM} 5 run broken 1500 40 5 33)
expect("${said}" "from step 10 on, on 5 ranks")
on(1 TRUE ${PROGRAM} 1 run broken 1500 40 5 0)
expect("${said}" "from step 30 on, on 1 ranks")
expect("${said}" "${digest}")

# The command: the same file from any number of ranks, and read by any.
set(run particles --random 2000 --response grains --seed 5 --backend cpu)
function(same file)
  file(SHA256 ${FOLDER}/alone.run expected)
  file(SHA256 ${FOLDER}/${file} digest)
  if(NOT digest STREQUAL expected)
    message(FATAL_ERROR "${file} has other bytes than alone.run")
  endif()
endfunction()
execute_process(COMMAND ${TACT} ${run} --steps 20 --save alone.run WORKING_DIRECTORY ${FOLDER} OUTPUT_QUIET
  COMMAND_ERROR_IS_FATAL ANY)
on(3 TRUE ${TOOL} ${run} --steps 20 --mpi --save three.run --save-every 7)
same(three.run)
on(2 TRUE ${TOOL} ${run} --steps 9 --mpi --save half.run)
on(3 TRUE ${TOOL} particles --resume half.run --steps 20 --backend cpu --mpi --save on.run)
same(on.run)
execute_process(COMMAND ${TACT} particles --resume half.run --steps 20 --backend cpu --save here.run
  WORKING_DIRECTORY ${FOLDER} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
same(here.run)
# What cannot be read, or written: the reason, and what was there stays.
file(WRITE ${FOLDER}/other.run "not a run")
on(2 FALSE ${TOOL} particles --resume other.run --steps 20 --mpi)
expect("${said}" "other.run: byte 0: not a saved run")
on(2 FALSE ${TOOL} particles --resume half.run --steps 9 --mpi --save none/such.run)
expect("${said}" "none/such.run: cannot be written")
file(GLOB left ${FOLDER}/.tact-*)
if(left)
  message(FATAL_ERROR "left: ${left}")
endif()
