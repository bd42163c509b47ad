# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# For scripts that start ranks: more than there are cores, and as any user.
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
# Open MPI 4 and 5 by its own variables: other kinds of MPI lack the option.
set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)
set(ENV{PRTE_MCA_rmaps_default_mapping_policy} ":oversubscribe")
# Ranks that wait leave the core to others.
set(ENV{OMPI_MCA_mpi_yield_when_idle} 1)
# MPI holds memory at its end. What the library holds is counted by the tests themselves.
set(ENV{ASAN_OPTIONS} "$ENV{ASAN_OPTIONS}:detect_leaks=0")
