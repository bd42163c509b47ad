// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/build.h"

#include "core/parallel.h"
#include "cpu_ref/trace/build_internal.h"

enum { GRAIN = TACT_BUILD_GRAIN };

static void set_node(const tact_builder* b, const tact_build_range* r, uint32_t first, uint32_t bits)
{
    tact_build_node* node = &b->nodes[r->node];
    memcpy(node->lower, r->box.lower, sizeof node->lower);
    memcpy(node->negated, r->box.negated, sizeof node->negated);
    node->first = first;
    node->count = (uint32_t)(r->end - r->begin) | bits;
}

/// Makes the node of a range; true with its sides when they are to be built too.
static bool make_node(const tact_builder* b, bool by_all, const tact_build_range* r, tact_build_range sides[2])
{
    const bool divided = tact_build_divide(b, by_all, r, sides);
    if (divided) {
        sides[0].node = 2 * r->pair;
        sides[1].node = 2 * r->pair + 1;
    }
    set_node(b, r, divided ? 2 * r->pair : (uint32_t)r->begin, divided ? 0u : (uint32_t)TACT_BUILD_LEAF_BIT);
    return divided;
}

/// The subtree of a range, by one thread. Returns the first pair of nodes that it left free, so that nodes of a subtree
/// lie close together.
static uint32_t build_subtree(const tact_builder* b, const tact_build_range* r)
{
    tact_build_range sides[2];
    uint32_t pair = r->pair;
    if (make_node(b, false, r, sides)) {
        sides[0].pair = pair + 1;
        sides[1].pair = build_subtree(b, &sides[0]);
        pair = build_subtree(b, &sides[1]);
    }
    tact_build_set_costs(b, r->node);
    return pair;
}

static void run_tasks(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const tact_builder* b = user;
    for (size_t i = begin; i < end; ++i) {
        tact_build_range task = b->tasks[i];
        if (task.aside) {
            memcpy(b->references + task.begin, b->scratch + task.begin,
                   (task.end - task.begin) * sizeof *b->references);
            task.aside = false;
        }
        build_subtree(b, &task);
    }
}

bool tact_build_note_top(tact_builder* b, uint32_t node)
{
    void* top = b->top;
    const bool good = tact_reserve(b->env, &top, &b->top_capacity, b->top_count, b->top_count + 1, sizeof *b->top);
    b->top = top;
    if (good) b->top[b->top_count++] = node;
    return good;
}

bool tact_build_note_task(tact_builder* b, const tact_build_range* r)
{
    void* tasks = b->tasks;
    const bool good =
        tact_reserve(b->env, &tasks, &b->task_capacity, b->task_count, b->task_count + 1, sizeof *b->tasks);
    b->tasks = tasks;
    if (good) b->tasks[b->task_count++] = *r;
    return good;
}

/// One thread divides large ranges (its loops over many references are threaded) and leaves small ones to tasks.
static bool build_top(tact_builder* b, const tact_build_range* r, size_t task_size)
{
    if (r->end - r->begin <= task_size) return tact_build_note_task(b, r);
    tact_build_range sides[2];
    make_node(b, true, r, sides);  // it is larger than a leaf
    return tact_build_note_top(b, r->node) && build_top(b, &sides[0], task_size) && build_top(b, &sides[1], task_size);
}

void tact_build_join(const tact_builder* b, uint32_t node)
{
    tact_build_node* n = &b->nodes[node];
    const tact_build_node *x = &b->nodes[n->first], *y = x + 1;
    for (int k = 0; k < 3; ++k) {
        n->lower[k] = x->lower[k] < y->lower[k] ? x->lower[k] : y->lower[k];
        n->negated[k] = x->negated[k] < y->negated[k] ? x->negated[k] : y->negated[k];
    }
    tact_build_set_costs(b, node);
}

typedef struct measure_job {
    const tact_build_reference* references;
    tact_build_range* parts;
} measure_job;

static void measure_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const measure_job* job = user;
    tact_build_box box = tact_build_empty_box(), centres = box;
    for (size_t i = begin; i < end; ++i) {
        const tact_build_reference* ref = &job->references[i];
        tact_build_grow(&box, tact_build_lower(ref), tact_build_negated(ref));
        const l4 centre = l4_centre(tact_build_lower(ref), tact_build_negated(ref));
        l4_store(centres.lower, l4_min(l4_load(centres.lower), centre));
        l4_store(centres.negated, l4_min(l4_load(centres.negated), l4_negate(centre)));
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
    tact_release(b->env, b->scratch);
    tact_release(b->env, b->nodes);
    tact_release(b->env, b->costs);
    tact_release(b->env, b->tasks);
    tact_release(b->env, b->top);
    tact_release(b->env, b->parts);
}

static bool build_binary(tact_builder* b)
{
    tact_build_range* parts = tact_allocate(b->env, b->count / GRAIN + 1, sizeof *parts);
    if (!parts) return false;
    const tact_build_range all = measure(b, parts);
    tact_release(b->env, parts);
    b->unit = tact_build_unit(&all.box);
    // Large trees get large tasks: some dozens per thread balance well enough.
    const size_t part = b->count / 128, task_size = part > TACT_BUILD_TASK_SIZE ? part : TACT_BUILD_TASK_SIZE;
    if (b->desc.quality == TACT_BUILD_FAST) return tact_build_morton(b, &all, task_size);
    if (!build_top(b, &all, task_size)) return false;
    tact_parallel_for(b->threads, b->task_count, 1, run_tasks, b);
    for (size_t i = b->top_count; i-- > 0;)
        tact_build_set_costs(b, b->top[i]);
    return true;
}

tact_result tact_bvh8_build(tact_env* env, int threads, const tact_build_desc* desc, tact_build_reference* references,
                            size_t count, tact_bvh8* wide)
{
    memset(wide, 0, sizeof *wide);
    if (count > ((size_t)1 << 30)) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu primitives are more than a tree can hold (2^30)", count);
    }
    tact_builder b = {.env = env, .desc = *desc, .references = references, .count = count};
    b.threads = threads < TACT_BUILD_MAX_WORKERS ? threads : TACT_BUILD_MAX_WORKERS;
    b.scratch = tact_allocate(env, count, sizeof *b.scratch);
    b.nodes = tact_allocate(env, 2 * count + 2, sizeof *b.nodes);
    b.costs = tact_allocate(env, 2 * count + 2, sizeof *b.costs);
    b.parts = tact_allocate(env, tact_build_parts_size(b.threads, count), 1);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    bool too_deep = false;
    if (b.scratch && b.nodes && b.costs && b.parts && build_binary(&b)) {
        tact_release(env, b.scratch);
        b.scratch = NULL;
        const bool improved = desc->quality != TACT_BUILD_HIGH || tact_build_reinsert(&b, &too_deep);
        if (improved && !too_deep) result = tact_build_collapse(&b, wide);
        too_deep = too_deep || wide->depth > desc->max_depth;
    }
    release(&b);
    if (!too_deep) return result;
    // Moving subtrees about may make a tree deeper than walks can go; without it none is.
    tact_bvh8_free(env, wide);
    const tact_build_desc plain = {TACT_BUILD_MEDIUM, desc->max_leaf, desc->max_depth};
    return tact_bvh8_build(env, threads, &plain, references, count, wide);
}
