// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/cull/cull_lanes.h"

static const tact_cull_lane_table* const tables[] = {TACT_LANE_TABLES(tact_cull_lanes)};

static int limit = TACT_LANES_16;

bool tact_cull_limit_lanes(int level)
{
    limit = level;
    return tact_lanes_supported(level);
}

const tact_cull_lane_table* tact_cull_lanes(void)
{
    return tables[tact_lanes_best(limit)];
}
