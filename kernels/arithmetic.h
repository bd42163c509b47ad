// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Division, square root and exact products that have the same bits on every device. Part of the dialect.
#ifndef TACT_ARITHMETIC_H
#define TACT_ARITHMETIC_H

// The rounding error of the product p = a * b, exactly: a * b = p + error. Splits each factor in two halves of 12 bits
// (Veltkamp), whose products are exact (Dekker, "A floating-point technique for extending the available precision",
// 1971). Needs no fma, which some devices lack. Exact while nothing overflows (|a|, |b| < 2^115) and |p| >= 2^-102;
// below that the error may be rounded.
FN float tact_product_error(float a, float b, float p)
{
    PRECISE float ca = 4097.0f * a;
    PRECISE float da = ca - a;
    PRECISE float ah = ca - da;
    PRECISE float al = a - ah;
    PRECISE float cb = 4097.0f * b;
    PRECISE float db = cb - b;
    PRECISE float bh = cb - db;
    PRECISE float bl = b - bh;
    PRECISE float e1 = ah * bh - p;
    PRECISE float e2 = e1 + ah * bl;
    PRECISE float e3 = e2 + al * bh;
    PRECISE float error = e3 + al * bl;
    return error;
}

// a - q * b, exact when q is within a few ulps of a / b and nothing underflows.
FN float tact_division_residual(float a, float b, float q)
{
    PRECISE float p = q * b;
    PRECISE float error = tact_product_error(q, b, p);
    PRECISE float r = (a - p) - error;
    return r;
}

// Neither zero, infinite nor NaN.
FN bool tact_is_finite_number(float x)
{
    return (as_uint(x) & 0x7fffffffu) - 1u < 0x7f7fffffu;
}

// A finite number that is not zero, without its sign and its power of two: in [1, 2). A subnormal one is an integer of
// units of 2^-149, which converts exactly and never passes through arithmetic that may flush it.
FN float tact_significand(float x)
{
    uint bits = as_uint(x) & 0x7fffffffu;
    if (bits < 0x00800000u) bits = as_uint(to_float(bits));
    return as_float((bits & 0x007fffffu) | 0x3f800000u);
}

// Its power of two.
FN int tact_exponent(float x)
{
    uint bits = as_uint(x) & 0x7fffffffu;
    int bias = 127;
    if (bits < 0x00800000u) {
        bits = as_uint(to_float(bits));
        bias = 127 + 149;
    }
    return to_int(bits >> 23) - bias;
}

// s 2^exponent rounded to nearest, ties to even, with the sign of `sign`: s is in [1, 2), and the exact value is a
// little above it, below it, or s itself as `rest` is positive, negative or zero.
FN float tact_compose(float s, float rest, int exponent, uint sign)
{
    uint result = 0x7f800000u;
    if (exponent < -150) {
        result = 0u;
    } else if (exponent < -126) {
        // Subnormal: an integer of units of 2^-149, rounded once more.
        uint drop = to_uint(-126 - exponent);
        uint whole = (as_uint(s) & 0x007fffffu) | 0x00800000u;
        uint lost = whole & ((1u << drop) - 1u);
        uint half_unit = 1u << (drop - 1u);
        result = whole >> drop;
        if (lost > half_unit || (lost == half_unit && (rest > 0.0f || (rest == 0.0f && (result & 1u) != 0u)))) ++result;
    } else if (exponent < 128) {
        result = (as_uint(s) & 0x007fffffu) | (to_uint(exponent + 127) << 23);
    }
    return as_float(result | (sign & 0x80000000u));
}

