// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A box in the other forms that rays are cast against. Include after run.h.

#include "tests/geometry/ray_cases.h"

static inline bool slopes_overlap(const tact_ray* ray, const tact_aabb* box)
{
    const tact_ray_slopes s = tact_ray_slopes_prepare(ray);
    return tact_ray_slopes_overlap_aabb(&s, box);
}

/// The box as another shape, of the same points. The axes are permuted and mirrored by `turn`.
static inline tact_obb as_obb(const tact_aabb* b, uint32_t turn)
{
    const float half[3] = {0.5f * (b->upper.x - b->lower.x), 0.5f * (b->upper.y - b->lower.y),
                           0.5f * (b->upper.z - b->lower.z)};
    tact_obb o = {
        {0.5f * (b->lower.x + b->upper.x), 0.5f * (b->lower.y + b->upper.y), 0.5f * (b->lower.z + b->upper.z)},
        {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
        {0, 0, 0}};
    const float sign = turn & 4 ? -1.0f : 1.0f;
    const uint32_t t = turn % 3;
    o.axis[(0 + t) % 3].x = sign;
    o.axis[(1 + t) % 3].y = 1.0f;
    o.axis[(2 + t) % 3].z = -sign;
    float* h = &o.half.x;
    for (uint32_t i = 0; i < 3; ++i)
        h[(i + t) % 3] = half[i];
    return o;
}

typedef struct planes {
    tact_plane plane[16];
    size_t count;
} planes;

static inline planes as_planes(const tact_aabb* b, float factor)
{
    const planes p = {{{{factor, 0, 0}, factor * b->upper.x},
                       {{-factor, 0, 0}, -factor * b->lower.x},
                       {{0, factor, 0}, factor * b->upper.y},
                       {{0, -factor, 0}, -factor * b->lower.y},
                       {{0, 0, factor}, factor * b->upper.z},
                       {{0, 0, -factor}, -factor * b->lower.z}},
                      6};
    return p;
}

static inline tact_ray_solid_hit slabs_of(const tact_ray* ray, const tact_aabb* b, float factor)
{
    const tact_vec3 normals[3] = {{factor, 0, 0}, {0, factor, 0}, {0, 0, factor}};
    const float lower[3] = {factor * b->lower.x, factor * b->lower.y, factor * b->lower.z};
    const float upper[3] = {factor * b->upper.x, factor * b->upper.y, factor * b->upper.z};
    return tact_ray_slabs(ray, normals, lower, upper, 3);
}

static inline void assert_solid(tact_ray_solid_hit h, float t, float leave, tact_vec3 n, tact_vec3 m)
{
    assert_true(h.hit);
    if (h.t != t || h.exit != leave) {
        fail_msg("t %g exit %g instead of %g %g", (double)h.t, (double)h.exit, (double)t, (double)leave);
    }
    assert_true(same_vec(h.normal, n) && same_vec(h.exit_normal, m));
}

static inline tact_aabb random_grid_box(test_random* r, int n)
{
    const tact_vec3 a = random_grid(r, n), b = random_grid(r, n);
    const tact_aabb box = {{fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)},
                           {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)}};
    return box;
}
