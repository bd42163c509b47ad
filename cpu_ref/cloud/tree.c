// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/cloud/tree.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

enum {
    BLOCK = TACT_CLOUD_BLOCK,
    FAN = TACT_CLOUD_FAN,
    GRAIN = 1 << 12,  // points or blocks of a piece of work
    RANGES = 512      // that the first splits make for the threads
};

_Static_assert(sizeof(tact_cloud_block) == 4 * TACT_CLOUD_BLOCK_WORDS, "the kernels read blocks");
_Static_assert(sizeof(tact_cloud_node) == 4 * TACT_CLOUD_NODE_WORDS, "and nodes");

typedef struct item {
    float at[3];
    uint32_t id;
} item;

/// Blocks from `begin` to just before `end`, at most `width`, a power of two.
typedef struct range {
    uint32_t begin, end, width;
} range;

typedef struct building {
    const tact_vec3* points;
    item* items;
    size_t count;  // of points
    tact_cloud_tree* tree;
    range ranges[RANGES];
    uint32_t range_count;
    uint32_t level;  // of nodes that are fitted
} building;

static size_t points_to(const building* b, uint32_t block)
{
    const size_t end = (size_t)block * BLOCK;
    return end < b->count ? end : b->count;
}

static int widest_axis(const item* items, size_t count)
{
    float lower[3], upper[3];
    memcpy(lower, items[0].at, sizeof lower);
    memcpy(upper, items[0].at, sizeof upper);
    for (size_t i = 1; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const float x = items[i].at[k];
            lower[k] = x < lower[k] ? x : lower[k];
            upper[k] = x > upper[k] ? x : upper[k];
        }
    }
    const float x = upper[0] - lower[0], y = upper[1] - lower[1], z = upper[2] - lower[2];
    if (x >= y && x >= z) return 0;
    return y >= z ? 1 : 2;
}

/// Puts the `rank` items with the smallest coordinates first (Hoare: Find, 1961). The pivot is a median of three at
/// places that no input foresees easily, so that few inputs take long.
static void split(item* items, size_t count, size_t rank, int axis)
{
    ptrdiff_t begin = 0, last = (ptrdiff_t)count - 1;
    const ptrdiff_t wanted = (ptrdiff_t)rank;
    uint32_t random = 1;
    while (begin < last) {
        const size_t width = (size_t)(last - begin) + 1;
        float of[3];
        for (int i = 0; i < 3; ++i) {
            random = random * 1664525u + 1013904223u;
            of[i] = items[(size_t)begin + (size_t)((uint64_t)random * width >> 32)].at[axis];
        }
        const float low = of[0] < of[1] ? of[0] : of[1], high = of[0] < of[1] ? of[1] : of[0];
        const float pivot = of[2] < low ? low : of[2] > high ? high : of[2];
        ptrdiff_t i = begin, k = last;
        while (i <= k) {
            while (items[i].at[axis] < pivot)
                ++i;
            while (items[k].at[axis] > pivot)
                --k;
            if (i > k) break;
            const item swap = items[i];
            items[i++] = items[k];
            items[k--] = swap;
        }
        if (wanted <= k) {
            last = k;
        } else if (wanted >= i) {
            begin = i;
        } else {
            return;
        }
    }
}

/// Divides a range of more than one block where a half of its width ends, or of that half if all of it lies before.
static void divide(const building* b, const range* r, range halves[2])
{
    const uint32_t blocks = r->end - r->begin;
    uint32_t half = r->width / 2;
    while (half >= blocks)
        half /= 2;
    const uint32_t middle = r->begin + half;
    TACT_ASSERT(middle > r->begin && middle < r->end);
    item* items = b->items + (size_t)r->begin * BLOCK;
    const size_t count = points_to(b, r->end) - (size_t)r->begin * BLOCK;
    split(items, count, (size_t)half * BLOCK, widest_axis(items, count));
    halves[0] = (range){r->begin, middle, half};
    halves[1] = (range){middle, r->end, half};
}

static void divide_all(const building* b, range whole)
{
    // Halves are no wider than half of their range.
    range waiting[32];
    uint32_t count = 1;
    waiting[0] = whole;
    while (count > 0) {
        const range r = waiting[--count];
        if (r.end - r.begin < 2) continue;
        TACT_ASSERT(count + 2 <= 32);
        divide(b, &r, waiting + count);
        count += 2;
    }
}

static void divide_ranges(size_t begin, size_t end, int worker, void* user)
{
    const building* b = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        divide_all(b, b->ranges[i]);
}

typedef struct halving {
    building* b;
    range halves[RANGES];
} halving;

static void halve_ranges(size_t begin, size_t end, int worker, void* user)
{
    halving* h = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        divide(h->b, &h->b->ranges[i], h->halves + 2 * i);
}

/// Halves all ranges until there are enough for the threads.
static void order_points(building* b, int threads, uint32_t blocks)
{
    uint32_t width = 1;
    while (width < blocks)
        width *= 2;
    b->ranges[0] = (range){0, blocks, width};
    b->range_count = blocks > 1 ? 1 : 0;
    while (threads > 1 && b->range_count > 0 && b->range_count <= RANGES / 2) {
        halving h = {.b = b};
        tact_parallel_for(threads, b->range_count, 1, halve_ranges, &h);
        const uint32_t count = 2 * b->range_count;
        b->range_count = 0;
        for (uint32_t i = 0; i < count; ++i)
            if (h.halves[i].end - h.halves[i].begin > 1) b->ranges[b->range_count++] = h.halves[i];
    }
    tact_parallel_for(threads, b->range_count, 1, divide_ranges, b);
}

