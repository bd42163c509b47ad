// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Quantiles of samples.

#include <stddef.h>

#include "base/asserts.h"

/// The number that would be at `rank` were they sorted (Hoare: Find, 1961). Changes their order.
static inline float tact_select_rank(float* numbers, size_t count, size_t rank)
{
    TACT_ASSERT(rank < count);
    ptrdiff_t begin = 0, last = (ptrdiff_t)count - 1;
    const ptrdiff_t wanted = (ptrdiff_t)rank;
    while (begin < last) {
        const float pivot = numbers[begin + (last - begin) / 2];
        ptrdiff_t i = begin, k = last;
        while (i <= k) {
            while (numbers[i] < pivot)
                ++i;
            while (numbers[k] > pivot)
                --k;
            if (i > k) break;
            const float swap = numbers[i];
            numbers[i++] = numbers[k];
            numbers[k--] = swap;
        }
        if (wanted <= k) {
            last = k;
        } else if (wanted >= i) {
            begin = i;
        } else {
            break;
        }
    }
    return numbers[rank];
}
