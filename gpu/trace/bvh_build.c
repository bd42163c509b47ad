// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/trace/bvh_build.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "gpu/blocks/blocks.h"
#include "kernels/bvh_layout.h"

enum {
    GROUP = 256,
    // Each round adds at most one to the tree's height. Rounds that join less than a thirty-second part are followed by
    // one that joins neighbours, whatever they are; after so many, all are such: 31 halve the most there can be to one.
    HIGHEST = TACT_BVH_FREE_ROUNDS + 31,
    // Rounds between two looks at what is left, for which everything waits. Launches are as large as the first of them.
    ROUNDS = 4
};

_Static_assert(HIGHEST <= (int)TACT_BVH_LEVELS_OPENED * TACT_BVH8_MAX_DEPTH, "wide nodes must get to the leaves");
_Static_assert(TACT_BVH_PLACES + 2 * TACT_BVH_RADIUS == GROUP,
               "bvh_nearest has an item for each place that it looks at");
_Static_assert(97 <= (int)TACT_BVH_LEVELS_OPENED * TACT_BVH8_MAX_DEPTH, "the same of the linear tree");

struct tact_tree_builder {
    tact_device* device;
    tact_radix_sort* sort;
    tact_reduce* reduce;
    tact_scan *scan, *short_scan;  // the second with one group, in one launch

    tact_buffer *positions, *indices;  // of the mesh
    tact_buffer* taken;                // of each triangle: whether it is in the tree
    tact_buffer *boxes, *bounds, *keys, *order;
    tact_buffer *tree, *facts;                          // binary
    tact_buffer *cluster, *next, *partner;              // and while it is made
    tact_buffer *sums, *counts;                         // of groups; by round
    tact_buffer *binary, *kids, *rows, *inner, *total;  // of wide nodes
    tact_buffer *nodes, *slots, *blocks, *node_bounds;  // the tree

    bool built;
    bool adopted;  // what is there is not that of its vertices, until it is fitted
    size_t vertex_count;
    uint32_t triangle_count, leaves, node_count, slot_count, levels;
    uint32_t level_first[TACT_BVH8_MAX_DEPTH + 1];
};

enum { BUFFERS = 21 };

static void list_buffers(tact_tree_builder* b, tact_buffer** all[BUFFERS])
{
    tact_buffer** const list[BUFFERS] = {&b->positions, &b->indices, &b->taken,  &b->boxes,   &b->bounds, &b->keys,
                                         &b->order,     &b->tree,    &b->facts,  &b->cluster, &b->next,   &b->partner,
                                         &b->sums,      &b->counts,  &b->binary, &b->kids,    &b->rows,   &b->inner,
                                         &b->total,     &b->nodes,   &b->slots};
    memcpy(all, list, sizeof list);
}

tact_result tact_tree_builder_create(tact_device* device, tact_tree_builder** build)
{
    *build = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **build);
    if (!*build) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    (*build)->device = device;
    return TACT_OK;
}

void tact_tree_builder_destroy(tact_tree_builder* b)
{
    if (!b) return;
    tact_buffer** all[BUFFERS];
    list_buffers(b, all);
    for (int i = 0; i < BUFFERS; ++i)
        tact_buffer_destroy(*all[i]);
    tact_buffer_destroy(b->blocks);
    tact_buffer_destroy(b->node_bounds);
    tact_radix_sort_destroy(b->sort);
    tact_reduce_destroy(b->reduce);
    tact_scan_destroy(b->scan);
    tact_scan_destroy(b->short_scan);
    tact_release(tact_device_env(b->device), b);
}

