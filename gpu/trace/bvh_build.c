// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/trace/bvh_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    GROUP = 256,
    // Each round adds at most one to the tree's height. Rounds that join less than a thirty-second part are followed by
    // one that joins neighbours, whatever they are; after so many, all are such: 31 halve the most there can be to one.
    HIGHEST = TACT_BVH_FREE_ROUNDS + 31,
    // Rounds and levels that are given at once when those that were expected to be enough were not.
    MORE_ROUNDS = 8,
    MORE_LEVELS = 8,
    // Groups at most that open a level, of a GPU, which they fill, and of a device that is software.
    MOST_GROUPS = 2048,
    MOST_GROUPS_SOFTWARE = 64,
    LEVEL_GROUP = 64,  // of the kernels that see to a level
    MOST_ITEMS = MOST_GROUPS * LEVEL_GROUP
};

_Static_assert(HIGHEST == (int)TACT_BVH_ROUNDS, "counts has a word for each round");
_Static_assert(TACT_BVH8_MAX_DEPTH == (int)TACT_BVH_LEVELS_MOST, "the device and the host open as many levels");
_Static_assert(TACT_BVH_LEVEL + TACT_BVH8_MAX_DEPTH + 2 == TACT_BVH_COUNTS, "and two places behind the last one");
_Static_assert(HIGHEST <= (int)TACT_BVH_LEVELS_OPENED * TACT_BVH8_MAX_DEPTH, "wide nodes must get to the leaves");
_Static_assert(TACT_BVH_PLACES + 2 * TACT_BVH_RADIUS == GROUP,
               "bvh_nearest has an item for each place that it looks at");
_Static_assert(97 <= (int)TACT_BVH_LEVELS_OPENED * TACT_BVH8_MAX_DEPTH, "the same of the linear tree");

enum { BUFFERS = 23 };

static void list_buffers(tact_tree_builder* b, tact_buffer** all[BUFFERS])
{
    tact_buffer** const list[BUFFERS] = {
        &b->positions, &b->indices, &b->taken, &b->boxes,   &b->bounds,      &b->keys,   &b->order,  &b->tree,
        &b->facts,     &b->cluster, &b->next,  &b->partner, &b->sums,        &b->counts, &b->binary, &b->kids,
        &b->rows,      &b->nodes,   &b->slots, &b->blocks,  &b->node_bounds, &b->costs,  &b->raw};
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
    for (int i = 0; i < BUFFERS; ++i)
        sum += tact_buffer_size(*all[i]);
    return sum;
}

tact_result tact_tree_hold(tact_tree_builder* b, const tact_tree_need* needs, size_t count)
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

/// Nodes there are at most: a wide one below the root holds five triangles or more, and one above others has eight
/// children.
static uint32_t most_nodes(const tact_tree_builder* b)
{
    return b->triangle_count / 4 + 1;
}

/// Nodes that a level has at most: eight times those of the one above.
static uint32_t most_of_level(const tact_tree_builder* b, uint32_t level)
{
    const uint32_t most = most_nodes(b), *first = b->known + TACT_BVH_LEVEL + level;
    if (b->built) return first[1] - first[0];
    return level < 10 && (uint64_t)1 << (3 * level) < most ? (uint32_t)1 << (3 * level) : most;
}

static const tact_tree_shape* last_of(const tact_tree_builder* b)
{
    return &b->last[b->method];
}

/// Whether the last tree was of as many triangles, so that this one is expected to be of its shape.
static bool is_alike(const tact_tree_builder* b)
{
    return last_of(b)->triangles == b->triangle_count;
}

/// So many of the last tree, in this one.
static uint64_t scaled(const tact_tree_builder* b, uint64_t of_last)
{
    return of_last * b->triangle_count / last_of(b)->triangles;
}

/// Clusters that are expected before a round at most.
static uint32_t clusters_of(const tact_tree_builder* b, uint32_t round)
{
    const tact_tree_shape* last = last_of(b);
    uint64_t left = b->triangle_count;
    if (last->triangles > 0) {
        const uint32_t known = round < last->rounds ? round : last->rounds;
        left = scaled(b, last->counts[known]);
        left += left / (is_alike(b) ? 16 : 4);
        for (round -= known; round > 0; --round)
            left -= left / 8;
    } else {
        for (; round > 0; --round)
            left -= left / 6;
        left += left / 8;
    }
    return left < b->triangle_count ? (uint32_t)left : b->triangle_count;
}

