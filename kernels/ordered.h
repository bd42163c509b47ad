// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Floats as unsigned integers of the same order, so that minima and maxima are exact and no device's treatment of
// subnormals, zeros or NaNs can show: -inf < ... < -0 < +0 < ... < +inf.
#ifndef TACT_ORDERED_H
#define TACT_ORDERED_H

#include "dialect.h"

// What an empty minimum and maximum start from: +inf and -inf, mapped.
#define TACT_ORDERED_HIGHEST 0xff800000u
#define TACT_ORDERED_LOWEST 0x007fffffu

FN bool tact_bits_are_nan(uint bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

FN uint tact_ordered(uint bits)
{
    return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}

FN uint tact_unordered(uint ordered)
{
    return (ordered & 0x80000000u) != 0u ? ordered & 0x7fffffffu : ~ordered;
}

#endif
