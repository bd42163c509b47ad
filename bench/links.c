// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the calls take by which ranks reach each other, for bench/scaling: microseconds of a reduction of so many bytes,
// and of an exchange of so many with each other rank along a graph. Each is the least and the median of rounds of
// calls, on the slowest rank. usage: mpirun -n N links
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 41, MOST = 1 << 22 };

static int compare(const void* a, const void* b)
{
    const double p = *(const double*)a, q = *(const double*)b;
    return (p > q) - (p < q);
}

/// What an exchange has: parts of one size for each other rank.
typedef struct links {
    MPI_Comm graph;
    int others, *sizes;
    MPI_Aint *out_at, *in_at;
    MPI_Datatype* types;
    char *out, *in;
} links;

static void* array(size_t count, size_t size)
{
    void* a = calloc(count, size);
    if (!a) {
        fprintf(stderr, "links: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return a;
}

static void place(links* l, int bytes)
{
    for (int i = 0; i < l->others; ++i) {
        l->sizes[i] = bytes;
        MPI_Get_address(l->out + (size_t)i * (size_t)bytes, &l->out_at[i]);
        MPI_Get_address(l->in + (size_t)i * (size_t)bytes, &l->in_at[i]);
    }
}

static void make(links* l, int rank, int ranks)
{
    l->others = ranks - 1;
    const size_t room = (size_t)ranks;
    int* others = array(room, sizeof *others);
    l->sizes = array(room, sizeof *l->sizes);
    l->out_at = array(room, sizeof *l->out_at);
    l->in_at = array(room, sizeof *l->in_at);
    l->types = array(room, sizeof *l->types);
    l->out = array(room, MOST);
    l->in = array(room, MOST);
    for (int i = 0, k = 0; i < ranks; ++i) {
        if (i != rank) others[k++] = i;
    }
    for (int i = 0; i < l->others; ++i) {
        l->types[i] = MPI_BYTE;
        l->sizes[i] = 1;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, l->others, others, l->sizes, l->others, others, l->sizes,
                                   MPI_INFO_NULL, 0, &l->graph);
    free(others);
}

static void reduce(links* l, int bytes)
{
    MPI_Allreduce(MPI_IN_PLACE, l->out, bytes / 8, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
}

static void exchange(links* l, int bytes)
{
    (void)bytes;
    MPI_Request request;
    MPI_Ineighbor_alltoallw(MPI_BOTTOM, l->sizes, l->out_at, l->types, MPI_BOTTOM, l->sizes, l->in_at, l->types,
                            l->graph, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void measure(const char* what, void (*call)(links*, int), links* l, int bytes, int rank)
{
    const int calls = bytes < 65536 ? 200 : 20;
    double times[ROUNDS];
    place(l, bytes);
    for (int round = 0; round < ROUNDS; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        for (int k = 0; k < calls; ++k)
            call(l, bytes);
        const double took = (MPI_Wtime() - start) / calls;
        MPI_Allreduce(&took, &times[round], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    qsort(times, ROUNDS, sizeof *times, compare);
    if (rank == 0) printf("%s %d %.3f %.3f\n", what, bytes, 1e6 * times[0], 1e6 * times[ROUNDS / 2]);
}

int main(int argc, char** argv)
{
    int rank, ranks;
    links l;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    make(&l, rank, ranks);
    const int reduced[] = {8, 24, 1024, 8192};
    for (size_t i = 0; i < sizeof reduced / sizeof *reduced; ++i)
        measure("reduction", reduce, &l, reduced[i], rank);
    for (int bytes = 0; bytes <= MOST; bytes = bytes > 0 ? 4 * bytes : 1024)
        measure("exchange", exchange, &l, bytes, rank);
    MPI_Comm_free(&l.graph);
    free(l.sizes);
    free(l.out_at);
    free(l.in_at);
    free(l.types);
    free(l.out);
    free(l.in);
    MPI_Finalize();
    return 0;
}
