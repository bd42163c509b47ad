// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/pair_changes.h"

static uint64_t key_of(tact_pair pair)
{
    return (uint64_t)pair.a << 32 | pair.b;
}

tact_pair_changes tact_pair_changes_of(const tact_pair* before, size_t before_count, const tact_pair* now,
                                       size_t now_count)
{
    tact_pair_changes changes = {0};
    size_t i = 0, k = 0;
    while (i < before_count && k < now_count) {
        const uint64_t was = key_of(before[i]), is = key_of(now[k]);
        changes.ended += was < is;
        changes.begun += is < was;
        changes.kept += is == was;
        i += was <= is;
        k += is <= was;
    }
    changes.ended += before_count - i;
    changes.begun += now_count - k;
    return changes;
}
