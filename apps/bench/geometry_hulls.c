// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/bench/geometry.h"
#include "tact/geometry.h"

enum { N = TACT_GEOMETRY_COUNT, CORNERS = TACT_GEOMETRY_CORNERS, FACES = 2 * CORNERS };

/// How far apart the second poses are moved for distances, of hulls that fit in a ball of radius 1.
#define APART 2.0

/// One hull in all poses, with what the calls on the poses before have left.
typedef struct hulls {
    tact_hull hull;
    uint32_t face_start[FACES + 1], face_points[3 * FACES], neighbour_start[CORNERS + 1], neighbours[3 * FACES];
    tact_hull linked;  ///< the same with neighbours
    tact_hull_side sides[FACES];
    tact_hull_edge edges[3 * FACES / 2];
    tact_polytope polytope, of_linked;
    tact_pose apart[N];
    tact_posed_convex far[2][N];
    tact_convex_cache far_simplex[N];
    tact_polytope_cache features[N];
    tact_posed_convex shapes[2][N];
    tact_convex_cache simplex[N];
    tact_axis_cache axis[N];
} hulls;

static tact_convex shape_of(const hulls* h, int side, int i)
{
    return tact_convex_posed(&h->shapes[side][i]);
}

static tact_polytope_gap gap_of(const hulls* h, const tact_geometry_data* d, int i, const tact_pose* b,
                                tact_axis_cache* cache)
{
    return tact_polytope_separation(&h->polytope, &d->poses[0][i], &h->polytope, b, cache);
}

static bool add_faces(hulls* h, const tact_geometry_data* d)
{
    tact_hull_mesh mesh;
    if (tact_hull_mesh_3d(d->corners, CORNERS, NULL, &mesh) != TACT_OK) return false;
    h->hull = (tact_hull){.points = d->corners,
                          .point_count = CORNERS,
                          .face_start = h->face_start,
                          .face_points = h->face_points,
                          .face_count = (uint32_t)mesh.triangle_count};
    for (size_t i = 0; i < 3 * mesh.triangle_count; ++i)
        h->face_points[i] = mesh.triangles[i];
    for (uint32_t f = 0; f <= h->hull.face_count; ++f)
        h->face_start[f] = 3 * f;
    tact_hull_mesh_free(&mesh);
    h->linked = h->hull;
    if (tact_hull_link(&h->hull, h->neighbour_start, h->neighbours) != TACT_OK) return false;
    h->linked.neighbour_start = h->neighbour_start;
    h->linked.neighbours = h->neighbours;
    if (tact_polytope_make(&h->hull, h->sides, h->edges, &h->polytope) != TACT_OK) return false;
    h->of_linked = h->polytope;
    h->of_linked.hull = &h->linked;
    return true;
}

static tact_convex_contact contact_of(const hulls* h, const tact_geometry_data* d, int i, const tact_pose* b,
                                      tact_polytope_cache* cache)
{
    return tact_polytope_closest(&h->of_linked, &d->poses[0][i], &h->of_linked, b, cache);
}

static tact_convex_contact gjk_of(const hulls* h, int i, tact_convex_cache* cache)
{
    return tact_convex_distance(tact_convex_posed(&h->far[0][i]), tact_convex_posed(&h->far[1][i]), cache);
}

/// B farther from A, the same for both of its poses.
static tact_pose moved_apart(const tact_pose* a, const tact_pose* from, const tact_pose* b)
{
    const double x = from->x - a->x, y = from->y - a->y, z = from->z - a->z, length = sqrt(x * x + y * y + z * z);
    tact_pose moved = *b;
    moved.x += APART * x / length;
    moved.y += APART * y / length;
    moved.z += APART * z / length;
    return moved;
}

