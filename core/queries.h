// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// All queries.

#include "core/context/query.h"

extern const tact_query tact_query_raycast, tact_query_raycast_all, tact_query_closest, tact_query_spheres,
    tact_query_scene_cull, tact_query_cull, tact_query_pairs, tact_query_overlap, tact_query_filter, tact_query_step,
    tact_query_separation, tact_query_segments, tact_query_contacts, tact_query_neighbours, tact_query_pick,
    tact_query_image, tact_query_target;

/// The row of a kind of record. NULL for a number that is none.
const tact_query* tact_query_of(tact_recorded_kind kind);

/// How much sample work there is.
size_t tact_query_sample_count(void);

/// Sample work number `index` of all rows, in their order; NULL for a number that is none.
const tact_query_sample* tact_query_sample_of(size_t index, const tact_query** query);
