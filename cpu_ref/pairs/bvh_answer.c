// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pairs/bvh_answer.h"

#include <string.h>

#include "base/compiler.h"
#include "base/parallel.h"
#include "cpu_ref/pairs/lanes.h"

enum {
    KEPT_A_BOX = 24,  ///< pairs that are kept, for each box, at most; more are found anew faster
    ASK_GRAIN = 16,   ///< boxes that a thread asks for at a time
    SLICE = 1024,     ///< for each thread, between two questions for progress
    WORD = 64,
};

void tact_bvh_answer_release(tact_env* env, tact_bvh_answer* a)
{
    tact_release(env, a->pairs);
    tact_release(env, a->spare);
    tact_release(env, a->touched);
    tact_release(env, a->places);
    *a = (tact_bvh_answer){0};
}

size_t tact_bvh_answer_bytes(const tact_bvh_answer* a)
{
    return (a->capacity + a->spare_capacity) * sizeof(tact_pair) + a->touched_capacity * sizeof(uint64_t) +
           a->place_capacity * sizeof(uint32_t);
}

static bool reserve_pairs(tact_env* env, tact_pair** pairs, size_t* capacity, uint64_t count)
{
    if (count > SIZE_MAX / sizeof **pairs / 2) return false;
    void* memory = *pairs;
    const bool ok = tact_reserve(env, &memory, capacity, 0, (size_t)count + 1, sizeof **pairs);
    *pairs = memory;
    return ok;
}

static void give(tact_pairs_job* job, const tact_bvh_answer* a)
{
    TACT_ASSERT(a->known);
    job->sorted = a->pairs;
    job->sorted_count = a->count;
}

tact_result tact_bvh_answer_keep(tact_pairs_job* job, tact_bvh_answer* a, const tact_bvh_tree* tree)
{
    uint64_t total = 0;
    a->known = false;
    tact_result result = tact_pair_sinks_close(job, &total);
    if (result != TACT_OK || total > (uint64_t)tree->live * KEPT_A_BOX) return result;
    if (!reserve_pairs(job->env, &a->pairs, &a->capacity, total)) return TACT_ERROR_OUT_OF_MEMORY;
    result = tact_pair_sinks_sort(job, a->pairs);
    if (result != TACT_OK) return result;
    a->count = (size_t)total;
    a->known = true;
    give(job, a);
    return TACT_OK;
}

static bool is_touched(const uint64_t* touched, uint32_t id)
{
    return touched[id / WORD] >> (id % WORD) & 1;
}

/// Lists the places of the boxes that have moved, and marks their ids.
static bool touch(tact_pairs_job* job, tact_bvh_answer* a, const tact_bvh_tree* tree, const uint16_t* moved,
                  uint32_t count)
{
    void *touched = a->touched, *places = a->places;
    const size_t words = (size_t)job->a->count / WORD + 1;
    bool ok = tact_reserve(job->env, &touched, &a->touched_capacity, 0, words, sizeof *a->touched);
    a->touched = touched;
    ok = ok && tact_reserve(job->env, &places, &a->place_capacity, 0, count, sizeof *a->places);
    a->places = places;
    if (!ok) return false;
    memset(a->touched, 0, words * sizeof *a->touched);
    uint32_t listed = 0;
    for (uint32_t group = 0; group < tree->group_count; ++group) {
        for (uint32_t bits = moved[group]; bits; bits &= bits - 1) {
            const uint32_t lane = tact_lowest_bit(bits), id = tree->groups[group].ids[lane];
            TACT_ASSERT(listed < count && id < job->a->count);
            a->places[listed++] = group * TACT_BVH_WIDTH + lane;
            a->touched[id / WORD] |= (uint64_t)1 << (id % WORD);
        }
    }
    TACT_ASSERT(listed == count);
    return true;
}