/// Items that open a level, if it has as many nodes as are expected: they see to more than one where it has more.
static uint32_t items_of_level(const tact_tree_builder* b, uint32_t level)
{
    const uint32_t* first = last_of(b)->counts + TACT_BVH_LEVEL + level;
    uint32_t nodes = most_of_level(b, level);
    // The levels behind the two that may have most are small.
    if (level > 1 && most_of_level(b, level - 2) == nodes) nodes /= 16;
    if (b->guided) nodes = level < last_of(b)->levels ? (uint32_t)scaled(b, first[1] - first[0]) : 0;
    const uint32_t most =
        tact_device_describe(b->device)->software ? (uint32_t)MOST_GROUPS_SOFTWARE : (uint32_t)MOST_GROUPS;
    const uint32_t groups = (nodes + LEVEL_GROUP - 1) / LEVEL_GROUP;
    return (groups == 0 ? 1 : groups < most ? groups : most) * LEVEL_GROUP;
}

static uint32_t slots_expected(const tact_tree_builder* b)
{
    // Nearly all trees have fewer than 1.4 a triangle.
    if (!is_alike(b)) return b->triangle_count + b->triangle_count / 2 + 64;
    return last_of(b)->slots + last_of(b)->slots / 64 + 8;
}

/// Makes room for what `room` slots hold, or more where there is more.
static tact_result hold_slots(tact_tree_builder* b, uint32_t room)
{
    const uint32_t slots = (room + TACT_BVH8_BLOCK - 1) / TACT_BVH8_BLOCK * TACT_BVH8_BLOCK;
    const tact_tree_need needs[] = {{&b->slots, slots},
                                    {&b->blocks, (uint64_t)slots / TACT_BVH8_BLOCK * TACT_BVH_BLOCK_WORDS}};
    b->room = slots;
    return tact_tree_hold(b, needs, sizeof needs / sizeof needs[0]);
}

/// What the mesh's own builder has of it is copied there: the triangles, which stay what they are, and vertices that
/// the host has not.
static tact_result write_mesh(tact_tree_builder* b, const tact_trace_mesh* mesh)
{
    const tact_tree_builder* from = mesh->device_tree;
    const bool here = from && from->device == b->device && from->indices && from->triangle_count == b->triangle_count;
    const size_t vertices = b->vertex_count * 12, triangles = (size_t)b->triangle_count * 12;
    TACT_ASSERT(tact_device_env(b->device), mesh->positions || (here && from->vertex_count == b->vertex_count));
    if (mesh->positions)
        tact_buffer_write(b->positions, 0, mesh->positions, vertices);
    else
        tact_buffer_copy(b->positions, 0, from->positions, 0, vertices);
    return here ? tact_buffer_copy(b->indices, 0, from->indices, 0, triangles)
                : tact_buffer_write(b->indices, 0, mesh->indices, triangles);
}

static tact_result upload(tact_tree_builder* b, const tact_trace_mesh* mesh)
{
    const uint64_t n = b->triangle_count, nodes = most_nodes(b);
    const tact_tree_need needs[] = {{&b->positions, (uint64_t)b->vertex_count * 3},
                                    {&b->indices, n * 3},
                                    {&b->taken, n},
                                    {&b->costs, sizeof b->parts / 4},
                                    {&b->boxes, n * 8},
                                    {&b->bounds, 8},
                                    {&b->keys, n * 2},
                                    {&b->order, n},
                                    {&b->tree, 16 * n},
                                    {&b->facts, 4 * n},
                                    {&b->cluster, n},
                                    {&b->next, n},
                                    {&b->partner, n},
                                    {&b->sums, MOST_ITEMS + n / TACT_BVH_PLACES + 1},
                                    {&b->counts, TACT_BVH_COUNTS},
                                    {&b->binary, nodes},
                                    {&b->kids, 8 * nodes},
                                    {&b->rows, 4 * nodes},
                                    {&b->nodes, nodes * TACT_BVH_NODE_WORDS},
                                    {&b->node_bounds, nodes * 6}};
    tact_tree_hold(b, needs, sizeof needs / sizeof needs[0]);
    hold_slots(b, slots_expected(b));
    return write_mesh(b, mesh);
}

