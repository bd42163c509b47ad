// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "cpu_ref/blocks.h"
#include "cpu_ref/trace/locate.h"
#include "cpu_ref/trace/near_walk.h"
#include "tact/geometry/mesh_report.h"

// The boundary of a mesh: the edges of its triangles, as vectors, with those left out that others undo. Vertices in one
// place are one.

/// Room for a mesh's edges while they are sorted: of each its lower and higher vertex, and which is first.
typedef struct edge_list {
    uint32_t* keys;  ///< two words each, the higher vertex first
    uint32_t* backward;
    size_t count;
} edge_list;

static bool takes_part(const tact_trace_mesh* mesh, const uint32_t corner[3])
{
    for (int c = 0; c < 3; ++c) {
        const float* p = mesh->positions + 3 * (size_t)corner[c];
        if (!tact_in_range(p[0], p[1], p[2])) return false;
    }
    return true;
}

static void collect(const tact_trace_mesh* mesh, const uint32_t* first, edge_list* list)
{
    for (size_t k = 0; k < mesh->triangle_count; ++k) {
        const uint32_t* corner = mesh->indices + 3 * k;
        if (!takes_part(mesh, corner)) continue;
        for (int c = 0; c < 3; ++c) {
            const uint32_t a = first[corner[c]], b = first[corner[(c + 1) % 3]];
            if (a == b) continue;
            list->keys[2 * list->count] = a < b ? b : a;
            list->keys[2 * list->count + 1] = a < b ? a : b;
            list->backward[list->count++] = b < a;
        }
    }
}

/// Keeps what is left of each run of equal edges.
static bool keep_rest(tact_env* env, const tact_trace_mesh* mesh, const edge_list* list, tact_rim* b)
{
    for (size_t i = 0, end; i < list->count; i = end) {
        int64_t net = 0;
        for (end = i; end < list->count && memcmp(list->keys + 2 * i, list->keys + 2 * end, 8) == 0; ++end)
            net += list->backward[end] ? -1 : 1;
        const size_t more = (size_t)(net < 0 ? -net : net);
        void* own = b->own;
        if (more > 0 && !tact_reserve(env, &own, &b->own_capacity, b->own_count, b->own_count + more, sizeof *b->own)) {
            return false;
        }
        b->own = own;
        const float* low = mesh->positions + 3 * (size_t)list->keys[2 * i + 1];
        const float* high = mesh->positions + 3 * (size_t)list->keys[2 * i];
        for (size_t k = 0; k < more; ++k) {
            memcpy(b->own[b->own_count], net > 0 ? low : high, 3 * sizeof(float));
            memcpy(b->own[b->own_count++] + 3, net > 0 ? high : low, 3 * sizeof(float));
        }
    }
    return true;
}

static tact_result find_in_mesh(tact_env* env, int threads, const tact_trace_mesh* mesh, tact_rim* b)
{
    const size_t most = 3 * mesh->triangle_count;
    if (most > TACT_BLOCK_LIMIT) {
        return tact_fail(env, TACT_ERROR_LIMIT, "a mesh of %zu triangles has more edges than can be sorted",
                         mesh->triangle_count);
    }
    uint32_t* first = tact_allocate(env, mesh->vertex_count, sizeof *first);
    edge_list list = {tact_allocate(env, most, 2 * sizeof *list.keys), tact_allocate(env, most, sizeof *list.keys), 0};
    tact_result result = first && list.keys && list.backward ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        const tact_vec3* positions = (const tact_vec3*)(const void*)mesh->positions;
        result = tact_mesh_weld(positions, mesh->vertex_count, &env->allocator, first, NULL);
        if (result != TACT_OK) result = tact_fail(env, result, "the edges of a mesh: %s", tact_result_string(result));
    }
    if (result == TACT_OK) {
        collect(mesh, first, &list);
        const tact_sort_cpu_job sort = {list.keys, list.keys, list.backward, list.backward, list.count, 2, 64};
        result = tact_sort_cpu(env, threads, &sort);
    }
    if (result == TACT_OK && !keep_rest(env, mesh, &list, b)) result = TACT_ERROR_OUT_OF_MEMORY;
    tact_release(env, first);
    tact_release(env, list.keys);
    tact_release(env, list.backward);
    return result;
}

