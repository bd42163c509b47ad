// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/ranks_mpi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "tact/mpi.h"

/// Apart from what the library and the end of the program send.
static MPI_Comm all_ranks = MPI_COMM_NULL;

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

static bool unreachable(tact_problem* problem)
{
    tact_problem_set(problem, "the ranks cannot reach each other");
    problem->exit_code = TACT_EXIT_NO_DEVICE;
    return false;
}

static bool agree(bool good, tact_problem* problem)
{
    int rank = 0, first = INT_MAX;
    MPI_Comm_rank(all_ranks, &rank);
    const int own = good ? INT_MAX : rank;
    if (MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, all_ranks) != MPI_SUCCESS) return unreachable(problem);
    if (first == INT_MAX) return true;
    tact_problem of_first = *problem;
    if (MPI_Bcast(&of_first, sizeof of_first, MPI_BYTE, first, all_ranks) != MPI_SUCCESS) return unreachable(problem);
    tact_problem_set(problem, "rank %d: %s", first, of_first.text);
    problem->exit_code = of_first.exit_code;
    problem->result = of_first.result;
    return false;
}

/// What share() needs: how many bytes each rank has and where they go.
typedef struct shares {
    int *sizes, *places;
    char* all;
} shares;

static bool share(const void* bytes, size_t size, void** all, size_t* all_size, tact_problem* problem)
{
    int count = 0;
    MPI_Comm_size(all_ranks, &count);
    const unsigned long long own = size;
    unsigned long long sum = 0;
    *all = NULL;
    *all_size = 0;
    if (MPI_Allreduce(&own, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, all_ranks) != MPI_SUCCESS)
        return unreachable(problem);
    if (sum > INT_MAX) return tact_problem_set(problem, "ranks have %llu bytes to share, which is too much", sum);
    shares s = {.sizes = malloc((size_t)count * sizeof *s.sizes),
                .places = malloc((size_t)count * sizeof *s.places),
                .all = malloc((size_t)sum + 1)};
    bool good = s.sizes && s.places && s.all;
    if (!good) tact_problem_out_of_memory(problem, "what ranks share");
    good = agree(good, problem);
    const int part = (int)size;
    if (good && MPI_Allgather(&part, 1, MPI_INT, s.sizes, 1, MPI_INT, all_ranks) != MPI_SUCCESS)
        good = unreachable(problem);
    for (int r = 0, at = 0; r < count && good; ++r) {
        s.places[r] = at;
        at += s.sizes[r];
    }
    if (good && MPI_Allgatherv(bytes, part, MPI_BYTE, s.all, s.sizes, s.places, MPI_BYTE, all_ranks) != MPI_SUCCESS)
        good = unreachable(problem);
    free(s.sizes);
    free(s.places);
    if (!good) {
        free(s.all);
        return false;
    }
    *all = s.all;
    *all_size = (size_t)sum;
    return true;
}

/// What send() needs of each rank: how many items go there and come, and where they are.
typedef struct sends {
    int *to, *from, *to_at, *from_at;
    char* in;
    size_t in_count;
} sends;

/// Finds out how many come, and makes room.
static bool begin_sends(sends* s, int count, size_t size, const size_t* counts, tact_problem* problem)
{
    size_t out = 0, in = 0;
    s->to = malloc(4 * (size_t)count * sizeof *s->to);
    bool good = s->to != NULL;
    if (!good) tact_problem_out_of_memory(problem, "what ranks send");
    for (int r = 0; r < count && good; ++r) {
        if (counts[r] > INT_MAX - out) {
            good = tact_problem_set(problem, "a rank has more to send than 2^31 - 1 items");
            break;
        }
        s->to[r] = (int)counts[r];
        s->to[2 * count + r] = (int)out;
        out += counts[r];
    }
    if (!agree(good, problem)) return false;
    s->from = s->to + count;
    s->to_at = s->from + count;
    s->from_at = s->to_at + count;
    if (MPI_Alltoall(s->to, 1, MPI_INT, s->from, 1, MPI_INT, all_ranks) != MPI_SUCCESS) return unreachable(problem);
    for (int r = 0; r < count && good; ++r) {
        if ((size_t)s->from[r] > INT_MAX - in) {
            good = tact_problem_set(problem, "more comes to a rank than 2^31 - 1 items");
            break;
        }
        s->from_at[r] = (int)in;
        in += (size_t)s->from[r];
    }
    if (good && in <= SIZE_MAX / size - 1) s->in = malloc((in + 1) * size);
    if (good && !s->in) good = tact_problem_out_of_memory(problem, "what ranks send");
    s->in_count = in;
    return agree(good, problem);
}

static bool send_items(const void* items, size_t size, const size_t* counts, void** in, size_t* in_count,
                       tact_problem* problem)
{
    int count = 0;
    sends s = {0};
    MPI_Datatype item = MPI_DATATYPE_NULL;
    MPI_Comm_size(all_ranks, &count);
    *in = NULL;
    bool good = begin_sends(&s, count, size, counts, problem);
    if (good) {
        good = MPI_Type_contiguous((int)size, MPI_BYTE, &item) == MPI_SUCCESS &&
               MPI_Type_commit(&item) == MPI_SUCCESS &&
               MPI_Alltoallv(items, s.to, s.to_at, item, s.in, s.from, s.from_at, item, all_ranks) == MPI_SUCCESS;
        if (!good) unreachable(problem);
        if (item != MPI_DATATYPE_NULL) MPI_Type_free(&item);
    }
    free(s.to);
    if (!good) {
        free(s.in);
        return false;
    }
    *in = s.in;
    *in_count = s.in_count;
    return true;
}

static int largest_signal(int own)
{
    int all = 0;
    return MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MAX, all_ranks) == MPI_SUCCESS ? all : own;
}

bool tact_tool_ranks_begin(tact_tool_ranks* ranks)
{
    int rank = 0, count = 1;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &all_ranks) != MPI_SUCCESS) return false;
    MPI_Comm_rank(all_ranks, &rank);
    MPI_Comm_size(all_ranks, &count);
    *ranks = (tact_tool_ranks){.rank = (uint32_t)rank,
                               .count = (uint32_t)count,
                               .number = number_here(rank),
                               .open = open_ranks,
                               .agree = agree,
                               .share = share,
                               .send = send_items,
                               .signal = largest_signal};
    return true;
}

void tact_tool_ranks_end(void)
{
    if (all_ranks != MPI_COMM_NULL) MPI_Comm_free(&all_ranks);
}
