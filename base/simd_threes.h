// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Threes of numbers as the first three of f4, for coordinates and for things that come by three. The fourth may be
// anything, and no answer depends on it.

#include "base/simd.h"

#if TACT_LANES_ISA > 0

/// The second, the third and the first.
SIMD_FN(f4, f4_next, (f4 a), _mm_shuffle_ps(a, a, _MM_SHUFFLE(3, 0, 2, 1)))
/// The third, the first and the second.
SIMD_FN(f4, f4_after, (f4 a), _mm_shuffle_ps(a, a, _MM_SHUFFLE(3, 1, 0, 2)))
/// The last three of four.
SIMD_FN(f4, f4_last_three, (f4 a), _mm_shuffle_ps(a, a, _MM_SHUFFLE(0, 3, 2, 1)))
SIMD_FN(f4, f4_first_of, (f4 a), _mm_shuffle_ps(a, a, _MM_SHUFFLE(0, 0, 0, 0)))
SIMD_FN(f4, f4_second_of, (f4 a), _mm_shuffle_ps(a, a, _MM_SHUFFLE(1, 1, 1, 1)))
SIMD_FN(f4, f4_third_of, (f4 a), _mm_shuffle_ps(a, a, _MM_SHUFFLE(2, 2, 2, 2)))
/// The last two of four.
SIMD_FN(f4, f4_last_two, (f4 a), _mm_movehl_ps(a, a))

#else

#define SIMD_THREE(name, i, j, k) SIMD_FN(f4, f4_##name, (f4 a), (f4){{a.of[i], a.of[j], a.of[k], 0.0f}})
SIMD_THREE(next, 1, 2, 0)
SIMD_THREE(after, 2, 0, 1)
SIMD_THREE(last_three, 1, 2, 3)
SIMD_THREE(first_of, 0, 0, 0)
SIMD_THREE(second_of, 1, 1, 1)
SIMD_THREE(third_of, 2, 2, 2)
SIMD_THREE(last_two, 2, 3, 3)
SIMD_FN(float, f4_most, (f4 a), f1_max(f1_max(a.of[0], a.of[1]), f1_max(a.of[2], a.of[3])))

#endif

/// Which of the first three are less, as the lowest bits.
SIMD_FN(uint32_t, threes_less, (f4 a, f4 b), f4_lt_bits(a, b) & 7u)

/// The sum of the first three, in each of them.
SIMD_FN(f4, threes_sum, (f4 a), f4_add(f4_add(a, f4_next(a)), f4_after(a)))
/// The largest of the first three, in each of them.
SIMD_FN(f4, threes_most, (f4 a), f4_max(f4_max(a, f4_next(a)), f4_after(a)))

/// Three vectors side by side: the first three of `x` are their first coordinates.
typedef struct threes {
    f4 x, y, z;
} threes;

/// The three vectors that stand one after the other at p; reads no more than these and the number before the last
/// three.
LANES_FN threes threes_load(const float* p)
{
    f4 r[4] = {f4_load(p), f4_load(p + 3), f4_last_three(f4_load(p + 5)), f4_load(p)};
    f4_turn(r);
    return (threes){r[0], r[1], r[2]};
}

/// The sums of the sizes of their coordinates.
LANES_FN f4 threes_size(threes a)
{
    return f4_add(f4_add(f4_abs(a.x), f4_abs(a.y)), f4_abs(a.z));
}

/// The products of three vectors with one.
LANES_FN f4 threes_dot(threes a, f4 x, f4 y, f4 z)
{
    return f4_add(f4_add(f4_mul(a.x, x), f4_mul(a.y, y)), f4_mul(a.z, z));
}