static tact_result find_own(tact_env* env, int threads, const tact_trace_scene* scene, tact_rim* b)
{
    b->own_count = 0;
    tact_release(env, b->ends);
    b->ends = tact_allocate(env, scene->mesh_count, sizeof *b->ends);
    if (!b->ends) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        const tact_result result = find_in_mesh(env, threads, &scene->meshes[i], b);
        if (result != TACT_OK) return result;
        b->ends[i] = b->own_count;
    }
    return TACT_OK;
}

/// The sign of the determinant, which is computed as for the inverse.
static bool mirrors(const float m[12])
{
    double adj[3];
    for (int i = 0; i < 3; ++i) {
        const int c = (i + 1) % 3, d = (i + 2) % 3;
        adj[i] = (double)m[4 + c] * (double)m[8 + d] - (double)m[4 + d] * (double)m[8 + c];
    }
    return ((double)m[0] * adj[0] + (double)m[1] * adj[1]) + (double)m[2] * adj[2] < 0.0;
}

/// Puts an edge of a mesh into the world, behind those that are there; along x the strip is a line, and it is left out.
static void place_edge(const float matrix[12], bool mirrored, const float own[6], tact_rim* b)
{
    float ends[2][3];
    tact_near_move(matrix, own, ends[mirrored]);
    tact_near_move(matrix, own + 3, ends[!mirrored]);
    if (ends[0][1] == ends[1][1] && ends[0][2] == ends[1][2]) return;
    tact_strip_block* block = &b->blocks[b->count / TACT_WINDING_BLOCK];
    for (int end = 0; end < 2; ++end) {
        for (int k = 0; k < 3; ++k)
            block->ends[end][k][b->count % TACT_WINDING_BLOCK] = ends[end][k];
    }
    ++b->count;
}

static bool place_instance(tact_env* env, const float matrix[12], bool mirrored, size_t begin, size_t end, tact_rim* b)
{
    const size_t used = (b->count + TACT_WINDING_BLOCK - 1) / TACT_WINDING_BLOCK;
    const size_t needed = (b->count + (end - begin) + TACT_WINDING_BLOCK - 1) / TACT_WINDING_BLOCK;
    void* blocks = b->blocks;
    const bool good = tact_reserve(env, &blocks, &b->block_capacity, used, needed, sizeof *b->blocks);
    b->blocks = blocks;
    if (!good) return false;
    // What is left of the last block is read, though not counted.
    if (needed > used) memset(b->blocks + used, 0, (needed - used) * sizeof *b->blocks);
    for (size_t k = begin; k < end; ++k)
        place_edge(matrix, mirrored, b->own[k], b);
    return true;
}

static tact_result place_all(tact_env* env, const tact_trace_scene* scene, tact_rim* b)
{
    b->count = 0;
    b->mirrored_words = scene->by_id_count / 32 + 1;
    tact_release(env, b->mirrored);
    b->mirrored = tact_allocate_zeroed(env, b->mirrored_words, sizeof *b->mirrored);
    if (!b->mirrored) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < scene->by_id_count; ++i) {
        const uint32_t mesh = scene->by_id[i].mesh;
        if (mesh == TACT_NONE) continue;
        const bool mirrored = mirrors(scene->matrices[i]);
        b->mirrored[i / 32] |= (uint32_t)mirrored << i % 32;
        const size_t begin = mesh > 0 ? b->ends[mesh - 1] : 0;
        if (!place_instance(env, scene->matrices[i], mirrored, begin, b->ends[mesh], b)) {
            return TACT_ERROR_OUT_OF_MEMORY;
        }
    }
    return TACT_OK;
}

tact_result tact_rim_update(tact_env* env, int threads, const tact_trace_scene* scene, tact_rim** boundary)
{
    if (!*boundary) *boundary = tact_allocate_zeroed(env, 1, sizeof **boundary);
    tact_rim* b = *boundary;
    if (!b) return TACT_ERROR_OUT_OF_MEMORY;
    b->env = env;
    const bool same = b->fresh && b->mesh_version == scene->mesh_version;
    if (same && b->top_version == scene->top_version) return TACT_OK;
    b->fresh = false;
    tact_result result = same ? TACT_OK : find_own(env, threads, scene, b);
    if (result == TACT_OK) result = place_all(env, scene, b);
    b->fresh = result == TACT_OK;
    b->mesh_version = scene->mesh_version;
    b->top_version = scene->top_version;
    return result;
}

void tact_rim_release(void* boundary)
{
    tact_rim* b = boundary;
    const tact_env* env = b->env;
    tact_release(env, b->blocks);
    tact_release(env, b->mirrored);
    tact_release(env, b->own);
    tact_release(env, b->ends);
    tact_release(env, b);
}
