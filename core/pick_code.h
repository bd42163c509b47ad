// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The codes of normals and barycentrics in an image of picks. shaders/pick_output.glsl writes the same; a device that
/// divides less exactly than C may differ in the last step of a code.

#include <float.h>
#include <math.h>

#include "core/pick_found.h"

static inline uint32_t tact_pick_normal_step(float v)
{
    return (uint32_t)(int32_t)floorf(v * 32767.0f + 0.5f) & 0xffffu;
}

/// The octahedron's two coordinates of a direction of any length, as signed numbers of 16 bits: Z. Cigolle and others,
/// A Survey of Efficient Representations for Independent Unit Vectors, 2014. Lengths of zero (below 2^-126, which
/// shaders may flush) and what is not finite give TACT_PICK_NO_NORMAL.
static inline uint32_t tact_pick_encode_normal(float x, float y, float z)
{
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    const float most = ax > ay ? (ax > az ? ax : az) : (ay > az ? ay : az);
    if (!(ax <= FLT_MAX && ay <= FLT_MAX && az <= FLT_MAX) || most < FLT_MIN) return TACT_PICK_NO_NORMAL;
    const float nx = x / most, ny = y / most, nz = z / most;
    const float sum = fabsf(nx) + fabsf(ny) + fabsf(nz);
    float u = nx / sum, v = ny / sum;
    if (nz < 0.0f) {
        const float folded_u = (1.0f - fabsf(v)) * (u < 0.0f ? -1.0f : 1.0f);
        const float folded_v = (1.0f - fabsf(u)) * (v < 0.0f ? -1.0f : 1.0f);
        u = folded_u;
        v = folded_v;
    }
    return tact_pick_normal_step(u) | tact_pick_normal_step(v) << 16;
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

/// The second and the third vertex's shares, which together are never more than all. All of them 0, or not finite: not
/// known.
static inline uint32_t tact_pick_encode_barycentric(float a, float b, float c)
{
    const bool finite = fabsf(a) <= FLT_MAX && fabsf(b) <= FLT_MAX && fabsf(c) <= FLT_MAX;
    if (!finite || (a == 0.0f && b == 0.0f && c == 0.0f)) return TACT_PICK_NOTHING;
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
