// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What calls are made of: bytes, and the numbers that are read from them.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tact/tact.h"

enum { MOST = 24 };  ///< of anything in a call

/// Bytes that are used up; zeros come after them.
typedef struct input {
    const uint8_t* at;
    const uint8_t* end;
} input;

static tact_context* context;

static uint32_t byte(input* in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static uint32_t below(input* in, uint32_t n)
{
    return byte(in) % n;
}

/// Numbers of a grid, where things meet exactly, and among them some that are hard, or any at all.
static float number(input* in)
{
    static const float hard[] = {0.0f,     -0.0f, 1e-45f,   -1e-39f, 1e-20f, 1e18f, -1e18f, 1.2e18f,
                                 INFINITY, NAN,   -3.4e38f, 1e30f,   1e-38f, 1.0f,  0.1f,   -0.99999994f};
    const uint32_t kind = byte(in);
    if (kind < 224) return (float)((int)(kind % 32) - 16) * 0.25f;
    if (kind < 250) return hard[kind % 16];
    uint32_t bits = 0;
    for (int i = 0; i < 4; ++i)
        bits = bits << 8 | byte(in);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void numbers(input* in, float* out, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        out[i] = number(in);
}

static void die(const char* what)
{
    fprintf(stderr, "%s: %s\n", what, tact_context_error(context));
    abort();
}
