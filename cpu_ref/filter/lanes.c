// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/filter/engine.h"
#include "cpu_ref/geometry/batch_internal.h"

static const tact_filter_lanes* level_of(int level)
{
    switch (level) {
        case 0:
            return &tact_filter_lanes_portable;
#ifdef TACT_BATCH_SSE2
        case 1:
            return &tact_filter_lanes_sse2;
#endif
#ifdef TACT_BATCH_AVX
        case 2:
            return __builtin_cpu_supports("avx2") ? &tact_filter_lanes_avx2 : NULL;
#endif
        default:
            return NULL;
    }
}

static int limit = TACT_FILTER_LANE_LEVELS - 1;

bool tact_filter_limit_lanes(int level)
{
    limit = level;
    return level_of(level) != NULL;
}

const tact_filter_lanes* tact_filter_lanes_best(void)
{
    for (int level = limit; level > 0; --level) {
        const tact_filter_lanes* lanes = level_of(level);
        if (lanes) return lanes;
    }
    return &tact_filter_lanes_portable;
}

bool tact_filter_more_room(tact_filter_search* s)
{
    void* keys = s->keys;
    const size_t needed = s->count < 256 ? 256 : s->count + 1;
    if (!tact_reserve_in_loop(s->env, &keys, &s->capacity, s->count, needed, sizeof *s->keys)) {
        s->out_of_memory = true;
        return false;
    }
    s->keys = keys;
    return true;
}
