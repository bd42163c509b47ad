// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Which sphere is seen at each sample of a picture, and how far away. In perspective for the eye, in parallel
/// projection for light from far away.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/problem.h"

/// Where from, and how, spheres are looked at.
typedef struct tact_sphere_view {
    float eye[3];
    float right[3], up[3], back[3];  ///< unit and perpendicular; `back` points from the scene to the eye
    float tangent_x, tangent_y;      ///< of half the angle of view; in parallel projection half its width and height
    bool parallel;
    uint32_t width, height;  ///< samples
} tact_sphere_view;

/// A sphere is a row of seven floats, x y z radius and three more; those that are not finite are left out. `depth`
/// (along -back from the eye) and `sphere` hold width x height samples, row by row from the top. Where a sphere is
/// nearer than the depth there, its depth and number are stored. Of equally near spheres the first counts, so that the
/// result does not depend on threads. Where so many spheres lie over each other that a picture would take minutes, only
/// every k-th is drawn.
bool tact_spheres_draw(const tact_sphere_view* view, const float* rows, size_t count, float* depth, uint32_t* sphere,
                       tact_problem* problem);

/// The direction, not of unit length, in which a sample looks: its depth times this from the eye is what is seen.
void tact_sphere_view_ray(const tact_sphere_view* view, uint32_t column, uint32_t row, float direction[3]);
