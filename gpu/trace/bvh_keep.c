// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Trees that are on a device: their vertices, how they get to a scene and from one builder to another.

#include <string.h>

#include "gpu/trace/bvh_internal.h"

static void pack(tact_buffer* rows, uint32_t words, uint32_t first, uint32_t count, void* user)
{
    const tact_tree_builder* b = user;
    TACT_LAUNCH_ITEMS(b->device, bvh_vertices, count, .source = rows, .positions = b->positions, .count = count,
                      .words = words, .first = first);
}

/// Those that lie side by side.
static tact_result copy_positions(tact_tree_builder* b, const tact_device_array* array)
{
    tact_buffer* from = NULL;
    tact_device_array_open(b->device, array, (uint64_t)b->vertex_count * 12, &from);
    tact_buffer_copy(b->positions, 0, from, (size_t)array->offset, b->vertex_count * 12);
    tact_buffer_destroy(from);
    return tact_device_result(b->device);
}

tact_result tact_tree_builder_move(tact_tree_builder* b, const tact_device_array* array, size_t stride)
{
    if (b->vertex_count == 0) return TACT_OK;
    if (!b->positions) return tact_tree_none(b);
    if (stride == 12) return copy_positions(b, array);
    return tact_device_array_rows(b->device, array, b->vertex_count, stride, &b->raw, pack, b);
}

tact_result tact_tree_builder_read_vertices(tact_tree_builder* b, float* positions)
{
    if (b->vertex_count == 0) return TACT_OK;
    if (!b->positions) return tact_tree_none(b);
    return tact_buffer_read(b->positions, 0, positions, b->vertex_count * 12);
}

tact_result tact_tree_builder_put(const tact_tree_builder* b, tact_buffer* nodes, uint32_t first,
                                  tact_buffer* triangles, uint32_t slot)
{
    if (!tact_tree_builder_has_tree(b)) return tact_tree_none(b);
    const uint32_t rows = b->node_count * (TACT_BVH_NODE_WORDS / 4);
    TACT_LAUNCH_ITEMS(b->device, bvh_put_nodes, rows, .from = b->nodes, .nodes = nodes, .count = rows, .first = first,
                      .slot = slot);
    if (b->slot_count == 0) return tact_device_result(b->device);
    return TACT_LAUNCH_ITEMS(b->device, bvh_put_triangles, b->slot_count, .slots = b->slots, .positions = b->positions,
                             .indices = b->indices, .triangles = triangles, .count = b->slot_count, .first = slot);
}

/// Finds where levels begin. False: the nodes do not lie level after level.
static bool find_levels(tact_tree_builder* b, const tact_bvh8* wide)
{
    size_t first = 0, next = 1;
    uint32_t* level = b->known + TACT_BVH_LEVEL;
    memset(b->known, 0, sizeof b->known);
    b->levels = 0;
    while (first < next) {
        if (b->levels == TACT_BVH8_MAX_DEPTH || next > wide->node_count) return false;
        const size_t end = next;
        level[b->levels++] = (uint32_t)first;
        for (; first < end; ++first) {
            const tact_bvh8_node* n = &wide->nodes[first];
            for (int k = 0; k < TACT_BVH8_WIDTH; ++k) {
                if (tact_bvh8_kind(n, k) == TACT_BVH8_INNER && tact_bvh8_child(n, k) != next++) return false;
            }
        }
    }
    level[b->levels] = level[b->levels + 1] = (uint32_t)first;
    b->levels_given = b->levels;
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

/// Makes room for a tree to be fitted, of as much as `b` says.
static tact_result hold_tree(tact_tree_builder* b)
{
    const uint64_t n = b->triangle_count, nodes = b->node_count;
    const tact_tree_need needs[] = {{&b->positions, (uint64_t)b->vertex_count * 3},
                                    {&b->indices, n * 3},
                                    {&b->taken, n},
                                    {&b->counts, TACT_BVH_COUNTS},
                                    {&b->nodes, nodes * TACT_BVH_NODE_WORDS},
                                    {&b->slots, b->slot_count},
                                    {&b->blocks, (uint64_t)b->slot_count / TACT_BVH8_BLOCK * TACT_BVH_BLOCK_WORDS},
                                    {&b->node_bounds, nodes * 6},
                                    {&b->costs, sizeof b->parts / 4}};
    return tact_tree_hold(b, needs, sizeof needs / sizeof needs[0]);
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
    hold_tree(b);
    tact_buffer_write(b->indices, 0, mesh->indices, mesh->triangle_count * 12);
    tact_buffer_write(b->nodes, 0, wide->nodes, wide->node_count * sizeof *wide->nodes);
    tact_buffer_write(b->slots, 0, wide->order, (size_t)b->slot_count * 4);
    b->known[TACT_BVH_SLOTS] = b->known[TACT_BVH_FILLED] = b->room = b->slot_count;
    b->known[TACT_BVH_NODES] = b->node_count;
    tact_buffer_write(b->counts, 0, b->known, sizeof b->known);
    write_taken(b, wide);
    b->built = b->adopted = tact_device_result(b->device) == TACT_OK;
    return tact_device_result(b->device);
}

tact_result tact_tree_builder_take(tact_tree_builder* b, const tact_tree_builder* from)
{
    b->built = b->adopted = false;
    if (!tact_tree_builder_has_tree(from)) return tact_tree_none(b);
    TACT_ASSERT(tact_device_env(b->device), b->device == from->device && b != from);
    b->triangle_count = from->triangle_count;
    b->vertex_count = from->vertex_count;
    b->leaves = from->leaves;
    b->bounded = from->bounded;
    b->node_count = from->node_count;
    b->slot_count = b->room = from->slot_count;
    b->levels = b->levels_given = from->levels;
    memcpy(b->known, from->known, sizeof b->known);
    memcpy(b->parts, from->parts, sizeof b->parts);
    b->root = from->root;
    hold_tree(b);
    const size_t n = b->triangle_count;
    tact_buffer_copy(b->positions, 0, from->positions, 0, b->vertex_count * 12);
    tact_buffer_copy(b->indices, 0, from->indices, 0, n * 12);
    tact_buffer_copy(b->taken, 0, from->taken, 0, n * 4);
    tact_buffer_copy(b->counts, 0, from->counts, 0, sizeof b->known);
    tact_buffer_copy(b->nodes, 0, from->nodes, 0, (size_t)b->node_count * sizeof(tact_bvh8_node));
    tact_buffer_copy(b->slots, 0, from->slots, 0, (size_t)b->slot_count * 4);
    tact_buffer_copy(b->blocks, 0, from->blocks, 0, b->slot_count / TACT_BVH8_BLOCK * sizeof(tact_triangle_block));
    b->built = tact_device_result(b->device) == TACT_OK;
    return tact_device_result(b->device);
}
