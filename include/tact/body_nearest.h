// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file body_nearest.h
/// Which body of a set is closest to a point or a shape, of many at once. docs/results.md defines every result to the
/// bit.

#include "tact/bodies.h"

/// A shape at a place; a point is a sphere of radius 0.
typedef struct tact_body_nearest_item {
    tact_pose pose;              ///< where it is
    uint32_t shape;              ///< of the set, without parts and no half-space
    float farthest;              ///< what is farther from it is not found; 0: no limit
    tact_categories categories;  ///< both zero: TACT_CATEGORIES_ALL
    uint64_t reserved[4];        ///< zeros: room for fields to come
} tact_body_nearest_item;

/// The body that is closest to an item.
typedef struct tact_body_nearest {
    uint32_t item;      ///< its number
    uint32_t body;      ///< its id; 0xffffffff when there is none
    uint32_t part;      ///< of the body's shape; 0 of a shape that has no parts
    float distance;     ///< of the surfaces; negative where they overlap; infinity for none
    tact_vec3 normal;   ///< of unit length, from the body to the item, along the world's axes; 0 for none
    tact_vec3 on_body;  ///< the closest point on the body, from the body's position along the world's axes; 0 for none
    tact_vec3 on_item;  ///< the closest point on the item, from the item's position likewise; 0 for none
} tact_body_nearest;

/// What is asked for, and where rows go.
typedef struct tact_body_nearest_work {
    const tact_body_nearest_item* items;  ///< `item_count` of them
    size_t item_count;                    ///< of `items`
    tact_body_nearest* nearest;           ///< receives at most `capacity`; NULL: tact_body_nearest_last() has them
    size_t capacity;                      ///< of `nearest`
    size_t* count;         ///< receives how many rows there are, one of each item, whatever room there is
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_body_nearest_work;

/// Finds the closest body of each item, in order: the one with the smallest distance, as tact_body_distances_find()
/// has it, of equal ones that with the smallest id, then part. Bodies whose categories do not meet the item's are left
/// out. The same bytes on every backend and for every number of threads. When there are more rows than `capacity` the
/// call returns TACT_INCOMPLETE and nothing is lost: all are in tact_body_nearest_last(). Errors: INVALID_ARGUMENT (a
/// shape that is not there, has parts or is a half-space; a pose with a NaN or outside its ranges; `farthest` negative
/// or a NaN; the detail says which item), LIMIT, NO_DEVICE, SHADOW_MISMATCH, CANCELLED, OUT_OF_MEMORY. `options` and
/// `report` may be NULL.
TACT_API tact_result tact_body_nearest_find(tact_bodies* set, const tact_body_nearest_work* work,
                                            const tact_query_options* options, tact_query_report* report);

/// Returns all rows of the last tact_body_nearest_find(): *count of them, valid until the set is next used. NULL and 0
/// when there was none.
TACT_API const tact_body_nearest* tact_body_nearest_last(const tact_bodies* set, size_t* count);