uint64_t tact_tree_builder_bytes(const tact_tree_builder* build)
{
    tact_tree_builder copy = *build;
    tact_buffer** all[BUFFERS];
    list_buffers(&copy, all);
    uint64_t sum = build->sort ? tact_radix_sort_bytes(build->sort) : 0;
    sum += build->reduce ? TACT_REDUCE_SCRATCH_BYTES : 0;
    sum += build->scan ? TACT_SCAN_SCRATCH_BYTES : 0;
    sum += build->short_scan ? TACT_SCAN_SCRATCH_BYTES : 0;
    sum += tact_buffer_size(build->blocks);
    sum += tact_buffer_size(build->node_bounds);
    for (int i = 0; i < BUFFERS; ++i)
        sum += tact_buffer_size(*all[i]);
    return sum;
}

typedef struct need {
    tact_buffer** buffer;
    uint64_t words;
} need;

static tact_result hold(tact_tree_builder* b, const need* needs, size_t count)
{
    if (tact_device_result(b->device) != TACT_OK) return tact_device_result(b->device);
    for (size_t i = 0; i < count; ++i)
        tact_buffer_hold(b->device, needs[i].buffer, needs[i].words * 4);
    return TACT_DEVICE_WITHIN(b->device, "a tree of %u triangles: ", b->triangle_count);
}

static void prepare(tact_tree_builder* b)
{
    if (!b->sort) tact_radix_sort_create(b->device, 0, &b->sort);
    if (!b->reduce) tact_reduce_create(b->device, 0, &b->reduce);
    if (!b->scan) tact_scan_create(b->device, 0, &b->scan);
    if (!b->short_scan) tact_scan_create(b->device, 1, &b->short_scan);
}

static tact_result upload(tact_tree_builder* b, const tact_trace_mesh* mesh)
{
    const uint64_t n = b->triangle_count;
    const need needs[] = {{&b->positions, (uint64_t)b->vertex_count * 3},
                          {&b->indices, n * 3},
                          {&b->taken, n},
                          {&b->boxes, n * 8},
                          {&b->bounds, 8},
                          {&b->keys, n * 2},
                          {&b->order, n},
                          {&b->total, 1}};
    hold(b, needs, sizeof needs / sizeof needs[0]);
    tact_buffer_write(b->positions, 0, mesh->positions, b->vertex_count * 12);
    return tact_buffer_write(b->indices, 0, mesh->indices, (size_t)n * 12);
}

/// Boxes, keys, their order; how many triangles take part.
static tact_result sort_triangles(tact_tree_builder* b)
{
    const uint32_t n = b->triangle_count;
    TACT_LAUNCH_ITEMS(b->device, bvh_boxes, n, .positions = b->positions, .indices = b->indices, .boxes = b->boxes,
                      .taken = b->taken, .count = n);
    tact_reduce_run(b->reduce, TACT_REDUCE_SUM_UINT, b->taken, n, b->total, 0);
    tact_reduce_bounds(b->reduce, TACT_BOXES, b->boxes, n, b->bounds);
    TACT_LAUNCH_ITEMS(b->device, bvh_keys, n, .boxes = b->boxes, .taken = b->taken, .bounds = b->bounds,
                      .keys = b->keys, .count = n);
    const tact_sort_job job = {b->keys, b->keys, NULL, b->order, n, 2, 64};
    tact_radix_sort_run(b->sort, &job);
    return tact_buffer_read(b->total, 0, &b->leaves, 4);
}

static tact_result make_leaves(tact_tree_builder* b)
{
    const uint64_t n = b->leaves;
    const need needs[] = {{&b->tree, 16 * n},
                          {&b->facts, 4 * n},
                          {&b->cluster, n},
                          {&b->next, n},
                          {&b->partner, n},
                          {&b->sums, n / TACT_BVH_PLACES + 1},
                          {&b->counts, HIGHEST + ROUNDS + 1}};
    hold(b, needs, sizeof needs / sizeof needs[0]);
    return TACT_LAUNCH_ITEMS(b->device, bvh_leaves, b->leaves, .boxes = b->boxes, .order = b->order, .tree = b->tree,
                             .facts = b->facts, .cluster = b->cluster, .leaves = b->leaves);
}

