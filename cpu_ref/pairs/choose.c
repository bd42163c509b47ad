// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pairs/choose.h"

#include <stdio.h>

tact_pairs_method tact_pairs_choose(const tact_pairs_job* job, char* reason, size_t size)
{
    const double n = job->a->count;
    const tact_pairs_method method = n > 512 && tact_pairs_way_of(TACT_PAIRS_BVH) ? TACT_PAIRS_BVH : TACT_PAIRS_BRUTE;
    snprintf(reason, size, "%.0f volumes", n);
    return method;
}
