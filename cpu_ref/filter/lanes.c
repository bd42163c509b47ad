// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/filter/engine.h"

static const tact_filter_lanes* const tables[] = {TACT_LANE_TABLES_TO_AVX2(tact_filter_lanes)};

static int limit = TACT_LANES_8;

bool tact_filter_limit_lanes(int level)
{
    limit = level;
    return tact_lanes_supported(level);
}

const tact_filter_lanes* tact_filter_lanes_best(void)
{
    return tables[tact_lanes_best(limit)];
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
