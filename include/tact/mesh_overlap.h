// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file mesh_overlap.h
/// Two triangle meshes: whether they overlap, which of their triangles do, and how far apart they are.
///
/// Every decision is the exact one for the vertices as they are: those of A as given, those of B moved into A's frame
/// in single precision by its pose (docs/results.md has the order of operations). Results are the
/// same bytes on every backend and for every number of threads.
///
/// A pose is a 3 x 4 matrix in row-major order, from B's frame to A's; any finite matrix will do. NULL stands for one
/// pose, the identity. A triangle of B with a vertex that the pose moves beyond TACT_MAX_COORDINATE overlaps nothing,
/// and neither mesh is then said to be inside the other. Meshes of one query belong to one context.

#include "tact/geometry/triangle_triangle.h"
#include "tact/mesh.h"

/// The relation of two meshes, as solids where they are closed.
typedef enum tact_mesh_relation {
    TACT_MESHES_APART = 0,
    TACT_MESHES_INTERSECT = 1,  ///< a triangle of A and one of B have a point in common
    TACT_MESHES_A_INSIDE = 2,   ///< they do not, but a connected part of A is inside B, which is closed
    TACT_MESHES_B_INSIDE = 3    ///< the other way round
} tact_mesh_relation;

/// Two triangles that overlap.
typedef struct tact_mesh_pair {
    uint32_t pose;  ///< number of the pose in which they do
    uint32_t a, b;  ///< triangles of A and of B
} tact_mesh_pair;

/// Poses of B in A's frame, and the output.
typedef struct tact_overlap_work {
    const float (*poses)[12];  ///< `pose_count` of them, 3 x 4 in row-major order; NULL: one, the identity
    size_t pose_count;         ///< of `poses`
    bool solid;                ///< tact_mesh_overlap(): A_INSIDE and B_INSIDE are found too
    uint8_t* relations;        ///< tact_mesh_overlap(): receives a tact_mesh_relation for each pose
    tact_mesh_pair* pairs;     ///< tact_mesh_overlap_pairs(): receives at most `capacity` pairs; NULL with capacity 0
    size_t capacity;           ///< of `pairs`
    size_t* count;             ///< tact_mesh_overlap_pairs(): receives how many there are, whatever room there is
    uint64_t reserved[4];      ///< zeros: room for fields to come
} tact_overlap_work;

/// Finds how A and B lie in each pose. Without `solid` only APART and INTERSECT are distinguished, which takes less
/// time. Parts are connected by vertices (equal coordinates are one); any point of a part decides for all of it, since
/// no part crosses the other mesh. Errors: INVALID_ARGUMENT (a pose that is not finite: the detail says which),
/// NO_DEVICE, CANCELLED, OUT_OF_MEMORY, SHADOW_MISMATCH, the device's.
TACT_API tact_result tact_mesh_overlap(tact_mesh* a, tact_mesh* b, const tact_overlap_work* work,
                                       const tact_query_options* options, tact_query_report* report);

/// Finds all pairs of overlapping triangles, sorted by (pose, a, b), each once. The first ones are written, and when
/// there are more than `capacity` the call returns TACT_INCOMPLETE; call again with room for them. Errors as
/// tact_mesh_overlap(), and LIMIT.
TACT_API tact_result tact_mesh_overlap_pairs(tact_mesh* a, tact_mesh* b, const tact_overlap_work* work,
                                             const tact_query_options* options, tact_query_report* report);

/// Finds the pairs of a mesh's own triangles that overlap, a < b, sorted; pose is 0. Triangles with a vertex at the
/// same place (equal coordinates, -0 and 0 being equal) are skipped, so that neighbours are no pairs whether or not the
/// file repeats vertices. Else as tact_mesh_overlap_pairs().
TACT_API tact_result tact_mesh_self_overlap_pairs(tact_mesh* mesh, tact_mesh_pair* pairs, size_t capacity,
                                                  size_t* count, const tact_query_options* options,
                                                  tact_query_report* report);

/// Pairs of triangles, and the output of what they have in common.
typedef struct tact_segments_work {
    const float (*poses)[12];         ///< as in tact_overlap_work
    size_t pose_count;                ///< of `poses`
    const tact_mesh_pair* pairs;      ///< `pair_count` of them, any
    size_t pair_count;                ///< of `pairs` and `contacts`
    tact_triangle_contact* contacts;  ///< receives `pair_count` of them, in A's frame
    uint64_t reserved[4];             ///< zeros: room for fields to come
} tact_segments_work;

/// Finds what the triangles of each pair have in common, in A's frame: tact_triangle_triangle_contact() of each.
/// Errors: INVALID_ARGUMENT (no such pose or triangle: the detail says which).
TACT_API tact_result tact_mesh_overlap_segments(tact_mesh* a, tact_mesh* b, const tact_segments_work* work,
                                                const tact_query_options* options, tact_query_report* report);

/// The closest points of two meshes, in A's frame.
///
/// The pair of triangles is the one with the least squared distance, of equal ones the smallest (a, b); pairs that
/// overlap, which is decided exactly, come before all others. Squares are computed in double precision by one function
/// in one order, from points of the triangles that are the nearest ones but for rounding, so that which of two pairs
/// as near is chosen may be rounding's choice, but the same one on every machine. The points are those of
/// tact_closest_triangle_triangle(): a common one when the triangles overlap.
typedef struct tact_mesh_distance {
    float distance;                   ///< 0 when they overlap; INFINITY when nothing is within the limit
    uint32_t triangle_a, triangle_b;  ///< TACT_NONE: nothing within the limit
    tact_vec3 point_a, point_b;       ///< NaN then
} tact_mesh_distance;

/// State kept from pose to pose of a pair of meshes that move little: it makes the next query faster and never changes
/// its result. Its memory grows with the number of pairs of subtrees that a query visits. Moving vertices of either
/// mesh discards it. It must be destroyed before the meshes.
typedef struct tact_mesh_front tact_mesh_front;

/// Creates an empty front for two meshes, which must outlive it. Errors: OUT_OF_MEMORY.
TACT_API tact_result tact_mesh_front_create(tact_mesh* a, tact_mesh* b, tact_mesh_front** front);
/// Destroys the front. NULL is allowed.
TACT_API void tact_mesh_front_destroy(tact_mesh_front* front);

/// Finds the distance of A and B in one pose, if it is at most `limit` (INFINITY: any distance). `front` may be NULL.
/// On the CPU. Errors: INVALID_ARGUMENT (a pose that is not finite; a negative or NaN limit; a front of other meshes),
/// OUT_OF_MEMORY.
TACT_API tact_result tact_mesh_separation(tact_mesh* a, tact_mesh* b, const float pose[12], float limit,
                                          tact_mesh_front* front, tact_mesh_distance* result);
