// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/particle_palette.h"

#include <math.h>

tact_light_color tact_light_scale(tact_light_color c, float f)
{
    return (tact_light_color){c.r * f, c.g * f, c.b * f};
}

tact_light_color tact_light_mix(tact_light_color a, tact_light_color b, float t)
{
    return (tact_light_color){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

/// Between the stops of a scale, t from 0 to 1.
static tact_light_color along(const tact_light_color* stops, int count, float t)
{
    const float at = (t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t) * (float)(count - 1);
    int k = (int)at;
    if (k > count - 2) k = count - 2;
    return tact_light_mix(stops[k], stops[k + 1], at - (float)k);
}

tact_light_color tact_particle_tint(const tact_particle_palette* p, const float row[7], size_t index)
{
    // Deep blue, teal, sand, orange, red: each lighter or darker than its neighbours, so that bands show in grey too.
    static const tact_light_color bands[] = {{0.030f, 0.085f, 0.230f},
                                             {0.020f, 0.260f, 0.330f},
                                             {0.740f, 0.660f, 0.420f},
                                             {0.830f, 0.300f, 0.050f},
                                             {0.480f, 0.035f, 0.040f}};
    static const tact_light_color heat[] = {
        {0.020f, 0.060f, 0.200f}, {0.030f, 0.330f, 0.480f}, {0.800f, 0.800f, 0.620f}, {1.000f, 0.420f, 0.060f}};
    enum { BANDS = sizeof bands / sizeof *bands, HEAT = sizeof heat / sizeof *heat };
    if (p->color == TACT_COLOR_SPEED) {
        const float speed = sqrtf(row[4] * row[4] + row[5] * row[5] + row[6] * row[6]);
        return along(heat, HEAT, p->fastest > 0.0f ? speed / p->fastest : 0.0f);
    }
    if (p->color == TACT_COLOR_SIZE) {
        const float spread = p->largest - p->smallest;
        return along(bands, BANDS, spread > 0.0f ? (row[3] - p->smallest) / spread : 0.0f);
    }
    const tact_light_color c = along(bands, BANDS, p->count > 1 ? (float)index / (float)(p->count - 1) : 0.0f);
    // Every grain a little its own.
    const uint32_t mixed = ((uint32_t)index * 2654435761u) >> 24;
    return tact_light_scale(c, 0.82f + 0.36f * (float)mixed / 255.0f);
}

/// From linear light to the display's curve.
static unsigned char encoded(float linear)
{
    const float c = !(linear > 0.0f) ? 0.0f : linear < 1.0f ? linear : 1.0f;
    const float e = c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1.0f / 2.4f) - 0.055f;
    return (unsigned char)(e * 255.0f + 0.5f);
}

void tact_light_encode(tact_light_color c, unsigned char rgb[3])
{
    rgb[0] = encoded(c.r);
    rgb[1] = encoded(c.g);
    rgb[2] = encoded(c.b);
}
