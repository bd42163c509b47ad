// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Comparisons of two numbers with a tolerance.

#include <math.h>
#include <string.h>

#include "tact/geometry/numbers.h"

/// Whether a and b differ by at most tolerance times size, which is at least 0.
static bool differ_by(double a, double b, double tolerance, double size)
{
    if (!(tolerance >= 0.0)) return false;
    if (a == b) return true;
    if (!isfinite(a) || !isfinite(b)) return false;
    // Quarters of large numbers are exact, and their difference is no infinity.
    const double part = fmax(fmax(fabs(a), fabs(b)), size) > 0x1p1021 ? 0.25 : 1.0;
    return fabs(part * a - part * b) <= tolerance * (part * size);
}

bool tact_near_absolute(double a, double b, double tolerance)
{
    return differ_by(a, b, tolerance, 1.0);
}

bool tact_near_relative(double a, double b, double tolerance)
{
    return differ_by(a, b, tolerance, fmax(fabs(a), fabs(b)));
}

bool tact_near_combined(double a, double b, double tolerance)
{
    return differ_by(a, b, tolerance, fmax(1.0, fmax(fabs(a), fabs(b))));
}

uint64_t tact_doubles_apart(double a, double b)
{
    const double from[2] = {fabs(a), fabs(b)};
    uint64_t places[2];
    if (isnan(a) || isnan(b)) return UINT64_MAX;
    memcpy(places, from, sizeof places);
    if (signbit(a) != signbit(b)) return places[0] + places[1];
    return places[0] < places[1] ? places[1] - places[0] : places[0] - places[1];
}

uint32_t tact_floats_apart(float a, float b)
{
    const float from[2] = {fabsf(a), fabsf(b)};
    uint32_t places[2];
    if (isnan(a) || isnan(b)) return UINT32_MAX;
    memcpy(places, from, sizeof places);
    if (signbit(a) != signbit(b)) return places[0] + places[1];
    return places[0] < places[1] ? places[1] - places[0] : places[0] - places[1];
}
