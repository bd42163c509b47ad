// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/batch.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 1 << TACT_REORDER_DIGIT };

/// Makes counts of digits the places where each digit begins.
static void sum_up(uint32_t* counts)
{
    uint32_t sum = 0;
    for (uint32_t d = 0; d < DIGITS; ++d) {
        const uint32_t n = counts[d];
        counts[d] = sum;
        TACT_ASSERT(sum + n >= sum);
        sum += n;
    }
}

void tact_reorder(uint32_t* order, const uint32_t* keys, uint32_t count, uint32_t* scratch)
{
    TACT_ASSERT(order && keys && scratch);
    TACT_ASSERT(count <= TACT_REORDER_MOST);
    _Static_assert(2 * TACT_REORDER_DIGIT == TACT_REORDER_BITS, "two passes");
    enum { SHIFT = 32 - TACT_REORDER_DIGIT };
    uint32_t low[DIGITS] = {0}, high[DIGITS] = {0};
    uint32_t* sorted = scratch + count;
    for (uint32_t i = 0; i < count; ++i) {
        ++low[keys[i] & (DIGITS - 1)];
        TACT_ASSERT(keys[i] >> TACT_REORDER_BITS == 0);
        ++high[keys[i] >> TACT_REORDER_DIGIT];
    }
    sum_up(low);
    sum_up(high);
    // After the first pass only a key's high digit is still needed, which fits beside a place in `order`.
    for (uint32_t i = 0; i < count; ++i)
        scratch[low[keys[i] & (DIGITS - 1)]++] = keys[i] >> TACT_REORDER_DIGIT << SHIFT | i;
    for (uint32_t i = 0; i < count; ++i)
        sorted[high[scratch[i] >> SHIFT]++] = order[scratch[i] & (TACT_REORDER_MOST - 1)];
    TACT_ASSERT(high[DIGITS - 1] == count);
    memcpy(order, sorted, count * sizeof *order);
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
