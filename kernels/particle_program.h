// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The operations of a force program (cpu_ref/particles/program.h), a function each: kernels put together at run time
// call them by name, and so does the CPU. What is below 2^-126, and -0, counts as 0 after each operation, so that
// nothing depends on what a device makes of subnormal numbers. Truth is 1, and whatever is not 0 is true.
#ifndef TACT_PARTICLE_PROGRAM_H
#define TACT_PARTICLE_PROGRAM_H

#include "particle_contact.h"

FN float tact_program_number(uint bits)
{
    return as_float(bits);
}

FN float tact_program_add(float a, float b)
{
    PRECISE float r = a + b;
    return tact_contact_number(r);
}

FN float tact_program_subtract(float a, float b)
{
    PRECISE float r = a - b;
    return tact_contact_number(r);
}

FN float tact_program_multiply(float a, float b)
{
    PRECISE float r = a * b;
    return tact_contact_number(r);
}

FN float tact_program_divide(float a, float b)
{
    return tact_contact_number(tact_div(a, b));
}

FN float tact_program_negate(float a)
{
    PRECISE float r = -a;
    return tact_contact_number(r);
}

FN float tact_program_sqrt(float a)
{
    return tact_contact_number(tact_sqrt(a));
}

FN float tact_program_abs(float a)
{
    return ABS(a);
}

FN float tact_program_floor(float a)
{
    return tact_contact_number(FLOOR(a));
}

// The second where one of them is NaN.
FN float tact_program_min(float a, float b)
{
    return a < b ? a : b;
}

FN float tact_program_max(float a, float b)
{
    return a > b ? a : b;
}

FN float tact_program_less(float a, float b)
{
    return a < b ? 1.0f : 0.0f;
}

FN float tact_program_at_most(float a, float b)
{
    return a <= b ? 1.0f : 0.0f;
}

FN float tact_program_equal(float a, float b)
{
    return a == b ? 1.0f : 0.0f;
}

// The first where the condition is true, or NaN.
FN float tact_program_select(float condition, float a, float b)
{
    return condition == 0.0f ? b : a;
}

// A force that was given and one of the program.
FN float tact_program_both(float given, float own)
{
    PRECISE float r = given + own;
    return r;
}

FN bool tact_program_finite(float x, float y, float z)
{
    uint all = 0x7f800000u;
    return (as_uint(x) & all) != all && (as_uint(y) & all) != all && (as_uint(z) & all) != all;
}

#endif
