// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Vertices that are one within a tolerance, by a grid whose cells are as wide as the tolerance. Kept vertices are
// further apart than that, so that a cell has no more than a handful of them and each vertex looks at 27 cells.

#include <math.h>
#include <string.h>

#include "cpu_ref/geometry/mesh_internal.h"
#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/mesh_mend.h"

#define NONE 0xffffffffu

typedef struct grid {
    const tact_vec3* positions;
    double tolerance;
    uint32_t* table;  // kept vertices, by the hash of their cells
    size_t mask;
} grid;

/// The cell's number along each axis, as a whole double: it may be too large for an integer.
static dvec cell_of(const grid* g, tact_vec3 p)
{
    return d_make(floor((double)p.x / g->tolerance), floor((double)p.y / g->tolerance),
                  floor((double)p.z / g->tolerance));
}

static size_t hash_of(dvec cell)
{
    const double part[3] = {cell.x + 0.0, cell.y + 0.0, cell.z + 0.0};  // -0 becomes 0
    uint64_t hash = 0;
    for (int k = 0; k < 3; ++k) {
        uint64_t bits;
        memcpy(&bits, &part[k], sizeof bits);
        hash ^= bits;  // small whole numbers differ in the high bits alone
        hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
        hash ^= hash >> 31;
    }
    return (size_t)hash;
}

/// Looks for a kept vertex of the cell that is nearer to `p` than `*least`, or as near and lower.
static void look_in(const grid* g, dvec cell, dvec p, uint32_t* nearest, double* least)
{
    for (size_t slot = hash_of(cell) & g->mask; g->table[slot] != NONE; slot = (slot + 1) & g->mask) {
        const uint32_t other = g->table[slot];
        const dvec away = d_sub(d_from(g->positions[other]), p);
        const double square = d_dot(away, away);
        if (square > *least || (square == *least && other >= *nearest)) continue;
        *least = square;
        *nearest = other;
    }
}

static uint32_t nearest_kept(const grid* g, uint32_t vertex)
{
    const dvec cell = cell_of(g, g->positions[vertex]), p = d_from(g->positions[vertex]);
    uint32_t nearest = NONE;
    double least = g->tolerance * g->tolerance;
    for (int i = 0; i < 27; ++i) {
        const dvec near_by = d_make(cell.x + (i % 3 - 1), cell.y + (i / 3 % 3 - 1), cell.z + (i / 9 - 1));
        look_in(g, near_by, p, &nearest, &least);
    }
    return nearest;
}

static void keep(const grid* g, uint32_t vertex)
{
    size_t slot = hash_of(cell_of(g, g->positions[vertex])) & g->mask;
    while (g->table[slot] != NONE)
        slot = (slot + 1) & g->mask;
    g->table[slot] = vertex;
}

/// Joins the places in `first`, of which equal ones are one already.
static tact_result join_places(tact_env* env, const tact_vec3* positions, size_t count, float tolerance,
                               uint32_t* first)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    grid g = {.positions = positions, .tolerance = (double)tolerance, .mask = size - 1};
    g.table = tact_allocate(env, size, sizeof *g.table);
    if (!g.table) return TACT_ERROR_OUT_OF_MEMORY;
    memset(g.table, 0xff, size * sizeof *g.table);
    for (uint32_t i = 0; i < count; ++i) {
        if (!v_finite(positions[i])) continue;
        if (first[i] != i) {
            first[i] = first[first[i]];  // where the place has gone
            continue;
        }
        const uint32_t nearest = nearest_kept(&g, i);
        if (nearest == NONE) {
            keep(&g, i);
        } else {
            first[i] = nearest;
        }
    }
    tact_release(env, g.table);
    return TACT_OK;
}

tact_result tact_mesh_weld_within(const tact_vec3* positions, size_t vertex_count, float tolerance,
                                  const tact_allocator* allocator, uint32_t* first, size_t* distinct)
{
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    if (!isfinite(tolerance) || tolerance < 0.0f) {
        return tact_fail(&env, TACT_ERROR_INVALID_ARGUMENT, "a tolerance of %g", (double)tolerance);
    }
    tact_result result = tact_mesh_weld(positions, vertex_count, allocator, first, distinct);
    if (result < 0 || tolerance == 0.0f) return result;
    result = join_places(&env, positions, vertex_count, tolerance, first);
    size_t places = 0;
    for (size_t i = 0; result >= 0 && i < vertex_count; ++i)
        places += first[i] == i && v_finite(positions[i]);
    if (distinct) *distinct = places;
    return result;
}

tact_result tact_mesh_vertex_triangles(const uint32_t* indices, size_t triangle_count, size_t vertex_count,
                                       uint32_t* start, uint32_t* triangles)
{
    const tact_mesh_view mesh = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    tact_error_begin(NULL);
    if (!tact_mesh_fits(&mesh)) return tact_mesh_fail_size(NULL, &mesh);
    const tact_result result = tact_mesh_check_indices(NULL, indices, triangle_count, vertex_count);
    if (result < 0) return result;
    memset(start, 0, (vertex_count + 1) * sizeof *start);
    for (size_t i = 0; i < 3 * triangle_count; ++i)
        ++start[indices[i]];
    for (size_t v = 0, sum = 0; v <= vertex_count; ++v) {
        sum += start[v];
        start[v] = (uint32_t)sum;  // one past the vertex's own
    }
    for (size_t i = 3 * triangle_count; i-- > 0;)
        triangles[--start[indices[i]]] = (uint32_t)(i / 3);
    return TACT_OK;
}
