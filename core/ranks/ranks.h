// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a group of ranks. All functions are collective but for those that say otherwise. Where `ranks` is NULL there
/// is one process, which has rank 0.

#include "core/context/context.h"
#include "tact/ranks.h"

struct tact_ranks {
    tact_context* context;
    tact_ranks_calls calls;
    tact_ranks_info done;
};

/// Not collective.
static inline uint32_t tact_ranks_own(const tact_ranks* ranks)
{
    return ranks ? ranks->calls.rank : 0;
}
static inline uint32_t tact_ranks_count(const tact_ranks* ranks)
{
    return ranks ? ranks->calls.count : 1;
}

/// The first failure of all ranks, with its detail, on all of them; OK where there is none.
tact_result tact_ranks_agree(tact_ranks* ranks, tact_result result);
/// The same, and whether `*any` holds on any rank.
tact_result tact_ranks_agree_and(tact_ranks* ranks, tact_result result, bool* any);

/// As tact_ranks_calls::combine, gather and deal.
tact_result tact_ranks_combine(tact_ranks* ranks, tact_rank_combination how, uint64_t* numbers, size_t count);
tact_result tact_ranks_gather(tact_ranks* ranks, const void* bytes, uint64_t size, void* all);
tact_result tact_ranks_deal(tact_ranks* ranks, const uint64_t* to, uint64_t* from);

/// The sum of the numbers of all ranks before this one, and of all.
tact_result tact_ranks_before(tact_ranks* ranks, uint64_t number, uint64_t* before, uint64_t* all);

/// As begin() and end() of the calls, in two: other work goes between. Not collective: the ranks that take part call
/// them.
tact_result tact_ranks_begin(tact_ranks* ranks, void* link, const tact_rank_bytes* out, size_t out_count,
                             const tact_rank_bytes* in, size_t in_count);
tact_result tact_ranks_end(tact_ranks* ranks);
/// Sends and receives, and waits: as begin() and end() of the calls. Not collective: the ranks that take part call it.
tact_result tact_ranks_exchange(tact_ranks* ranks, void* link, const tact_rank_bytes* out, size_t out_count,
                                const tact_rank_bytes* in, size_t in_count);

/// Sends `sizes[i]` bytes at `bytes[i]` to each rank i, this one included. What comes is one after another in order of
/// rank at `*in`, to be released, whose sizes go to `in_sizes`. Errors: OUT_OF_MEMORY on all where one is out of it.
tact_result tact_ranks_send(tact_ranks* ranks, const void* const* bytes, const uint64_t* sizes, void** in,
                            uint64_t* in_sizes);

/// Gives all ranks the bytes of each, which may be of different sizes, one after another in order of rank at `*all`, to
/// be released; the size of all goes to `*all_size`.
tact_result tact_ranks_share(tact_ranks* ranks, const void* bytes, uint64_t size, void** all, uint64_t* all_size);
