// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/overlap/overlap_mesh.h"

#include <float.h>
#include <string.h>

#include "base/shared.h"
#include "cpu_ref/geometry/mesh_internal.h"

static tact_mesh_desc desc_of(const tact_overlap_mesh* m)
{
    return (tact_mesh_desc){.positions = m->positions,
                            .vertex_count = m->vertex_count,
                            .indices = m->indices,
                            .triangle_count = m->triangle_count};
}

// ---- What is connected, and what is closed ----

/// The corners of the triangles that are there, as places.
static void corners_of(const tact_overlap_mesh* m, const uint32_t* first, uint32_t* corners)
{
    for (size_t i = 0; i < m->tree.triangle_count; ++i) {
        for (size_t k = 0; k < 3; ++k)
            corners[3 * i + k] = first[m->indices[3 * (size_t)m->tree.triangles[i].id + k]];
    }
}

/// Sides that run the same way are no seam: a surface with them has no inside.
static bool is_closed(const uint32_t* corners, const uint32_t* across, size_t count)
{
    for (size_t s = 0; s < 3 * count; ++s) {
        const uint32_t other = across[s];
        if (other == TACT_MESH_BOUNDARY || other == TACT_MESH_MANY) return false;
        TACT_ASSERT(other < 3 * count && across[other] == s);
        if (corners[s] == corners[other]) return false;
    }
    return count > 0;
}

/// `parent` has a place for each vertex, `used` says which ones matter.
static size_t find_parts(const uint32_t* corners, size_t count, uint32_t* parent, size_t vertices, uint8_t* used,
                         uint32_t* parts)
{
    for (size_t i = 0; i < vertices; ++i)
        parent[i] = (uint32_t)i;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t* c = corners + 3 * i;
        TACT_ASSERT(c[0] < vertices && c[1] < vertices && c[2] < vertices);
        used[c[0]] = used[c[1]] = used[c[2]] = 1;
        tact_set_join(parent, c[0], c[1]);
        tact_set_join(parent, c[0], c[2]);
    }
    size_t found = 0;
    for (size_t i = 0; i < vertices; ++i) {
        if (!used[i] || tact_set_root(parent, (uint32_t)i) != i) continue;
        if (parts) parts[found] = (uint32_t)i;
        ++found;
    }
    return found;
}

/// Leaves out triangles of which two corners are one place: what lies on both sides of them is connected.
static size_t without_collapsed(uint32_t* corners, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t c[3] = {corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]};
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
        memcpy(corners + 3 * kept++, c, sizeof c);
    }
    return kept;
}

