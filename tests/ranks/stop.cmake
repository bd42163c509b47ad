# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# A signal to one rank stops all of them at the same point. MPIEXEC, FLAG: what starts ranks, and says how many; TACT,
# TOOL: the command, without and with ranks; FOLDER: to be made anew.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/RanksHere.cmake)
if(NOT ranks_here)
  return()
endif()
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
# Each rank writes its process's number before it becomes the command.
file(WRITE ${FOLDER}/rank.sh "echo $$ >pid.\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-none}}\nexec \"$@\"\n")
# Sends SIGTERM to rank 1 a while after a file is there.
file(WRITE ${FOLDER}/stop.sh "i=0
while [ $i -lt 1200 ] && ! [ -e \"$1\" ]; do sleep 0.05; i=$((i + 1)); done
sleep \"$2\"
kill -TERM \"$(cat pid.1)\"
")

# stop(FILE SECONDS ARGUMENT...): two ranks, stopped by a signal to the second so long after a file is there; what
# they say goes to `said`.
function(stop file seconds)
  list(JOIN ARGN "' '" arguments)
  execute_process(COMMAND sh -c "rm -f pid.*; sh stop.sh '${file}' ${seconds} & '${MPIEXEC}' '${FLAG}' 2 sh rank.sh '${TOOL}' '${arguments}'; code=$?; wait; exit $code"
    WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE complained TIMEOUT 200)
  if(NOT EXISTS ${FOLDER}/pid.1)
    message("skipped: no ranks can be started here")
    return()
  endif()
  if(code EQUAL 0)
    message(FATAL_ERROR "${arguments}: ended well\n${out}${complained}")
  endif()
  set(said "${out}${complained}" PARENT_SCOPE)
endfunction()

# expect(REGEX): in `said`; what matched the brackets goes to `matched`.
function(expect regex)
  if(NOT said MATCHES "${regex}")
    message(FATAL_ERROR "not \"${regex}\":\n${said}")
  endif()
  set(matched "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# digest(ARGUMENT...): of a run in one process, in `matched`.
function(digest)
  execute_process(COMMAND ${TACT} particles ${ARGN} --backend cpu --json WORKING_DIRECTORY ${FOLDER} OUTPUT_VARIABLE said
    ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  expect("\"digest\":[ \t]*\"([0-9a-f]+)\"")
  set(matched ${matched} PARENT_SCOPE)
endfunction()

# A run is saved, and goes on to the same end; of a scene too, the samples of which the first rank has.
foreach(run "--random;3000;--steps;300;--response;grains" "--scene;drum;--random;400;--stiffness;1e7;--steps;700;--speed;2")
  set(file ${FOLDER}/stopped.run)
  file(REMOVE ${file})
  digest(${run})
  set(whole ${matched})
  stop(stopped.run 0.2 particles --mpi ${run} --backend cpu --threads 1 --save stopped.run --save-every 7)
  if(NOT said)
    return()
  endif()
  expect("saved after step ([0-9]+) to stopped.run; to go on:\n")
  expect("tact particles: stopped by signal 15, after step ${matched}\n")
  expect("\n  mpirun -n 2 tact particles --resume stopped.run --steps ([0-9]+) --save stopped.run --mpi ")
  digest(--resume stopped.run --steps ${matched})
  if(NOT matched STREQUAL whole)
    message(FATAL_ERROR "${run}: ${matched} in place of ${whole}")
  endif()
endforeach()

# Queries, within a run or between two.
stop(pid.0 3 pairs --mpi --random 100000 --repeat 100000)
expect("tact pairs: stopped by signal 15")
