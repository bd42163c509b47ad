// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/chunks.h"
#include "gpu/overlap/internal.h"

// The items are a stack of layers: layer n holds pairs of places n steps below the roots. Each step takes items from
// the end of the topmost layer and puts their children where they were, as a new layer. As many are taken as four
// children of each could find room for in half of what is free, so nothing is ever lost, and those further down find
// room too; when all is one piece, this is going breadth first.
//
// The last part of the stack is kept for small pieces. A layer made by one of those has at most 4 PIECE items, layers
// below it only shrink, and there are no more layers than steps down both trees: with RESERVE items left, the stack can
// always be emptied.
enum {
    PIECE = 16,
    LAYERS = 2 * (TACT_BVH_MAX_DEPTH + 1),
    RESERVE = LAYERS * TACT_OVERLAP_CHILDREN * PIECE,
    // When only the first pair of a pose is asked for, small pieces get to leaves soon; a GPU has small ones too soon
    // done.
    EARLY_SOFTWARE = 4096,
    EARLY_HARDWARE = 65536
};

typedef struct walk {
    tact_gpu_overlap_run* run;
    uint32_t layer_end[LAYERS + 1];  ///< layer n is from layer_end[n - 1] to layer_end[n]
    uint32_t layers;
    uint32_t leaves;  ///< that are waiting
    uint32_t found;   ///< likewise
} walk;

/// How many to take from the topmost layer.
static uint32_t piece_of(const walk* w)
{
    const tact_gpu_overlap_run* r = w->run;
    const uint32_t end = w->layer_end[w->layers - 1];
    const uint32_t begin = w->layers > 1 ? w->layer_end[w->layers - 2] : 0;
    const uint32_t capacity = r->lists->capacity;
    uint32_t most = end + RESERVE < capacity ? (capacity - RESERVE - end) / (2 * (TACT_OVERLAP_CHILDREN - 1)) : 0;
    if (most > capacity / TACT_OVERLAP_CHILDREN) most = capacity / TACT_OVERLAP_CHILDREN;
    if (r->mode & TACT_OVERLAP_FIRST) {
        uint32_t early = tact_device_describe(r->device)->software ? EARLY_SOFTWARE : EARLY_HARDWARE;
        if (early < r->pose_count) early = r->pose_count;
        if (most > early) most = early;
    }
    if (most < PIECE) most = PIECE;
    return end - begin < most ? end - begin : most;
}

static tact_result collect(walk* w)
{
    const uint32_t count = w->found;
    w->found = 0;
    tact_device_fail(w->run->device, tact_gpu_overlap_collect(w->run, count));
    return tact_buffer_fill(w->run->lists->state, TACT_OVERLAP_FOUND * 4, 4, 0);
}

/// Tests `count` leaf pairs from `first` on. *found is how many findings there would be if all had room.
static tact_result launch_leaves(walk* w, uint32_t first, uint32_t count, uint32_t* found)
{
    tact_gpu_overlap_run* r = w->run;
    const tact_gpu_overlap_lists* s = r->lists;
    ++r->job->launches;
    TACT_LAUNCH_ITEMS(r->device, overlap_leaves, (uint64_t)count * TACT_OVERLAP_LANES, .leaves = s->leaves,
                      .triangles_a = r->a->triangles, .triangles_b = r->b->triangles, .poses = s->poses,
                      .found = s->found, .state = s->state, .first = first, .count = count, .mode = r->mode,
                      .capacity = s->capacity);
    return tact_buffer_read(s->state, TACT_OVERLAP_FOUND * 4, found, 4);
}

/// Tests the leaf pairs that are waiting. If their findings have no room, those before are collected, then fewer are
/// tested at a time; 1 / TACT_OVERLAP_MOST of the room always suffices.
static void test_leaves(walk* w)
{
    tact_gpu_overlap_run* r = w->run;
    const uint32_t capacity = r->lists->capacity;
    uint32_t piece = w->leaves;
    for (uint32_t first = 0; first < w->leaves && tact_device_result(r->device) == TACT_OK;) {
        const uint32_t count = w->leaves - first < piece ? w->leaves - first : piece;
        uint32_t found = 0;
        if (launch_leaves(w, first, count, &found) != TACT_OK) break;
        if (found <= capacity) {
            w->found = found;
            first += count;
            r->job->leaf_pairs += count;
        } else if (w->found > 0) {
            collect(w);
        } else {
            piece = piece / 2 > capacity / TACT_OVERLAP_MOST ? piece / 2 : capacity / TACT_OVERLAP_MOST;
            tact_buffer_fill(r->lists->state, TACT_OVERLAP_FOUND * 4, 4, 0);
        }
    }
    w->leaves = 0;
    tact_buffer_fill(r->lists->state, TACT_OVERLAP_LEAVES * 4, 4, 0);
    // What is unsure may end the search of a pose as well.
    if ((r->mode & TACT_OVERLAP_FIRST) && w->found > 0) collect(w);
}

