// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Sums of two sets as the hull of the sums of their corners, whose coordinates are not floats: sides are signs of
// determinants of differences of four floats, with room for their rounding, and of whole numbers where that is too
// little.

#include <string.h>

#include "cpu_ref/geometry/big_internal.h"
#include "cpu_ref/geometry/convex_mesh_internal.h"
#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/predicates.h"

/// Part of a determinant's terms up to which doubles leave its sign open: a difference of two sums is off by no more
/// than 3 * 2^-53 of what it is made of.
#define SUMS_BOUND 0x1p-48

/// One of the two sets: its corners and whether they are subtracted.
typedef struct operand {
    const tact_vec3* points;
    tact_hull_mesh hull;
    int ways;         ///< how many dimensions it has, the same number of `way`
    uint32_t way[4];  ///< corners, not in one plane, or line, or equal
} operand;

typedef struct sums {
    operand a, b;
    bool negative;
    int32_t scale;
} sums;

static tact_vec3 a_of(const sums* s, uint32_t site)
{
    return s->a.points[s->a.hull.vertices[site / s->b.hull.vertex_count]];
}

/// With the sign of the operation.
static tact_vec3 b_of(const sums* s, uint32_t site)
{
    const tact_vec3 p = s->b.points[s->b.hull.vertices[site % s->b.hull.vertex_count]];
    return s->negative ? (tact_vec3){-p.x, -p.y, -p.z} : p;
}

static dvec sum_of(const sums* s, uint32_t site)
{
    return d_add(d_from(a_of(s, site)), d_from(b_of(s, site)));
}

static void difference_of(const sums* s, uint32_t site, uint32_t from, tact_big row[3])
{
    const tact_vec3 terms[4] = {a_of(s, site), b_of(s, site), a_of(s, from), b_of(s, from)};
    for (int k = 0; k < 3; ++k) {
        row[k].count = 0;
        row[k].negative = false;
        for (int t = 0; t < 4; ++t) {
            tact_big x;
            big_set(&x, (&terms[t].x)[k], s->scale);
            big_add(&row[k], &x, t >= 2, &row[k]);
        }
    }
}

static double size_of(double a, double b, double c, double d)
{
    return (fabs(a) + fabs(b)) + (fabs(c) + fabs(d));
}

static double sum_height(const void* user, const uint32_t corner[3], uint32_t point)
{
    const sums* s = user;
    const dvec pa = d_from(a_of(s, point)), pb = d_from(b_of(s, point));
    dvec u[3], size[3];
    for (int k = 0; k < 3; ++k) {
        const dvec a = d_from(a_of(s, corner[k])), b = d_from(b_of(s, corner[k]));
        u[k] = d_add(d_sub(a, pa), d_sub(b, pb));
        size[k] = d_make(size_of(a.x, b.x, pa.x, pb.x), size_of(a.y, b.y, pa.y, pb.y), size_of(a.z, b.z, pa.z, pb.z));
    }
    const double value = d_dot(u[0], d_cross(u[1], u[2]));
    const dvec across =
        d_make(size[1].y * size[2].z + size[1].z * size[2].y, size[1].z * size[2].x + size[1].x * size[2].z,
               size[1].x * size[2].y + size[1].y * size[2].x);
    const double bound = SUMS_BOUND * d_dot(size[0], across);
    if (fabs(value) > bound || bound == 0.0) return -value;
    tact_big rows[3][3], det;
    for (int k = 0; k < 3; ++k)
        difference_of(s, corner[k], point, rows[k]);
    big_determinant(rows[0], rows[1], rows[2], &det);
    return -(double)big_sign(&det) * bound;
}

/// Corners of a hull that are in no plane, or line, of fewer.
static void find_ways(operand* o)
{
    const tact_hull_mesh* h = &o->hull;
    o->ways = h->dimension;
    o->way[0] = 0;
    if (h->dimension == 1) o->way[1] = 1;
    if (h->dimension < 2) return;
    // The first three of a facet, as places among the vertices.
    for (int k = 0; k < 3; ++k) {
        o->way[k] = 0;
        while (h->vertices[o->way[k]] != h->triangles[k])
            ++o->way[k];
    }
    const tact_vec3* p = o->points;
    for (uint32_t i = 0; i < h->vertex_count && h->dimension == 3; ++i) {
        o->way[3] = i;
        if (tact_orient3d(p[h->triangles[0]], p[h->triangles[1]], p[h->triangles[2]], p[h->vertices[i]]) != 0) break;
    }
}

/// Four sums that are not in one plane, the fourth behind the triangle of the others. False where there are none.
static bool find_seeds(const sums* s, uint32_t seed[4])
{
    const uint32_t wide = (uint32_t)s->b.hull.vertex_count;
    uint32_t ends[6];
    int count = 0;
    for (int k = 1; k <= s->a.ways; ++k)
        ends[count++] = s->a.way[k] * wide + s->b.way[0];
    for (int k = 1; k <= s->b.ways; ++k)
        ends[count++] = s->a.way[0] * wide + s->b.way[k];
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            for (int k = j + 1; k < count; ++k) {
                const uint32_t corner[3] = {ends[i], ends[j], ends[k]};
                const uint32_t from = s->a.way[0] * wide + s->b.way[0];
                const double height = sum_height(s, corner, from);
                if (height == 0.0) continue;
                seed[0] = height < 0.0 ? ends[i] : ends[j];
                seed[1] = height < 0.0 ? ends[j] : ends[i];
                seed[2] = ends[k];
                seed[3] = from;
                return true;
            }
        }
    }
    return false;
}