// a / b rounded to nearest, for devices whose own division is not correctly rounded, flushes subnormal numbers or
// returns zero for divisors beyond 2^126. `estimate` is the quotient of the significands, a few ulps off.
FN float tact_correct_quotient(float a, float b, float estimate)
{
    uint sign = as_uint(a) ^ as_uint(b);
    uint ua = as_uint(a) & 0x7fffffffu;
    uint ub = as_uint(b) & 0x7fffffffu;
    float result = as_float((sign & 0x80000000u) | (ub == 0u || ua == 0x7f800000u ? 0x7f800000u : 0u));
    if (ua > 0x7f800000u || ub > 0x7f800000u || (ua == ub && (ua == 0u || ua == 0x7f800000u))) {
        result = as_float(0x7fc00000u);
    } else if (tact_is_finite_number(a) && tact_is_finite_number(b)) {
        float am = tact_significand(a);
        float bm = tact_significand(b);
        float best = estimate;
        float r = tact_division_residual(am, bm, best);
        for (int step = 0; step < 4; ++step) {
            if (r == 0.0f) break;
            float next = r > 0.0f ? as_float(as_uint(best) + 1u) : as_float(as_uint(best) - 1u);
            float rn = tact_division_residual(am, bm, next);
            // The quotient of two floats is never half-way between two floats, so the smaller residual tells.
            if (!(ABS(rn) < ABS(r))) break;
            best = next;
            r = rn;
        }
        result =
            tact_compose(tact_significand(best), r, tact_exponent(a) - tact_exponent(b) + tact_exponent(best), sign);
    }
    return result;
}

// A positive number times a power of four: in [1, 4).
FN float tact_root_operand(float a)
{
    float am = tact_significand(a);
    if ((tact_exponent(a) & 1) != 0) am = 2.0f * am;
    return am;
}

// The square root of a rounded to nearest, for devices whose own is not. `estimate` is that of tact_root_operand(a), a
// few ulps off.
FN float tact_correct_root(float a, float estimate)
{
    float result = a;
    if (as_uint(a) > 0x80000000u || (as_uint(a) & 0x7fffffffu) > 0x7f800000u) {
        result = as_float(0x7fc00000u);
    } else if (tact_is_finite_number(a)) {
        float am = tact_root_operand(a);
        float best = estimate;
        for (int step = 0; step < 4; ++step) {
            // The root rounds to s when (s - ulp/2)^2 < a < (s + ulp/2)^2, that is when the residual a - s s lies
            // between -s ulp + ulp^2/4 and s ulp + ulp^2/4. All of these but ulp^2/4 are multiples of ulp^2.
            PRECISE float p = best * best;
            PRECISE float r = (am - p) - tact_product_error(best, best, p);
            float above = as_float(as_uint(best) + 1u);
            float below = as_float(as_uint(best) - 1u);
            PRECISE float gap_up = above - best;
            PRECISE float gap_down = best - below;
            PRECISE float limit_up = best * gap_up;
            PRECISE float limit_down = -(best * gap_down);
            if (r > limit_up) {
                best = above;
            } else if (r <= limit_down) {
                best = below;
            } else {
                break;
            }
        }
        int whole = tact_exponent(a) - (tact_exponent(a) & 1);
        result = tact_compose(tact_significand(best), 0.0f, tact_exponent(best) + whole / 2, 0u);
    }
    return result;
}

// TACT_CORRECT_DIV, TACT_CORRECT_SQRT and TACT_FLUSHES are 0 or 1, defined when the kernel is built on its device, by
// what the arithmetic probe found there.
FN float tact_div(float a, float b)
{
    PRECISE float q;
    if (TACT_CORRECT_DIV != 0) {
        PRECISE float estimate = tact_significand(a) / tact_significand(b);
        q = tact_correct_quotient(a, b, estimate);
    } else {
        q = a / b;
    }
    return q;
}

FN float tact_sqrt(float a)
{
    PRECISE float s;
    if (TACT_CORRECT_SQRT != 0) {
        float estimate = SQRT_DEVICE(tact_root_operand(a));
        s = tact_correct_root(a, estimate);
    } else {
        s = SQRT_DEVICE(a);
    }
    return s;
}

#endif
