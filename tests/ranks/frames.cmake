# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Runs `tact particles --vtk` by itself and on RANKS ranks, started by MPIEXEC with the FLAG that says how many, in FOLDER,
# which is made anew, and compares the frames by READER. TACT: the command; TOOL: it on ranks; HDF5: whether it writes
# H5Part files.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/RanksHere.cmake)
if(NOT ranks_here)
  return()
endif()
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(start ${MPIEXEC} ${FLAG} ${RANKS} ${TOOL})
execute_process(COMMAND ${start} --version RESULT_VARIABLE code ERROR_VARIABLE complained OUTPUT_QUIET)
if(NOT code EQUAL 0)
  message("skipped: no ranks can be started here: ${complained}")
  return()
endif()

# run(CODE COMMAND...): it is to end with that code; what it complains of goes to `complained`.
function(run expected)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE code OUTPUT_VARIABLE said
    ERROR_VARIABLE complained)
  if(NOT code EQUAL expected)
    message(FATAL_ERROR "${ARGN}: ended with ${code}, not ${expected}\n${said}${complained}")
  endif()
  set(complained "${complained}" PARENT_SCOPE)
endfunction()

# same(FILE FILE): the same bytes.
function(same one other)
  run(0 ${CMAKE_COMMAND} -E compare_files ${one} ${other})
endfunction()

# compare(NAME CONTACTS OPTION...): frames of a system, with at least so many contacts in the last one.
set(common --backend cpu --threads 1 --quiet)
function(compare name contacts)
  run(0 ${TACT} particles ${ARGN} ${common} --vtk ${name}_alone)
  run(0 ${start} particles ${ARGN} ${common} --mpi --vtk ${name})
  run(0 ${READER} ${name}_alone ${name} ${RANKS} 3 ${contacts})
  # The collections name the same frames.
  file(READ ${FOLDER}/${name}_alone/run.pvd alone)
  file(READ ${FOLDER}/${name}/run.pvd over)
  string(REPLACE ".vtp" ".pvtp" alone "${alone}")
  if(NOT alone STREQUAL over)
    message(FATAL_ERROR "${name}/run.pvd:\n${over}")
  endif()
endfunction()

compare(grains 500 --random 700 --law linear --history --rolling 0.1 --steps 40 --every 20)
compare(springs 200 --random 700 --radii 0.3:0.5 --steps 40 --every 20)
# Without forces: a contact's end is worked out from the radius of a particle that another rank may have.
compare(positions 100 --random 700 --radii 0.3:0.5 --response position --steps 40 --every 20)
compare(periodic 20 --random 400 --domain periodic --steps 20 --every 10)
compare(clumps 30 --random 200 --clump rod:4 --steps 40 --every 20)

# Where all particles are in one place still.
set(options --random 300 --response position --steps 20 --every 10)
run(0 ${TACT} particles ${options} ${common} --average 3,4,5 --dump alone.dump --vtk cells_alone)
run(0 ${start} particles ${options} ${common} --mpi --average 3,4,5 --dump over.dump --vtk cells)
run(0 ${READER} cells_alone cells ${RANKS} 3 1)
same(alone.dump over.dump)
same(cells_alone/cells_00002.vti cells/cells_00002.vti)

# One file of all frames has the same bytes for any number of ranks, and nothing is left beside it.
if(HDF5)
  foreach(system "--random 700 --radii 0.3:0.5 --law linear --history --steps 40 --every 20" "--random 300 --steps 10")
    separate_arguments(options UNIX_COMMAND "${system}")
    run(0 ${TACT} particles ${options} ${common} --hdf5 alone.h5)
    run(0 ${start} particles ${options} ${common} --mpi --hdf5 over.h5)
    same(alone.h5 over.h5)
  endforeach()
  # Beside frames of other kinds it is the same.
  run(0 ${start} particles ${options} ${common} --mpi --hdf5 too.h5 --vtk too --dump too.dump)
  same(alone.h5 too.h5)
  run(2 ${start} particles --random 300 --steps 10 ${common} --mpi --hdf5 no_folder/over.h5)
  if(NOT complained MATCHES "tact particles: rank 0: no_folder/over.h5: cannot be written")
    message(FATAL_ERROR "a file that cannot be written:\n${complained}")
  endif()
  file(GLOB left ${FOLDER}/.tact-*)
  if(left)
    message(FATAL_ERROR "left: ${left}")
  endif()
endif()

# A run of one process goes on over ranks, and one over ranks in one process: the collection names the frames of both.
set(options --every 10 ${common})
run(0 ${TACT} particles --random 300 --steps 20 ${options} --save half.run --vtk resumed)
run(0 ${start} particles --resume half.run --steps 40 ${options} --save half.run --mpi --vtk resumed)
run(0 ${TACT} particles --resume half.run --steps 50 ${options} --vtk resumed)
file(READ ${FOLDER}/resumed/run.pvd over)
string(REGEX MATCHALL "file=\"particles_[^\"]*\"" files "${over}")
set(expected "")
foreach(i RANGE 5)
  # Frame 2, at which a run went on, is there in both ways.
  set(ending vtp)
  if(i EQUAL 3)
    set(ending pvtp)
  endif()
  list(APPEND expected "file=\"particles_0000${i}.${ending}\"")
endforeach()
if(NOT files STREQUAL expected)
  message(FATAL_ERROR "resumed/run.pvd:\n${over}")
endif()

# A rank that cannot write its piece ends the run on all, which say why once; no index names pieces of two runs, or such
# as are not there.
math(EXPR last "${RANKS} - 1")
file(MAKE_DIRECTORY ${FOLDER}/folder/pieces/contacts_00001_${last}.vtp)
file(WRITE ${FOLDER}/folder/particles_00001.pvtp "of a run before")
file(WRITE ${FOLDER}/folder/contacts_00001.pvtp "of a run before")
run(2 ${start} particles --random 300 --steps 20 ${options} --mpi --vtk folder)
string(REGEX MATCHALL "tact particles: [^\n]*" lines "${complained}")
list(LENGTH lines count)
if(NOT count EQUAL 1 OR NOT lines STREQUAL
   "tact particles: rank ${last}: folder/pieces/contacts_00001_${last}.vtp: is a folder, not a file")
  message(FATAL_ERROR "a piece that cannot be written:\n${complained}")
endif()
file(READ ${FOLDER}/folder/run.pvd over)
if(EXISTS ${FOLDER}/folder/particles_00001.pvtp OR EXISTS ${FOLDER}/folder/contacts_00001.pvtp OR
   over MATCHES "00001" OR NOT over MATCHES "particles_00000.pvtp")
  message(FATAL_ERROR "an index is there without its pieces:\n${over}")
endif()
file(WRITE ${FOLDER}/file "")
run(2 ${start} particles --random 300 --steps 20 ${options} --mpi --vtk file)
if(NOT complained MATCHES "tact particles: rank 0: file: cannot make this folder")
  message(FATAL_ERROR "a folder that cannot be made:\n${complained}")
endif()
