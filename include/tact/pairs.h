// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file pairs.h
/// The broad phase: all overlapping pairs within a set of volumes or between two, and the changes since the last
/// update.
///
/// The result is defined by testing every volume with every other, and is the same bytes for every method, backend and
/// number of threads:
/// - Two AABBs overlap by tact_aabb_overlaps_aabb(): closed intervals, so touching counts.
/// - Two spheres overlap by tact_sphere_overlaps_sphere(), an AABB and a sphere by tact_sphere_overlaps_aabb().
/// - A pair counts when the categories of both allow it (volumes.h).
/// - Within a set a < b; between two, a is of the first and b of the second. Sorted by a, then b; no duplicates.

#include "tact/volumes.h"

/// Two volumes that overlap.
typedef struct tact_pair {
    uint32_t a, b;  ///< ids
} tact_pair;

/// The algorithm that finds pairs. All give the same result; docs/pairs.md says when each is fastest.
typedef enum tact_pairs_method {
    TACT_PAIRS_AUTO = 0,   ///< by expected cost from count, density, spread of sizes and motion
    TACT_PAIRS_BRUTE = 1,  ///< every one with every other
    TACT_PAIRS_SAP = 2,    ///< sort and sweep along the axis on which the fewest boxes overlap
    TACT_PAIRS_GRID = 3,   ///< one uniform grid, hashed
    TACT_PAIRS_HGRID = 4,  ///< a hierarchy of grids, for mixed sizes
    TACT_PAIRS_BVH = 5,    ///< a linear BVH against itself, refitted or rebuilt
    TACT_PAIRS_TREE = 6,   ///< a dynamic tree with insertion
    TACT_PAIRS_METHOD_COUNT = 7
} tact_pairs_method;

/// Returns "auto", "brute", "sap", "grid", "hgrid", "bvh" or "tree"; "?" for anything else. Thread-safe.
TACT_API const char* tact_pairs_method_name(tact_pairs_method method);

/// The volumes to find pairs between, the method, and the output.
typedef struct tact_pairs_work {
    tact_volumes* b;                        ///< another set of the same context; NULL: pairs within the one set
    tact_pairs_method method;               ///< default: AUTO
    tact_pair* pairs;                       ///< receives at most `capacity` pairs; NULL: tact_pairs_last() has them
    const tact_device_array* device_pairs;  ///< in place of `pairs`: a device's, of tact_pair, 8 bytes each
    size_t capacity;                        ///< of `pairs` or `device_pairs`
    size_t* count;                          ///< receives how many there are, whatever room there is
    uint64_t reserved[4];                   ///< zeros: room for fields to come
} tact_pairs_work;

/// Finds the pairs within `a` or between `a` and the work's `b`. The first ones are written. When there are more than
/// `capacity` the call returns TACT_INCOMPLETE and nothing is lost: all of them are in tact_pairs_last(), unless they
/// went to a device. The array of a device chooses the backend, and pairs get there without a copy through the host.
/// The set's structures are kept between calls, so that a next call after small motion is cheaper.
/// A method other than AUTO is used however long it takes, or the call fails; only the reference tests every pair by
/// any method. The CPU has all methods; GPU backends have BVH and, within a set, GRID. Where the options force a GPU
/// backend that lacks the method, `no_fallback` makes it UNSUPPORTED, else the CPU uses it. tact_pairs_get_info() has
/// the method used.
///
/// Errors: INVALID_ARGUMENT (sets of different contexts; a == b; as tact_volumes_bind() for `device_pairs`), LIMIT
/// (more than TACT_MAX_PAIRS: *count is right; use tact_pairs_each), NO_DEVICE, UNSUPPORTED, SHADOW_MISMATCH,
/// CANCELLED, OUT_OF_MEMORY; with `no_fallback` also what the device reported. `options` and `report` may be NULL.
TACT_API tact_result tact_pairs_find(tact_volumes* a, const tact_pairs_work* work, const tact_query_options* options,
                                     tact_query_report* report);

