// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tests/ranks/ranks_run.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/// Allocations that still succeed; negative: all do.
static atomic_long left = -1;
/// Those that are not released.
static atomic_long held;

static void* allocate(size_t size, size_t alignment, void* user)
{
    (void)user;
    (void)alignment;
    if (atomic_load(&left) == 0) return NULL;
    if (atomic_load(&left) > 0) atomic_fetch_sub(&left, 1);
    void* memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (memory) atomic_fetch_add(&held, 1);
    return memory;
}

static void release(void* memory, void* user)
{
    (void)user;
    atomic_fetch_sub(&held, 1);
    free(memory);
}

void ranks_begin(ranks_run* run, int* argc, char*** argv)
{
    int level = 0, rank = 0, count = 0;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    *run = (ranks_run){.rank = (uint32_t)rank, .count = (uint32_t)count};
    if (rank == 0) printf("on %d ranks\n", count);
    fflush(stdout);
    const tact_context_desc desc = {.threads = 1,
                                    .gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_NONE,
                                    .allocator = {.allocate = allocate, .release = release}};
    REQUIRE_RESULT(run, tact_context_create(&desc, &run->context), TACT_OK);
    REQUIRE_RESULT(run, tact_mpi_ranks(run->context, MPI_COMM_WORLD, &run->ranks), TACT_OK);
}

int ranks_end(ranks_run* run, const char* name)
{
    tact_ranks_info info;
    REQUIRE_RESULT(run, tact_ranks_get_info(run->ranks, &info), TACT_OK);
    REQUIRE(run, info.count == run->count && info.rank == run->rank);
    REQUIRE(run, run->count == 1 || (info.bytes > 0 && info.meetings > 0));
    tact_ranks_destroy(run->ranks);
    tact_context_destroy(run->context);
    REQUIRE(run, atomic_load(&held) == 0);
    if (run->rank == 0) printf("%s passed\n", name);
    MPI_Finalize();
    return 0;
}

void ranks_require(const ranks_run* run, bool condition, const char* text, const char* file, int line)
{
    if (condition) return;
    fprintf(stderr, "%s:%d: rank %u of %u: %s does not hold\n", file, line, (unsigned)run->rank, (unsigned)run->count,
            text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void ranks_require_result(const ranks_run* run, tact_result result, tact_result expected, const char* file, int line)
{
    if (result == expected) return;
    fprintf(stderr, "%s:%d: rank %u of %u: %s in place of %s: %s\n", file, line, (unsigned)run->rank,
            (unsigned)run->count, tact_result_name(result), tact_result_name(expected), tact_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void ranks_part(const ranks_run* run, ranks_deal deal, size_t count, size_t* begin, size_t* own)
{
    const size_t ranks = run->count, rank = run->rank;
    size_t from = count * rank / ranks, to = count * (rank + 1) / ranks;
    if (deal == DEAL_FIRST || deal == DEAL_LAST) {
        const size_t has = deal == DEAL_FIRST ? 0 : ranks - 1;
        from = rank > has ? count : 0;
        to = rank >= has ? count : 0;
    } else if (deal == DEAL_UNEVEN) {
        // Each has a third of what is left, every second nothing, the last the rest.
        size_t left_over = count;
        from = to = 0;
        for (size_t i = 0; i <= rank; ++i) {
            const size_t some = i + 1 == ranks ? left_over : i % 2 ? 0 : left_over / 3;
            from = to;
            to += some;
            left_over -= some;
        }
    }
    *begin = from;
    *own = to - from;
}

unsigned ranks_starve(ranks_run* run, uint32_t victim, ranks_query* query, void* user)
{
    for (long fed = 0;; ++fed) {
        if (run->rank == victim) atomic_store(&left, fed);
        const tact_result result = query(run, user);
        // More than none where it needed less.
        long rest = run->rank == victim ? atomic_load(&left) : 0;
        atomic_store(&left, -1);
        MPI_Bcast(&rest, 1, MPI_LONG, (int)victim, MPI_COMM_WORLD);
        int codes[2] = {(int)result, -(int)result};
        MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        REQUIRE(run, codes[0] == -codes[1]);
        if (rest > 0) {
            REQUIRE_RESULT(run, result, TACT_OK);
            return (unsigned)fed;
        }
        REQUIRE(run, result == TACT_OK || result == TACT_ERROR_OUT_OF_MEMORY);
    }
}