/// Boxes, keys, their order; how many triangles take part, which become leaves.
static tact_result sort_triangles(tact_tree_builder* b)
{
    const uint32_t n = b->triangle_count;
    TACT_LAUNCH_ITEMS(b->device, bvh_boxes, n, .positions = b->positions, .indices = b->indices, .boxes = b->boxes,
                      .taken = b->taken, .count = n);
    tact_buffer_fill(b->counts, 0, TACT_BVH_COUNTS * 4, 0);
    tact_reduce_run(b->reduce, TACT_REDUCE_SUM_UINT, b->taken, n, b->counts, 0);
    tact_reduce_bounds(b->reduce, TACT_BOXES, b->boxes, n, b->bounds);
    TACT_LAUNCH_ITEMS(b->device, bvh_keys, n, .boxes = b->boxes, .taken = b->taken, .bounds = b->bounds,
                      .keys = b->keys, .count = n);
    const tact_sort_job job = {b->keys, b->keys, NULL, b->order, n, 2, 64};
    tact_radix_sort_run(b->sort, &job);
    return TACT_LAUNCH_ITEMS(b->device, bvh_leaves, n, .boxes = b->boxes, .order = b->order, .counts = b->counts,
                             .tree = b->tree, .facts = b->facts, .cluster = b->cluster, .count = n);
}

/// A round: pairs that are nearest to each other become nodes, unless few clusters are left, or more than `most`.
static tact_result join(tact_tree_builder* b, uint32_t round, uint32_t most)
{
    const uint32_t groups = most / TACT_BVH_PLACES + 1;
    tact_buffer* const cluster = round % 2 == 0 ? b->cluster : b->next;
    tact_buffer* const next = round % 2 == 0 ? b->next : b->cluster;
    TACT_LAUNCH(b->device, bvh_nearest, groups, .tree = b->tree, .cluster = cluster, .counts = b->counts,
                .partner = b->partner, .sums = b->sums, .round = round, .groups = groups);
    tact_scan_run(b->short_scan, b->sums, b->sums, groups, b->counts, round + 1);
    return TACT_LAUNCH(b->device, bvh_merge, groups, .partner = b->partner, .bases = b->sums, .counts = b->counts,
                       .cluster = cluster, .next = next, .tree = b->tree, .facts = b->facts, .round = round,
                       .groups = groups);
}

/// So many more rounds, for at most so many clusters or, 0, as many as are expected; and all that is left once it is
/// little.
static tact_result join_some(tact_tree_builder* b, uint32_t rounds, uint32_t most)
{
    for (; rounds > 0 && b->rounds_given < HIGHEST; --rounds, ++b->rounds_given)
        join(b, b->rounds_given, most > 0 ? most : clusters_of(b, b->rounds_given));
    return TACT_LAUNCH(b->device, bvh_join, 1, .even = b->cluster, .odd = b->next, .counts = b->counts, .tree = b->tree,
                       .facts = b->facts, .binary = b->binary, .rounds = b->rounds_given);
}

/// A level of wide nodes, and which are those of the next one.
static tact_result open_level(tact_tree_builder* b, uint32_t level)
{
    const uint32_t items = items_of_level(b, level);
    TACT_LAUNCH_ITEMS(b->device, bvh_open, items, .tree = b->tree, .facts = b->facts, .binary = b->binary,
                      .counts = b->counts, .kids = b->kids, .rows = b->rows, .sums = b->sums, .level = level,
                      .items = items);
    tact_scan_run(b->scan, b->sums, b->sums, items, b->counts, TACT_BVH_OPENED);
    return TACT_LAUNCH_ITEMS(b->device, bvh_place, items, .bases = b->sums, .kids = b->kids, .counts = b->counts,
                             .binary = b->binary, .rows = b->rows, .level = level, .items = items,
                             .most = most_nodes(b));
}

static tact_result sum_level(tact_tree_builder* b, uint32_t level, bool down)
{
    return TACT_LAUNCH_ITEMS(b->device, bvh_sums, most_of_level(b, level), .facts = b->facts, .kids = b->kids,
                             .rows = b->rows, .counts = b->counts, .level = level, .levels = b->levels_given,
                             .room = b->room, .down = down);
}

