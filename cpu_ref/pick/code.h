// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The codes of normals and barycentrics in an image of picks. shaders/pick_output.glsl writes the same bits:
/// tests/test_pick_planes.c compares.

#include <float.h>
#include <math.h>

#include "cpu_ref/pick/found.h"

/// A coordinate's size in whole numbers of which the largest has 16 bits. `first` and `scale` are powers of two.
static inline uint32_t tact_pick_normal_whole(float size, float first, float scale)
{
    if (size < FLT_MIN) return 0;
    const uint32_t whole = (uint32_t)(size * first * scale + 0.5f);
    return whole < 65535u ? whole : 65535u;
}

/// part / sum in steps, to the nearest: the most that there can be still has 32 bits.
static inline uint32_t tact_pick_normal_steps(uint32_t part, uint32_t sum)
{
    return (part * 65534u + sum) / (2u * sum);
}

/// The octahedron's two coordinates of a direction of any length, as signed numbers of 16 bits: Z. Cigolle and others,
/// A Survey of Efficient Representations for Independent Unit Vectors, 2014. In whole numbers, since shaders divide
/// others less exactly. Coordinates below 2^-126, which shaders may flush, are 0. A length of zero and what is not
/// finite give TACT_PICK_NO_NORMAL.
static inline uint32_t tact_pick_encode_normal(float x, float y, float z)
{
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    const float most = ax > ay ? (ax > az ? ax : az) : (ay > az ? ay : az);
    if (!(ax <= FLT_MAX && ay <= FLT_MAX && az <= FLT_MAX) || most < FLT_MIN) return TACT_PICK_NO_NORMAL;
    // So that the second power of two is neither too large nor too small for a float.
    const float first = most < 0x1p-60f ? 0x1p+64f : 1.0f;
    int exponent = 0;
    (void)frexpf(most * first, &exponent);
    const float scale = ldexpf(1.0f, 16 - exponent);
    const uint32_t wx = tact_pick_normal_whole(ax, first, scale), wy = tact_pick_normal_whole(ay, first, scale);
    const uint32_t wz = tact_pick_normal_whole(az, first, scale), sum = wx + wy + wz;
    uint32_t u = tact_pick_normal_steps(wx, sum), v = tact_pick_normal_steps(wy, sum);
    if (z < 0.0f && wz > 0) {
        const uint32_t folded = 32767u - v;
        v = 32767u - u;
        u = folded;
    }
    if (x < 0.0f && wx > 0) u = 0u - u;
    if (y < 0.0f && wy > 0) v = 0u - v;
    return (u & 0xffffu) | v << 16;
}

static inline double tact_pick_normal_value(uint32_t step)
{
    const int32_t v = (int32_t)step - (step > 0x7fffu ? 0x10000 : 0);
    return v < -32767 ? -1.0 : v / 32767.0;
}

/// Of unit length; 0 for TACT_PICK_NO_NORMAL.
static inline void tact_pick_decode_normal(uint32_t code, float normal[3])
{
    normal[0] = normal[1] = normal[2] = 0.0f;
    if (code == TACT_PICK_NO_NORMAL) return;
    double u = tact_pick_normal_value(code & 0xffffu), v = tact_pick_normal_value(code >> 16);
    const double w = 1.0 - fabs(u) - fabs(v);
    if (w < 0.0) {
        const double unfolded = (1.0 - fabs(v)) * (u < 0.0 ? -1.0 : 1.0);
        v = (1.0 - fabs(u)) * (v < 0.0 ? -1.0 : 1.0);
        u = unfolded;
    }
    const double length = sqrt(u * u + v * v + w * w);
    normal[0] = (float)(u / length);
    normal[1] = (float)(v / length);
    normal[2] = (float)(w / length);
}

static inline uint32_t tact_pick_barycentric_step(float v)
{
    const float inside = v < 0.0f ? 0.0f : v > 1.0f ? 1.0f : v;
    return (uint32_t)(inside * 65535.0f + 0.5f);
}

/// The second and the third vertex's shares, which together are never more than all. All of them 0 (below 2^-126),
/// or one not finite: not known.
static inline uint32_t tact_pick_encode_barycentric(float a, float b, float c)
{
    const bool finite = fabsf(a) <= FLT_MAX && fabsf(b) <= FLT_MAX && fabsf(c) <= FLT_MAX;
    if (!finite || (fabsf(a) < FLT_MIN && fabsf(b) < FLT_MIN && fabsf(c) < FLT_MIN)) return TACT_PICK_NOTHING;
    const uint32_t second = tact_pick_barycentric_step(b), third = tact_pick_barycentric_step(c);
    return second | (second + third > 65535u ? 65535u - second : third) << 16;
}

/// All 0 for not known.
static inline void tact_pick_decode_barycentric(uint32_t code, float barycentric[3])
{
    barycentric[0] = barycentric[1] = barycentric[2] = 0.0f;
    if (code == TACT_PICK_NOTHING) return;
    const int32_t second = (int32_t)(code & 0xffffu), third = (int32_t)(code >> 16);
    const int32_t first = 65535 - second - third;
    barycentric[0] = first < 0 ? 0.0f : (float)first / 65535.0f;
    barycentric[1] = (float)second / 65535.0f;
    barycentric[2] = (float)third / 65535.0f;
}
