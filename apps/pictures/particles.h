// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Pictures of particles: shaded spheres in perspective, among the meshes they collide with, on a floor, with shadows.
/// On the host alone, so that a machine without a display or a GPU makes the same ones.

#include "apps/inputs/model.h"
#include "apps/particles/palette.h"
#include "apps/pictures/spheres.h"

/// What stays as it is from one picture to the next.
typedef struct tact_particle_stage_desc {
    uint32_t width, height;    ///< of the picture, in pixels
    tact_aabb bounds;          ///< what is to be seen
    float azimuth, elevation;  ///< of the eye about the middle, degrees; from +z towards +x, and up
    bool floor;                ///< at the lower end of the bounds
    const tact_model* model;   ///< meshes; NULL: none. Read only while the stage is made
    tact_context* context;     ///< for casting rays at them
    tact_particle_color color;
    float fastest;
    float smallest, largest;
} tact_particle_stage_desc;

typedef struct tact_particle_stage tact_particle_stage;

bool tact_particle_stage_create(const tact_particle_stage_desc* desc, tact_particle_stage** stage,
                                tact_problem* problem);
void tact_particle_stage_destroy(tact_particle_stage* stage);

/// Draws particles, rows of x y z radius vx vy vz. `rgb` holds 3 * width * height bytes. The same bytes for every
/// number of threads.
bool tact_particle_stage_draw(tact_particle_stage* stage, const float* rows, size_t count, unsigned char* rgb,
                              tact_problem* problem);

/// An eye at the azimuth and elevation (degrees) from which a box is seen whole, with a vertical angle of 36 degrees.
void tact_particle_camera(tact_aabb bounds, float azimuth, float elevation, uint32_t width, uint32_t height,
                          tact_sphere_view* view);
