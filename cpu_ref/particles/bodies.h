// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Meshes and height fields that particles collide with.

#include "core/env.h"
#include "kernels/particle_contact.h"
#include "tact/particle_bodies.h"

/// Contacts of one particle with one body at most.
enum { TACT_BODY_TOUCHES = 4 };

/// A mesh or height field.
typedef struct tact_particle_body {
    uint32_t material;
    tact_body_pose pose;
} tact_particle_body;

/// NULL is not allowed; a body of zeroes is.
void tact_body_free(tact_env* env, tact_particle_body* body);

/// Where a sphere touches a body.
typedef struct tact_body_touch {
    uint32_t triangle;
    float distance;    ///< of the centre from the triangle
    float nx, ny, nz;  ///< unit, from the closest point to the centre
} tact_body_touch;

/// The touches of a sphere, the deepest first. Triangles whose normal is within 30 degrees of one taken already are
/// left out, so that the flat surroundings of a contact count once. Of equal distances the smaller triangle comes
/// first.
size_t tact_body_touches(const tact_particle_body* body, const float center[3], float radius,
                         tact_body_touch touches[TACT_BODY_TOUCHES]);

/// Distance of a point from a body: the exact minimum if that is at most `limit`, else anything greater than `limit`.
/// The surface's unit normal towards the point goes to `normal`.
float tact_body_distance(const tact_particle_body* body, const float point[3], float limit, float normal[3]);