/// More levels; then slots are dealt out, so that those under a node lie together.
static void open_some(tact_tree_builder* b, uint32_t levels)
{
    for (; levels > 0 && b->levels_given < TACT_BVH8_MAX_DEPTH; --levels)
        open_level(b, b->levels_given++);
    for (uint32_t level = b->levels_given; level > 0; --level)
        sum_level(b, level - 1, false);
    for (uint32_t level = 0; level < b->levels_given; ++level)
        sum_level(b, level, true);
}

static tact_result emit(tact_tree_builder* b)
{
    tact_buffer_fill(b->slots, 0, (size_t)b->room * 4, TACT_BVH_NONE);
    return TACT_LAUNCH_ITEMS(b->device, bvh_emit, most_nodes(b), .tree = b->tree, .facts = b->facts, .kids = b->kids,
                             .rows = b->rows, .counts = b->counts, .nodes = b->nodes, .slots = b->slots,
                             .count = most_nodes(b));
}

/// Triangles to their slots, then boxes from the bottom up, then what these cost.
static void fit(tact_tree_builder* b)
{
    TACT_LAUNCH_ITEMS(b->device, bvh_blocks, b->room, .slots = b->slots, .positions = b->positions,
                      .indices = b->indices, .counts = b->counts, .blocks = b->blocks, .room = b->room);
    for (uint32_t level = b->levels_given; level > 0; --level) {
        TACT_LAUNCH_ITEMS(b->device, bvh_refit, most_of_level(b, level - 1), .blocks = b->blocks, .counts = b->counts,
                          .nodes = b->nodes, .bounds = b->node_bounds, .level = level - 1);
    }
    TACT_LAUNCH(b->device, bvh_cost, TACT_TREE_COST_GROUPS, .nodes = b->nodes, .counts = b->counts, .blocks = b->blocks,
                .costs = b->costs, .groups = TACT_TREE_COST_GROUPS, .room = b->bounded ? b->room : 0);
}

static tact_bvh8_node empty_root(void)
{
    tact_bvh8_node root = {.node = 1};
    tact_bvh8_set_boxes(&root, NULL, 0);
    return root;
}

/// The tree of no triangle at all: one node without children.
static tact_result make_empty(tact_tree_builder* b)
{
    const tact_bvh8_node root = empty_root();
    const tact_tree_need needs[] = {
        {&b->nodes, TACT_BVH_NODE_WORDS}, {&b->slots, 1}, {&b->blocks, 1}, {&b->node_bounds, 6}};
    b->levels = b->node_count = 1;
    tact_tree_hold(b, needs, sizeof needs / sizeof needs[0]);
    return tact_buffer_write(b->nodes, 0, &root, sizeof root);
}

/// Rounds until few clusters are expected to be left.
static uint32_t rounds_expected(const tact_tree_builder* b)
{
    uint32_t rounds = 0;
    while (rounds < HIGHEST && clusters_of(b, rounds) > TACT_BVH_LAST)
        ++rounds;
    return rounds;
}

/// Levels until there are only leaves, and one more: as the last tree had, or if each has four times the nodes of the
/// one before.
static uint32_t levels_expected(const tact_tree_builder* b)
{
    const tact_tree_shape* last = last_of(b);
    const uint32_t from = last->triangles > 0 ? last->triangles : TACT_BVH_LEAF_MOST;
    uint32_t levels = 1 + (last->triangles > 0 ? last->levels : 1);
    for (uint64_t n = b->triangle_count; n > from; n /= 4)
        ++levels;
    for (uint64_t n = b->triangle_count; n < from / 8 && levels > 2; n *= 8)
        --levels;
    return levels;
}

/// Gives all that building takes, so far as it is expected to take.
static void give_all(tact_tree_builder* b)
{
    b->rounds_given = b->levels_given = 0;
    b->guided = last_of(b)->triangles > 0;
    sort_triangles(b);
    if (b->method == TACT_TREE_CLUSTERED) {
        join_some(b, rounds_expected(b), 0);
    } else {
        TACT_LAUNCH_ITEMS(b->device, bvh_hierarchy, b->triangle_count, .keys = b->keys, .counts = b->counts,
                          .tree = b->tree, .facts = b->facts, .binary = b->binary, .count = b->triangle_count);
    }
    open_some(b, levels_expected(b));
    emit(b);
    fit(b);
}

