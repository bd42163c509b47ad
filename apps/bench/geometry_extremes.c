// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/bench/geometry.h"
#include "apps/inputs/random.h"
#include "tact/geometry.h"

enum { N = TACT_GEOMETRY_COUNT };

/// A hull with its edges and its hierarchy, and directions; each has another near it, and the vertex that is extreme
/// along that.
typedef struct extremes {
    tact_vec3* points;
    tact_hull_mesh mesh;
    tact_hull hull;
    uint32_t *face_start, *neighbour_start, *neighbours;
    tact_hull_graph graph;
    tact_hull_hierarchy hierarchy;
    uint32_t *map, cells;  ///< apex points
    tact_vec3 directions[N];
    uint32_t warm[N];
} extremes;

static void release(void* own)
{
    extremes* e = own;
    if (!e) return;
    tact_hull_mesh_free(&e->mesh);
    tact_hull_hierarchy_free(&e->hierarchy);
    free(e->points);
    free(e->face_start);
    free(e->neighbour_start);
    free(e->neighbours);
    free(e->map);
    free(e);
}

static tact_vec3 on_sphere(tact_random* r)
{
    const double z = tact_random_between(r, -1.0, 1.0), turn = tact_random_between(r, 0.0, 6.283185307179586);
    const double s = sqrt(1.0 - z * z);
    return (tact_vec3){(float)(s * cos(turn)), (float)(s * sin(turn)), (float)z};
}

static bool link_hull(extremes* e, uint32_t count)
{
    if (tact_hull_mesh_3d(e->points, count, NULL, &e->mesh) != TACT_OK || e->mesh.vertex_count != count) return false;
    const size_t corners = 3 * e->mesh.triangle_count;
    e->face_start = malloc((e->mesh.triangle_count + 1) * sizeof *e->face_start);
    e->neighbour_start = malloc((count + 1) * sizeof *e->neighbour_start);
    e->neighbours = malloc(corners * sizeof *e->neighbours);
    if (!e->face_start || !e->neighbour_start || !e->neighbours) return false;
    for (uint32_t f = 0; f <= e->mesh.triangle_count; ++f)
        e->face_start[f] = 3 * f;
    e->hull = (tact_hull){.points = e->points,
                          .point_count = count,
                          .face_start = e->face_start,
                          .face_points = e->mesh.triangles,
                          .face_count = (uint32_t)e->mesh.triangle_count};
    e->graph = (tact_hull_graph){e->points, e->neighbour_start, e->neighbours, count};
    e->cells = 1;
    while (tact_apex_map_size(e->cells) < count)
        ++e->cells;
    e->map = malloc(tact_apex_map_size(e->cells) * sizeof *e->map);
    return e->map && tact_hull_link(&e->hull, e->neighbour_start, e->neighbours) == TACT_OK &&
           tact_apex_map_make(&e->graph, e->cells, e->map) &&
           tact_hull_hierarchy_make(e->points, count, NULL, &e->hierarchy) == TACT_OK;
}

/// Points of a sphere, or of one that is pressed flat, along whose normals the directions are.
static void* make_of(uint32_t count, float thickness)
{
    tact_random r = {7};
    extremes* e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->points = malloc(count * sizeof *e->points);
    for (uint32_t i = 0; i < count && e->points; ++i) {
        e->points[i] = on_sphere(&r);
        e->points[i].z *= thickness;
    }
    if (!e->points || !link_hull(e, count)) {
        release(e);
        return NULL;
    }
    for (int i = 0; i < N; ++i) {
        tact_vec3 d = on_sphere(&r);
        const tact_vec3 off = on_sphere(&r);
        const tact_vec3 before = {d.x + 0.02f * off.x, d.y + 0.02f * off.y, (d.z + 0.02f * off.z) / thickness};
        d.z /= thickness;
        e->directions[i] = d;
        e->warm[i] = tact_hull_hierarchy_extreme(&e->hierarchy, before);
    }
    return e;
}

#define MAKE(name, count, thickness)               \
    static void* name(const tact_geometry_data* d) \
    {                                              \
        (void)d;                                   \
        return make_of((count), (thickness));      \
    }

MAKE(of_32, 32, 1.0f)
MAKE(of_256, 256, 1.0f)
MAKE(of_4096, 4096, 1.0f)
MAKE(of_65536, 65536, 1.0f)
MAKE(lens, 4096, 1e-3f)

/// How many extreme vertices are on one side.
#define EXTREMES(name, vertex)                                 \
    static size_t name(const tact_geometry_data* d, void* own) \
    {                                                          \
        const extremes* e = own;                               \
        size_t yes = 0;                                        \
        (void)d;                                               \
        for (int i = 0; i < N; ++i)                            \
            yes += (vertex).x > 0.1f;                          \
        return yes;                                            \
    }

EXTREMES(all_points, tact_convex_support(tact_convex_hull(&e->hull), e->directions[i]))
EXTREMES(climb_cold, e->points[tact_hull_graph_extreme(&e->graph, e->directions[i], 0)])
EXTREMES(climb_warm, e->points[tact_hull_graph_extreme(&e->graph, e->directions[i], e->warm[i])])
EXTREMES(by_map, e->points[tact_apex_map_extreme(&e->graph, e->map, e->cells, e->directions[i])])
EXTREMES(by_levels, e->points[tact_hull_hierarchy_extreme(&e->hierarchy, e->directions[i])])

#define WAYS(test, make)                                                                                            \
    {test, "single", false, make, all_points, release}, {test, "climbing, cold", false, make, climb_cold, release}, \
        {test, "climbing, warm", false, make, climb_warm, release}, {test, "map", false, make, by_map, release},    \
    {                                                                                                               \
        test, "hierarchy", false, make, by_levels, release                                                          \
    }

size_t tact_geometry_ways_extremes(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {WAYS("farthest of 32", of_32), WAYS("farthest of 256", of_256),
                                            WAYS("farthest of 4096", of_4096), WAYS("farthest of 65536", of_65536),
                                            WAYS("farthest of a lens of 4096", lens)};
    *ways = all;
    return sizeof all / sizeof all[0];
}
