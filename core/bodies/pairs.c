// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/bodies/bodies.h"

static tact_result check_pairs(const tact_bodies* set, const tact_pair* pairs, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_pair p = pairs[i];
        const bool sorted = i == 0 || pairs[i - 1].a < p.a || (pairs[i - 1].a == p.a && pairs[i - 1].b < p.b);
        if (p.a < p.b && sorted && tact_volumes_contains(set->boxes, p.a) && tact_volumes_contains(set->boxes, p.b))
            continue;
        return tact_fail(&set->context->env, TACT_ERROR_INVALID_ARGUMENT,
                         "pair %zu (%u, %u) is no pair of the set, or out of order", i, p.a, p.b);
    }
    return TACT_OK;
}

tact_result tact_bodies_pairs(tact_bodies* set, const tact_pair* given, size_t given_count,
                              const tact_query_options* options, const tact_pair** pairs, size_t* count)
{
    *pairs = given;
    *count = given_count;
    if (given) return check_pairs(set, given, given_count);
    tact_query_options mine = options ? *options : (tact_query_options){0};
    mine.ticket = NULL;
    mine.shadow = false;
    const tact_result result = tact_pairs_find(set->boxes, &(tact_pairs_work){.count = count}, &mine, NULL);
    *pairs = tact_pairs_last(set->boxes, count);
    return result;
}
