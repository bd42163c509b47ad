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

// |a - q * b|, exact when q is within an ulp or two of a / b and nothing underflows.
FN float tact_division_residual(float a, float b, float q)
{
    PRECISE float p = q * b;
    PRECISE float error = tact_product_error(q, b, p);
    PRECISE float r = (a - p) - error;
    return r;
}

// a / b rounded to nearest from an estimate q a few ulps off, for devices whose own division is not correctly rounded.
// The quotient of two floats is never half-way between two floats, so the candidate with the smaller residual is the
// rounded one.
FN float tact_correct_quotient(float a, float b, float q)
{
    float best = q;
    if (ABS(q) > 1.0e-30f && ABS(q) < 1.0e30f && ABS(a) > 1.0e-25f && ABS(a) < 1.0e30f && ABS(b) < 1.0e30f) {
        PRECISE float r = tact_division_residual(a, b, best);
        for (int step = 0; step < 4; ++step) {
            if (r == 0.0f) break;
            // A residual of b's sign says that the quotient lies above q. Adding 1 to a float's bits moves it away
            // from zero.
            bool up = (r > 0.0f) == (b > 0.0f);
            bool away = up == (best > 0.0f);
            float next = away ? as_float(as_uint(best) + 1u) : as_float(as_uint(best) - 1u);
            PRECISE float rn = tact_division_residual(a, b, next);
            if (!(ABS(rn) < ABS(r))) break;
            best = next;
            r = rn;
        }
    }
    return best;
}

// The square root of a rounded to nearest from an estimate s a few ulps off.
FN float tact_correct_root(float a, float s)
{
    float best = s;
    if (a > 1.0e-25f && a < 1.0e30f) {
        for (int step = 0; step < 4; ++step) {
            // sqrt(a) rounds to s when (s - ulp/2)^2 < a < (s + ulp/2)^2; with h = ulp/2 that is |a - s s| against
            // s ulp + h h. Compare the exact residual with both sides.
            PRECISE float p = best * best;
            PRECISE float r = (a - p) - tact_product_error(best, best, p);
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
    }
    return best;
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