/// Looks whether it was enough. Otherwise gives more, and *done is false.
static tact_result give_more(tact_tree_builder* b, bool* done)
{
    const uint32_t *counts = b->known, *level = counts + TACT_BVH_LEVEL;
    const bool clustered = b->method == TACT_TREE_CLUSTERED, joined = !clustered || counts[TACT_BVH_LEFT] == 1;
    const bool open = level[b->levels_given] == level[b->levels_given + 1];
    *done = joined && open && counts[TACT_BVH_SLOTS] <= b->room;
    // A round that had too few places joined none, and so did those after it.
    uint32_t rounds = 0;
    while (rounds < b->rounds_given && counts[rounds + 1] > 0)
        ++rounds;
    const bool stuck =
        !joined && (counts[rounds] <= TACT_BVH_LAST || (rounds > 0 && counts[rounds] >= counts[rounds - 1]));
    if (counts[TACT_BVH_FAULT] || stuck || (!joined && rounds == HIGHEST) ||
        (joined && !open && b->levels_given == TACT_BVH8_MAX_DEPTH)) {
        return TACT_DEVICE_FAIL(b->device, TACT_ERROR_INTERNAL,
                                "a tree of %u triangles has %u clusters after %u rounds, %u nodes in %u levels",
                                counts[0], counts[rounds], rounds, level[b->levels_given], b->levels_given);
    }
    if (*done) return tact_device_result(b->device);
    b->guided = false;
    if (!joined) {
        b->rounds_given = rounds;
        join_some(b, MORE_ROUNDS, counts[rounds]);
        b->levels_given = 0;
        open_some(b, levels_expected(b));
    } else if (!open) {
        open_some(b, MORE_LEVELS);
    } else {
        hold_slots(b, counts[TACT_BVH_SLOTS]);
        sum_level(b, 0, false);
    }
    emit(b);
    fit(b);
    return tact_device_result(b->device);
}

/// Takes over what the device has counted of a tree.
static void note_shape(tact_tree_builder* b)
{
    const uint32_t* level = b->known + TACT_BVH_LEVEL;
    for (b->levels = 0; b->levels < b->levels_given && level[b->levels] < level[b->levels + 1];)
        ++b->levels;
    b->levels_given = b->levels;
    b->node_count = level[b->levels];
    b->slot_count = b->room = b->known[TACT_BVH_SLOTS];
    uint32_t rounds = 0;
    while (rounds < b->rounds_given && b->known[rounds] > TACT_BVH_LAST)
        ++rounds;
    tact_tree_shape* last = &b->last[b->method];
    *last = (tact_tree_shape){b->triangle_count, rounds, b->levels, b->node_count, b->slot_count, {0}};
    memcpy(last->counts, b->known, sizeof last->counts);
}

/// Nodes and slots that a tree is expected to have at most, going by the last one. None where there was none.
static void expect_sizes(const tact_tree_builder* b, size_t* nodes, size_t* slots)
{
    *nodes = *slots = 0;
    if (last_of(b)->triangles == 0) return;
    const uint64_t part = is_alike(b) ? 64 : 8;
    const uint64_t alike_nodes = scaled(b, last_of(b)->nodes), alike_slots = scaled(b, last_of(b)->slots);
    *nodes = (size_t)(alike_nodes + alike_nodes / part + 8);
    *slots = (size_t)(alike_slots + alike_slots / part + 8);
    if (*nodes > most_nodes(b)) *nodes = most_nodes(b);
    if (*slots > b->room) *slots = b->room;
}

/// Room for a tree that is read.
static tact_result hold_wide(tact_tree_builder* b, tact_bvh8* wide, size_t nodes, size_t slots)
{
    tact_env* env = tact_device_env(b->device);
    tact_bvh8_free(env, wide);
    wide->nodes = tact_allocate(env, nodes, sizeof *wide->nodes);
    wide->order = tact_allocate(env, slots, sizeof *wide->order);
    wide->node_count = nodes;
    wide->slot_count = slots;
    return wide->nodes && wide->order ? TACT_OK : tact_device_fail(b->device, TACT_ERROR_OUT_OF_MEMORY);
}