static tact_result list_parts(tact_env* env, tact_overlap_mesh* m, const uint32_t* corners, uint32_t* parent)
{
    TACT_ASSERT(!m->parts);
    const size_t count = m->tree.triangle_count;
    uint8_t* used = tact_allocate_zeroed(env, m->vertex_count, 1);
    if (!used) return TACT_ERROR_OUT_OF_MEMORY;
    m->part_count = find_parts(corners, count, parent, m->vertex_count, used, NULL);
    m->parts = tact_allocate(env, m->part_count, sizeof *m->parts);
    if (m->parts) (void)find_parts(corners, count, parent, m->vertex_count, used, m->parts);
    tact_release(env, used);
    return m->parts ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static void disconnect(tact_env* env, tact_overlap_mesh* m)
{
    tact_release(env, m->parts);
    m->parts = NULL;
    m->part_count = 0;
    m->connected = m->closed = false;
}

static tact_result connect(tact_env* env, tact_overlap_mesh* m, uint32_t* parent, uint32_t* corners, uint32_t* across)
{
    TACT_ASSERT(!m->connected);
    // `parent` is still where each vertex finds its place.
    tact_result result =
        tact_mesh_weld((const tact_vec3*)(const void*)m->positions, m->vertex_count, &env->allocator, parent, NULL);
    if (result != TACT_OK) return tact_fail(env, result, "connecting a mesh: %s", tact_result_string(result));
    corners_of(m, parent, corners);
    result = list_parts(env, m, corners, parent);
    if (result != TACT_OK) return result;
    const size_t count = without_collapsed(corners, m->tree.triangle_count);
    result = tact_mesh_adjacency(corners, count, m->vertex_count, &env->allocator, across);
    if (result != TACT_OK) return tact_fail(env, result, "connecting a mesh: %s", tact_result_string(result));
    m->closed = is_closed(corners, across, count);
    m->connected = true;
    return TACT_OK;
}

tact_result tact_overlap_mesh_connect(tact_env* env, tact_overlap_mesh* m)
{
    if (m->connected) return TACT_OK;
    uint32_t* parent = tact_allocate(env, m->vertex_count, sizeof *parent);
    uint32_t* corners = tact_allocate(env, m->tree.triangle_count, 3 * sizeof *corners);
    uint32_t* across = tact_allocate(env, m->tree.triangle_count, 3 * sizeof *across);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (parent && corners && across) result = connect(env, m, parent, corners, across);
    if (result != TACT_OK) disconnect(env, m);
    tact_release(env, parent);
    tact_release(env, corners);
    tact_release(env, across);
    return result;
}

// ---- Making and moving ----

bool tact_overlap_mesh_is_built(const tact_overlap_mesh* m)
{
    return m->wide.nodes != NULL;
}

static void measure(tact_overlap_mesh* m)
{
    for (int k = 0; k < 3; ++k) {
        m->lower[k] = FLT_MAX;
        m->upper[k] = -FLT_MAX;
    }
    for (int side = 0; side < 2 && m->tree.triangle_count > 0; ++side) {
        const tact_bvh_child* c = &m->tree.nodes[0].children[side];
        if ((c->child & (uint32_t)TACT_BVH_LEAF_BIT) && c->count == 0) continue;
        for (int k = 0; k < 3; ++k) {
            m->lower[k] = c->lower[k] < m->lower[k] ? c->lower[k] : m->lower[k];
            m->upper[k] = c->upper[k] > m->upper[k] ? c->upper[k] : m->upper[k];
        }
    }
}

tact_result tact_overlap_mesh_build(tact_env* env, int threads, tact_overlap_mesh* m)
{
    if (tact_overlap_mesh_is_built(m)) return TACT_OK;
    const tact_mesh_desc desc = desc_of(m);
    tact_result result = tact_triangle_tree_build(env, threads, &desc, TACT_OVERLAP_LEAF, &m->tree);
    if (result == TACT_OK) result = tact_wide_build(env, &m->tree, &m->wide);
    if (result == TACT_OK) measure(m);
    if (result != TACT_OK) tact_overlap_mesh_drop_trees(env, m);
    TACT_ASSERT(m->tree.triangle_count <= m->triangle_count);
    return result;
}

tact_result tact_overlap_mesh_make(tact_env* env, const tact_mesh_desc* desc, tact_overlap_mesh* m)
{
    *m = (tact_overlap_mesh){.vertex_count = desc->vertex_count, .triangle_count = desc->triangle_count};
    m->positions = tact_shared_allocate(env, desc->vertex_count, 3 * sizeof *m->positions);
    m->indices = tact_shared_allocate(env, desc->triangle_count, 3 * sizeof *m->indices);
    if (!m->positions || !m->indices) {
        tact_overlap_mesh_free(env, m);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_mesh_desc_copy(desc, m->positions, m->indices);
    return TACT_OK;
}

/// Whether the triangles that are there with these positions are those of the tree.
static tact_result same_there(tact_env* env, const tact_overlap_mesh* m, const tact_mesh_desc* desc, bool* same)
{
    uint8_t* there = tact_allocate_zeroed(env, m->triangle_count, 1);
    if (!there) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < m->tree.triangle_count; ++i)
        there[m->tree.triangles[i].id] = 1;
    *same = true;
    for (size_t i = 0; i < m->triangle_count && *same; ++i) {
        tact_leaf_triangle t;
        *same = tact_mesh_triangle(desc, i, &t) == (there[i] != 0);
    }
    tact_release(env, there);
    return TACT_OK;
}

/// Moves the vertices into an array of their own, with a tree of their own where there was one.
static tact_result move_elsewhere(tact_env* env, int threads, const tact_mesh_desc* desc, bool same,
                                  tact_overlap_mesh* m)
{
    tact_overlap_mesh moved = {.indices = m->indices,
                               .vertex_count = m->vertex_count,
                               .triangle_count = m->triangle_count,
                               .positions = tact_shared_allocate(env, m->vertex_count, 3 * sizeof *m->positions)};
    if (!moved.positions) return TACT_ERROR_OUT_OF_MEMORY;
    tact_mesh_positions_copy(desc, moved.positions);
    if (!same) {
        const tact_result result = tact_overlap_mesh_build(env, threads, &moved);
        if (result != TACT_OK) {
            tact_shared_release(env, moved.positions);
            return result;
        }
        tact_overlap_mesh_drop_trees(env, m);
        m->tree = moved.tree;
        m->wide = moved.wide;
    }
    tact_shared_release(env, m->positions);
    m->positions = moved.positions;
    return TACT_OK;
}

tact_result tact_overlap_mesh_move(tact_env* env, int threads, const float* positions, size_t stride,
                                   tact_overlap_mesh* m)
{
    tact_mesh_desc desc = desc_of(m);
    desc.positions = positions;
    desc.position_stride = stride;
    const bool built = tact_overlap_mesh_is_built(m);
    bool same = true;
    tact_result result = built ? same_there(env, m, &desc, &same) : TACT_OK;
    if (result != TACT_OK) return result;
    if (same && tact_shared_is_sole(m->positions)) {
        tact_mesh_positions_copy(&desc, m->positions);
    } else {
        result = move_elsewhere(env, threads, &desc, same, m);
        if (result != TACT_OK) return result;
    }
    disconnect(env, m);
    if (!built) return TACT_OK;
    if (same) {
        tact_triangle_tree_fit(&m->tree, &desc);
        tact_wide_fit(&m->tree, &m->wide);
    }
    measure(m);
    return TACT_OK;
}

void tact_overlap_mesh_drop_trees(tact_env* env, tact_overlap_mesh* m)
{
    tact_triangle_tree_free(env, &m->tree);
    tact_wide_free(env, &m->wide);
    disconnect(env, m);
}

void tact_overlap_mesh_free(tact_env* env, tact_overlap_mesh* m)
{
    tact_shared_release(env, m->positions);
    tact_shared_release(env, m->indices);
    tact_overlap_mesh_drop_trees(env, m);
    *m = (tact_overlap_mesh){0};
}

uint64_t tact_overlap_mesh_bytes(const tact_overlap_mesh* m)
{
    return (uint64_t)m->vertex_count * 12 + (uint64_t)m->triangle_count * 12 +
           (uint64_t)m->wide.node_capacity * sizeof *m->wide.nodes +
           (uint64_t)m->wide.group_capacity * sizeof *m->wide.groups +
           (uint64_t)m->tree.node_count * sizeof *m->tree.nodes +
           (uint64_t)m->tree.triangle_count * sizeof *m->tree.triangles + (uint64_t)m->part_count * sizeof *m->parts;
}