/// A round: pairs that are nearest to each other become nodes. `most`: no fewer than the clusters there are, whose
/// number the device knows.
static tact_result join(tact_tree_builder* b, uint32_t round, uint32_t most)
{
    const uint32_t groups = (most + TACT_BVH_PLACES - 1) / TACT_BVH_PLACES;
    TACT_LAUNCH(b->device, bvh_nearest, groups, .tree = b->tree, .cluster = b->cluster, .counts = b->counts,
                .partner = b->partner, .sums = b->sums, .round = round, .groups = groups);
    tact_scan_run(b->short_scan, b->sums, b->sums, groups, b->counts, round + 1);
    TACT_LAUNCH(b->device, bvh_merge, groups, .partner = b->partner, .bases = b->sums, .counts = b->counts,
                .cluster = b->cluster, .next = b->next, .tree = b->tree, .facts = b->facts, .round = round,
                .groups = groups, .leaves = b->leaves);
    tact_buffer* const old = b->cluster;
    b->cluster = b->next;
    b->next = old;
    return tact_device_result(b->device);
}

static tact_result no_progress(tact_tree_builder* b, uint32_t left, uint32_t before)
{
    return TACT_DEVICE_FAIL(b->device, TACT_ERROR_INTERNAL, "a round left %u of %u clusters", left, before);
}

/// All that is left once it is little.
static tact_result join_rest(tact_tree_builder* b, uint32_t round)
{
    TACT_LAUNCH(b->device, bvh_join, 1, .cluster = b->cluster, .counts = b->counts, .tree = b->tree, .facts = b->facts,
                .round = round, .leaves = b->leaves);
    uint32_t left = 0;
    tact_buffer_read(b->counts, 4 * ((size_t)round + 1), &left, 4);
    return left != 1 ? no_progress(b, left, b->leaves) : TACT_OK;
}

static tact_result join_all(tact_tree_builder* b)
{
    uint32_t count = b->leaves, round = 0;
    tact_buffer_write(b->counts, 0, &count, 4);
    while (count > TACT_BVH_LAST) {
        uint32_t counts[ROUNDS];
        if (round >= HIGHEST) return no_progress(b, count, b->leaves);
        for (uint32_t i = 0; i < ROUNDS; ++i)
            join(b, round + i, count);
        tact_buffer_read(b->counts, 4 * ((size_t)round + 1), counts, sizeof counts);
        if (tact_device_result(b->device) != TACT_OK) return tact_device_result(b->device);
        for (uint32_t i = 0; i < ROUNDS; ++i) {
            if (counts[i] == 0 || (counts[i] >= count && count > 1)) return no_progress(b, counts[i], count);
            count = counts[i];
        }
        round += ROUNDS;
    }
    return count > 1 ? join_rest(b, round) : tact_device_result(b->device);
}

static tact_result make_binary(tact_tree_builder* b, tact_tree_method method)
{
    const tact_result result = make_leaves(b);
    if (b->leaves == 1) return result;
    if (method == TACT_TREE_CLUSTERED) return join_all(b);
    return TACT_LAUNCH_ITEMS(b->device, bvh_hierarchy, b->leaves - 1, .keys = b->keys, .tree = b->tree,
                             .facts = b->facts, .leaves = b->leaves);
}

/// One level of wide nodes; *next: nodes of the following one.
static tact_result open_level(tact_tree_builder* b, uint32_t first, uint32_t count, uint32_t* next)
{
    TACT_LAUNCH_ITEMS(b->device, bvh_open, count, .tree = b->tree, .facts = b->facts, .binary = b->binary,
                      .kids = b->kids, .inner = b->inner, .first = first, .count = count,
                      .levels = TACT_BVH8_MAX_DEPTH - b->levels);
    tact_scan_run(b->scan, b->inner, b->inner, count, b->total, 0);
    TACT_LAUNCH_ITEMS(b->device, bvh_place, count, .facts = b->facts, .before = b->inner, .kids = b->kids,
                      .binary = b->binary, .rows = b->rows, .first = first, .count = count, .next = first + count);
    return tact_buffer_read(b->total, 0, next, 4);
}

