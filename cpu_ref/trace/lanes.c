// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/lanes.h"

#include "cpu_ref/geometry/batch_internal.h"

const tact_trace_lane_table* tact_trace_lane_level(int level)
{
    switch (level) {
        case 0:
            return &tact_trace_lanes_portable;
#ifdef TACT_BATCH_SSE2
        case 1:
            return &tact_trace_lanes_sse2;
#endif
#ifdef TACT_BATCH_AVX
        case 2:
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") ? &tact_trace_lanes_avx2 : NULL;
        case 3:
            // Every processor with these four has BMI2 too.
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")
                       ? &tact_trace_lanes_avx512
                       : NULL;
#endif
        default:
            return NULL;
    }
}

static int limit = TACT_TRACE_LANE_LEVELS - 1;

void tact_trace_limit_lanes(int level)
{
    limit = level;
}

const tact_trace_lane_table* tact_trace_lanes(void)
{
    for (int level = limit; level > 0; --level) {
        const tact_trace_lane_table* table = tact_trace_lane_level(level);
        if (table) return table;
    }
    return &tact_trace_lanes_portable;
}
