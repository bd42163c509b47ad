// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The boxes to cull against, in an order in which neighbours are near, with boxes around every eight.
//
// The order comes from halving at the median along the widest axis, at multiples of powers of eight. Medians do not
// mind where one box lies 1e30 away, which would put all others into one cell of a grid or of a Morton code.

#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu_ref/cull/cull.h"

static float clamped(float x)
{
    return x < -FLT_MAX ? -FLT_MAX : x > FLT_MAX ? FLT_MAX : x;
}

/// A middle of the interval that is finite, whatever the interval.
static float middle(float low, float high)
{
    return clamped(low) * 0.5f + clamped(high) * 0.5f;
}

static float middle_along(const TactCullBox* b, int axis)
{
    if (axis == 0) return middle(b->lx, b->hx);
    return axis == 1 ? middle(b->ly, b->hy) : middle(b->lz, b->hz);
}

static int widest_axis(const TactCullBox* boxes, uint32_t count)
{
    TACT_ASSERT(count >= 1);
    double low[3], high[3];
    for (int a = 0; a < 3; ++a) {
        low[a] = (double)middle_along(&boxes[0], a);
        high[a] = low[a];
    }
    for (uint32_t i = 1; i < count; ++i) {
        for (int a = 0; a < 3; ++a) {
            const double m = (double)middle_along(&boxes[i], a);
            low[a] = fmin(low[a], m);
            high[a] = fmax(high[a], m);
        }
    }
    int best = 0;
    for (int a = 1; a < 3; ++a)
        if (high[a] - low[a] > high[best] - low[best]) best = a;
    return best;
}

static void swap(TactCullBox* a, TactCullBox* b)
{
    const TactCullBox t = *a;
    *a = *b;
    *b = t;
}

/// Puts the `rank` least along an axis first. Three parts a pass, so that equal numbers end it; pivots from a sequence
/// that the input does not know of, so that no order of the boxes is bad but by accident.
static void select(TactCullBox* boxes, uint32_t count, uint32_t rank, int axis)
{
    TACT_ASSERT(rank < count);
    uint32_t begin = 0, end = count, random = count;
    while (end - begin > 1) {
        random = random * 1664525u + 1013904223u;
        const uint32_t at = begin + (uint32_t)(((uint64_t)random * (end - begin)) >> 32);
        const float pivot = middle_along(&boxes[at], axis);
        uint32_t less = begin, more = end;
        for (uint32_t i = begin; i < more;) {
            const float m = middle_along(&boxes[i], axis);
            if (m < pivot) {
                swap(&boxes[i++], &boxes[less++]);
            } else if (m > pivot) {
                swap(&boxes[i], &boxes[--more]);
            } else {
                ++i;
            }
        }
        if (rank < less) {
            end = less;
        } else if (rank >= more) {
            begin = more;
        } else {
            return;
        }
    }
}

/// At most log2(count) deep.
static void arrange(TactCullBox* boxes, uint32_t count)
{
    while (count > TACT_CULL_FAN) {
        uint32_t group = TACT_CULL_FAN;
        while (group * TACT_CULL_FAN < count)
            group *= TACT_CULL_FAN;
        const uint32_t groups = (count + group - 1) / group;
        const uint32_t cut = groups / 2 * group;
        TACT_ASSERT(cut > 0 && cut < count && cut % TACT_CULL_FAN == 0);
        select(boxes, count, cut, widest_axis(boxes, count));
        arrange(boxes, cut);
        boxes += cut;
        count -= cut;
    }
}

/// Those that meet nothing are the last ones.
static void around_eight(const TactCullBox* boxes, TactCullBox* around)
{
    *around = boxes[0];
    for (int i = 1; i < TACT_CULL_FAN && tact_cull_box_live(boxes[i]); ++i) {
        around->lx = tact_cull_less(around->lx, boxes[i].lx);
        around->ly = tact_cull_less(around->ly, boxes[i].ly);
        around->lz = tact_cull_less(around->lz, boxes[i].lz);
        around->hx = tact_cull_more(around->hx, boxes[i].hx);
        around->hy = tact_cull_more(around->hy, boxes[i].hy);
        around->hz = tact_cull_more(around->hz, boxes[i].hz);
    }
}

/// The next float below the sum of up to three floats: below, not at, as
/// the sum may have been rounded itself.
static float round_down(double x)
{
    if (x > (double)FLT_MAX) return isinf(x) ? INFINITY : FLT_MAX;
    if (x < -(double)FLT_MAX) return -INFINITY;
    return nextafterf((float)x, -INFINITY);
}