static tact_result open_all(tact_tree_builder* b, tact_tree_method method)
{
    // A wide node below the root holds five triangles or more, and one above others has eight children: there is one
    // for each four triangles at most.
    const uint64_t most = (uint64_t)b->leaves / 4 + 1;
    const need needs[] = {{&b->binary, most}, {&b->kids, 8 * most}, {&b->rows, 4 * most}, {&b->inner, most}};
    hold(b, needs, sizeof needs / sizeof needs[0]);
    // The first inner node of the linear tree is its root, and the last one to be joined of the other.
    const uint32_t root = b->leaves == 1 ? 0 : method == TACT_TREE_CLUSTERED ? 2 * b->leaves - 2 : b->leaves;
    tact_buffer_write(b->binary, 0, &root, 4);
    uint32_t first = 0, count = 1;
    while (count > 0 && tact_device_result(b->device) == TACT_OK) {
        if (b->levels >= TACT_BVH8_MAX_DEPTH || first + (uint64_t)count > most) {
            return TACT_DEVICE_FAIL(b->device, TACT_ERROR_INTERNAL, "a tree of %u triangles has %u nodes", b->leaves,
                                    first + count);
        }
        uint32_t next = 0;
        open_level(b, first, count, &next);
        b->level_first[b->levels++] = first;
        first += count;
        count = next;
    }
    b->level_first[b->levels] = b->node_count = first;
    return tact_device_result(b->device);
}

static tact_result sum_level(tact_tree_builder* b, uint32_t level, bool down)
{
    const uint32_t first = b->level_first[level], count = b->level_first[level + 1] - first;
    return TACT_LAUNCH_ITEMS(b->device, bvh_sums, count, .facts = b->facts, .kids = b->kids, .rows = b->rows,
                             .first = first, .count = count, .down = down);
}

/// Deals out the slots, so that those under a node lie together.
static void deal_slots(tact_tree_builder* b)
{
    for (uint32_t level = b->levels; level > 0; --level)
        sum_level(b, level - 1, false);
    for (uint32_t level = 0; level < b->levels; ++level)
        sum_level(b, level, true);
    uint32_t slots = 0;
    tact_buffer_read(b->rows, 8, &slots, 4);
    b->slot_count = (slots + TACT_BVH8_BLOCK - 1) / TACT_BVH8_BLOCK * TACT_BVH8_BLOCK;
}

static tact_result emit(tact_tree_builder* b)
{
    const uint64_t nodes = b->node_count;
    const need needs[] = {{&b->nodes, nodes * TACT_BVH_NODE_WORDS},
                          {&b->slots, b->slot_count},
                          {&b->blocks, (uint64_t)b->slot_count / TACT_BVH8_BLOCK * TACT_BVH_BLOCK_WORDS},
                          {&b->node_bounds, nodes * 6}};
    hold(b, needs, sizeof needs / sizeof needs[0]);
    tact_buffer_fill(b->slots, 0, (size_t)b->slot_count * 4, TACT_BVH_NONE);
    return TACT_LAUNCH_ITEMS(b->device, bvh_emit, b->node_count, .tree = b->tree, .facts = b->facts, .kids = b->kids,
                             .rows = b->rows, .nodes = b->nodes, .slots = b->slots, .count = b->node_count);
}

