// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// All queries.

#include "core/context/query.h"

// clang-format off

/// A row tact_query_NAME for each TACT_RECORDED_KIND.
#define TACT_QUERIES(X)                                                                                             \
    X(RAYCAST, raycast) X(RAYCAST_ALL, raycast_all) X(CLOSEST, closest) X(SPHERES, spheres)                         \
    X(CULL_SCENE, cull_scene) X(CULL, cull) X(PAIRS, pairs) X(OVERLAP, overlap) X(FILTER, filter)                   \
    X(PARTICLES, step) X(SEPARATION, separation) X(SEGMENTS, segments) X(CONTACTS, contacts)                        \
    X(NEIGHBOURS, neighbours) X(PICK, pick) X(IMAGE, image) X(TARGET, target) X(LOCATE, locate)     \
    X(BODIES, bodies) X(BODY_CASTS, body_casts) X(BODY_DISTANCES, body_distances)                             \
    X(BODY_NEAREST, body_nearest) X(CLOUD_NEAREST, cloud_nearest) X(CLOUD_WITHIN, cloud_within)
// clang-format on

#define TACT_DECLARE_QUERY(kind, name) extern const tact_query tact_query_##name;
TACT_QUERIES(TACT_DECLARE_QUERY)

/// The row of a kind of record. NULL for a number that is none.
const tact_query* tact_query_of(tact_recorded_kind kind);

/// How much sample work there is.
size_t tact_query_sample_count(void);

/// Sample work number `index` of all rows, in their order; NULL for a number that is none.
const tact_query_sample* tact_query_sample_of(size_t index, const tact_query** query);