/// Reads what was counted and, with the same wait, as much of the tree as *wide has room for.
static tact_result look(tact_tree_builder* b, const tact_bvh8* wide)
{
    const tact_read reads[] = {{b->counts, 0, sizeof b->known, b->known},
                               {b->costs, 0, sizeof b->parts, b->parts},
                               {b->nodes, 0, sizeof b->root, &b->root},
                               {b->nodes, 0, wide->node_count * sizeof *wide->nodes, wide->nodes},
                               {b->slots, 0, wide->slot_count * sizeof *wide->order, wide->order}};
    return tact_device_read(b->device, reads, sizeof reads / sizeof reads[0]);
}

static tact_result build(tact_tree_builder* b, const tact_bvh8* wide)
{
    bool done = false;
    give_all(b);
    while (!done && look(b, wide) == TACT_OK && b->known[0] > 0)
        give_more(b, &done);
    if (tact_device_result(b->device) != TACT_OK) return tact_device_result(b->device);
    b->leaves = b->known[0];
    if (b->leaves > 0) note_shape(b);
    return b->leaves > 0 ? TACT_OK : make_empty(b);
}

/// What the tree costs by what was read last.
static double cost_of(const tact_tree_builder* b)
{
    int most = 0;
    for (int axis = 0; axis < 3; ++axis)
        most = b->root.exponent[axis] > most ? b->root.exponent[axis] : most;
    const tact_bvh_box all = tact_bvh8_bounds(&b->root);
    double side[3], sum = 0.0;
    for (int k = 0; k < 3; ++k)
        side[k] = ldexp((double)all.upper[k] - (double)all.lower[k], 127 - most);
    const double area = side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
    for (int i = 0; i < TACT_TREE_COST_GROUPS; ++i)
        sum += (double)b->parts[i][0];
    return b->leaves > 0 && area > 0.0 ? 1.0 + sum / area : 1.0;
}

/// Makes *wide the tree: what was not read of it yet is, and it gets its sizes and its cost.
static tact_result finish_wide(tact_tree_builder* b, tact_bvh8* wide)
{
    if (wide->node_count < b->node_count || wide->slot_count < b->slot_count) {
        if (hold_wide(b, wide, b->node_count, b->slot_count) == TACT_OK && b->leaves > 0) look(b, wide);
    }
    if (b->leaves == 0 && wide->nodes) wide->nodes[0] = empty_root();
    wide->node_count = b->node_count;
    wide->slot_count = b->slot_count;
    wide->count = b->leaves;
    wide->depth = b->levels;
    if (tact_device_result(b->device) != TACT_OK) return tact_device_result(b->device);
    wide->sah_cost = cost_of(b);
    return TACT_OK;
}

tact_result tact_tree_builder_run(tact_tree_builder* b, const tact_trace_mesh* mesh, size_t vertex_count,
                                  tact_tree_method method, tact_bvh8* wide)
{
    tact_env* env = tact_device_env(b->device);
    tact_bvh8 read = {0};
    if (wide) *wide = read;
    b->built = b->adopted = false;
    b->levels = b->leaves = b->slot_count = b->node_count = 0;
    if (mesh->triangle_count > TACT_BLOCK_LIMIT / 4 || vertex_count > UINT32_MAX / 3) {
        return TACT_DEVICE_FAIL(b->device, TACT_ERROR_LIMIT, "a tree of %zu triangles", mesh->triangle_count);
    }
    b->triangle_count = (uint32_t)mesh->triangle_count;
    b->vertex_count = vertex_count;
    b->method = method;
    b->bounded = !tact_device_describe(b->device)->software || !mesh->positions;
    size_t nodes = 0, slots = 0;
    if (b->triangle_count > 0) {
        prepare(b);
        upload(b, mesh);
        if (wide) expect_sizes(b, &nodes, &slots);
    }
    if (wide && tact_device_result(b->device) == TACT_OK) hold_wide(b, &read, nodes, slots);
    if (tact_device_result(b->device) == TACT_OK) b->triangle_count > 0 ? build(b, &read) : make_empty(b);
    if (wide && tact_device_result(b->device) == TACT_OK) finish_wide(b, &read);
    b->built = tact_device_result(b->device) == TACT_OK;
    if (!b->built) tact_bvh8_free(env, &read);
    if (wide) *wide = read;
    return tact_device_result(b->device);
}

tact_result tact_tree_none(const tact_tree_builder* b)
{
    return TACT_DEVICE_FAIL(b->device, TACT_ERROR_INVALID_ARGUMENT, "no tree has been built");
}

