// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the hulls in the plane and in space share.

#include "base/env.h"
#include "base/simd.h"
#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/convex.h"
#include "tact/geometry/hull.h"
#include "tact/geometry/hull_graph.h"

enum { TACT_HULL_POINTS = 1 << 30 };  ///< at most

/// What Quickhull knows of its points: their coordinates or, where these are no floats, how high one is above a
/// triangle of three others.
typedef struct tact_hull_sites {
    const tact_vec3* points;  ///< NULL: `height` and `user` are there
    /// Positive in front, with the exact sign; of points of one triangle larger for those farther away, nearly.
    double (*height)(const void* user, const uint32_t corner[3], uint32_t point);
    const void* user;
} tact_hull_sites;

/// Quickhull from four points of which the fourth is behind the triangle of the first three. `index` has all finite
/// points.
tact_result tact_hull_quick(tact_env* env, const tact_hull_sites* sites, size_t count, const uint32_t* index,
                            size_t index_count, const uint32_t seed[4], tact_hull_mesh* hull);

/// tact_hull_graph_extreme for a direction that was computed.
uint32_t tact_hull_graph_climb(const tact_hull_graph* graph, dvec direction, uint32_t start);

/// The faces of a tact_hull: whether each has corners that are there, the corner after place i of `face_points`, and
/// what is said of faces that do not fit.
bool tact_hull_faces_valid(const tact_hull* hull);
uint32_t tact_hull_next_point(const tact_hull* hull, uint32_t face, uint32_t i);
extern const char tact_hull_bad_faces[], tact_hull_open[];

typedef struct hull_extent {
    float largest;     ///< coordinate's size; infinite when one is not a finite number
    tact_vec3 middle;  ///< mean of the points, nearly; not finite where their sum is not
} hull_extent;

/// Of at least one point.
hull_extent tact_hull_extent(const tact_vec3* points, uint32_t count);

enum { HULL_MANY = 24 };  // fewer points take less time one by one

typedef struct hull_farthest {
    uint32_t at;
    double height;  ///< along the direction, above point 0
} hull_farthest;

/// The farther one of the best so far and point i.
static inline hull_farthest hull_closely(const tact_vec3* points, dvec d, uint32_t i, hull_farthest best)
{
    const double height = d_dot(d_sub(d_from(points[i]), d_from(points[0])), d);
    return height > best.height ? (hull_farthest){i, height} : best;
}

/// tact_hull_farthest() in single precision first, and in double what that leaves open. The direction is not zero.
uint32_t tact_hull_farthest_of_many(const tact_vec3* points, uint32_t count, float largest, dvec direction);

/// A point that no other is farther than along a direction by more than 2^-19 of the largest coordinate times the
/// direction's; `largest` is that coordinate. The direction is not zero.
uint32_t tact_hull_roughly_farthest(const tact_vec3* points, uint32_t count, float largest, dvec direction);

/// The point farthest along a direction from the first one; of equally far ones the first. All are looked at. `largest`
/// is that of tact_hull_extent(), or larger.
static inline uint32_t tact_hull_farthest(const tact_vec3* points, uint32_t count, float largest, dvec d)
{
    if (TACT_LANES_ISA > 0 && count >= HULL_MANY && (d.x != 0.0 || d.y != 0.0 || d.z != 0.0)) {
        return tact_hull_farthest_of_many(points, count, largest, d);
    }
    hull_farthest best = {0, 0.0};
    for (uint32_t i = 1; i < count; ++i)
        best = hull_closely(points, d, i, best);
    return best.at;
}
