// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/image/image.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tact/geometry/hull.h"

/// A surface, and what it encloses as seen from a point inside: of one that folds back, parts count more than once.
typedef struct extent {
    double area, volume;
    double area_error, volume_error;  ///< where each vertex is moved by 1
} extent;

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void add_triangle(extent* e, const tact_vec3* points, const uint32_t* corner, const double centre[3])
{
    double p[3][3], n[3], longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        p[k][0] = (double)points[corner[k]].x - centre[0];
        p[k][1] = (double)points[corner[k]].y - centre[1];
        p[k][2] = (double)points[corner[k]].z - centre[2];
    }
    for (int k = 0; k < 3; ++k) {
        const double* q = p[(k + 1) % 3];
        const double side[3] = {q[0] - p[k][0], q[1] - p[k][1], q[2] - p[k][2]};
        longest = fmax(longest, length_of(side));
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
    }
    const double area = 0.5 * length_of(n);
    e->area += area;
    e->volume += fabs(n[0] * p[0][0] + n[1] * p[0][1] + n[2] * p[0][2]) / 6.0;
    e->area_error += 2.0 * longest;
    e->volume_error += area;
}

/// The vertices that triangles use, and where each corner's is among them.
typedef struct used {
    tact_vec3* points;
    uint32_t* corners;
    uint32_t* number;  // of each vertex, from 1 on
    uint32_t count;
    double centre[3], farthest;
} used;

/// False: an index or a vertex cannot be.
static bool gather(const tact_image_body* body, used* u)
{
    const size_t stride = body->mesh.position_stride ? body->mesh.position_stride : 12;
    for (size_t i = 0; i < 3 * body->mesh.triangle_count; ++i) {
        const size_t v = body->mesh.indices ? body->mesh.indices[i] : i;
        if (v >= body->mesh.vertex_count) return false;
        if (!u->number[v]) {
            tact_vec3* p = &u->points[u->count];
            memcpy(p, (const char*)body->mesh.positions + v * stride, sizeof *p);
            const double c[3] = {(double)p->x, (double)p->y, (double)p->z};
            for (int k = 0; k < 3; ++k) {
                if (!(fabs(c[k]) <= (double)TACT_MAX_COORDINATE)) return false;
                u->centre[k] += c[k];
                u->farthest = fmax(u->farthest, fabs(c[k]));
            }
            u->number[v] = ++u->count;
        }
        u->corners[i] = u->number[v] - 1;
    }
    for (int k = 0; k < 3; ++k)
        u->centre[k] /= (double)u->count;
    return true;
}

static tact_result judge(tact_env* env, const tact_hull_mesh* hull, const used* u, size_t triangles, const char* name)
{
    extent own = {0}, all = {0};
    for (size_t i = 0; i < triangles; ++i)
        add_triangle(&own, u->points, u->corners + 3 * i, u->centre);
    for (size_t i = 0; i < hull->triangle_count; ++i)
        add_triangle(&all, u->points, hull->triangles + 3 * i, u->centre);
    const double moved = 2.0 * (double)FLT_EPSILON * u->farthest;
    const double area = 1e-6 * all.area + moved * (own.area_error + all.area_error);
    const double volume = 1e-6 * all.volume + moved * (own.volume_error + all.volume_error);
    if (fabs(own.area - all.area) <= area && fabs(own.volume - all.volume) <= volume) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                     "object %s is not convex: its hull has %.7g times the area of its triangles, and %.7g times what "
                     "they enclose",
                     name, all.area / own.area, all.volume / own.volume);
}

static tact_result compare_with_hull(tact_env* env, const used* u, size_t triangles, const char* name)
{
    tact_hull_mesh hull;
    tact_result result = tact_hull_mesh_3d(u->points, u->count, &env->allocator, &hull);
    if (result != TACT_OK) {
        result =
            tact_fail(env, result, "the test whether object %s is convex failed: %s", name, tact_result_string(result));
    } else if (hull.dimension == 3) {
        result = judge(env, &hull, u, triangles, name);
    }
    tact_hull_mesh_free(&hull);
    return result;
}

tact_result tact_image_check_convex(tact_env* env, const tact_image_body* body, const char* name)
{
    if (body->convex || !body->mesh.positions || body->mesh.device_indices) return TACT_OK;
    if (body->mesh.triangle_count == 0 || body->mesh.vertex_count == 0) return TACT_OK;
    used u = {.points = tact_allocate(env, body->mesh.vertex_count, sizeof *u.points),
              .corners = tact_allocate(env, 3 * body->mesh.triangle_count, sizeof *u.corners),
              .number = tact_allocate_zeroed(env, body->mesh.vertex_count, sizeof *u.number)};
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (u.points && u.corners && u.number) {
        result = gather(body, &u) ? compare_with_hull(env, &u, body->mesh.triangle_count, name) : TACT_OK;
    }
    tact_release(env, u.points);
    tact_release(env, u.corners);
    tact_release(env, u.number);
    return result;
}
