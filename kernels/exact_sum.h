// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Sums that do not depend on their order: each number is cut to a whole multiple of a unit, and the multiples are added
// as integers of 62 bits. So threads, devices and machines may each add in an order of their own. The caller chooses
// the unit as a power of two, so that nothing but the cut is rounded.
#ifndef TACT_EXACT_SUM_H
#define TACT_EXACT_SUM_H

#include "dialect.h"

// A number counts for at most 2^20 in `high`, so that 2,047 of them never overflow.
#define TACT_EXACT_MOST 1048576.0f
#define TACT_EXACT_LOW 1073741824.0f  // 2^30: a unit of `high` in units of `low`

// high 2^30 + low units, 0 <= low < 2^30.
STRUCT(TactExact)
{
    int high, low;
};

// A number in units of `high`, within the most that one counts for; NaN becomes 0. `scale`: one by that unit.
FN float tact_exact_scaled(float x, float scale)
{
    PRECISE float t = x * scale;
    float result = 0.0f;
    if (t >= -TACT_EXACT_MOST) result = t <= TACT_EXACT_MOST ? t : TACT_EXACT_MOST;
    if (t < -TACT_EXACT_MOST) result = -TACT_EXACT_MOST;
    return result;
}

// Whether a number counts for the most that one does, and so for no more than that.
FN bool tact_exact_capped(float x, float scale)
{
    PRECISE float t = x * scale;
    return ABS(t) >= TACT_EXACT_MOST;
}

// Adds a number. What is less than a unit of `low` is cut off, towards zero, so that opposite numbers stay opposite.
FN TactExact tact_exact_add(TactExact s, float x, float scale)
{
    float t = tact_exact_scaled(x, scale);
    int whole = to_int(t);
    // Exact, all three: the whole part of a float, what is left of it, and a power of two times that.
    PRECISE float left = t - to_float(whole);
    PRECISE float rest = left * TACT_EXACT_LOW;
    int low = s.low + to_int(rest);
    int carry = low >> 30;
    TactExact sum;
    sum.high = s.high + whole + carry;
    sum.low = low - carry * (1 << 30);
    return sum;
}

// An integer of 31 bits as a float, rounded to the nearest: two parts of 16 bits are exact.
FN float tact_exact_float(int x)
{
    PRECISE float result = to_float(x >> 16) * 65536.0f + to_float(x & 0xffff);
    return result;
}

// The sum. `unit`: that of `high`.
FN float tact_exact_value(TactExact s, float unit)
{
    int high = s.high;
    int low = s.low;
    // As a magnitude and a sign: opposite sums have opposite values.
    bool negative = high < 0;
    if (negative) {
        high = low > 0 ? -high - 1 : -high;
        low = low > 0 ? (1 << 30) - low : 0;
    }
    PRECISE float part = tact_exact_float(low) * (1.0f / TACT_EXACT_LOW);
    PRECISE float whole = tact_exact_float(high) + part;
    PRECISE float value = whole * unit;
    return negative ? -value : value;
}

#endif
