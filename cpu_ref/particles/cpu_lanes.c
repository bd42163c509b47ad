// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/geometry/batch_internal.h"
#include "cpu_ref/particles/cpu_engine.h"

static const tact_particle_lanes* lanes_of(int level)
{
    switch (level) {
        case 0:
            return &tact_particle_lanes_portable;
#ifdef TACT_BATCH_SSE2
        case 1:
            return &tact_particle_lanes_sse2;
#endif
#ifdef TACT_BATCH_AVX
        case 2:
            return __builtin_cpu_supports("avx2") ? &tact_particle_lanes_avx2 : NULL;
        case 3:
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") ? &tact_particle_lanes_avx512
                                                                                           : NULL;
#endif
        default:
            return NULL;
    }
}

static int limit = TACT_PARTICLE_LANE_LEVELS - 1;

bool tact_particle_limit_lanes(int level)
{
    limit = level;
    return lanes_of(level) != NULL;
}

const tact_particle_lanes* tact_particle_lanes_best(void)
{
    for (int level = limit; level > 0; --level) {
        const tact_particle_lanes* lanes = lanes_of(level);
        if (lanes) return lanes;
    }
    return &tact_particle_lanes_portable;
}
