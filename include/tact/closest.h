// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file closest.h
/// Batches of points, and of each the closest point on a scene's triangles, spheres, boxes and capsules.
/// docs/results.md defines every result to the bit.

#include "tact/scene.h"

/// A point of the world, and how far away the closest point may be. It finds nothing when a coordinate is NaN or beyond
/// TACT_MAX_COORDINATE, or when the distance is negative or NaN. Infinity: however far.
typedef struct tact_closest_query {
    float x, y, z;       ///< the point, in the world
    float max_distance;  ///< in the world; >= 0
} tact_closest_query;

/// The closest point.
typedef struct tact_closest_hit {
    uint32_t instance;   ///< TACT_NONE when nothing is within the distance
    uint32_t primitive;  ///< triangle or shape of the instance's mesh; TACT_NONE for none
    float distance;      ///< in the world; max_distance for none
    float u, v;          ///< weights of the triangle's second and third vertex; 0 for shapes and for none
    float x, y, z;       ///< the point itself, in the world; 0 for none
} tact_closest_hit;

/// Finds for each of `count` points the closest point on the triangles and shapes of a committed scene, written to
/// `hits` in order. Of equally close ones it is that of the smallest instance, then of the smallest primitive.
/// Everything counts as a surface: a point within a solid, a sphere, a box or a capsule is as far from it as the
/// closest point of that. Shapes that their instances stretch or shear take more time; where an axis is a millionth of
/// another one or less the point is of the surface, but perhaps not the closest. Triangles that are points, lines and
/// needles count too; instances' masks and meshes' alpha masks do not matter. `queries` and `hits` are host arrays that
/// must not overlap; count 0 is allowed. `options` and `report` may be NULL. When it fails the contents of `hits` are
/// unspecified. Any number of threads may ask at once. Errors: INVALID_ARGUMENT (scene not committed, NULL arrays),
/// LIMIT, NO_DEVICE (a backend was forced that the context lacks), SHADOW_MISMATCH, CANCELLED, OUT_OF_MEMORY; with
/// `no_fallback` also what the device reported.
TACT_API tact_result tact_closest_points(tact_scene* scene, const tact_closest_query* queries, size_t count,
                                         tact_closest_hit* hits, const tact_query_options* options,
                                         tact_query_report* report);
