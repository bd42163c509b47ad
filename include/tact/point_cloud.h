// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file point_cloud.h
/// Clouds of points, and batches of queries against them: the nearest points, all points within a distance, whether
/// there is one. docs/results.md defines every result to the bit.
///
/// The distance of two points counts by its square: the squares of the three differences, each rounded to single
/// precision, summed x and y first. A square below 2^-100 counts as 0. A query's limit is its square likewise, and a
/// point as far away as the limit is within it.

#include "tact/closest.h"

/// A set of points with a tree over them.
typedef struct tact_point_cloud tact_point_cloud;

/// Points of a cloud at most: 2^28.
#define TACT_CLOUD_MAX_POINTS 0x10000000u

/// Points that a query for the nearest ones is given at most.
#define TACT_CLOUD_MAX_NEAREST 64

/// Makes a cloud of `count` points, which are copied; a point's id is its place in the array. Points may coincide, and
/// there may be none, with `points` NULL then. The caller destroys the cloud before the context.
/// Errors: INVALID_ARGUMENT (NULL arguments; a NaN, an infinite coordinate or one beyond TACT_MAX_COORDINATE, the
/// detail says of which point), LIMIT, OUT_OF_MEMORY; *cloud is NULL then.
TACT_API tact_result tact_point_cloud_create(tact_context* context, const tact_vec3* points, size_t count,
                                             tact_point_cloud** cloud);

/// Replaces all points. No other thread may use the cloud meanwhile. Errors as tact_point_cloud_create(); the cloud is
/// then as before.
TACT_API tact_result tact_point_cloud_replace(tact_point_cloud* cloud, const tact_vec3* points, size_t count);

/// Returns how many points there are; 0 for NULL.
TACT_API size_t tact_point_cloud_count(const tact_point_cloud* cloud);

/// Destroys a cloud. NULL is allowed.
TACT_API void tact_point_cloud_destroy(tact_point_cloud* cloud);

/// A point that was found.
typedef struct tact_cloud_neighbour {
    uint32_t id;      ///< TACT_NONE for none
    float distance2;  ///< square of the distance; infinity for none
} tact_cloud_neighbour;

/// The points to find the nearest ones of, and the output.
typedef struct tact_cloud_nearest_work {
    const tact_closest_query* queries;  ///< `count` of them: a point each, and how far its neighbours may be
    size_t count;                       ///< of `queries`
    uint32_t nearest;                   ///< neighbours of each query: 1 to TACT_CLOUD_MAX_NEAREST
    tact_cloud_neighbour* neighbours;   ///< receives `nearest` rows of each query, those for which there is none last
    uint32_t* counts;                   ///< receives how many each query has; may be NULL
    uint64_t reserved[4];               ///< zeros: room for fields to come
} tact_cloud_nearest_work;

/// Finds of each query the points of the cloud that are nearest to it, by squared distance, then by id. A query that
/// tact_closest_query says finds nothing has none. The arrays are the host's and must not overlap; count 0 is allowed.
/// The same bytes on every backend and for every number of threads. When it fails the contents of the arrays are
/// unspecified. Any number of threads may ask at once. Errors: INVALID_ARGUMENT (NULL arrays, `nearest` outside its
/// range), LIMIT, NO_DEVICE (a backend was forced that the context lacks), SHADOW_MISMATCH, CANCELLED, OUT_OF_MEMORY;
/// with `no_fallback` also what the device reported. `options` and `report` may be NULL.
TACT_API tact_result tact_cloud_nearest(tact_point_cloud* cloud, const tact_cloud_nearest_work* work,
                                        const tact_query_options* options, tact_query_report* report);

/// The spheres to find the points in, and the output: lists, or a byte each.
typedef struct tact_cloud_within_work {
    const tact_closest_query* queries;  ///< `count` of them: centre and, as the distance, radius
    size_t count;                       ///< of `queries`
    uint64_t* offsets;     ///< receives count + 1 numbers: query i has the ids from offsets[i] to before offsets[i + 1]
    uint32_t* ids;         ///< receives at most `capacity` ids, ascending within a query
    size_t capacity;       ///< of `ids`
    uint8_t* touched;      ///< in place of the lists, which are NULL then: receives 1 where there is a point, else 0
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_cloud_within_work;

/// Finds the points of the cloud within each query's distance, or, with `touched`, whether there is one, which takes
/// less time. A query that tact_closest_query says finds nothing has none. When there are more ids than `capacity` the
/// call returns TACT_INCOMPLETE: the offsets are right, so that the last one is the capacity that is needed, and the
/// first `capacity` ids are written. The arrays are the host's and must not overlap; count 0 is allowed. The same bytes
/// on every backend and for every number of threads. When it fails the contents of the arrays are unspecified. Any
/// number of threads may ask at once. After many queries with `touched` the CPU makes 16 bytes a point, or half a
/// megabyte if that is more, that answer most of the following ones; the cloud keeps them until its points are
/// replaced. Errors: INVALID_ARGUMENT (NULL arrays, lists together with `touched`), and as tact_cloud_nearest().
/// `options` and `report` may be NULL.
TACT_API tact_result tact_cloud_within(tact_point_cloud* cloud, const tact_cloud_within_work* work,
                                       const tact_query_options* options, tact_query_report* report);
