// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file spherecast.h
/// Batches of moving spheres against a scene: when, where and what each touches first. docs/results.md defines every
/// result to the bit.

#include "tact/geometry/types.h"
#include "tact/scene.h"

/// A sphere whose centre moves along a ray, at o + t d for t from tmin to tmax. What makes a ray miss everything
/// (raycast.h) makes this touch nothing, and so does a radius that is negative, NaN or beyond TACT_MAX_COORDINATE.
typedef struct tact_sphere_cast {
    tact_ray ray;  ///< of the centre
    float radius;  ///< >= 0
} tact_sphere_cast;

/// The first contact of a sphere.
typedef struct tact_sphere_hit {
    uint32_t instance;   ///< TACT_NONE when it touches nothing
    uint32_t primitive;  ///< triangle or shape of the instance's mesh; TACT_NONE for nothing
    float t;             ///< ray parameter of the touch, tmin when the sphere touches there already; tmax for nothing
    float x, y, z;       ///< the point that is touched: the closest one to the centre at t; 0 for nothing
    float nx, ny, nz;    ///< unit normal from there to the centre; of a centre on the surface, the surface's against
                         ///< the motion; 0 for nothing
} tact_sphere_hit;

/// Moves `count` spheres through a committed scene and writes `count` hits, in order: the smallest t, then the smallest
/// instance, then the smallest primitive. Triangles are touched from both sides, and touching counts. Spheres, boxes
/// and capsules are surfaces too, touched from outside and from inside; their instances must turn, mirror, move and
/// scale alike in all directions. A sphere never gets through a surface that a ray does not get through. `casts` and
/// `hits` are host arrays that must not overlap; count 0 is allowed. `options` and `report` may be NULL. When it fails
/// the contents of `hits` are unspecified. Masks and alpha masks do not matter.
///
/// Errors: INVALID_ARGUMENT (scene not committed, NULL arrays), UNSUPPORTED (instances of spheres, boxes or capsules
/// that are stretched or sheared), LIMIT, NO_DEVICE (a backend was forced that the context lacks), SHADOW_MISMATCH,
/// CANCELLED, OUT_OF_MEMORY; with `no_fallback` also what the device reported.
TACT_API tact_result tact_spherecast(tact_scene* scene, const tact_sphere_cast* casts, size_t count,
                                     tact_sphere_hit* hits, const tact_query_options* options,
                                     tact_query_report* report);
