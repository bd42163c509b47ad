// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/bodies/bodies.h"

tact_result tact_bodies_check_pairs(const tact_bodies* set, const tact_pair* pairs, size_t count)
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

size_t tact_bodies_expected_pairs(const tact_bodies* set)
{
    const size_t before = (size_t)set->boxes->info.pairs;
    return before > 0 ? before : 4 * tact_bodies_count(set);
}

tact_result tact_bodies_find_pairs(const tact_bodies* set, bool stay, tact_pairs_arguments* q, uint32_t device,
                                   const tact_query_options* options, tact_query_report* report)
{
    *q = (tact_pairs_arguments){.a = set->boxes, .stay = stay};
    const tact_result result = tact_pairs_run_on(q, device, options, report);
    if (result != TACT_OK || q->info.pairs <= TACT_MAX_PAIRS) return result;
    return tact_fail(&set->context->env, TACT_ERROR_LIMIT, "%llu pairs: at most 2^30",
                     (unsigned long long)q->info.pairs);
}
