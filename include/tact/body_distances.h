// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file body_distances.h
/// How far bodies of a set are from each other, with the closest points, or whether they overlap: of many pairs at
/// once. docs/results.md defines every result to the bit.

#include "tact/bodies.h"

/// How far two bodies are from each other.
typedef struct tact_body_distance_row {
    uint32_t a, b;            ///< ids, a < b
    uint32_t part_a, part_b;  ///< the parts of their shapes that are nearest; 0 of a shape that has no parts
    float distance;           ///< of the surfaces; negative where they overlap; infinity: there is none
    tact_vec3 normal;         ///< of unit length, from a to b, along the world's axes; 0 where there is no distance
    tact_vec3 on_a;           ///< the closest point on a, from the position of a along the world's axes
    tact_vec3 on_b;           ///< the closest point on b, from the position of b along the world's axes
} tact_body_distance_row;

/// What a row says of its pair.
typedef enum tact_body_distances_mode {
    TACT_BODY_DISTANCES_CLOSEST = 0,  ///< all of it
    TACT_BODY_DISTANCES_OVERLAP = 1   ///< `distance` alone: 0 where it would be 0 or less, else infinity
} tact_body_distances_mode;

/// What distances are asked for, and where they go.
typedef struct tact_body_distances_work {
    const tact_pair* pairs;  ///< the pairs of bodies, a < b, sorted; NULL: all whose boxes, with their margins, overlap
    size_t pair_count;       ///< of `pairs`
    tact_body_distances_mode mode;      ///< what is found of each
    float farthest;                     ///< what is farther apart has no distance; 0: no limit
    tact_body_distance_row* distances;  ///< receives at most `capacity`; NULL: tact_body_distances_last() has them
    size_t capacity;                    ///< of `distances`
    size_t* count;                      ///< receives how many rows there are, one of each pair, whatever room there is
    uint64_t reserved[4];               ///< zeros: room for fields to come
} tact_body_distances_work;

/// Finds the distance of each pair given, or of all pairs whose boxes overlap and whose categories allow it, in order.
/// Margins take no part in it. Of shapes with parts the two parts count that are nearest, of equal ones those with the
/// smallest part_a, then part_b. Apart, a distance is within 2^-18 of the extents of both parts and of itself, and
/// within 2^-13 where they nearly touch; bodies that overlap are as deep in each other as their contact says. A
/// triangle that has one side is not there for a solid whose position is behind it; of two surfaces that cross the
/// distance is 0, less their radii; two half-spaces have none. With TACT_BODY_DISTANCES_OVERLAP the search ends where
/// the answer is known. The same bytes on every backend and for every number of threads. When there are more rows than
/// `capacity` the call returns TACT_INCOMPLETE and nothing is lost: all are in tact_body_distances_last(). Errors:
/// INVALID_ARGUMENT (a pair of bodies that are not in the set, or out of order; `farthest` negative or a NaN, or given
/// with TACT_BODY_DISTANCES_OVERLAP; no such mode), LIMIT, NO_DEVICE, SHADOW_MISMATCH, CANCELLED, OUT_OF_MEMORY.
/// `options` and `report` may be NULL.
TACT_API tact_result tact_body_distances_find(tact_bodies* set, const tact_body_distances_work* work,
                                              const tact_query_options* options, tact_query_report* report);

/// Returns all rows of the last tact_body_distances_find(): *count of them, valid until the set is next used. NULL and
/// 0 when there was none.
TACT_API const tact_body_distance_row* tact_body_distances_last(const tact_bodies* set, size_t* count);