static tact_result launch_expand(walk* w, uint32_t first, uint32_t count, uint32_t* made)
{
    tact_gpu_overlap_run* r = w->run;
    const tact_gpu_overlap_lists* s = r->lists;
    ++r->job->launches;
    tact_buffer_fill(s->state, TACT_OVERLAP_ITEMS * 4, 4, 0);
    TACT_LAUNCH_ITEMS(r->device, overlap_expand, count, .items = s->items, .nodes_a = r->a->nodes,
                      .nodes_b = r->b->nodes, .poses = s->poses, .next = s->next, .leaves = s->leaves,
                      .state = s->state, .first = first, .count = count, .mode = r->mode);
    return tact_buffer_read(s->state, 0, made, 8);
}

/// One step down from a piece of the topmost layer.
static tact_result expand(walk* w)
{
    const tact_gpu_overlap_lists* s = w->run->lists;
    const uint32_t count = piece_of(w);
    const uint32_t first = w->layer_end[w->layers - 1] - count;
    // Room for all children that may be leaves.
    if (s->capacity - w->leaves < TACT_OVERLAP_CHILDREN * count) test_leaves(w);
    uint32_t made[2] = {0, 0};
    launch_expand(w, first, count, made);
    if (made[0] > 0) tact_buffer_copy(s->items, (size_t)first * 16, s->next, 0, (size_t)made[0] * 16);
    if (tact_device_result(w->run->device) != TACT_OK) return tact_device_result(w->run->device);
    w->leaves = made[1];
    w->layer_end[w->layers - 1] = first;
    if (first == (w->layers > 1 ? w->layer_end[w->layers - 2] : 0)) --w->layers;
    if (made[0] == 0) return TACT_OK;
    if (w->layers > LAYERS)
        return TACT_DEVICE_FAIL(w->run->device, TACT_ERROR_LIMIT, "trees of more than %d levels", LAYERS);
    w->layer_end[w->layers++] = first + made[0];
    return TACT_OK;
}

/// Writes the roots of all poses as layer 0.
static tact_result begin(walk* w)
{
    tact_gpu_overlap_run* r = w->run;
    uint32_t(*items)[4] = tact_allocate(r->env, r->pose_count, sizeof *items);
    if (!items) return tact_device_fail(r->device, TACT_ERROR_OUT_OF_MEMORY);
    for (uint32_t p = 0; p < r->pose_count; ++p) {
        items[p][0] = p;
        items[p][1] = items[p][2] = TACT_OVERLAP_ROOT;
        items[p][3] = 0;
    }
    tact_buffer_write(r->lists->items, 0, items, (size_t)r->pose_count * sizeof *items);
    tact_release(r->env, items);
    w->layer_end[0] = r->pose_count;
    w->layers = 1;
    return tact_device_result(r->device);
}

uint32_t tact_gpu_overlap_least(void)
{
    return 2 * RESERVE;
}

tact_result tact_gpu_overlap_walk(tact_gpu_overlap_run* run)
{
    const tact_overlap_job* q = run->job->query;
    walk w = {.run = run};
    begin(&w);
    while (w.layers > 0) {
        const double done = (double)run->first_pose / (double)q->pose_count;
        if (tact_gpu_goes_on(run->device, q->progress, q->progress_user, done) != TACT_OK) break;
        expand(&w);
        const bool early = (run->mode & TACT_OVERLAP_FIRST) != 0;
        if (w.leaves > 0 && (early || w.layers == 0)) test_leaves(&w);
    }
    if (w.found > 0) collect(&w);
    return tact_device_result(run->device);
}
