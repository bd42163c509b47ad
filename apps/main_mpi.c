// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The `tact` command on ranks that mpirun started: `tact` becomes this program when it is given --mpi.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/ranks.h"
#include "apps/system.h"
#include "tact/mpi.h"

/// Milliseconds in which all ranks end when one has failed.
#define PATIENCE 3000.0

static tact_result open_ranks(tact_context* context, tact_ranks** ranks)
{
    return tact_mpi_ranks(context, MPI_COMM_WORLD, ranks);
}

/// The number of this rank among those on this machine; `rank` where MPI does not say.
static uint32_t number_here(int rank)
{
    MPI_Comm machine = MPI_COMM_NULL;
    int number = rank;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine) != MPI_SUCCESS)
        return (uint32_t)rank;
    MPI_Comm_rank(machine, &number);
    MPI_Comm_free(&machine);
    return (uint32_t)number;
}

/// The first rank that failed, on all of them; INT_MAX for none, -1 where some did not come to their end.
static int first_failed(int rank, int code)
{
    int own = code == TACT_EXIT_DONE ? INT_MAX : rank, first = INT_MAX, done = 0;
    MPI_Request request;
    if (MPI_Iallreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request) != MPI_SUCCESS) return -1;
    const double start = tact_system_milliseconds();
    while (!done) {
        if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return -1;
        // One that is done waits for the others as long as they take.
        if (!done && own != INT_MAX && tact_system_milliseconds() - start > PATIENCE) return -1;
    }
    return first;
}

int main(int argc, char** argv)
{
    tact_system_binary_streams();
    int level = 0, rank = 0, count = 1;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return TACT_EXIT_NO_DEVICE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    const tact_tool_ranks here = {(uint32_t)rank, (uint32_t)count, number_here(rank), open_ranks};
    tact_tool_ranks_here = &here;
    if (rank > 0 && !tact_system_silence(stdout)) return TACT_EXIT_WRONG_USE;
    tact_problem problem = {0};
    const int code = tact_command_line(argc, argv, &problem);
    const int first = first_failed(rank, code);
    if (first < 0 || first == rank) tact_command_line_complain(argc, argv, &problem);
    // The others wait for this one.
    if (first < 0) MPI_Abort(MPI_COMM_WORLD, code);
    MPI_Finalize();
    return code;
}
