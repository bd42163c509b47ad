// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file mpi.h
/// Ranks that reach each other by MPI 3.1: the library tact_mpi (tact::mpi of the CMake package). ranks.h has what can
/// be done with them.

#include <mpi.h>

#include "tact/ranks.h"

/// Makes a group of the processes of a communicator, which is duplicated. MPI must have been initialized, with
/// MPI_THREAD_FUNNELED at least where the context has threads; all calls with the group are made by the thread that
/// initialized it. MPI must not be finalized before the group is destroyed. Collective over the communicator. Errors:
/// INVALID_ARGUMENT (MPI is not initialized, MPI_COMM_NULL), OUT_OF_MEMORY, and as tact_ranks_create().
TACT_API tact_result tact_mpi_ranks(tact_context* context, MPI_Comm communicator, tact_ranks** ranks);
