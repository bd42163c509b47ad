// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/filter/engine.h"

TACT_LANE_CHOICE(tact_filter_lanes, TACT_LANE_TABLES_TO_AVX2(tact_filter_lanes), tact_filter_lanes_best)

bool tact_filter_more_room(tact_filter_search* s)
{
    TACT_ASSERT(s->count == s->capacity);
    void* keys = s->keys;
    const size_t needed = s->count < 256 ? 256 : s->count + 1;
    if (!tact_reserve_in_loop(s->env, &keys, &s->capacity, s->count, needed, sizeof *s->keys)) {
        s->out_of_memory = true;
        return false;
    }
    s->keys = keys;
    return true;
}
