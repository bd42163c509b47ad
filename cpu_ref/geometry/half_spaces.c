// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Half-spaces by duality. Seen from a point c inside all of them, the plane n . x = d is the point n / (d - n . c). The
// orientation of four such points has the sign of the determinant of the four rows (n, d), since d - n . c is d less a
// sum of the other columns: c is needed for nothing but to be known to exist.

#include <float.h>
#include <stdlib.h>

#include "cpu_ref/geometry/convex_mesh_internal.h"
#include "cpu_ref/geometry/linear_program_internal.h"

/// Half-spaces that are not all of space, those of the box first.
typedef struct duals {
    tact_plane* planes;
    uint32_t* source;
    double* room;  ///< n . x - d at the point inside, nearly, as a positive number
    size_t count;
} duals;

/// A corner of the hull of the duals in one of its faces.
typedef struct dual_corner {
    uint32_t at, next, before;  ///< counter-clockwise from outside
    uint32_t face;
} dual_corner;

static const float* row_of(const duals* d, uint32_t i)
{
    return &d->planes[i].normal.x;
}

static double dual_height(const void* user, const uint32_t corner[3], uint32_t point)
{
    const duals* d = user;
    const float* const rows[4] = {row_of(d, corner[0]), row_of(d, corner[1]), row_of(d, corner[2]), row_of(d, point)};
    return -tact_det_four(rows) / d->room[point];
}

static void add_dual(duals* d, tact_plane plane, uint32_t source, tact_vec3 inside)
{
    const dvec n = d_from(plane.normal), c = d_from(inside);
    if (n.x == 0.0 && n.y == 0.0 && n.z == 0.0) return;
    const double distance = (double)plane.distance, least = 0x1p-40 * (d_abs_dot(n, c) + fabs(distance));
    d->planes[d->count] = plane;
    d->source[d->count] = source;
    d->room[d->count] = fmax(distance - d_dot(n, c), fmax(least, 0x1p-900));
    ++d->count;
}

static bool make_duals(tact_env* env, const tact_plane* half_spaces, size_t count, tact_aabb box, tact_vec3 inside,
                       duals* d)
{
    d->planes = tact_allocate(env, count + 6, sizeof *d->planes);
    d->source = tact_allocate(env, count + 6, sizeof *d->source);
    d->room = tact_allocate(env, count + 6, sizeof *d->room);
    if (!d->planes || !d->source || !d->room) return false;
    for (uint32_t side = 0; side < 6; ++side)
        add_dual(d, tact_side_of_box(box, side), TACT_LP_SIDE + side, inside);
    for (size_t i = 0; i < count; ++i)
        add_dual(d, half_spaces[i], (uint32_t)i, inside);
    return true;
}

static tact_result dual_hull(tact_env* env, const duals* d, tact_hull_mesh* hull)
{
    const tact_hull_sites sites = {.height = dual_height, .user = d};
    uint32_t* index = tact_allocate(env, d->count, sizeof *index);
    if (!index) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < d->count; ++i)
        index[i] = (uint32_t)i;
    // Both sides of x, the upper ones of y and z: never in one plane.
    uint32_t seed[4] = {0, 1, 3, 5};
    if (dual_height(d, seed, seed[3]) > 0.0) {
        seed[0] = 1;
        seed[1] = 0;
    }
    hull->allocator = env->allocator;
    const tact_result result = tact_hull_quick(env, &sites, d->count, index, d->count, seed, hull);
    tact_release(env, index);
    return result;
}

static int by_place(const void* a, const void* b)
{
    const dual_corner *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->next < y->next ? -1 : x->next > y->next;
}

static void list_corners(const tact_hull_mesh* hull, dual_corner* corners)
{
    size_t used = 0;
    for (size_t f = 0; f < hull->facet_count; ++f) {
        const size_t size = hull_facet_size(hull, f);
        for (size_t i = 0; i < size; ++i) {
            const uint32_t at = hull_facet_corner(hull, f, i);
            const uint32_t next = hull_facet_corner(hull, f, i + 1 < size ? i + 1 : 0);
            const uint32_t before = hull_facet_corner(hull, f, i > 0 ? i - 1 : size - 1);
            corners[used++] = (dual_corner){at, next, before, (uint32_t)f};
        }
    }
    qsort(corners, used, sizeof *corners, by_place);
}

