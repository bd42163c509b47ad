// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/verify/verify.h"

static uint64_t key_of(tact_pair pair)
{
    return (uint64_t)pair.a << 32 | pair.b;
}

static void take(tact_pair* const lists[3], int list, uint64_t* count, tact_pair pair)
{
    if (lists) lists[list][*count] = pair;
    ++*count;
}

tact_pair_changes tact_pair_changes_of(const tact_pair* before, size_t before_count, const tact_pair* now,
                                       size_t now_count, tact_pair* const lists[3])
{
    tact_pair_changes changes = {0};
    size_t i = 0, k = 0;
    while (i < before_count || k < now_count) {
        const uint64_t was = i < before_count ? key_of(before[i]) : UINT64_MAX;
        const uint64_t is = k < now_count ? key_of(now[k]) : UINT64_MAX;
        if (was == is) {
            take(lists, 2, &changes.kept, now[k]);
        } else if (is < was) {
            take(lists, 0, &changes.begun, now[k]);
        } else {
            take(lists, 1, &changes.ended, before[i]);
        }
        i += was <= is;
        k += is <= was;
    }
    return changes;
}