/// Pairs that one list holds at most: 2^30 (8 GiB).
#define TACT_MAX_PAIRS 0x40000000u

/// Returns all pairs of the last tact_pairs_find() with `a` as its first set: *count of them, valid until the next
/// query on the set, by whichever thread: where several ask, take a copy by the work's `pairs`. NULL and 0 when there
/// was none, and after tact_pairs_each() and tact_pair_tracker_update(), which keep their own.
TACT_API const tact_pair* tact_pairs_last(const tact_volumes* a, size_t* count);

/// Receives `count` pairs, in order, valid during the call. Return false to stop: CANCELLED.
typedef bool tact_pairs_fn(const tact_pair* pairs, size_t count, void* user);

/// The volumes to find pairs between, the method, and the receiver.
typedef struct tact_pairs_each_work {
    tact_volumes* b;           ///< another set of the same context; NULL: pairs within the one set
    tact_pairs_method method;  ///< default: AUTO
    size_t piece;              ///< pairs held at a time; 0: 2^24; at least 2^20 and the pairs of one volume
    tact_pairs_fn* receive;    ///< called with one piece after the other
    void* user;                ///< passed to `receive`
    uint64_t* count;           ///< receives how many there were in all
    uint64_t reserved[4];      ///< zeros: room for fields to come
} tact_pairs_each_work;

/// Finds the pairs of tact_pairs_find() in pieces, in the same order, for results that do not fit memory. Runs on the
/// CPU, with any method. Errors as tact_pairs_find().
TACT_API tact_result tact_pairs_each(tact_volumes* a, const tact_pairs_each_work* work,
                                     const tact_query_options* options, tact_query_report* report);

/// Facts about the last query with `a` as its first set.
typedef struct tact_pairs_info {
    tact_pairs_method method;  ///< the one used
    uint64_t pairs;            ///< how many there were
    uint64_t tests;            ///< volume against volume; 0 where it is not counted
    bool rebuilt;              ///< the structure was built anew rather than updated
    char reason[256];          ///< why this method
    uint64_t reserved[4];      ///< zeros: room for fields to come
} tact_pairs_info;

/// Gets facts about the last query. Errors: INVALID_ARGUMENT (no query yet).
TACT_API tact_result tact_pairs_get_info(const tact_volumes* a, tact_pairs_info* info);

/// Remembers the pairs of one set, or between two, from one update to the next.
typedef struct tact_pair_tracker tact_pair_tracker;

/// Creates a tracker of the pairs within `a`, or between `a` and `b` unless that is NULL. It must be destroyed before
/// the sets. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY.
TACT_API tact_result tact_pair_tracker_create(tact_volumes* a, tact_volumes* b, tact_pair_tracker** tracker);
/// Destroys a tracker and its lists, before the sets. NULL is allowed.
TACT_API void tact_pair_tracker_destroy(tact_pair_tracker* tracker);

/// Finds the pairs as tact_pairs_find does and compares them with those of the last update (none, the first time). A
/// volume that was removed and whose id now belongs to another has ended its pairs: such a pair may be among the ended
/// and the begun. After an error the tracker is as before.
TACT_API tact_result tact_pair_tracker_update(tact_pair_tracker* tracker, tact_pairs_method method,
                                              const tact_query_options* options, tact_query_report* report);

/// A list of pairs, by two updates.
typedef enum tact_pair_change {
    TACT_PAIRS_BEGUN = 0,    ///< now, not before
    TACT_PAIRS_ENDED = 1,    ///< before, not now
    TACT_PAIRS_KEPT = 2,     ///< both
    TACT_PAIRS_CURRENT = 3,  ///< now: begun and kept
} tact_pair_change;

/// Returns a sorted list of the last update, valid until the next. NULL and 0 before the first.
TACT_API const tact_pair* tact_pair_tracker_pairs(const tact_pair_tracker* tracker, tact_pair_change change,
                                                  size_t* count);

///