tact_result tact_tree_builder_refit(tact_tree_builder* b, const float* positions, double* sah_cost, bool* changed)
{
    *changed = false;
    if (sah_cost) *sah_cost = 1.0;
    if (!b->built) return tact_tree_none(b);
    if (b->triangle_count == 0) return TACT_OK;
    b->bounded = !tact_device_describe(b->device)->software || !positions;
    uint32_t different = 0;
    const tact_read reads[] = {{b->counts, TACT_BVH_CHANGED * 4, sizeof different, &different},
                               {b->costs, 0, sizeof b->parts, b->parts},
                               {b->nodes, 0, sizeof b->root, &b->root}};
    if (positions) tact_buffer_write(b->positions, 0, positions, b->vertex_count * 12);
    tact_buffer_fill(b->counts, TACT_BVH_CHANGED * 4, 4, 0);
    TACT_LAUNCH_ITEMS(b->device, bvh_changed, b->triangle_count, .positions = b->positions, .indices = b->indices,
                      .taken = b->taken, .counts = b->counts, .count = b->triangle_count);
    if (b->leaves > 0) fit(b);
    // Where others are in range than before, the tree was fitted for nothing.
    tact_device_read(b->device, reads, b->leaves > 0 ? 3 : 1);
    *changed = different != 0;
    b->built = !*changed && tact_device_result(b->device) == TACT_OK;
    b->adopted = false;
    if (sah_cost && b->built) *sah_cost = cost_of(b);
    return tact_device_result(b->device);
}

/// Bounds of which `most` has the upper sides, and the lower ones with their signs turned. No zero has a sign.
static void unfold(const float most[6], float lower[3], float upper[3])
{
    for (int k = 0; k < 3; ++k) {
        upper[k] = most[k] + 0.0f;
        lower[k] = 0.0f - most[3 + k];
    }
}

void tact_tree_builder_facts(const tact_tree_builder* b, tact_tree_facts* facts)
{
    TACT_ASSERT(tact_device_env(b->device), tact_tree_builder_has_tree(b));
    float most[TACT_BVH_FACTS];
    for (int i = 1; i < (int)TACT_BVH_FACTS; ++i)
        most[i] = -FLT_MAX;
    for (int group = 0; group < TACT_TREE_COST_GROUPS && b->leaves > 0; ++group) {
        for (int i = 1; i < (int)TACT_BVH_FACTS; ++i)
            most[i] = b->parts[group][i] > most[i] ? b->parts[group][i] : most[i];
    }
    facts->bounds.kept = b->leaves;
    facts->bounded = b->bounded;
    unfold(most + 1, facts->bounds.lower, facts->bounds.upper);
    unfold(most + 7, facts->bounds.tight_lower, facts->bounds.tight_upper);
    facts->wide = (tact_bvh8){.node_count = b->node_count,
                              .slot_count = b->slot_count,
                              .count = b->leaves,
                              .depth = b->levels,
                              .sah_cost = cost_of(b)};
}

bool tact_tree_builder_has_tree(const tact_tree_builder* b)
{
    return b->built && !b->adopted;
}

bool tact_tree_builder_is_on(const tact_tree_builder* b, const tact_device* device)
{
    return b->device == device;
}

tact_result tact_tree_builder_read(tact_tree_builder* b, tact_bvh8* wide, tact_triangle_block** blocks)
{
    tact_env* env = tact_device_env(b->device);
    memset(wide, 0, sizeof *wide);
    if (blocks) *blocks = NULL;
    if (!tact_tree_builder_has_tree(b)) return tact_tree_none(b);
    const size_t block_count = b->slot_count / TACT_BVH8_BLOCK;
    finish_wide(b, wide);
    if (blocks && tact_device_result(b->device) == TACT_OK) {
        *blocks = tact_allocate(env, block_count, sizeof **blocks);
        if (!*blocks) tact_device_fail(b->device, TACT_ERROR_OUT_OF_MEMORY);
        if (*blocks) tact_buffer_read(b->blocks, 0, *blocks, block_count * sizeof **blocks);
    }
    if (tact_device_result(b->device) == TACT_OK) return TACT_OK;
    tact_bvh8_free(env, wide);
    if (blocks) tact_release(env, *blocks);
    if (blocks) *blocks = NULL;
    return tact_device_result(b->device);
}
