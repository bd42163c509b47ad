// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Few corners around many. With planes moved out by as much as rounding moves a corner, the exact polyhedron holds all
// points within that distance of the hull; the hull of its rounded corners reaches, in every direction, no less far
// than that distance inside the exact one, so it holds the hull.

#include <float.h>

#include "cpu_ref/geometry/convex_mesh_internal.h"
#include "cpu_ref/geometry/vec.h"

typedef struct around {
    tact_env* env;
    const tact_vec3* points;
    tact_hull_mesh hull;
    tact_aabb box;
    double near;         ///< how far rounding moves a corner at most
    tact_plane* facets;  ///< through a corner of each facet
    double* beyond;      ///< how far corners are in front of each; negative: it is among the planes
    tact_plane* planes;
    uint32_t* source;  ///< facet of each plane
    size_t plane_count;
} around;

/// The planes of facets, as floats of about unit length; one with an area that rounding loses has a normal of 0.
static void make_facets(around* a)
{
    for (size_t f = 0; f < a->hull.facet_count; ++f) {
        const uint32_t* t = &a->hull.triangles[3 * (size_t)a->hull.facet_start[f]];
        const dvec p = d_from(a->points[t[0]]);
        const dvec n = d_cross(d_sub(d_from(a->points[t[1]]), p), d_sub(d_from(a->points[t[2]]), p));
        const double length = d_length(n);
        a->facets[f].normal = length > 0.0 ? d_round(d_scale(n, 1.0 / length)) : (tact_vec3){0};
        a->facets[f].distance = 0.0f;
        a->beyond[f] = 0.0;
    }
}

static float round_up(double x)
{
    const float f = (float)x;
    return (double)f < x ? nextafterf(f, FLT_MAX) : f;
}

/// Where the hull ends along a normal, and a little beyond.
static float reach(const around* a, tact_vec3 normal)
{
    const dvec n = d_from(normal);
    double most = -HUGE_VAL;
    for (size_t i = 0; i < a->hull.vertex_count; ++i)
        most = fmax(most, d_dot(n, d_from(a->points[a->hull.vertices[i]])));
    return round_up(most + a->near * d_length(n) + 0x1p-50 * fabs(most));
}

