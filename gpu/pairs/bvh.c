// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "gpu/pairs/internal.h"

// The tree: boxes in the order of Morton codes, and above them levels of nodes that each bound eight neighbours of the
// level below. Which eight is known without pointers. After C. Lauterbach, M. Garland, S. Sengupta, D. Luebke,
// D. Manocha, "Fast BVH Construction on GPUs" (2009), for the order; and C. Ericson, "Real-Time Collision Detection"
// (2005), 6.6, for trees without pointers.

enum { REFITS = 16 };

/// How far boxes may have moved on average, in their widths, since they were sorted.
static const double MOST_MOTION = 0.5;

typedef struct levels {
    uint32_t count[TACT_PAIRS_LEVELS], first[TACT_PAIRS_LEVELS], padded[TACT_PAIRS_LEVELS];
    uint32_t top;
    uint64_t nodes;
} levels;

static levels levels_of(uint32_t count)
{
    levels l = {.top = 0};
    uint32_t n = count;
    for (uint32_t level = 0;; ++level) {
        l.count[level] = n;
        l.first[level] = (uint32_t)(l.nodes / 8);
        l.padded[level] = (n + 7) / 8 * 8;
        l.nodes += l.padded[level];
        l.top = level;
        if (n <= 8) return l;
        n = (n + 7) / 8;
    }
}

static tact_result sort_boxes(tact_gpu_volumes* v)
{
    float table[3][TACT_PAIRS_KNOTS][4], widths[3];
    tact_box_sample_table(v->sample, table, widths);
    // No more passes of the sort than the number of boxes asks for.
    const uint32_t drop = v->count <= 1u << 13 ? 16 : v->count <= 1u << 21 ? 8 : 0;
    tact_gpu_need(v, &v->keys, (uint64_t)v->count * 4, "keys");
    tact_gpu_need(v, &v->order, (uint64_t)v->count * 4, "order");
    tact_gpu_need(v, &v->table, sizeof table, "cells");
    tact_buffer_write(v->table, 0, table, sizeof table);
    if (!v->sort) tact_radix_sort_create(v->device, 0, &v->sort);
    if (tact_device_result(v->device) != TACT_OK) return tact_device_result(v->device);
    TACT_LAUNCH_ITEMS(v->device, pairs_keys, v->count, .boxes = v->boxes, .table = v->table, .keys = v->keys,
                      .count = v->count, .drop = drop, .width_one = widths[0], .width_two = widths[1],
                      .width_three = widths[2]);
    const tact_sort_job job = {v->keys, v->keys, NULL, v->order, v->count, 1, 32 - drop};
    return tact_radix_sort_run(v->sort, &job);
}

static tact_result build_level(tact_gpu_volumes* v, const levels* l, uint32_t level)
{
    return TACT_LAUNCH_ITEMS(v->device, pairs_level, l->padded[level], .tree = v->tree, .level = level,
                             .first = l->first[level], .below = l->first[level - 1], .count = l->count[level],
                             .padded = l->padded[level]);
}

static tact_result build(tact_gpu_volumes* v, bool refit)
{
    const levels l = levels_of(v->count);
    const uint64_t words = TACT_PAIRS_HEADER + l.nodes / 8 * TACT_PAIRS_GROUP_WORDS;
    if (words > UINT32_MAX) {
        return TACT_DEVICE_FAIL(v->device, TACT_ERROR_LIMIT, "a tree over %u boxes", (unsigned)v->count);
    }
    if (tact_gpu_need(v, &v->tree, words * 4, "the tree") != TACT_OK) return tact_device_result(v->device);
    TACT_LAUNCH_ITEMS(v->device, pairs_leaves, l.padded[0], .boxes = v->boxes, .order = refit ? v->nothing : v->order,
                      .tree = v->tree, .count = v->count, .padded = l.padded[0], .refit = refit);
    for (uint32_t level = 1; level <= l.top; ++level)
        build_level(v, &l, level);
    v->top = l.top;
    return tact_device_result(v->device);
}

static tact_result remember_places(tact_gpu_volumes* v)
{
    if (!v->sorted_at) v->sorted_at = tact_allocate(tact_device_env(v->device), TACT_SAMPLE, sizeof *v->sorted_at);
    if (!v->sorted_at) return tact_device_fail(v->device, TACT_ERROR_OUT_OF_MEMORY);
    tact_box_sample_places(v->sample, v->sorted_at);
    v->sorted_count = v->sample->count;
    return TACT_OK;
}

tact_result tact_gpu_bvh_update(tact_gpu_volumes* v, const tact_gpu_side* side, bool* rebuilt)
{
    if (v->count == 0) return TACT_OK;
    if (v->structure == TACT_PAIRS_BVH && v->structure_version == v->version && !side->array) return TACT_OK;
    const bool refit = v->structure == TACT_PAIRS_BVH && v->order_count == v->count && v->refits < REFITS &&
                       tact_box_sample_motion(v->sample, v->sorted_at, v->sorted_count) <= MOST_MOTION;
    v->structure = TACT_PAIRS_AUTO;
    if (!refit) {
        sort_boxes(v);
        remember_places(v);
        *rebuilt = true;
    }
    if (build(v, refit) != TACT_OK) return tact_device_result(v->device);
    v->refits = refit ? v->refits + 1 : 0;
    v->order_count = v->count;
    v->structure = TACT_PAIRS_BVH;
    v->structure_version = v->version;
    return TACT_OK;
}

tact_result tact_gpu_launch_tree(tact_gpu_volumes* a, tact_gpu_volumes* b, const tact_pairs_walk* walk, bool resume)
{
    return TACT_LAUNCH_ITEMS(a->device, pairs_tree, a->count, .items = a->tree, .tree = b->tree, .rows = a->rows,
                             .cache = a->cache, .state = a->state, .found_pairs = a->found, .details_a = a->details,
                             .details_b = b->details, .count = a->count, .mode = walk->mode, .resume = resume,
                             .steps = walk->steps, .first = walk->first, .end = walk->end, .base = walk->base,
                             .shift = walk->shift, .spheres_a = a->spheres, .spheres_b = b->spheres,
                             .categories_a = a->categories_at, .categories_b = b->categories_at, .top = b->top);
}