/// The box along an axis, rounded outward. What is infinite both ways at once has no bound.
static void slab_of(const TactCullBox* b, tact_vec3 axis, float* lower, float* upper)
{
    const float low[3] = {b->lx, b->ly, b->lz}, high[3] = {b->hx, b->hy, b->hz}, n[3] = {axis.x, axis.y, axis.z};
    double least = 0.0, most = 0.0;
    int terms = 0;
    for (int i = 0; i < 3; ++i) {
        if (n[i] == 0.0f) continue;
        ++terms;
        least += n[i] > 0.0f ? (double)low[i] : -(double)high[i];
        most += n[i] > 0.0f ? (double)high[i] : -(double)low[i];
    }
    if (terms == 1) {
        *lower = (float)least;
        *upper = (float)most;
        return;
    }
    *lower = isnan(least) ? -INFINITY : round_down(least);
    *upper = isnan(most) ? INFINITY : -round_down(-most);
}

static tact_result make_slabs(tact_env* env, tact_cull_tree* tree)
{
    TACT_ASSERT(tree->count <= tree->size[0]);
    void* slabs = tree->slabs;
    if (!tact_reserve(env, &slabs, &tree->slab_capacity, 0, (size_t)tree->size[0] * 26, sizeof(float))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tree->slabs = slabs;
    const tact_vec3* axes = tact_kdop_axes(26);
    for (uint32_t i = 0; i < tree->count; ++i)
        for (int n = 0; n < 13; ++n)
            slab_of(&tree->nodes[i], axes[n], &tree->slabs[26 * (size_t)i + (size_t)n],
                    &tree->slabs[26 * (size_t)i + 13 + (size_t)n]);
    for (size_t i = 26 * (size_t)tree->count; i < 26 * (size_t)tree->size[0]; ++i)
        tree->slabs[i] = 0.0f;  // never looked at
    return TACT_OK;
}

static tact_result make_groups(tact_env* env, tact_cull_tree* tree)
{
    const uint32_t top = tree->levels - 1;
    const size_t count = (size_t)tree->start[top] + tree->size[top];
    void* groups = tree->groups;
    if (!tact_reserve(env, &groups, &tree->group_capacity, 0, count * 6, sizeof(float))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tree->groups = groups;
    for (size_t i = 0; i < count; ++i) {
        const TactCullBox b = tree->nodes[i];
        const float numbers[6] = {b.lx, b.ly, b.lz, b.hx, b.hy, b.hz};
        float* to = tree->groups + i / TACT_CULL_FAN * 6 * TACT_CULL_FAN + i % TACT_CULL_FAN;
        for (int k = 0; k < 6; ++k)
            to[k * TACT_CULL_FAN] = numbers[k];
    }
    return TACT_OK;
}

static void lay_out(tact_cull_tree* tree, uint32_t count)
{
    tree->levels = 0;
    uint32_t start = 0, size = count;
    do {
        size = (size + TACT_CULL_FAN - 1) / TACT_CULL_FAN * TACT_CULL_FAN;
        if (size == 0) size = TACT_CULL_FAN;
        TACT_ASSERT(tree->levels < TACT_CULL_TREE_LEVELS);
        tree->start[tree->levels] = start;
        tree->size[tree->levels++] = size;
        start += size;
        size /= TACT_CULL_FAN;
    } while (size > 1);
}

tact_result tact_cull_tree_make(tact_env* env, tact_cull_tree* tree, const tact_aabb* boxes, size_t count, bool kdops)
{
    lay_out(tree, (uint32_t)count);  // room for all, live or not
    const uint32_t top = tree->levels - 1;
    void* nodes = tree->nodes;
    const size_t needed = (size_t)tree->start[top] + tree->size[top];
    if (!tact_reserve(env, &nodes, &tree->node_capacity, 0, needed, sizeof *tree->nodes)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tree->nodes = nodes;
    tree->count = 0;
    for (size_t i = 0; i < count; ++i) {
        const TactCullBox b = {boxes[i].lower.x, boxes[i].lower.y, boxes[i].lower.z,
                               boxes[i].upper.x, boxes[i].upper.y, boxes[i].upper.z};
        if (tact_cull_box_live(b)) tree->nodes[tree->count++] = b;
    }
    lay_out(tree, tree->count);
    arrange(tree->nodes, tree->count);
    // Not a box turned inside out: one that is infinite to all sides would meet that.
    const TactCullBox none = {NAN, NAN, NAN, NAN, NAN, NAN};
    for (uint32_t i = tree->count; i < tree->size[0]; ++i)
        tree->nodes[i] = none;
    for (uint32_t level = 1; level < tree->levels; ++level) {
        const TactCullBox* below = tree->nodes + tree->start[level - 1];
        TactCullBox* here = tree->nodes + tree->start[level];
        const uint32_t used = tree->size[level - 1] / TACT_CULL_FAN;
        for (uint32_t i = 0; i < tree->size[level]; ++i) {
            here[i] = none;
            if (i < used) around_eight(below + (size_t)i * TACT_CULL_FAN, &here[i]);
        }
    }
    const tact_result result = make_groups(env, tree);
    return kdops && result == TACT_OK ? make_slabs(env, tree) : result;
}

void tact_cull_tree_release(tact_env* env, tact_cull_tree* tree)
{
    tact_release(env, tree->nodes);
    tact_release(env, tree->groups);
    tact_release(env, tree->slabs);
    memset(tree, 0, sizeof *tree);
}
