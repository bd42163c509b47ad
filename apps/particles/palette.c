// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/particles/particles.h"

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

const tact_light_color* tact_particle_scale(tact_particle_color color)
{
    // Deep blue, teal, sand, orange, red: each lighter or darker than its neighbours, so that bands show in grey too.
    static const tact_light_color bands[TACT_SCALE_STOPS] = {{0.030f, 0.085f, 0.230f},
                                                             {0.020f, 0.260f, 0.330f},
                                                             {0.740f, 0.660f, 0.420f},
                                                             {0.830f, 0.300f, 0.050f},
                                                             {0.480f, 0.035f, 0.040f}};
    // From rest to fast: night, water, foam, sunlight, embers.
    static const tact_light_color heat[TACT_SCALE_STOPS] = {{0.020f, 0.060f, 0.200f},
                                                            {0.025f, 0.300f, 0.450f},
                                                            {0.620f, 0.740f, 0.660f},
                                                            {0.950f, 0.620f, 0.200f},
                                                            {1.000f, 0.220f, 0.030f}};
    return color == TACT_COLOR_SPEED ? heat : bands;
}

void tact_particle_range(const tact_particle_palette* p, float range[2])
{
    range[0] = p->color == TACT_COLOR_SIZE ? p->smallest : 0.0f;
    range[1] = p->color == TACT_COLOR_SIZE ? p->largest : p->color == TACT_COLOR_SPEED ? p->fastest : 0.0f;
    if (p->color == TACT_COLOR_ID && p->count > 1) range[1] = (float)(p->count - 1);
}

tact_light_color tact_particle_tint(const tact_particle_palette* p, const float row[7], size_t index)
{
    float range[2], value = (float)index;
    tact_particle_range(p, range);
    if (p->color == TACT_COLOR_SPEED) value = sqrtf(row[4] * row[4] + row[5] * row[5] + row[6] * row[6]);
    if (p->color == TACT_COLOR_SIZE) value = row[3];
    const float t = range[1] > range[0] ? (value - range[0]) / (range[1] - range[0]) : 0.0f;
    const tact_light_color c = along(tact_particle_scale(p->color), TACT_SCALE_STOPS, t);
    if (p->color != TACT_COLOR_ID) return c;
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