typedef struct ask_loop {
    const tact_bvh_answer* answer;
    const tact_bvh_tree* tree;
    const tact_pairs_lane_table* lanes;
    tact_pair_sink* sinks;
    uint32_t first;
} ask_loop;

static void ask(size_t begin, size_t end, int worker, void* user)
{
    const ask_loop* l = user;
    for (size_t i = begin; i < end; ++i)
        l->lanes->bvh_ask(l->tree, l->answer->places[l->first + i], l->answer->touched, &l->sinks[worker]);
}

/// Gives the sinks the pairs in which a box has moved.
static tact_result ask_all(const tact_pairs_job* job, const tact_bvh_answer* a, const tact_bvh_tree* tree,
                           uint32_t count)
{
    ask_loop loop = {a, tree, tact_pairs_lanes(), job->sinks, 0};
    const uint32_t threads = job->threads > 0 ? (uint32_t)job->threads : 1;
    const uint32_t slice = job->progress ? threads * SLICE : count;
    while (loop.first < count) {
        const uint32_t size = count - loop.first < slice ? count - loop.first : slice;
        tact_parallel_for((int)threads, size, ASK_GRAIN, ask, &loop);
        loop.first += size;
        if (job->progress && !job->progress((double)loop.first / (double)count, job->progress_user))
            return tact_fail(job->env, TACT_ERROR_CANCELLED, "cancelled");
    }
    return TACT_OK;
}

/// The pairs of the answer in which no box has moved, and the new ones, to `to`. Returns how many.
static size_t merge(const tact_bvh_answer* a, const tact_pair* fresh, size_t fresh_count, tact_pair* to)
{
    size_t count = 0, next = 0;
    for (size_t i = 0; i < a->count; ++i) {
        const tact_pair p = a->pairs[i];
        for (; next < fresh_count && (fresh[next].a < p.a || (fresh[next].a == p.a && fresh[next].b < p.b)); ++next)
            to[count++] = fresh[next];
        to[count] = p;
        count += !((uint32_t)is_touched(a->touched, p.a) | (uint32_t)is_touched(a->touched, p.b));
    }
    for (; next < fresh_count; ++next)
        to[count++] = fresh[next];
    return count;
}

tact_result tact_bvh_answer_change(tact_pairs_job* job, tact_bvh_answer* a, const tact_bvh_tree* tree,
                                   const uint16_t* moved, uint32_t count)
{
    TACT_ASSERT(a->known && job->sinks && job->sinks[0].plain);
    if (count == 0) {
        give(job, a);
        return TACT_OK;
    }
    a->known = false;
    if (!touch(job, a, tree, moved, count)) return TACT_ERROR_OUT_OF_MEMORY;
    uint64_t total = 0;
    tact_result result = ask_all(job, a, tree, count);
    for (int i = 0; i < (job->threads > 0 ? job->threads : 1); ++i)
        job->tests += job->sinks[i].tests;
    if (result == TACT_OK) result = tact_pair_sinks_close(job, &total);
    if (result != TACT_OK) return result;
    // A pair that stays is in one of the two, so that both together are enough; and one more, which is written and
    // does not count.
    tact_pair* fresh = tact_allocate(job->env, (size_t)total + 1, sizeof *fresh);
    if (!fresh || !reserve_pairs(job->env, &a->spare, &a->spare_capacity, a->count + total)) {
        tact_release(job->env, fresh);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    result = tact_pair_sinks_sort(job, fresh);
    if (result == TACT_OK) {
        a->count = merge(a, fresh, (size_t)total, a->spare);
        tact_pair* const pairs = a->pairs;
        const size_t capacity = a->capacity;
        a->pairs = a->spare;
        a->capacity = a->spare_capacity;
        a->spare = pairs;
        a->spare_capacity = capacity;
        a->known = true;
        TACT_VALIDATE(tact_pairs_are_sorted(a->pairs, a->count));
        give(job, a);
    }
    tact_release(job->env, fresh);
    return result;
}
