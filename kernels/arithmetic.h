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

// Neither zero, subnormal, infinite nor NaN.
FN bool tact_is_normal(float x)
{
    return (as_uint(x) & 0x7f800000u) != 0u && (as_uint(x) & 0x7f800000u) != 0x7f800000u;
}

// The mantissa as a float in [1, 2).
FN float tact_mantissa(float x)
{
    return as_float((as_uint(x) & 0x007fffffu) | 0x3f800000u);
}

// a / b rounded to nearest from an estimate q a few ulps off, for devices whose own division is not correctly rounded.
// Works on mantissas, so that nothing overflows or underflows on the way, and then moves q by as many units. Operands
// and quotients that are not normal numbers are left as they are.
FN float tact_correct_quotient(float a, float b, float q)
{
    float result = q;
    if (tact_is_normal(a) && tact_is_normal(b) && tact_is_normal(q)) {
        float am = tact_mantissa(a);
        float bm = tact_mantissa(b);
        // q's bits without its sign and without the difference of the operands' exponents: about am / bm.
        float qm = as_float((as_uint(q) & 0x7fffffffu) - ((as_uint(a) & 0x7f800000u) - (as_uint(b) & 0x7f800000u)));
        float best = qm;
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
        result = as_float(as_uint(q) + (as_uint(best) - as_uint(qm)));
    }
    return result;
}

// The square root of a rounded to nearest from an estimate s a few ulps off. Leaves alone what is not normal.
FN float tact_correct_root(float a, float s)
{
    float result = s;
    if (a > 0.0f && tact_is_normal(a) && tact_is_normal(s)) {
        // am is a times 4^-k, in [1, 4); sm is s times 2^-k, near its root. Shifting the difference of the bits of a
        // and am right by one halves the exponent; the large numbers around it keep it positive meanwhile.
        float am = as_float((as_uint(a) & 0x007fffffu) + 0x40000000u - (as_uint(a) & 0x00800000u));
        float sm = as_float(as_uint(s) - (((as_uint(a) - as_uint(am) + 0x80000000u) >> 1) - 0x40000000u));
        float best = sm;
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
        result = as_float(as_uint(s) + (as_uint(best) - as_uint(sm)));
    }
    return result;
}

// TACT_CORRECT_DIV and TACT_CORRECT_SQRT are 0 or 1, defined when the kernel is built on its device, by what the
// arithmetic probe found there.
FN float tact_div(float a, float b)
{
    PRECISE float q = a / b;
    if (TACT_CORRECT_DIV != 0) q = tact_correct_quotient(a, b, q);
    return q;
}

FN float tact_sqrt(float a)
{
    PRECISE float s = SQRT_DEVICE(a);
    if (TACT_CORRECT_SQRT != 0) s = tact_correct_root(a, s);
    return s;
}

#endif