static void make_apart(hulls* h, const tact_geometry_data* d, int i)
{
    const tact_pose before = moved_apart(&d->poses[0][i], &d->poses[1][i], &d->before[i]);
    h->apart[i] = moved_apart(&d->poses[0][i], &d->poses[1][i], &d->poses[1][i]);
    h->far[0][i] = (tact_posed_convex){tact_convex_hull(&h->linked), &d->poses[0][i], {0}};
    h->far[1][i] = (tact_posed_convex){tact_convex_hull(&h->linked), &before, {0}};
    gjk_of(h, i, &h->far_simplex[i]);
    contact_of(h, d, i, &before, &h->features[i]);
    h->far[1][i].pose = &h->apart[i];
}

static void* make(const tact_geometry_data* d)
{
    hulls* h = calloc(1, sizeof *h);
    if (!h || !add_faces(h, d)) {
        free(h);
        return NULL;
    }
    for (int i = 0; i < N; ++i) {
        h->shapes[0][i] = (tact_posed_convex){tact_convex_hull(&h->hull), &d->poses[0][i], {0}};
        h->shapes[1][i] = (tact_posed_convex){tact_convex_hull(&h->hull), &d->before[i], {0}};
        tact_convex_overlap(shape_of(h, 0, i), shape_of(h, 1, i), &h->simplex[i]);
        gap_of(h, d, i, &d->before[i], &h->axis[i]);
        h->shapes[1][i].pose = &d->poses[1][i];
        make_apart(h, d, i);
    }
    return h;
}

#define HULLS(name, test)                                      \
    static size_t name(const tact_geometry_data* d, void* own) \
    {                                                          \
        const hulls* h = own;                                  \
        size_t yes = 0;                                        \
        (void)d;                                               \
        for (int i = 0; i < N; ++i) {                          \
            tact_convex_cache simplex = h->simplex[i];         \
            tact_axis_cache axis = h->axis[i];                 \
            tact_convex_cache far_simplex = h->far_simplex[i]; \
            tact_polytope_cache features = h->features[i];     \
            (void)simplex;                                     \
            (void)far_simplex;                                 \
            (void)features;                                    \
            (void)axis;                                        \
            yes += (test);                                     \
        }                                                      \
        return yes;                                            \
    }

HULLS(overlap_cold, tact_convex_overlap(shape_of(h, 0, i), shape_of(h, 1, i), NULL))
HULLS(overlap_warm, tact_convex_overlap(shape_of(h, 0, i), shape_of(h, 1, i), &simplex))
HULLS(axes_cold, gap_of(h, d, i, &d->poses[1][i], NULL).overlap)
HULLS(axes_warm, gap_of(h, d, i, &d->poses[1][i], &axis).overlap)
HULLS(depth, tact_convex_penetration(shape_of(h, 0, i), shape_of(h, 1, i)).distance <= 0.0f)
HULLS(far_cold, gjk_of(h, i, NULL).distance < 1.6f)
HULLS(far_warm, gjk_of(h, i, &far_simplex).distance < 1.6f)
HULLS(features_cold, contact_of(h, d, i, &h->apart[i], NULL).distance < 1.6f)
HULLS(features_warm, contact_of(h, d, i, &h->apart[i], &features).distance < 1.6f)

size_t tact_geometry_ways_hulls(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {
        {"hulls of 32: overlap", "single", false, make, overlap_cold, free},
        {"hulls of 32: overlap", "warm", false, make, overlap_warm, free},
        {"hulls of 32: depth", "single", false, make, axes_cold, free},
        {"hulls of 32: depth", "warm", false, make, axes_warm, free},
        {"hulls of 32: depth", "any shapes", false, make, depth, free},
        {"hulls of 32: distance", "single", false, make, far_cold, free},
        {"hulls of 32: distance", "warm", false, make, far_warm, free},
        {"hulls of 32: distance", "features", false, make, features_cold, free},
        {"hulls of 32: distance", "features, warm", false, make, features_warm, free},
    };
    *ways = all;
    return sizeof all / sizeof all[0];
}
