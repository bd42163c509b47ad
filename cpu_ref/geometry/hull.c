// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/hull.h"

#include <string.h>

#include "cpu_ref/blocks.h"
#include "cpu_ref/geometry/hull_internal.h"
#include "cpu_ref/geometry/predicates_internal.h"
#include "cpu_ref/geometry/vec.h"

/// An empty hull, and room for the indices of `count` points.
static tact_result begin_hull(tact_hull_mesh* hull, const tact_allocator* allocator, size_t count, tact_env* env,
                              uint32_t** index)
{
    tact_env_init(env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    memset(hull, 0, sizeof *hull);
    hull->dimension = -1;
    hull->allocator = env->allocator;
    if (count > TACT_HULL_POINTS) return tact_fail(env, TACT_ERROR_LIMIT, "a hull of %zu points; at most 2^30", count);
    *index = tact_allocate(env, count, sizeof **index);
    return *index ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

void tact_hull_mesh_free(tact_hull_mesh* hull)
{
    void* const arrays[] = {hull->vertices, hull->triangles, hull->facet_start};
    for (int i = 0; i < 3; ++i) {
        if (arrays[i]) hull->allocator.release(arrays[i], hull->allocator.user);
    }
    memset(hull, 0, sizeof *hull);
    hull->dimension = -1;
}

/// Ends a failed call: the caller gets an empty hull.
static tact_result finish(tact_hull_mesh* hull, tact_result result)
{
    if (result < 0) tact_hull_mesh_free(hull);
    return result;
}

// ---- In the plane ----

/// Keys that order as the numbers do; both zeros are one.
static uint32_t ordered_bits(float x)
{
    const float y = x + 0.0f;
    uint32_t bits;
    memcpy(&bits, &y, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/// Sorts by x, then y, then as it was.
static tact_result sort_points(tact_env* env, const tact_vec2* p, uint32_t* index, size_t count)
{
    TACT_ASSERT(count <= TACT_HULL_POINTS);
    uint32_t* keys = tact_allocate(env, count, 2 * sizeof *keys);
    if (!keys) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        keys[2 * i] = ordered_bits(p[index[i]].y);
        keys[2 * i + 1] = ordered_bits(p[index[i]].x);
    }
    const tact_sort_cpu_job job = {.keys_in = keys,
                                   .keys_out = keys,
                                   .values_in = index,
                                   .values_out = index,
                                   .count = count,
                                   .key_words = 2,
                                   .key_bits = 64};
    const tact_result result = tact_sort_cpu(env, 1, &job);
    tact_release(env, keys);
    return result;
}

/// Keeps the first of equal neighbours.
static size_t drop_equal(const tact_vec2* p, uint32_t* index, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const bool same = kept && p[index[kept - 1]].x == p[index[i]].x && p[index[kept - 1]].y == p[index[i]].y;
        if (!same) index[kept++] = index[i];
    }
    TACT_ASSERT(kept >= 1 || count == 0);
    return kept;
}

/// The stack of corners with its last ones dropped that `next` makes superfluous, then `next`. The first `fixed` stay.
static size_t push_corner(const tact_vec2* p, uint32_t* corner, size_t used, size_t fixed, uint32_t next)
{
    TACT_ASSERT(fixed >= 1);
    while (used > fixed && tact_orient2d(p[corner[used - 2]], p[corner[used - 1]], p[next]) <= 0)
        --used;
    corner[used++] = next;
    return used;
}

/// Along the lower side to the last point and back along the upper side; `corner` has room for count + 1.
static size_t walk_around(const tact_vec2* p, const uint32_t* sorted, size_t count, uint32_t* corner)
{
    TACT_ASSERT(count >= 1);
    size_t used = 0;
    for (size_t i = 0; i < count; ++i)
        used = push_corner(p, corner, used, 1, sorted[i]);
    const size_t fixed = used;
    for (size_t i = count - 1; i-- > 0;)
        used = push_corner(p, corner, used, fixed, sorted[i]);
    return count > 1 ? used - 1 : used;  // the first came again
}

/// The one facet of a polygon.
static tact_result add_fan(tact_env* env, tact_hull_mesh* hull)
{
    TACT_ASSERT(hull->vertex_count >= 3 && !hull->triangles);
    hull->triangle_count = hull->vertex_count - 2;
    hull->facet_count = 1;
    hull->triangles = tact_allocate(env, hull->triangle_count, 3 * sizeof *hull->triangles);
    hull->facet_start = tact_allocate(env, 2, sizeof *hull->facet_start);
    if (!hull->triangles || !hull->facet_start) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < hull->triangle_count; ++i) {
        hull->triangles[3 * i] = hull->vertices[0];
        hull->triangles[3 * i + 1] = hull->vertices[i + 1];
        hull->triangles[3 * i + 2] = hull->vertices[i + 2];
    }
    hull->facet_start[0] = 0;
    hull->facet_start[1] = (uint32_t)hull->triangle_count;
    return TACT_OK;
}

/// The hull of p[index[i]], all finite; `index` is reordered. Fills vertices, facet and dimension (0 to 2).
static tact_result hull_chain(tact_env* env, const tact_vec2* p, uint32_t* index, size_t count, tact_hull_mesh* hull)
{
    if (count == 0) return TACT_OK;
    const tact_result result = sort_points(env, p, index, count);
    if (result < 0) return result;
    const size_t distinct = drop_equal(p, index, count);
    hull->vertices = tact_allocate(env, distinct + 1, sizeof *hull->vertices);
    if (!hull->vertices) return TACT_ERROR_OUT_OF_MEMORY;
    hull->vertex_count = walk_around(p, index, distinct, hull->vertices);
    TACT_ASSERT(hull->vertex_count >= 1 && hull->vertex_count <= distinct);
    hull->dimension = hull->vertex_count < 3 ? (int)hull->vertex_count - 1 : 2;
    return hull->dimension == 2 ? add_fan(env, hull) : TACT_OK;
}

tact_result tact_hull_mesh_2d(const tact_vec2* points, size_t count, const tact_allocator* allocator,
                              tact_hull_mesh* hull)
{
    tact_env env;
    uint32_t* index = NULL;
    size_t finite = 0;
    const tact_result begun = begin_hull(hull, allocator, count, &env, &index);
    if (begun != TACT_OK) return begun;
    for (size_t i = 0; i < count; ++i) {
        if (isfinite(points[i].x) && isfinite(points[i].y)) index[finite++] = (uint32_t)i;
    }
    hull->left_out = count - finite;
    const tact_result result = hull_chain(&env, points, index, finite, hull);
    tact_release(&env, index);
    return finish(hull, result);
}

// ---- In space ----

/// By x, then y, then z.
static bool is_before(tact_vec3 a, tact_vec3 b)
{
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
}

/// The third seed: as far from the line of the first two as double precision can tell, and not on it. False if all
/// points are on it.
static bool seed_off_line(const tact_vec3* p, const uint32_t* index, size_t count, uint32_t seed[4])
{
    const dvec a = d_from(p[seed[0]]), ab = d_sub(d_from(p[seed[1]]), a);
    double best = -1.0;
    for (size_t i = 0; i < count; ++i) {
        const dvec across = d_cross(ab, d_sub(d_from(p[index[i]]), a));
        const double distance = d_dot(across, across);
        if (distance <= best) continue;
        best = distance;
        seed[2] = index[i];
    }
    if (!tact_collinear(p[seed[0]], p[seed[1]], p[seed[2]])) return true;
    for (size_t i = 0; i < count; ++i) {
        seed[2] = index[i];
        if (!tact_collinear(p[seed[0]], p[seed[1]], p[seed[2]])) return true;
    }
    return false;
}

/// The fourth seed: the one farthest from the plane of the three. Puts it behind their triangle. False if all points
/// are in the plane.
static bool seed_off_plane(const tact_vec3* p, const uint32_t* index, size_t count, uint32_t seed[4])
{
    TACT_ASSERT(seed[0] != seed[1] && seed[1] != seed[2] && seed[0] != seed[2]);
    double best = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const double volume = tact_orient3d_fast(p[seed[0]], p[seed[1]], p[seed[2]], p[index[i]]);
        if (fabs(volume) <= fabs(best)) continue;
        best = volume;
        seed[3] = index[i];
    }
    if (best < 0.0) {
        const uint32_t other = seed[0];
        seed[0] = seed[1];
        seed[1] = other;
    }
    return best != 0.0;
}

