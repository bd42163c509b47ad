// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tests/ranks/rank_check.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int rank, rank_count;

void rank_begin(int* argc, char*** argv, int least, const char* what)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    // From then on a failure is one, and not that no ranks can be started.
    if (rank == 0) printf("on %d ranks\n", rank_count);
    fflush(stdout);
    if (*argc < least) fail("arguments", what);
    if (atoi((*argv)[1]) != rank_count) fail("ranks", "not as many as were asked for");
}

void fail(const char* what, const char* detail)
{
    fprintf(stderr, "rank %d of %d: %s: %s\n", rank, rank_count, what, detail);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

void check(tact_result result, const char* what)
{
    if (result < 0) fail(what, tact_last_error());
}
