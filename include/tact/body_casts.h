// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file body_casts.h
/// Batches of shapes that move and turn through a set of bodies: when, where and which body each touches first, or
/// every body that it touches. The bodies rest. docs/results.md defines every result to the bit.

#include "tact/bodies.h"

/// A shape that goes from one pose to another: its position in a straight line, evenly; its rotation the shorter way,
/// as the normalised linear interpolation of both quaternions. It touches what is within `margin` of it.
typedef struct tact_body_cast {
    tact_pose from;              ///< where it begins
    tact_pose to;                ///< where it ends; its scale is 0, or that of `from`
    uint32_t shape;              ///< of the set, no half-space
    float margin;                ///< >= 0
    tact_categories categories;  ///< both zero: TACT_CATEGORIES_ALL
    uint64_t reserved[4];        ///< zeros: room for fields to come
} tact_body_cast;

/// What a cast touches.
typedef struct tact_body_cast_hit {
    uint32_t cast;       ///< its number
    uint32_t body;       ///< its id; 0xffffffff when the cast touches nothing
    uint32_t part;       ///< of the body's shape; 0 of a shape that has no parts
    uint32_t cast_part;  ///< of the cast's shape; 0 of a shape that has no parts
    double fraction;     ///< of the motion, 0 to 1, never later than the touch; 0 where they overlap; 1 for nothing
    tact_vec3 at;        ///< on the body, from the body's position along the world's axes; 0 for nothing
    tact_vec3 normal;    ///< of unit length, from the body to the shape; 0 for nothing
} tact_body_cast_hit;

/// Which hits a cast has.
typedef enum tact_body_casts_mode {
    TACT_BODY_CASTS_FIRST = 0,  ///< the smallest fraction, then body, part and part of the cast's shape
    TACT_BODY_CASTS_ALL = 1     ///< one of each two parts that would touch if there were no others
} tact_body_casts_mode;

/// What is cast, and where hits go.
typedef struct tact_body_casts_work {
    const tact_body_cast* casts;  ///< `cast_count` of them
    size_t cast_count;            ///< of `casts`
    tact_body_casts_mode mode;    ///< which hits
    tact_body_cast_hit* hits;     ///< receives at most `capacity`; NULL: tact_body_casts_last() has them
    size_t capacity;              ///< of `hits`
    uint64_t* offsets;            ///< NULL, or receives cast_count + 1: hits of cast i are from offsets[i] on
    size_t* count;                ///< receives how many rows of hits there are, whatever room there is
    uint64_t reserved[4];         ///< zeros: room for fields to come
} tact_body_casts_work;

/// Casts shapes through a set of bodies. With TACT_BODY_CASTS_FIRST there is a row for each cast, in order, also for
/// one that touches nothing; with TACT_BODY_CASTS_ALL the rows of each cast in turn, by fraction, body, part and part
/// of the cast's shape. A fraction is no later than the touch, and earlier by at most what it takes to cross 2^-17 of
/// both shapes' extents, radii and margin; or, where 512 steps did not suffice, by more. Of shapes with parts these are
/// the parts' own, and where the shape turns also how far its part is from its position. The same bytes on every
/// backend and for every number of threads. When there are more rows than `capacity` the call returns TACT_INCOMPLETE
/// and nothing is lost: all are in tact_body_casts_last(). Shapes and parts smaller than 2^-60 together touch nothing,
/// nor do parts smaller than 2^-40 of how far they are from the position of a shape that turns, and lengths below 2^-40
/// of both are no motion. Errors: INVALID_ARGUMENT (a shape that is not there or is a half-space; a pose with a NaN or
/// outside its ranges; the detail says which cast), LIMIT (more than 2^30 pairs of parts to look at, or casts),
/// NO_DEVICE, SHADOW_MISMATCH, CANCELLED, OUT_OF_MEMORY. `options` and `report` may be NULL.
TACT_API tact_result tact_body_casts_find(tact_bodies* set, const tact_body_casts_work* work,
                                          const tact_query_options* options, tact_query_report* report);

/// Returns all rows of the last tact_body_casts_find(): *count of them, valid until the set is next used. NULL and 0
/// when there was none.
TACT_API const tact_body_cast_hit* tact_body_casts_last(const tact_bodies* set, size_t* count);