/// Points in one plane, seen along an axis along which the triangle of the seeds has an area: no corner is lost, and
/// what is collinear stays so.
static tact_result flat_hull(tact_env* env, const tact_vec3* points, size_t count, uint32_t* index, size_t index_count,
                             const uint32_t seed[4], tact_hull_mesh* hull)
{
    int axis = 0;
    while (tact_orient2d(tact_drop_axis(points[seed[0]], axis), tact_drop_axis(points[seed[1]], axis),
                         tact_drop_axis(points[seed[2]], axis)) == 0)
        ++axis;
    tact_vec2* flat = tact_allocate(env, count, sizeof *flat);
    if (!flat) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i)
        flat[i] = tact_drop_axis(points[i], axis);
    const tact_result result = hull_chain(env, flat, index, index_count, hull);
    tact_release(env, flat);
    return result;
}

static tact_result hull_of_ends(tact_env* env, const uint32_t* seed, int dimension, tact_hull_mesh* hull)
{
    TACT_ASSERT(dimension == 0 || dimension == 1);
    hull->vertices = tact_allocate(env, 2, sizeof *hull->vertices);
    if (!hull->vertices) return TACT_ERROR_OUT_OF_MEMORY;
    hull->dimension = dimension;
    hull->vertex_count = (size_t)dimension + 1;
    memcpy(hull->vertices, seed, hull->vertex_count * sizeof *seed);
    return TACT_OK;
}

