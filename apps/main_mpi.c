// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The `tact` command on ranks that mpirun started: `tact` becomes this program when it is given --mpi.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/ranks_mpi.h"
#include "apps/system.h"
#include "apps/timing.h"
#include "tact/mpi.h"

/// Milliseconds in which all ranks end when one has failed.
#define PATIENCE 3000.0

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
    int level = 0;
    tact_tool_ranks here;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return TACT_EXIT_NO_DEVICE;
    if (!tact_tool_ranks_begin(&here)) return TACT_EXIT_NO_DEVICE;
    const int rank = (int)here.rank;
    tact_tool_ranks_here = &here;
    if (rank > 0 && !tact_system_silence(stdout)) return TACT_EXIT_WRONG_USE;
    if (rank > 0) tact_progress_silence();
    tact_system_refuse_input();
    tact_problem problem = {0};
    const int code = tact_command_line(argc, argv, &problem);
    const int first = first_failed(rank, code);
    if (first < 0 || first == rank) tact_command_line_complain(argc, argv, &problem);
    // The others wait for this one.
    if (first < 0) MPI_Abort(MPI_COMM_WORLD, code);
    tact_tool_ranks_end();
    MPI_Finalize();
    return code;
}
