// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/bench/geometry.h"
#include "apps/inputs/random.h"
#include "tact/geometry.h"

enum { N = TACT_GEOMETRY_COUNT, CORNERS = TACT_GEOMETRY_CORNERS, FACES = 2 * CORNERS, LINES = 16 };

/// A hull in all poses as planes and as points, boxes as planes, and half-planes.
typedef struct programs {
    tact_hull_mesh mesh;
    size_t faces;
    tact_plane local[FACES];          ///< of the hull
    tact_plane planes[N][2 * FACES];  ///< of both hulls of a pair
    tact_vec3 points[2][N][CORNERS];  ///< likewise
    tact_plane sides[N][12];          ///< of both oriented boxes of a pair
    tact_vec3 box_points[2][N][8];
    tact_vec3 asked[N];  ///< around the hull
    tact_half_plane lines[N][LINES];
    tact_plane walls[N][LINES];  ///< the same in space
    tact_vec2 aims[N];
} programs;

static void release(void* own)
{
    programs* p = own;
    if (!p) return;
    tact_hull_mesh_free(&p->mesh);
    free(p);
}

static tact_vec3 cross(tact_vec3 a, tact_vec3 b)
{
    return (tact_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static tact_vec3 turned(tact_quat q, tact_vec3 v)
{
    const tact_vec3 u = {q.x, q.y, q.z}, once = cross(u, v), twice = cross(u, once);
    return (tact_vec3){v.x + 2.0f * (q.w * once.x + twice.x), v.y + 2.0f * (q.w * once.y + twice.y),
                       v.z + 2.0f * (q.w * once.z + twice.z)};
}

/// Through a point.
static tact_plane plane_at(tact_vec3 normal, tact_vec3 at)
{
    const double d =
        (double)normal.x * (double)at.x + (double)normal.y * (double)at.y + (double)normal.z * (double)at.z;
    return (tact_plane){normal, (float)d};
}

static bool make_hull(programs* p, const tact_geometry_data* d)
{
    if (tact_hull_mesh_3d(d->corners, CORNERS, NULL, &p->mesh) != TACT_OK) return false;
    p->faces = p->mesh.triangle_count;
    for (size_t f = 0; f < p->faces; ++f) {
        const uint32_t* t = &p->mesh.triangles[3 * f];
        const tact_vec3 a = d->corners[t[0]], b = d->corners[t[1]], c = d->corners[t[2]];
        const tact_vec3 ab = {b.x - a.x, b.y - a.y, b.z - a.z}, ac = {c.x - a.x, c.y - a.y, c.z - a.z};
        p->local[f] = plane_at(cross(ab, ac), a);
    }
    return true;
}

static void pose_hull(programs* p, const tact_geometry_data* d, int side, int i)
{
    const tact_pose* pose = &d->poses[side][i];
    for (int k = 0; k < CORNERS; ++k) {
        const tact_vec3 v = turned(pose->rotation, d->corners[k]);
        p->points[side][i][k] = (tact_vec3){v.x + (float)pose->x, v.y + (float)pose->y, v.z + (float)pose->z};
    }
    for (size_t f = 0; f < p->faces; ++f) {
        const tact_vec3 at = p->points[side][i][p->mesh.triangles[3 * f]];
        p->planes[i][(size_t)side * p->faces + f] = plane_at(turned(pose->rotation, p->local[f].normal), at);
    }
}

static void make_sides(programs* p, const tact_geometry_data* d, int i)
{
    for (int k = 0; k < 12; ++k) {
        const tact_obb* b = &d->obbs[k / 6][i];
        const int axis = k / 2 % 3;
        const float sign = k % 2 ? 1.0f : -1.0f, half = axis == 0 ? b->half.x : axis == 1 ? b->half.y : b->half.z;
        const tact_vec3 u = b->axis[axis], n = {sign * u.x, sign * u.y, sign * u.z};
        p->sides[i][k] = plane_at(n, b->center);
        p->sides[i][k].distance += half;
    }
}

/// Half-planes whose borders pass the origin nearby, so that half of them leave it out.
static void make_lines(programs* p, tact_random* r, int i)
{
    for (int k = 0; k < LINES; ++k) {
        const float x = (float)tact_random_between(r, -1.0, 1.0), y = (float)tact_random_between(r, -1.0, 1.0);
        const float distance = (float)tact_random_between(r, -0.15, 0.7);
        p->lines[i][k] = (tact_half_plane){{x, y}, distance};
        p->walls[i][k] = (tact_plane){{x, y, 0.0f}, distance};
    }
    p->aims[i].x = (float)tact_random_between(r, -1.0, 1.0);
    p->aims[i].y = (float)tact_random_between(r, -1.0, 1.0);
}

static void* make(const tact_geometry_data* d)
{
    tact_random r = {11};
    programs* p = calloc(1, sizeof *p);
    if (!p || !make_hull(p, d)) {
        free(p);
        return NULL;
    }
    for (int i = 0; i < N; ++i) {
        pose_hull(p, d, 0, i);
        pose_hull(p, d, 1, i);
        make_sides(p, d, i);
        for (int side = 0; side < 2; ++side)
            tact_obb_corners(&d->obbs[side][i], p->box_points[side][i]);
        make_lines(p, &r, i);
        p->asked[i] = (tact_vec3){(float)d->poses[1][i].x, (float)d->poses[1][i].y, (float)d->poses[1][i].z};
    }
    return p;
}

static const tact_aabb everything = {{-100, -100, -100}, {100, 100, 100}};

static bool have_a_point(const tact_plane* planes, size_t count)
{
    return tact_lp_3d(planes, count, (tact_vec3){0, 0, 0}, everything).status == TACT_LP_OPTIMUM;
}

/// The hull of half-spaces, made for one question.
static bool meshes_overlap(const tact_plane* planes, size_t each)
{
    tact_convex_mesh mesh[2] = {{0}};
    bool overlap = false;
    if (tact_half_spaces_mesh(planes, each, everything, NULL, &mesh[0]) == TACT_OK &&
        tact_half_spaces_mesh(planes + each, each, everything, NULL, &mesh[1]) == TACT_OK) {
        const tact_hull a = tact_convex_mesh_hull(&mesh[0]), b = tact_convex_mesh_hull(&mesh[1]);
        overlap = tact_convex_overlap(tact_convex_hull(&a), tact_convex_hull(&b), NULL);
    }
    tact_convex_mesh_free(&mesh[0]);
    tact_convex_mesh_free(&mesh[1]);
    return overlap;
}

static bool points_overlap(const tact_vec3* a_points, const tact_vec3* b_points, uint32_t count)
{
    const tact_hull a = {.points = a_points, .point_count = count}, b = {.points = b_points, .point_count = count};
    return tact_convex_overlap(tact_convex_hull(&a), tact_convex_hull(&b), NULL);
}

static float distance_of_points(const tact_vec3* points, uint32_t count, const tact_vec3* from)
{
    const tact_hull hull = {.points = points, .point_count = count};
    return tact_convex_distance(tact_convex_hull(&hull), tact_convex_point(from), NULL).distance;
}

static float distance_of_mesh(const programs* p, int i)
{
    tact_convex_mesh mesh = {0};
    float distance = INFINITY;
    if (tact_half_spaces_mesh(p->local, p->faces, everything, NULL, &mesh) == TACT_OK) {
        const tact_hull hull = tact_convex_mesh_hull(&mesh);
        distance = tact_convex_distance(tact_convex_hull(&hull), tact_convex_point(&p->asked[i]), NULL).distance;
    }
    tact_convex_mesh_free(&mesh);
    return distance;
}

#define PROGRAMS(name, test)                                   \
    static size_t name(const tact_geometry_data* d, void* own) \
    {                                                          \
        const programs* p = own;                               \
        size_t yes = 0;                                        \
        (void)d;                                               \
        for (int i = 0; i < N; ++i)                            \
            yes += (test);                                     \
        return yes;                                            \
    }

PROGRAMS(boxes_lp, have_a_point(p->sides[i], 12))
PROGRAMS(boxes_gjk, points_overlap(p->box_points[0][i], p->box_points[1][i], 8))
PROGRAMS(boxes_mesh, meshes_overlap(p->sides[i], 6))
PROGRAMS(hulls_lp, have_a_point(p->planes[i], 2 * p->faces))
PROGRAMS(hulls_gjk, points_overlap(p->points[0][i], p->points[1][i], CORNERS))
PROGRAMS(hulls_mesh, meshes_overlap(p->planes[i], p->faces))
PROGRAMS(hulls_gap, !tact_points_gap(p->points[0][i], CORNERS, p->points[1][i], CORNERS).apart)
PROGRAMS(box_qp, tact_half_spaces_closest(p->sides[i], 6, d->obbs[1][i].center).distance < 0.4f)
PROGRAMS(box_gjk, distance_of_points(p->box_points[0][i], 8, &d->obbs[1][i].center) < 0.4f)
PROGRAMS(nearest_qp, tact_half_spaces_closest(p->local, p->faces, p->asked[i]).distance < 0.8f)
PROGRAMS(nearest_gjk, distance_of_points(d->corners, CORNERS, &p->asked[i]) < 0.8f)
PROGRAMS(nearest_faces,
         tact_closest_on_convex(p->asked[i], d->corners, p->mesh.triangles, (uint32_t)p->faces, NULL).distance < 0.8f)
PROGRAMS(nearest_mesh, distance_of_mesh(p, i) < 0.8f)
PROGRAMS(plane_lp,
         tact_lp_2d(p->lines[i], LINES, p->aims[i], (tact_vec2){-1, -1}, (tact_vec2){1, 1}).status == TACT_LP_OPTIMUM)
PROGRAMS(space_lp, tact_lp_3d(p->walls[i], LINES, (tact_vec3){p->aims[i].x, p->aims[i].y, 0.0f},
                              (tact_aabb){{-1, -1, 0}, {1, 1, 0}})
                           .status == TACT_LP_OPTIMUM)

#define ROW(test, variant, run)                             \
    {                                                       \
        "planes: " test, variant, false, make, run, release \
    }

size_t tact_geometry_ways_programs(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {
        ROW("two boxes overlap", "linear programme", boxes_lp),
        ROW("two boxes overlap", "corners, GJK", boxes_gjk),
        ROW("two boxes overlap", "corners found, GJK", boxes_mesh),
        ROW("two hulls of 32 overlap", "linear programme", hulls_lp),
        ROW("two hulls of 32 overlap", "corners, GJK", hulls_gjk),
        ROW("two hulls of 32 overlap", "corners found, GJK", hulls_mesh),
        ROW("two hulls of 32 overlap", "corners, linear programme", hulls_gap),
        ROW("box, nearest", "quadratic programme", box_qp),
        ROW("box, nearest", "corners, GJK", box_gjk),
        ROW("hull of 32, nearest", "quadratic programme", nearest_qp),
        ROW("hull of 32, nearest", "corners, GJK", nearest_gjk),
        ROW("hull of 32, nearest", "corners, faces", nearest_faces),
        ROW("hull of 32, nearest", "corners found, GJK", nearest_mesh),
        ROW("16 lines", "linear programme", plane_lp),
        ROW("16 lines", "linear programme in space", space_lp),
    };
    *ways = all;
    return sizeof all / sizeof all[0];
}
