// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file points.h
/// Batches of points against solids: inside or outside, the signed distance, the winding number, and the vertex, edge
/// or face that is closest. docs/results.md defines every result to the bit.

#include "tact/closest.h"

/// The part of a triangle that the closest point is on.
typedef enum tact_feature {
    TACT_FEATURE_FACE = 0,      ///< its inside; also when nothing is found
    TACT_FEATURE_EDGE_AB = 1,   ///< the edge from the first vertex to the second
    TACT_FEATURE_EDGE_BC = 2,   ///< from the second to the third
    TACT_FEATURE_EDGE_CA = 3,   ///< from the third to the first
    TACT_FEATURE_VERTEX_A = 4,  ///< the first vertex
    TACT_FEATURE_VERTEX_B = 5,  ///< the second
    TACT_FEATURE_VERTEX_C = 6   ///< the third
} tact_feature;

/// The location of a point.
typedef struct tact_point_location {
    uint32_t inside;     ///< 1: the winding number is above 1/2; else 0
    float distance;      ///< that of tact_closest_points(), negated inside; max_distance when nothing is found
    float winding;       ///< generalized winding number, summed over all instances; an integer for closed meshes
    uint32_t instance;   ///< TACT_NONE when nothing is within the distance
    uint32_t primitive;  ///< triangle of the instance's mesh; TACT_NONE for none
    float x, y, z;       ///< the closest point, in the world; 0 for none
    uint32_t feature;    ///< a tact_feature
    float u, v;          ///< weights of the triangle's second and third vertex; 0 for none
} tact_point_location;

/// Locates each of `count` points, written to `locations` in order. The scene's triangles are the surface, all
/// instances together; seen from outside their vertices go counter-clockwise, and an instance that mirrors its mesh
/// takes its outside with it. Surfaces need not be closed: the winding number of one with holes is a fraction, and
/// `inside` is 1 where it exceeds 1/2. It adds up where solids overlap, so that the union is inside; a mesh that is
/// turned inside out counts -1, and so hollows out what is around it. A point on the surface counts as one just beyond
/// it along +x. The winding number does not depend on max_distance, but an invalid query (a NaN, a coordinate beyond
/// TACT_MAX_COORDINATE, a negative max_distance) finds nothing, with winding number 0. Boundary edges of meshes are
/// found by the first call after a commit that changed something; each point then takes time for every one of them.
/// Instances' masks and meshes' alpha masks do not matter. `points` and `locations` are host arrays that must not
/// overlap; count 0 is allowed. `options` and `report` may be NULL. When it fails the contents of `locations` are
/// unspecified. Any number of threads may ask at once. Errors: INVALID_ARGUMENT (scene not committed,
/// NULL arrays), UNSUPPORTED (instances of spheres, boxes or capsules), LIMIT, NO_DEVICE (a backend was forced that the
/// context lacks), SHADOW_MISMATCH, CANCELLED, OUT_OF_MEMORY; with `no_fallback` also what the device reported.
TACT_API tact_result tact_locate_points(tact_scene* scene, const tact_closest_query* points, size_t count,
                                        tact_point_location* locations, const tact_query_options* options,
                                        tact_query_report* report);
