// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/batch.h
/// The hot tests on many shapes at once, in structures of arrays (Ericson, Real-Time Collision Detection, 2005, 13.7).
///
/// The arithmetic is single, in the order stated at each function, without fused multiply-add, and the same whichever
/// instructions are used: SSE2, AVX2 or AVX-512, chosen when the program runs, or plain C. So the results have the same
/// bits on every machine.
///
/// Arrays hold `count` numbers each. They need no padding and no alignment beyond that of float, and nothing is read or
/// written past their ends. Outputs must not overlap inputs. `bits` holds (count + 31) / 32 words; bit i % 32 of word
/// i / 32 is test i's result, and the bits past the last test are zero. Functions return how many results are true.
/// With count 0 nothing is touched.
///
/// The results are those of the functions for single shapes, to the bit: tact_sphere_overlaps_sphere(),
/// tact_sphere_overlaps_aabb(), tact_aabb_overlaps_aabb(), tact_ray_aabb() and tact_ray_triangle_watertight().
///
/// Range: the result is false for a NaN, an infinity (but for bounds of boxes, which may be infinite), a negative
/// radius, an empty box or a sum of radii beyond 2^63, whose square is no single number. Distances below 2^-63 count as
/// zero, because their squares may.

#include "tact/geometry/types.h"

/// Spheres as an array for each number.
typedef struct tact_batch_spheres {
    const float *x, *y, *z;  ///< centres
    const float* radius;     ///< radii, >= 0
} tact_batch_spheres;

/// Boxes as an array for each number.
typedef struct tact_batch_aabbs {
    const float* lower[3];  ///< of x, y and z
    const float* upper[3];  ///< of x, y and z
} tact_batch_aabbs;

/// Rays (tact_ray) as an array for each number.
typedef struct tact_batch_rays {
    const float* origin[3];     ///< x, y and z
    const float* direction[3];  ///< x, y and z; any length but 0
    const float *tmin, *tmax;   ///< the part of the line that counts
} tact_batch_rays;

/// Triangles as an array for each number.
typedef struct tact_batch_triangles {
    const float* a[3];  ///< x, y and z of the first corners
    const float* b[3];  ///< of the second
    const float* c[3];  ///< of the third
} tact_batch_triangles;

/// Finds which of `many` the sphere overlaps: (dx dx + dy dy) + dz dz <= r r with d the difference of the centres and r
/// the sum of the radii. 11 operations a test.
TACT_API size_t tact_batch_sphere_spheres(tact_sphere one, const tact_batch_spheres* many, size_t count,
                                          uint32_t* bits);

/// Tests whether sphere i of `a` overlaps sphere i of `b`, as tact_batch_sphere_spheres.
TACT_API size_t tact_batch_sphere_pairs(const tact_batch_spheres* a, const tact_batch_spheres* b, size_t count,
                                        uint32_t* bits);

/// Finds which of the boxes the sphere overlaps: (ex ex + ey ey) + ez ez <= r r with e, along each axis, how far the
/// centre is outside the box, 0 inside (Arvo, A simple method for box-sphere intersection testing, 1990). 24 operations
/// a test.
TACT_API size_t tact_batch_sphere_aabbs(tact_sphere one, const tact_batch_aabbs* many, size_t count, uint32_t* bits);

/// Finds which of the spheres the box overlaps, as tact_batch_sphere_aabbs.
TACT_API size_t tact_batch_aabb_spheres(tact_aabb one, const tact_batch_spheres* many, size_t count, uint32_t* bits);

/// Tests whether sphere i overlaps box i, as tact_batch_sphere_aabbs.
TACT_API size_t tact_batch_sphere_aabb_pairs(const tact_batch_spheres* spheres, const tact_batch_aabbs* boxes,
                                             size_t count, uint32_t* bits);

/// Finds which of `many` the box overlaps. Comparisons alone, so exact. 18 of them a test.
TACT_API size_t tact_batch_aabb_aabbs(tact_aabb one, const tact_batch_aabbs* many, size_t count, uint32_t* bits);

/// Tests whether box i of `a` overlaps box i of `b`. Exact.
TACT_API size_t tact_batch_aabb_pairs(const tact_batch_aabbs* a, const tact_batch_aabbs* b, size_t count,
                                      uint32_t* bits);

/// Finds which of the boxes the ray hits within [tmin, tmax], by slabs (Kay and Kajiya, Ray tracing complex scenes,
/// 1986): t = (plane - origin) * (1 / direction) on each axis, the first and the last t of the box moved apart by 2^-21
/// of themselves, which is more than their rounding errors. So no box that the ray touches is missed, and one that is
/// hit wrongly is missed by about 2^-20 of its distance. (Both hold while no t is subnormal.) Direction components
/// below 2^-126 count as zero; along such an axis the origin itself must be within the box, exactly.
/// `enter`, NULL when not wanted, receives where each box is entered (not moved, but clamped to [tmin, tmax]; tmin for
/// a ray that starts inside), and infinity for a miss. tmin may be -infinity and tmax infinity. With a direction of
/// zero the ray is the point where it starts. About 40 operations a test.
TACT_API size_t tact_batch_ray_aabbs(const tact_ray* one, const tact_batch_aabbs* many, size_t count, uint32_t* bits,
                                     float* enter);

/// Finds which of the rays hit the box, as tact_batch_ray_aabbs.
TACT_API size_t tact_batch_aabb_rays(tact_aabb one, const tact_batch_rays* many, size_t count, uint32_t* bits,
                                     float* enter);

/// Finds which of the triangles the ray hits, as a ray cast would find (docs/results.md): watertight edge tests in the
/// frame of the ray (Woop, Benthin, Wald, Watertight ray/triangle intersection, 2013) with exact signs. Both sides are
/// hit; one seen edge-on or without area is not. A triangle with a coordinate beyond TACT_MAX_COORDINATE is not hit.
/// `t`, `u` and `v` (weights of b and c) may each be NULL; a miss has 0 in all. tmin may be -infinity and tmax
/// infinity. About 60 operations for a triangle that is missed, 150 for one that is hit.
TACT_API size_t tact_batch_ray_triangles(const tact_ray* one, const tact_batch_triangles* many, size_t count,
                                         uint32_t* bits, float* t, float* u, float* v);
