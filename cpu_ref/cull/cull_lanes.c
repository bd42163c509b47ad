// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/cull/cull_lanes.h"

#include "cpu_ref/geometry/batch_internal.h"

static const tact_cull_lane_table* level_of(int level)
{
    switch (level) {
        case 0:
            return &tact_cull_lanes_portable;
#ifdef TACT_BATCH_SSE2
        case 1:
            return &tact_cull_lanes_sse2;
#endif
#ifdef TACT_BATCH_AVX
        case 2:
            return __builtin_cpu_supports("avx2") ? &tact_cull_lanes_avx2 : NULL;
        case 3:
            return __builtin_cpu_supports("avx512f") ? &tact_cull_lanes_avx512 : NULL;
#endif
        default:
            return NULL;
    }
}

static int limit = TACT_CULL_LANE_LEVELS - 1;

bool tact_cull_limit_lanes(int level)
{
    limit = level;
    return level_of(level) != NULL;
}

const tact_cull_lane_table* tact_cull_lanes(void)
{
    for (int level = limit; level > 0; --level) {
        const tact_cull_lane_table* table = level_of(level);
        if (table) return table;
    }
    return &tact_cull_lanes_portable;
}
