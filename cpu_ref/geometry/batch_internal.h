// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The batch tests, once for each set of instructions. Tests and benchmarks name the set; everyone else gets the best.

#include "base/lane_levels.h"
#include "kernels/ray_triangle.h"
#include "tact/geometry/batch.h"

/// By what share of itself a box's interval along a ray is widened: 2^-21, more than its rounding errors.
#define TACT_RAY_AABB_SLACK 4.76837158203125e-7f

/// Which side of a test is one shape, whose arrays then hold one number each.
typedef enum tact_batch_one { TACT_BATCH_PAIRS = 0, TACT_BATCH_FIRST = 1, TACT_BATCH_SECOND = 2 } tact_batch_one;

/// A prepared ray against triangles. t, u and v may be NULL.
typedef struct tact_batch_shot {
    TactRayFrame frame;
    float tmin, tmax;
    float *t, *u, *v;
} tact_batch_shot;

typedef struct tact_batch_tests {
    const char* name;
    size_t (*sphere_sphere)(const tact_batch_spheres* a, const tact_batch_spheres* b, tact_batch_one one, size_t count,
                            uint32_t* bits);
    size_t (*sphere_aabb)(const tact_batch_spheres* a, const tact_batch_aabbs* b, tact_batch_one one, size_t count,
                          uint32_t* bits);
    size_t (*aabb_aabb)(const tact_batch_aabbs* a, const tact_batch_aabbs* b, tact_batch_one one, size_t count,
                        uint32_t* bits);
    size_t (*ray_aabb)(const tact_batch_rays* a, const tact_batch_aabbs* b, tact_batch_one one, size_t count,
                       uint32_t* bits, float* enter);
    size_t (*ray_triangle)(const tact_batch_shot* shot, const tact_batch_triangles* b, size_t count, uint32_t* bits);
} tact_batch_tests;

extern const tact_batch_tests tact_batch_portable;
extern const tact_batch_tests tact_batch_sse2;
extern const tact_batch_tests tact_batch_avx2;
extern const tact_batch_tests tact_batch_avx512;

/// NULL for a level that this machine or build lacks.
const tact_batch_tests* tact_batch_level(int level);
