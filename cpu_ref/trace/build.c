// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/build.h"

#include "base/parallel.h"
#include "cpu_ref/trace/build_bins.h"

enum { GRAIN = TACT_BUILD_GRAIN };

typedef struct rest {
    const tact_build_split_table* table;
    tact_build_reference* references;  ///< room for a task's, for each worker
    size_t size;
} rest;

static void make_subtree(const tact_builder* b, const tact_build_range* r, int worker, void* user,
                         tact_build_costs* costs)
{
    TACT_ASSERT(worker >= 0 && worker < b->threads);
    const rest* aside = user;
    TACT_ASSERT(r->end - r->begin <= aside->size && !r->aside);
    TACT_ASSERT(r->end <= b->count);
    aside->table->subtree(b, r, aside->references + (size_t)worker * aside->size, costs);
}

/// The binary tree by the surface area heuristic. False when out of memory.
static bool build_binned(tact_builder* b)
{
    rest aside = {.table = tact_build_splits(), .size = b->count < b->task_size ? b->count : b->task_size};
    if (!tact_build_divide_top(b)) return false;
    aside.references = tact_allocate(b->env, (size_t)b->threads * aside.size, sizeof *aside.references);
    if (!aside.references) return false;
    tact_build_subtrees(b, make_subtree, &aside);
    tact_release(b->env, aside.references);
    return true;
}

typedef struct measure_job {
    const tact_build_reference* references;
    tact_build_range* parts;
} measure_job;

static void measure_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const measure_job* job = user;
    TACT_ASSERT(begin < end && begin % GRAIN == 0);
    tact_build_box box = tact_build_empty_box(), centres = box;
    for (size_t i = begin; i < end; ++i) {
        const tact_build_reference* ref = &job->references[i];
        tact_build_grow(&box, tact_build_lower(ref), tact_build_negated(ref));
        const f4 centre = tact_build_centre(tact_build_lower(ref), tact_build_negated(ref));
        f4_store(centres.lower, f4_min(f4_load(centres.lower), centre));
        f4_store(centres.negated, f4_min(f4_load(centres.negated), f4_negate(centre)));
    }
    job->parts[begin / GRAIN].box = box;
    job->parts[begin / GRAIN].centres = centres;
}

static tact_build_range measure(const tact_builder* b, tact_build_range* parts)
{
    tact_build_range all = {.box = tact_build_empty_box(), .centres = tact_build_empty_box(), .end = b->count};
    all.depth = all.pair = 1;
    measure_job job = {b->references, parts};
    tact_parallel_for(b->threads, b->count, GRAIN, measure_piece, &job);
    for (size_t i = 0; i * GRAIN < b->count; ++i) {
        tact_build_grow(&all.box, parts[i].box.lower, parts[i].box.negated);
        tact_build_grow(&all.centres, parts[i].centres.lower, parts[i].centres.negated);
    }
    return all;
}

static void release(tact_builder* b)
{
    tact_release(b->env, b->nodes);
    tact_release(b->env, b->ids);
    tact_release(b->env, b->top);
}

static bool build_binary(tact_builder* b)
{
    TACT_ASSERT(b->nodes && b->plans);
    TACT_ASSERT(b->top_count == 0 && !b->ids);
    tact_build_range* parts = tact_allocate(b->env, b->count / GRAIN + 1, sizeof *parts);
    void* top = NULL;
    const bool good = tact_reserve(b->env, &top, &b->top_capacity, 0, 1, sizeof *b->top) && parts;
    b->top = top;
    if (good) {
        b->top[b->top_count++] = (tact_build_top){.range = measure(b, parts)};
        b->unit = tact_build_unit(&b->top[0].range.box);
    }
    TACT_ASSERT(!good || (b->unit >= 0.0f && b->unit <= FLT_MAX));
    tact_release(b->env, parts);
    return good && (b->desc.quality == TACT_BUILD_FAST ? tact_build_morton(b) : build_binned(b));
}

tact_result tact_bvh8_build(tact_env* env, int threads, const tact_build_desc* desc, tact_build_reference* references,
                            size_t count, tact_bvh8* wide)
{
    TACT_ASSERT(env && wide);
    TACT_ASSERT(desc->max_leaf >= 1 && desc->max_leaf <= TACT_BVH8_MAX_LEAF);
    TACT_ASSERT(desc->max_depth >= 31 && desc->max_depth <= TACT_BVH8_MAX_DEPTH);
    memset(wide, 0, sizeof *wide);
    if (count > ((size_t)1 << 30)) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu primitives are more than a tree can hold (2^30)", count);
    }
    TACT_ASSERT(references || count == 0);
    tact_builder b = {.env = env, .desc = *desc, .references = references, .count = count};
    b.threads = threads < TACT_BUILD_MAX_WORKERS ? threads : TACT_BUILD_MAX_WORKERS;
    b.threads = b.threads > 1 ? b.threads : 1;
    // Large trees get large tasks: some dozens per thread balance well enough.
    const size_t share = count / 128;
    b.task_size = share > TACT_BUILD_TASK_SIZE ? share : TACT_BUILD_TASK_SIZE;
    // One block, which for large trees is more than what is kept of freed memory.
    b.nodes = tact_allocate(env, 2 * count + 2, sizeof *b.nodes + sizeof *b.plans);
    b.plans = (uint32_t*)(void*)(b.nodes + (b.nodes ? 2 * count + 2 : 0));
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    bool too_deep = false;
    if (b.nodes && build_binary(&b)) {
        const bool improved = desc->quality != TACT_BUILD_HIGH || tact_build_reinsert(&b, &too_deep);
        if (improved && !too_deep) result = tact_build_collapse(&b, wide);
        too_deep = too_deep || wide->depth > desc->max_depth;
    }
    TACT_ASSERT(result == TACT_OK || !wide->nodes);
    release(&b);
    if (!too_deep) return result;
    // Moving subtrees about may make a tree deeper than walks can go; without it none is.
    tact_bvh8_free(env, wide);
    const tact_build_desc plain = {TACT_BUILD_MEDIUM, desc->max_leaf, desc->max_depth};
    return tact_bvh8_build(env, threads, &plain, references, count, wide);
}
