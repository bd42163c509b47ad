// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file raycast.h
/// Batches of ray casts against a scene. docs/results.md defines every answer to the bit.

#include "tact/geometry/types.h"
#include "tact/scene.h"

// A tact_ray (geometry/types.h) is the points o + t d with tmin <= t <= tmax. The direction need not have unit length;
// t is in units of it. In a cast it misses everything when a part is NaN or infinite (an infinite tmax is allowed),
// when its direction is zero (components below 2^-126 count as zero), when tmin > tmax, or when its origin lies beyond
// TACT_MAX_COORDINATE.

/// What a ray hit.
typedef struct tact_hit {
    uint32_t instance;   ///< TACT_NONE for a miss
    uint32_t primitive;  ///< triangle of the instance's mesh; TACT_NONE for a miss
    float t;             ///< ray parameter of the hit; tmax for a miss
    float u, v;          ///< weights of the triangle's second and third vertex; 0 for a miss
} tact_hit;

typedef enum tact_ray_mode {
    TACT_RAY_CLOSEST = 0,  ///< the hit with the smallest t, then the smallest instance, then the smallest primitive
    TACT_RAY_ANY = 1,      ///< whether there is a hit: all zero if so, else a miss
    TACT_RAY_COUNT = 2     ///< `primitive` is the number of triangles hit, the rest zero
} tact_ray_mode;

/// Casts `count` rays against a committed scene and writes `count` hits, in order. `rays` and `hits` are host arrays
/// that must not overlap; count 0 is allowed. `options` and `report` may be NULL. When it fails the contents of `hits`
/// are unspecified.
/// Watertight: a ray through an edge or a vertex that triangles of one instance share never slips between them.
/// Errors: INVALID_ARGUMENT (scene not committed, NULL arrays), NO_DEVICE (a backend was forced that the context
/// lacks), SHADOW_MISMATCH, CANCELLED, OUT_OF_MEMORY; with `no_fallback` also what the device reported.
TACT_API tact_result tact_raycast(tact_scene* scene, tact_ray_mode mode, const tact_ray* rays, size_t count,
                                  tact_hit* hits, const tact_query_options* options, tact_query_report* report);

/// Every hit along `count` rays: those of ray i are hits[offsets[i]] to just before hits[offsets[i + 1]], from the
/// front: by t, then instance, then primitive, each to the bit as tact_raycast() defines that triangle's hit. So the
/// first is the closest one, their number that of TACT_RAY_COUNT, and none is missing or told twice, however many lie
/// on one place. `max_hits` of each ray at most, from the front, which costs less where it is small; 0: all. `offsets`
/// has count + 1 places. When `capacity` is too small the call returns TACT_INCOMPLETE: the offsets are complete all
/// the same, so offsets[count] is the capacity needed, and the first `capacity` hits are there; `hits` may be NULL with
/// capacity 0. On the CPU or by the reference; OpenGL and OpenCL, when asked for, leave it to the CPU, and the report
/// says so. Errors: as tact_raycast(); UNSUPPORTED for OpenGL and OpenCL with `no_fallback`.
TACT_API tact_result tact_raycast_all(tact_scene* scene, const tact_ray* rays, size_t count, uint32_t max_hits,
                                      uint64_t* offsets, tact_hit* hits, size_t capacity,
                                      const tact_query_options* options, tact_query_report* report);