/// The faces around each corner of the dual hull, which are the corners around each face.
static void turn_about(const dual_corner* corners, size_t count, const duals* d, tact_convex_mesh* mesh)
{
    uint32_t face = 0;
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && corners[end].at == corners[begin].at;)
            ++end;
        mesh->face_start[face] = (uint32_t)begin;
        mesh->face_source[face++] = d->source[corners[begin].at];
        const dual_corner* c = &corners[begin];
        for (size_t i = begin; i < end; ++i) {
            mesh->face_points[i] = c->face;
            const dual_corner key = {c->at, c->before, 0, 0};
            c = bsearch(&key, &corners[begin], end - begin, sizeof key, by_place);
            TACT_ASSERT(c != NULL);
        }
        TACT_ASSERT(c == &corners[begin]);
    }
    TACT_ASSERT(face == mesh->face_count);
    mesh->face_start[face] = (uint32_t)count;
}

static tact_result write_mesh(tact_env* env, const duals* d, const tact_hull_mesh* hull, tact_convex_mesh* mesh)
{
    const size_t count = hull->triangle_count + 2 * hull->facet_count;
    dual_corner* corners = tact_allocate(env, count, sizeof *corners);
    mesh->face_source = tact_allocate(env, hull->vertex_count, sizeof *mesh->face_source);
    if (!corners || !mesh->face_source ||
        !tact_convex_mesh_reserve(env, mesh, hull->facet_count, hull->vertex_count, count)) {
        tact_release(env, corners);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t f = 0; f < hull->facet_count; ++f) {
        const uint32_t* t = &hull->triangles[3 * (size_t)hull->facet_start[f]];
        const float* const rows[3] = {row_of(d, t[0]), row_of(d, t[1]), row_of(d, t[2])};
        double x[3];
        tact_det_point(rows, 3, x);
        mesh->points[f] = d_round(d_make(x[0], x[1], x[2]));
    }
    list_corners(hull, corners);
    turn_about(corners, count, d, mesh);
    mesh->kind = TACT_CONVEX_MESH_SOLID;
    tact_release(env, corners);
    return TACT_OK;
}

/// Of half-spaces that have an inside.
static tact_result intersect(tact_env* env, const tact_plane* half_spaces, size_t count, tact_aabb box,
                             tact_vec3 inside, tact_convex_mesh* mesh)
{
    duals d = {.count = 0};
    tact_hull_mesh hull = {0};
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (make_duals(env, half_spaces, count, box, inside, &d)) result = dual_hull(env, &d, &hull);
    if (result == TACT_OK) result = write_mesh(env, &d, &hull, mesh);
    tact_hull_mesh_free(&hull);
    tact_release(env, d.planes);
    tact_release(env, d.source);
    tact_release(env, d.room);
    return result;
}

tact_result tact_half_spaces_mesh(const tact_plane* half_spaces, size_t count, tact_aabb box,
                                  const tact_allocator* allocator, tact_convex_mesh* mesh)
{
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    *mesh = (tact_convex_mesh){.allocator = env.allocator};
    if (count > TACT_HULL_POINTS - 6) {
        return tact_fail(&env, TACT_ERROR_LIMIT, "an intersection of %zu half-spaces; at most 2^30", count);
    }
    const tact_lp_ball ball = tact_half_spaces_ball(half_spaces, count, box);
    if (ball.status == TACT_LP_INVALID) {
        return tact_fail(&env, TACT_ERROR_INVALID_ARGUMENT, "a half-space or the box is not finite");
    }
    if (ball.inside) {
        return tact_convex_mesh_finish(mesh, intersect(&env, half_spaces, count, box, ball.ball.center, mesh));
    }
    mesh->kind = ball.status == TACT_LP_OPTIMUM ? TACT_CONVEX_MESH_FLAT : TACT_CONVEX_MESH_EMPTY;
    return TACT_OK;
}

tact_result tact_kdop_mesh(const tact_kdop* kdop, const tact_allocator* allocator, tact_convex_mesh* mesh)
{
    const tact_vec3* axes = tact_kdop_axes(kdop->k);
    tact_plane sides[2 * TACT_KDOP_AXES_MAX];
    float most = 0.0f;
    if (!axes) {
        tact_error_begin(NULL);
        *mesh = (tact_convex_mesh){0};
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "no k-DOP has %u sides", kdop->k);
    }
    for (uint32_t i = 0; i < kdop->k / 2; ++i) {
        sides[2 * i] = (tact_plane){{-axes[i].x, -axes[i].y, -axes[i].z}, -kdop->lower[i]};
        sides[2 * i + 1] = (tact_plane){axes[i], kdop->upper[i]};
        most = fmaxf(most, fmaxf(fabsf(kdop->lower[i]), fabsf(kdop->upper[i])));
    }
    // No coordinate is larger than a bound: two of the axes add up to twice that along an axis.
    const float reach = most > 0.25f * FLT_MAX ? FLT_MAX : most > 0.0f ? 2.0f * most : 1.0f;
    const tact_aabb box = {{-reach, -reach, -reach}, {reach, reach, reach}};
    return tact_half_spaces_mesh(sides, kdop->k, box, allocator, mesh);
}