static tact_result write_mesh(tact_env* env, const sums* s, const tact_hull_mesh* hull, tact_convex_mesh* mesh)
{
    const size_t wide = s->b.hull.vertex_count;
    mesh->point_source = tact_allocate(env, hull->vertex_count, 2 * sizeof *mesh->point_source);
    if (!mesh->point_source) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = tact_convex_mesh_of_hull(env, hull, s->a.hull.vertex_count * wide, mesh);
    for (size_t i = 0; i < hull->vertex_count && result == TACT_OK; ++i) {
        const uint32_t site = hull->vertices[i];
        mesh->points[i] = d_round(sum_of(s, site));
        mesh->point_source[2 * i] = s->a.hull.vertices[site / wide];
        mesh->point_source[2 * i + 1] = s->b.hull.vertices[site % wide];
    }
    return result;
}

static tact_result hull_of_sums(tact_env* env, sums* s, tact_convex_mesh* mesh)
{
    const size_t count = s->a.hull.vertex_count * s->b.hull.vertex_count;
    uint32_t seed[4];
    find_ways(&s->a);
    find_ways(&s->b);
    if (!find_seeds(s, seed)) {
        mesh->kind = TACT_CONVEX_MESH_FLAT;
        return TACT_OK;
    }
    tact_hull_mesh hull = {.allocator = env->allocator};
    uint32_t* index = tact_allocate(env, count, sizeof *index);
    tact_result result = index ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && index; ++i)
        index[i] = (uint32_t)i;
    const tact_hull_sites sites = {.height = sum_height, .user = s};
    if (result == TACT_OK) result = tact_hull_quick(env, &sites, count, index, count, seed, &hull);
    if (result == TACT_OK) result = write_mesh(env, s, &hull, mesh);
    tact_release(env, index);
    tact_hull_mesh_free(&hull);
    return result;
}

/// Of points that are finite: the lowest shift of their coordinates, and the largest.
static void measure(const tact_vec3* p, size_t count, int32_t* scale, double* most)
{
    *most = 0.0;
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const float x = (&p[i].x)[k];
            const int32_t shift = big_shift_of(x);
            if (shift < *scale) *scale = shift;
            *most = fmax(*most, fabs((double)x));
        }
    }
}

static tact_result combine(sums* s, size_t a_count, size_t b_count, const tact_allocator* allocator,
                           tact_convex_mesh* mesh)
{
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    *mesh = (tact_convex_mesh){.allocator = env.allocator};
    if (a_count == 0 || b_count == 0) return TACT_OK;
    double a_most, b_most;
    if (!v_all_finite(s->a.points, a_count) || !v_all_finite(s->b.points, b_count)) {
        return tact_fail(&env, TACT_ERROR_INVALID_ARGUMENT, "a point is not finite");
    }
    s->scale = INT32_MAX;
    measure(s->a.points, a_count, &s->scale, &a_most);
    measure(s->b.points, b_count, &s->scale, &b_most);
    if (s->scale == INT32_MAX) s->scale = 0;
    if (isinf((float)(a_most + b_most))) {
        return tact_fail(&env, TACT_ERROR_INVALID_ARGUMENT, "a sum of two points is beyond the largest float");
    }
    tact_result result = tact_hull_mesh_3d(s->a.points, a_count, &env.allocator, &s->a.hull);
    if (result == TACT_OK) result = tact_hull_mesh_3d(s->b.points, b_count, &env.allocator, &s->b.hull);
    if (result == TACT_OK && s->a.hull.vertex_count > TACT_HULL_POINTS / s->b.hull.vertex_count) {
        result = tact_fail(&env, TACT_ERROR_LIMIT, "a sum of %zu corners with %zu; at most 2^30",
                           s->a.hull.vertex_count, s->b.hull.vertex_count);
    }
    if (result == TACT_OK) result = hull_of_sums(&env, s, mesh);
    tact_hull_mesh_free(&s->a.hull);
    tact_hull_mesh_free(&s->b.hull);
    return tact_convex_mesh_finish(mesh, result);
}

tact_result tact_minkowski_sum(const tact_vec3* a, size_t a_count, const tact_vec3* b, size_t b_count,
                               const tact_allocator* allocator, tact_convex_mesh* mesh)
{
    sums s = {.a = {.points = a}, .b = {.points = b}};
    return combine(&s, a_count, b_count, allocator, mesh);
}

tact_result tact_minkowski_difference(const tact_vec3* a, size_t a_count, const tact_vec3* b, size_t b_count,
                                      const tact_allocator* allocator, tact_convex_mesh* mesh)
{
    sums s = {.a = {.points = a}, .b = {.points = b}, .negative = true};
    return combine(&s, a_count, b_count, allocator, mesh);
}