static tact_result hull_of(tact_env* env, const tact_vec3* points, size_t count, uint32_t* index, size_t index_count,
                           tact_hull_mesh* hull)
{
    if (index_count == 0) return TACT_OK;
    uint32_t seed[4] = {index[0], index[0], index[0], index[0]};
    for (size_t i = 1; i < index_count; ++i) {
        if (is_before(points[index[i]], points[seed[0]])) seed[0] = index[i];
        if (is_before(points[seed[1]], points[index[i]])) seed[1] = index[i];
    }
    if (!is_before(points[seed[0]], points[seed[1]])) return hull_of_ends(env, seed, 0, hull);
    if (!seed_off_line(points, index, index_count, seed)) return hull_of_ends(env, seed, 1, hull);
    TACT_ASSERT(!tact_collinear(points[seed[0]], points[seed[1]], points[seed[2]]));
    if (!seed_off_plane(points, index, index_count, seed)) {
        return flat_hull(env, points, count, index, index_count, seed, hull);
    }
    const tact_hull_sites sites = {.points = points};
    return tact_hull_quick(env, &sites, count, index, index_count, seed, hull);
}

tact_result tact_hull_mesh_3d(const tact_vec3* points, size_t count, const tact_allocator* allocator,
                              tact_hull_mesh* hull)
{
    tact_env env;
    uint32_t* index = NULL;
    size_t finite = 0;
    const tact_result begun = begin_hull(hull, allocator, count, &env, &index);
    if (begun != TACT_OK) return begun;
    for (size_t i = 0; i < count; ++i) {
        if (v_finite(points[i])) index[finite++] = (uint32_t)i;
    }
    hull->left_out = count - finite;
    const tact_result result = hull_of(&env, points, count, index, finite, hull);
    tact_release(&env, index);
    return finish(hull, result);
}