/// Triangles to their slots, then boxes from the bottom up.
static void fit(tact_tree_builder* b)
{
    TACT_LAUNCH_ITEMS(b->device, bvh_blocks, b->slot_count, .slots = b->slots, .positions = b->positions,
                      .indices = b->indices, .blocks = b->blocks, .count = b->slot_count);
    for (uint32_t level = b->levels; level > 0; --level) {
        const uint32_t first = b->level_first[level - 1], count = b->level_first[level] - first;
        TACT_LAUNCH_ITEMS(b->device, bvh_refit, count, .blocks = b->blocks, .nodes = b->nodes, .bounds = b->node_bounds,
                          .first = first, .count = count);
    }
}

/// The tree of no triangle at all: one node without children.
static tact_result make_empty(tact_tree_builder* b)
{
    tact_bvh8_node root = {.node = 1};
    tact_bvh8_set_boxes(&root, NULL, 0);
    const need needs[] = {{&b->nodes, TACT_BVH_NODE_WORDS}, {&b->slots, 1}, {&b->blocks, 1}, {&b->node_bounds, 6}};
    b->levels = b->node_count = 1;
    b->level_first[0] = 0;
    b->level_first[1] = 1;
    hold(b, needs, sizeof needs / sizeof needs[0]);
    return tact_buffer_write(b->nodes, 0, &root, sizeof root);
}

tact_result tact_tree_builder_run(tact_tree_builder* b, const tact_trace_mesh* mesh, size_t vertex_count,
                                  tact_tree_method method)
{
    b->built = b->adopted = false;
    b->levels = b->leaves = b->slot_count = b->node_count = 0;
    if (mesh->triangle_count > TACT_BLOCK_LIMIT / 4 || vertex_count > UINT32_MAX / 3) {
        return TACT_DEVICE_FAIL(b->device, TACT_ERROR_LIMIT, "a tree of %zu triangles", mesh->triangle_count);
    }
    b->triangle_count = (uint32_t)mesh->triangle_count;
    b->vertex_count = vertex_count;
    if (b->triangle_count > 0) {
        prepare(b);
        upload(b, mesh);
        sort_triangles(b);
    }
    if (tact_device_result(b->device) != TACT_OK) return tact_device_result(b->device);
    if (b->leaves == 0) {
        make_empty(b);
    } else {
        make_binary(b, method);
        open_all(b, method);
        deal_slots(b);
        emit(b);
        fit(b);
    }
    b->built = tact_device_result(b->device) == TACT_OK;
    return tact_device_result(b->device);
}

static tact_result no_tree(const tact_tree_builder* b)
{
    return TACT_DEVICE_FAIL(b->device, TACT_ERROR_INVALID_ARGUMENT, "no tree has been built");
}

tact_result tact_tree_builder_refit(tact_tree_builder* b, const float* positions, tact_bvh8_node* nodes, bool* changed)
{
    *changed = false;
    if (!b->built) return no_tree(b);
    const bool fits = b->triangle_count > 0;
    uint32_t different = 0;
    const tact_read reads[] = {{b->total, 0, sizeof different, &different},
                               {b->nodes, 0, b->node_count * sizeof *nodes, nodes}};
    if (fits) {
        tact_buffer_write(b->positions, 0, positions, b->vertex_count * 12);
        tact_buffer_fill(b->total, 0, 4, 0);
        TACT_LAUNCH_ITEMS(b->device, bvh_changed, b->triangle_count, .positions = b->positions, .indices = b->indices,
                          .taken = b->taken, .changed = b->total, .count = b->triangle_count);
        if (b->leaves > 0) fit(b);
    }
    // Where others are in range than before, the tree was fitted for nothing.
    if (fits || nodes) tact_device_read(b->device, fits ? reads : &reads[1], (size_t)fits + (nodes != NULL));
    *changed = different != 0;
    b->built = !*changed && tact_device_result(b->device) == TACT_OK;
    b->adopted = false;
    return tact_device_result(b->device);
}

