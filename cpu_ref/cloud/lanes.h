// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Walks of a cloud's tree, once for each set of instructions (lanes_body.h).

#include "base/lane_levels.h"
#include "cpu_ref/cloud/search.h"

enum { TACT_CLOUD_FEW_IDS = 96, TACT_CLOUD_OPEN = 2 };

/// Ids of one query: `count` of them, or more than there is room for.
typedef struct tact_cloud_row {
    uint32_t* ids;
    size_t room, count;
} tact_cloud_row;

typedef struct tact_cloud_lane_table {
    const char* name;
    /// The nearest points of the queries whose numbers are in `order`, `count` of them.
    void (*nearest)(const tact_cloud_job* job, const uint32_t* order, uint32_t count, uint32_t nearest,
                    tact_cloud_neighbour* neighbours);
    /// Whether queries from `first` on touch a point, as far as the field's cells say that they fall into: 1 or
    /// 0, or TACT_CLOUD_OPEN.
    void (*settle)(const tact_cloud_job* job, uint32_t first, uint32_t count, uint8_t* touched);
    /// Whether they touch a point.
    void (*any)(const tact_cloud_job* job, const uint32_t* order, uint32_t count, uint8_t* touched);
    /// The ids of the points within their distances, each query's into a row of its own. A row that lacks room has only
    /// been counted. Of at most TACT_CLOUD_FEW_IDS the ids are ascending, of more in any order.
    void (*list)(const tact_cloud_job* job, const uint32_t* order, uint32_t count, tact_cloud_row* rows);
} tact_cloud_lane_table;

extern const tact_cloud_lane_table tact_cloud_lanes_portable, tact_cloud_lanes_sse2, tact_cloud_lanes_avx2,
    tact_cloud_lanes_avx512;

/// The best here, no better than the limit.
const tact_cloud_lane_table* tact_cloud_lanes(void);
