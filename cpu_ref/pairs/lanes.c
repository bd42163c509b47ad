// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pairs/lanes.h"

static const tact_pairs_lane_table* const tables[] = {TACT_LANE_TABLES(tact_pairs_lanes)};

const tact_pairs_lane_table* tact_pairs_lane_level(int level)
{
    return tact_lanes_supported(level) ? tables[level] : NULL;
}

static int limit = TACT_LANES_16;

void tact_pairs_limit_lanes(int level)
{
    limit = level;
}

const tact_pairs_lane_table* tact_pairs_lanes(void)
{
    return tables[tact_lanes_best(limit)];
}
