// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The tests of the geometry library that `tact bench geometry` times, on data that fit the second-level cache.

#include "tact/bodies.h"
#include "tact/geometry/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TACT_GEOMETRY_COUNT = 4096,  ///< pairs of shapes a pass
    TACT_GEOMETRY_ARRAYS = 29,   ///< the same shapes as arrays of coordinates
    TACT_GEOMETRY_CORNERS = 32   ///< of the hull
};

/// Random shapes, of which about a third to a half overlap: number i of the first array against number i of the second.
typedef struct tact_geometry_data {
    tact_sphere spheres[2][TACT_GEOMETRY_COUNT];
    tact_aabb boxes[2][TACT_GEOMETRY_COUNT];
    tact_obb obbs[2][TACT_GEOMETRY_COUNT];
    tact_triangle triangles[2][TACT_GEOMETRY_COUNT];
    tact_torus tori[TACT_GEOMETRY_COUNT];
    tact_vec3 motions[TACT_GEOMETRY_COUNT];
    tact_vec3 corners[TACT_GEOMETRY_CORNERS];  ///< of one hull, all of them in all poses
    tact_pose poses[2][TACT_GEOMETRY_COUNT];
    tact_pose before[TACT_GEOMETRY_COUNT];  ///< the second ones, a small motion ago
    tact_ray ray;                           ///< against the first boxes and triangles, and the tori
    float arrays[TACT_GEOMETRY_ARRAYS][TACT_GEOMETRY_COUNT];
} tact_geometry_data;

void tact_geometry_data_make(tact_geometry_data* data, uint64_t seed);

/// One way to run a test: on single shapes, as a batch, or by a peer library.
typedef struct tact_geometry_way {
    const char* test;
    const char* variant;
    bool peer;                                                 ///< its arithmetic is its own, and so are its answers
    void* (*make)(const tact_geometry_data* data);             ///< NULL: none needed; else the peer's own copy
    size_t (*run)(const tact_geometry_data* data, void* own);  ///< one pass; how many answers are yes
    void (*release)(void* own);
} tact_geometry_way;

/// Writes all ways that this build and machine have, those of one test together and the single shapes first. Returns
/// how many, at most `room`.
size_t tact_geometry_ways(tact_geometry_way* ways, size_t room);

/// The tests of the hull in pairs of poses. Returns how many there are; those of one test follow each other.
size_t tact_geometry_ways_hulls(const tact_geometry_way** ways);

/// The vertices of hulls that are farthest along directions, likewise.
size_t tact_geometry_ways_extremes(const tact_geometry_way** ways);

/// Boxes of the caller's in trees, likewise.
size_t tact_geometry_ways_trees(const tact_geometry_way** ways);

/// Boxes of the caller's and points in octrees, which are added to tests of trees.
size_t tact_geometry_ways_octrees(const tact_geometry_way** ways);

/// What is seen through portals, likewise.
size_t tact_geometry_ways_portals(const tact_geometry_way** ways);

/// Rays through grids of cells, likewise.
size_t tact_geometry_ways_cells(const tact_geometry_way** ways);

/// Shapes that are known by their planes, likewise.
size_t tact_geometry_ways_programs(const tact_geometry_way** ways);
/// Triangles of vertices of 16 bits, likewise.
size_t tact_geometry_ways_vertices(const tact_geometry_way** ways);

/// What the peers add; all return how many there are.
size_t tact_geometry_ways_bullet(const tact_geometry_way** ways);
size_t tact_geometry_ways_ccd(const tact_geometry_way** ways);
size_t tact_geometry_ways_fcl(const tact_geometry_way** ways);
size_t tact_geometry_ways_fcl_trees(const tact_geometry_way** ways);

#ifdef __cplusplus
}
#endif
