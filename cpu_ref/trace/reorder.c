// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/reorder.h"

#include <math.h>

enum { DIGITS = 1 << TACT_REORDER_DIGIT };

static void scatter(const tact_reorder_entry* from, tact_reorder_entry* to, uint32_t count, uint32_t shift,
                    uint32_t* places)
{
    uint32_t sum = 0;
    for (uint32_t d = 0; d < DIGITS; ++d) {
        const uint32_t n = places[d];
        places[d] = sum;
        sum += n;
    }
    for (uint32_t i = 0; i < count; ++i)
        to[places[(from[i].key >> shift) & (DIGITS - 1)]++] = from[i];
}

void tact_reorder(uint32_t* order, const uint32_t* keys, uint32_t count, tact_reorder_entry* scratch)
{
    _Static_assert(2 * TACT_REORDER_DIGIT == TACT_REORDER_BITS, "two passes");
    uint32_t low[DIGITS] = {0}, high[DIGITS] = {0};
    tact_reorder_entry* other = scratch + count;
    for (uint32_t i = 0; i < count; ++i) {
        scratch[i] = (tact_reorder_entry){keys[i], order[i]};
        ++low[keys[i] & (DIGITS - 1)];
        ++high[keys[i] >> TACT_REORDER_DIGIT];
    }
    scatter(scratch, other, count, 0, low);
    scatter(other, scratch, count, TACT_REORDER_DIGIT, high);
    for (uint32_t i = 0; i < count; ++i)
        order[i] = scratch[i].ray;
}

static float apart(const tact_ray* a, const tact_ray* b)
{
    return fabsf(a->ox - b->ox) + fabsf(a->oy - b->oy) + fabsf(a->oz - b->oz) + fabsf(a->dx - b->dx) +
           fabsf(a->dy - b->dy) + fabsf(a->dz - b->dz);
}

size_t tact_reorder_find_rows(const tact_ray* rays, size_t count)
{
    enum { LEAST = 8, MOST = 1 << 14 };
    if (count < LEAST * LEAST) return 0;
    const float step = 8.0f * apart(&rays[0], &rays[1]);
    if (!(step > 0.0f && step <= 1.0e30f)) return 0;
    for (size_t i = 2; i < count && i <= MOST; ++i) {
        if (apart(&rays[i - 1], &rays[i]) <= step) continue;
        // The row ends here if the next one begins beside the first.
        return i >= LEAST && apart(&rays[0], &rays[i]) <= step ? i : 0;
    }
    return 0;
}