/// Finds where levels begin. False: the nodes do not lie level after level.
static bool find_levels(tact_tree_builder* b, const tact_bvh8* wide)
{
    size_t first = 0, next = 1;
    b->levels = 0;
    while (first < next) {
        if (b->levels == TACT_BVH8_MAX_DEPTH || next > wide->node_count) return false;
        const size_t end = next;
        b->level_first[b->levels++] = (uint32_t)first;
        for (; first < end; ++first) {
            const tact_bvh8_node* n = &wide->nodes[first];
            for (int k = 0; k < TACT_BVH8_WIDTH; ++k) {
                if (tact_bvh8_kind(n, k) == TACT_BVH8_INNER && tact_bvh8_child(n, k) != next++) return false;
            }
        }
    }
    b->level_first[b->levels] = (uint32_t)first;
    return first == wide->node_count;
}

/// Which triangles the slots hold, a word for each.
static tact_result write_taken(tact_tree_builder* b, const tact_bvh8* wide)
{
    tact_env* env = tact_device_env(b->device);
    uint32_t* taken = tact_allocate_zeroed(env, b->triangle_count, sizeof *taken);
    if (!taken) return tact_device_fail(b->device, TACT_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < wide->slot_count; ++i) {
        if (wide->order[i] == UINT32_MAX) continue;
        taken[wide->order[i]] = 1;
        ++b->leaves;
    }
    tact_buffer_write(b->taken, 0, taken, (size_t)b->triangle_count * sizeof *taken);
    tact_release(env, taken);
    return tact_device_result(b->device);
}

tact_result tact_tree_builder_adopt(tact_tree_builder* b, const tact_trace_mesh* mesh, size_t vertex_count,
                                    const tact_bvh8* wide)
{
    tact_env* env = tact_device_env(b->device);
    b->built = b->adopted = false;
    b->leaves = 0;
    if (mesh->triangle_count > TACT_BLOCK_LIMIT / 4 || vertex_count > UINT32_MAX / 3) {
        return tact_fail(env, TACT_ERROR_LIMIT, "a tree of %zu triangles", mesh->triangle_count);
    }
    if (!find_levels(b, wide)) {
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "the nodes of a tree do not lie level after level");
    }
    b->triangle_count = (uint32_t)mesh->triangle_count;
    b->vertex_count = vertex_count;
    b->node_count = (uint32_t)wide->node_count;
    b->slot_count = (uint32_t)wide->slot_count;
    const uint64_t n = b->triangle_count, nodes = b->node_count;
    const need needs[] = {{&b->positions, (uint64_t)vertex_count * 3},
                          {&b->indices, n * 3},
                          {&b->taken, n},
                          {&b->total, 1},
                          {&b->nodes, nodes * TACT_BVH_NODE_WORDS},
                          {&b->slots, b->slot_count},
                          {&b->blocks, (uint64_t)b->slot_count / TACT_BVH8_BLOCK * TACT_BVH_BLOCK_WORDS},
                          {&b->node_bounds, nodes * 6}};
    hold(b, needs, sizeof needs / sizeof needs[0]);
    tact_buffer_write(b->indices, 0, mesh->indices, (size_t)n * 12);
    tact_buffer_write(b->nodes, 0, wide->nodes, nodes * sizeof *wide->nodes);
    tact_buffer_write(b->slots, 0, wide->order, (size_t)b->slot_count * 4);
    write_taken(b, wide);
    b->built = b->adopted = tact_device_result(b->device) == TACT_OK;
    return tact_device_result(b->device);
}

/// Pieces of so many nodes are summed up by one thread, so that sums are the same for every number of threads.
enum { COST_PIECE = 1 << 12 };

typedef struct cost_job {
    const tact_bvh8_node* nodes;
    size_t count;
    double* sums;  ///< of each piece
} cost_job;

