// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/particles/cpu_engine.h"

static const tact_particle_lanes* const tables[] = {TACT_LANE_TABLES(tact_particle_lanes)};

static int limit = TACT_LANES_16;

bool tact_particle_limit_lanes(int level)
{
    limit = level;
    return tact_lanes_supported(level);
}

const tact_particle_lanes* tact_particle_lanes_best(void)
{
    return tables[tact_lanes_best(limit)];
}
