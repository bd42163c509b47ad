# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# For scripts that start RANKS ranks by MPIEXEC: more than there are cores, and as any user. ranks_here is false where
# they are not to.
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
# Open MPI 4 and 5 by its own variables: other kinds of MPI lack the option.
set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)
set(ENV{PRTE_MCA_rmaps_default_mapping_policy} ":oversubscribe")
# Ranks that wait leave the core to others, and none is bound to one that may be busy.
set(ENV{OMPI_MCA_hwloc_base_binding_policy} none)
set(ENV{OMPI_MCA_mpi_yield_when_idle} 1)
# MPI holds memory at its end. What the library holds is counted by the tests themselves.
set(ENV{ASAN_OPTIONS} "$ENV{ASAN_OPTIONS}:detect_leaks=0")
set(ranks_here TRUE)
# Ranks of Open MPI that wait leave their core to others; those of other kinds keep it, so that more than there are cores
# take minutes.
execute_process(COMMAND ${MPIEXEC} --version OUTPUT_VARIABLE kind ERROR_QUIET)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
if(NOT kind MATCHES "Open ?MPI|OpenRTE" AND RANKS GREATER cores)
  set(ranks_here FALSE)
  message("skipped: no ranks can be started here: ${RANKS} on ${cores} cores, by another MPI than Open MPI")
endif()