/// Areas of a node's children, each times what it costs to go there.
static double cost_of_children(const tact_bvh8_node* n)
{
    double scale[3], sum = 0.0;
    for (int axis = 0; axis < 3; ++axis)
        scale[axis] = ldexp(1.0, (int)n->exponent[axis] - 127);
    for (int k = 0; k < TACT_BVH8_WIDTH && tact_bvh8_kind(n, k) != 0; ++k) {
        double side[3];
        for (int axis = 0; axis < 3; ++axis)
            side[axis] = (double)(n->box[axis][1][k] - n->box[axis][0][k]) * scale[axis];
        const uint32_t kind = tact_bvh8_kind(n, k);
        const double each = kind == TACT_BVH8_INNER ? 1.0 : (double)tact_build_leaf_cost(kind);
        sum += each * (side[0] * side[1] + side[1] * side[2] + side[2] * side[0]);
    }
    return sum;
}

static void sum_costs(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const cost_job* job = user;
    for (size_t piece = begin; piece < end; ++piece) {
        const size_t first = piece * COST_PIECE, left = job->count - first;
        double sum = 0.0;
        for (size_t i = 0; i < (left < COST_PIECE ? left : COST_PIECE); ++i)
            sum += cost_of_children(&job->nodes[first + i]);
        job->sums[piece] = sum;
    }
}

static tact_result cost_of(tact_env* env, int threads, const tact_bvh8_node* nodes, size_t count, double* cost)
{
    const size_t pieces = (count + COST_PIECE - 1) / COST_PIECE;
    cost_job job = {nodes, count, tact_allocate(env, pieces, sizeof(double))};
    if (!job.sums) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(threads, pieces, 1, sum_costs, &job);
    double sum = 0.0;
    for (size_t i = 0; i < pieces; ++i)
        sum += job.sums[i];
    tact_release(env, job.sums);
    const tact_bvh_box all = tact_bvh8_bounds(&nodes[0]);
    double side[3];
    for (int k = 0; k < 3; ++k)
        side[k] = (double)all.upper[k] - (double)all.lower[k];
    const double area = side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
    *cost = tact_bvh8_kind(&nodes[0], 0) != 0 && area > 0.0 ? 1.0 + sum / area : 1.0;
    return TACT_OK;
}

tact_result tact_tree_builder_cost(const tact_tree_builder* b, int threads, const tact_bvh8_node* nodes,
                                   double* sah_cost)
{
    return cost_of(tact_device_env(b->device), threads, nodes, b->node_count, sah_cost);
}

tact_result tact_tree_builder_read(tact_tree_builder* b, tact_bvh8* wide, tact_triangle_block** blocks)
{
    tact_env* env = tact_device_env(b->device);
    memset(wide, 0, sizeof *wide);
    if (blocks) *blocks = NULL;
    if (!b->built || b->adopted) return no_tree(b);
    const size_t block_count = b->slot_count / TACT_BVH8_BLOCK;
    wide->nodes = tact_allocate(env, b->node_count, sizeof *wide->nodes);
    wide->order = tact_allocate(env, b->slot_count, sizeof *wide->order);
    if (blocks) *blocks = tact_allocate(env, block_count, sizeof **blocks);
    const bool got = wide->nodes && wide->order && (!blocks || *blocks);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (got) {
        const tact_read reads[] = {{b->nodes, 0, b->node_count * sizeof *wide->nodes, wide->nodes},
                                   {b->slots, 0, (size_t)b->slot_count * sizeof *wide->order, wide->order},
                                   {b->blocks, 0, block_count * sizeof **blocks, blocks ? *blocks : NULL}};
        result = tact_device_read(b->device, reads, blocks ? 3 : 2);
    }
    if (result == TACT_OK) result = cost_of(env, 1, wide->nodes, b->node_count, &wide->sah_cost);
    if (result != TACT_OK) {
        tact_bvh8_free(env, wide);
        if (blocks) tact_release(env, *blocks);
        if (blocks) *blocks = NULL;
        return result;
    }
    wide->node_count = b->node_count;
    wide->slot_count = b->slot_count;
    wide->count = b->leaves;
    wide->depth = b->levels;
    return TACT_OK;
}
