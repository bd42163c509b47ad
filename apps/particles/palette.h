// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Colours of particles in pictures and windows.

#include <stddef.h>
#include <stdint.h>

/// What a particle's colour tells.
typedef enum tact_particle_color {
    TACT_COLOR_ID = 0,  ///< where it began: bands over the order of ids
    TACT_COLOR_SPEED = 1,
    TACT_COLOR_SIZE = 2,  ///< its radius
} tact_particle_color;

/// Linear light.
typedef struct tact_light_color {
    float r, g, b;
} tact_light_color;

/// The colour of a particle; `row` is x y z radius vx vy vz, `count` how many there are.
typedef struct tact_particle_palette {
    tact_particle_color color;
    float fastest;            ///< speed at the end of the scale
    float smallest, largest;  ///< radii
    size_t count;
} tact_particle_palette;

enum { TACT_SCALE_STOPS = 5 };

/// The colours of a scale, evenly from its beginning to its end, and what its ends stand for.
const tact_light_color* tact_particle_scale(tact_particle_color color);
void tact_particle_range(const tact_particle_palette* palette, float range[2]);

tact_light_color tact_particle_tint(const tact_particle_palette* palette, const float row[7], size_t index);

tact_light_color tact_light_scale(tact_light_color c, float f);
/// From a to b as t goes from 0 to 1.
tact_light_color tact_light_mix(tact_light_color a, tact_light_color b, float t);

/// Three bytes for the display.
void tact_light_encode(tact_light_color c, unsigned char rgb[3]);