// ---- Points in, blocks and boxes out ----

static void take_points(size_t begin, size_t end, int worker, void* user)
{
    const building* b = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        b->items[i] = (item){{b->points[i].x, b->points[i].y, b->points[i].z}, (uint32_t)i};
}

static void write_blocks(size_t begin, size_t end, int worker, void* user)
{
    const building* b = user;
    (void)worker;
    for (size_t n = begin; n < end; ++n) {
        tact_cloud_block* block = &b->tree->blocks[n];
        for (size_t i = 0; i < BLOCK; ++i) {
            const size_t from = n * BLOCK + i;
            const bool there = from < b->count;
            block->x[i] = there ? b->items[from].at[0] : INFINITY;
            block->y[i] = there ? b->items[from].at[1] : INFINITY;
            block->z[i] = there ? b->items[from].at[2] : INFINITY;
            block->id[i] = there ? b->items[from].id : TACT_CLOUD_NONE;
        }
    }
}

static void widen(float* lower, float* upper, float low, float high)
{
    if (low < *lower) *lower = low;
    if (high > *upper) *upper = high;
}

/// The box of block `index`.
static void box_of_block(const tact_cloud_tree* tree, size_t index, tact_cloud_node* node, size_t child)
{
    const tact_cloud_block* block = &tree->blocks[index];
    const float* rows[3] = {block->x, block->y, block->z};
    for (int k = 0; k < 3; ++k) {
        for (size_t i = 0; i < BLOCK; ++i)
            if (block->id[i] != TACT_CLOUD_NONE)
                widen(&node->lower[k][child], &node->upper[k][child], rows[k][i], rows[k][i]);
    }
}

static void box_of_node(const tact_cloud_node* below, tact_cloud_node* node, size_t child)
{
    for (int k = 0; k < 3; ++k) {
        for (size_t i = 0; i < FAN; ++i)
            widen(&node->lower[k][child], &node->upper[k][child], below->lower[k][i], below->upper[k][i]);
    }
}

static void fit_nodes(size_t begin, size_t end, int worker, void* user)
{
    const building* b = user;
    const tact_cloud_tree* tree = b->tree;
    (void)worker;
    for (size_t n = begin; n < end; ++n) {
        tact_cloud_node* node = &tree->nodes[tree->first[b->level] + n];
        for (size_t child = 0; child < FAN; ++child) {
            for (int k = 0; k < 3; ++k) {
                node->lower[k][child] = INFINITY;
                node->upper[k][child] = -INFINITY;
            }
            const size_t below = n * FAN + child;
            if (below >= tree->size[b->level - 1]) continue;
            if (b->level == 1) {
                box_of_block(tree, below, node, child);
            } else {
                box_of_node(&tree->nodes[tree->first[b->level - 1] + below], node, child);
            }
        }
    }
}

/// Levels and their sizes. Returns the number of nodes.
static size_t lay_out(tact_cloud_tree* tree, size_t count)
{
    size_t nodes = 0;
    tree->point_count = (uint32_t)count;
    if (count == 0) return 0;
    tree->size[0] = (uint32_t)((count + BLOCK - 1) / BLOCK);
    tree->levels = 1;
    do {
        TACT_ASSERT(tree->levels < TACT_CLOUD_LEVELS);
        tree->first[tree->levels] = (uint32_t)nodes;
        tree->size[tree->levels] = (tree->size[tree->levels - 1] + FAN - 1) / FAN;
        nodes += tree->size[tree->levels];
        ++tree->levels;
    } while (tree->size[tree->levels - 1] > 1);
    return nodes;
}

tact_result tact_cloud_tree_build(tact_env* env, int threads, const tact_vec3* points, size_t count,
                                  tact_cloud_tree* tree)
{
    TACT_ASSERT(count <= TACT_CLOUD_MOST_POINTS && (count == 0 || points));
    tact_cloud_tree made = {0};
    building b = {.points = points, .count = count, .tree = &made};
    const size_t nodes = lay_out(&made, count);
    made.blocks = tact_allocate(env, made.size[0], sizeof *made.blocks);
    made.nodes = tact_allocate(env, nodes, sizeof *made.nodes);
    b.items = tact_allocate(env, count, sizeof *b.items);
    if (!made.blocks || !made.nodes || !b.items) {
        tact_release(env, b.items);
        tact_cloud_tree_release(env, &made);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    if (count > 0) {
        tact_parallel_for(threads, count, GRAIN, take_points, &b);
        order_points(&b, threads, made.size[0]);
        tact_parallel_for(threads, made.size[0], GRAIN / BLOCK, write_blocks, &b);
        for (b.level = 1; b.level < made.levels; ++b.level)
            tact_parallel_for(threads, made.size[b.level], GRAIN / BLOCK / FAN, fit_nodes, &b);
    }
    tact_release(env, b.items);
    tact_cloud_tree_release(env, tree);
    *tree = made;
    return TACT_OK;
}

void tact_cloud_tree_release(tact_env* env, tact_cloud_tree* tree)
{
    tact_release(env, tree->blocks);
    tact_release(env, tree->nodes);
    *tree = (tact_cloud_tree){0};
}

uint64_t tact_cloud_tree_bytes(const tact_cloud_tree* tree)
{
    const uint32_t top = tree->levels > 0 ? tree->levels - 1 : 0;
    return (uint64_t)tree->size[0] * sizeof *tree->blocks +
           (uint64_t)(tree->first[top] + tree->size[top]) * sizeof *tree->nodes * (top > 0);
}
