// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pairs/lanes.h"

#include "cpu_ref/geometry/batch_internal.h"

const tact_pairs_lane_table* tact_pairs_lane_level(int level)
{
    switch (level) {
        case 0:
            return &tact_pairs_lanes_portable;
#ifdef TACT_BATCH_SSE2
        case 1:
            return &tact_pairs_lanes_sse2;
#endif
#ifdef TACT_BATCH_AVX
        case 2:
            return __builtin_cpu_supports("avx2") ? &tact_pairs_lanes_avx2 : NULL;
        case 3:
            // Lanes of 256 bits with masks are of the second.
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") ? &tact_pairs_lanes_avx512
                                                                                           : NULL;
#endif
        default:
            return NULL;
    }
}

static int limit = TACT_PAIRS_LANE_LEVELS - 1;

void tact_pairs_limit_lanes(int level)
{
    limit = level;
}

const tact_pairs_lane_table* tact_pairs_lanes(void)
{
    for (int level = limit; level > 0; --level) {
        const tact_pairs_lane_table* table = tact_pairs_lane_level(level);
        if (table) return table;
    }
    return &tact_pairs_lanes_portable;
}