static void make_box(around* a)
{
    static const tact_vec3 axes[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    float side[6];
    double most = 0.0;
    for (int k = 0; k < 6; ++k) {
        side[k] = reach(a, axes[k]);
        most = fmax(most, fabs((double)side[k]));
    }
    // Half a unit in the last place of three coordinates; of the smallest floats the last place is always the same.
    a->near = fmax(1.5 * 0x1p-23 * most, 0x1p-148);
    for (int k = 0; k < 6; ++k)
        side[k] = reach(a, axes[k]);
    a->box = (tact_aabb){{-side[0], -side[2], -side[4]}, {side[1], side[3], side[5]}};
}

/// For each facet that is no plane yet how far the corners are in front of it that are farther from no other.
static void find_beyond(around* a, const tact_convex_mesh* mesh)
{
    for (size_t f = 0; f < a->hull.facet_count; ++f)
        a->beyond[f] = fmin(a->beyond[f], 0.0);
    for (uint32_t i = 0; i < mesh->point_count; ++i) {
        const dvec p = d_from(mesh->points[i]);
        double most = 0.0;
        size_t best = a->hull.facet_count;
        for (size_t f = 0; f < a->hull.facet_count; ++f) {
            const dvec corner = d_from(a->points[a->hull.triangles[3 * (size_t)a->hull.facet_start[f]]]);
            const double height = d_dot(d_from(a->facets[f].normal), d_sub(p, corner));
            if (a->beyond[f] < 0.0 || !(height > most)) continue;
            most = height;
            best = f;
        }
        if (best < a->hull.facet_count) a->beyond[best] = fmax(a->beyond[best], most);
    }
}

/// Adds the facet that corners are farthest in front of. False where none is so far that rounding would not do it.
static bool add_plane(around* a)
{
    size_t best = 0;
    TACT_ASSERT(a->plane_count <= a->hull.facet_count);
    for (size_t f = 1; f < a->hull.facet_count; ++f)
        if (a->beyond[f] > a->beyond[best]) best = f;
    if (!(a->beyond[best] > 4.0 * a->near)) return false;
    a->source[a->plane_count] = (uint32_t)best;
    a->planes[a->plane_count] = a->facets[best];
    a->planes[a->plane_count++].distance = reach(a, a->facets[best].normal);
    a->beyond[best] = -1.0;
    return true;
}

/// Cuts by some planes at once, fewer when they make too many corners, until one does.
static tact_result cut(around* a, size_t most, tact_convex_mesh* mesh)
{
    tact_result result = tact_half_spaces_mesh(a->planes, a->plane_count, a->box, &a->env->allocator, mesh);
    size_t at_once = most / 8;
    while (result >= 0 && at_once > 0) {
        const size_t before = a->plane_count;
        find_beyond(a, mesh);
        while (a->plane_count < before + at_once && add_plane(a)) {
        }
        if (a->plane_count == before) break;
        tact_convex_mesh next;
        result = tact_half_spaces_mesh(a->planes, a->plane_count, a->box, &a->env->allocator, &next);
        if (result >= 0 && next.kind == TACT_CONVEX_MESH_SOLID && next.point_count <= most) {
            tact_convex_mesh_free(mesh);
            *mesh = next;
            continue;
        }
        tact_convex_mesh_free(&next);
        while (a->plane_count > before)
            a->beyond[a->source[--a->plane_count]] = 0.0;
        at_once /= 2;
    }
    return result;
}

static tact_result surround(around* a, uint32_t most, tact_convex_mesh* mesh)
{
    a->facets = tact_allocate(a->env, a->hull.facet_count, sizeof *a->facets);
    a->beyond = tact_allocate(a->env, a->hull.facet_count, sizeof *a->beyond);
    a->planes = tact_allocate(a->env, a->hull.facet_count, sizeof *a->planes);
    a->source = tact_allocate(a->env, a->hull.facet_count, sizeof *a->source);
    if (!a->facets || !a->beyond || !a->planes || !a->source) return TACT_ERROR_OUT_OF_MEMORY;
    make_box(a);
    make_facets(a);
    const tact_result result = cut(a, most, mesh);
    TACT_ASSERT(result < 0 || mesh->kind == TACT_CONVEX_MESH_SOLID);
    tact_release(a->env, mesh->face_source);
    mesh->face_source = NULL;
    return result;
}

tact_result tact_hull_around(const tact_vec3* points, size_t count, uint32_t most, const tact_allocator* allocator,
                             tact_convex_mesh* mesh)
{
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    *mesh = (tact_convex_mesh){.allocator = env.allocator};
    if (most < TACT_HULL_AROUND_LEAST) {
        return tact_fail(&env, TACT_ERROR_INVALID_ARGUMENT, "at most %u corners; at least %d", (unsigned)most,
                         TACT_HULL_AROUND_LEAST);
    }
    for (size_t i = 0; i < count; ++i) {
        const double most_of =
            fmax(fmax(fabs((double)points[i].x), fabs((double)points[i].y)), fabs((double)points[i].z));
        if (!v_all_finite(&points[i], 1) || most_of > 0.999999 * (double)FLT_MAX) {
            return tact_fail(&env, TACT_ERROR_INVALID_ARGUMENT, "point %zu is not finite, or about the largest float",
                             i);
        }
    }
    around a = {.env = &env, .points = points};
    tact_result result = tact_hull_mesh_3d(points, count, &env.allocator, &a.hull);
    if (result >= 0 && a.hull.dimension < 3) {
        mesh->kind = a.hull.dimension < 0 ? TACT_CONVEX_MESH_EMPTY : TACT_CONVEX_MESH_FLAT;
    } else if (result >= 0 && a.hull.vertex_count <= most) {
        result = tact_convex_mesh_of_hull(&env, &a.hull, count, mesh);
        for (size_t i = 0; result >= 0 && i < a.hull.vertex_count; ++i)
            mesh->points[i] = points[a.hull.vertices[i]];
    } else if (result >= 0) {
        result = surround(&a, most, mesh);
    }
    tact_hull_mesh_free(&a.hull);
    tact_release(&env, a.facets);
    tact_release(&env, a.beyond);
    tact_release(&env, a.planes);
    tact_release(&env, a.source);
    return tact_convex_mesh_finish(mesh, result);
}
