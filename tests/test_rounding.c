// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// That the compiler, with this project's options, rounds where the text says so.

#include "tests/support/run.h"

/// gcc 12 vectorizes such pairs (-O2) and then takes (double)(float)x for x.
static void round_both(const double* restrict x, const float* restrict y, double* restrict out)
{
    const float a = (float)(x[0] * 3.0), b = (float)(x[1] * 3.0);
    out[0] = (double)a - (double)y[0];
    out[1] = (double)b - (double)y[1];
}

TEST(neighbouring_numbers_are_rounded_to_float)
{
    // Called through a volatile pointer, so that nothing is known of the numbers.
    void (*volatile call)(const double* restrict, const float* restrict, double* restrict) = round_both;
    const double x[2] = {1.0 + 0x1p-40, 3.0 + 0x1p-40};
    const float y[2] = {1.0f, 2.0f};
    double out[2];
    call(x, y, out);
    assert_true(out[0] == 2.0 && out[1] == 7.0);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
