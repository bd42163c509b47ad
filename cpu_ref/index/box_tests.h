// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Boxes by their sides against what is searched for. A box around another never fails a test that the inner one
/// passes, so trees find what looking at all boxes finds.

#include "base/compiler.h"
#include "cpu_ref/geometry/ray_internal.h"
#include "cpu_ref/geometry/slabs.h"
#include "tact/geometry/frustum.h"

// Without branches between the comparisons: each of them alone is hard to foresee.
static inline bool tact_sides_meet(const tact_aabb* b, const float lower[3], const float upper[3])
{
    const bool x = (b->lower.x <= upper[0]) & (lower[0] <= b->upper.x);
    const bool y = (b->lower.y <= upper[1]) & (lower[1] <= b->upper.y);
    const bool z = (b->lower.z <= upper[2]) & (lower[2] <= b->upper.z);
    return x & y & z;
}

/// Whether something in a box may be in a frustum; clears the planes that all of it is behind. Both are certain by more
/// than the rounding of tact_frustum_aabb() of any box within, so that this alone decides.
static inline bool tact_sides_may_be_in(const tact_frustum* f, const float lower[3], const float upper[3],
                                        uint32_t* planes)
{
    for (uint32_t left = *planes; left; left &= left - 1u) {
        const tact_plane* plane = &f->plane[tact_lowest_bit(left)];
        const double n[3] = {(double)plane->normal.x, (double)plane->normal.y, (double)plane->normal.z};
        double low = -(double)plane->distance, high = low, size = fabs(low);
        for (int k = 0; k < 3; ++k) {
            const double a = n[k] * (double)lower[k], b = n[k] * (double)upper[k];
            low += a < b ? a : b;
            high += a < b ? b : a;
            size += fabs(a) + fabs(b);
        }
        if (low > 0x1p-40 * size) return false;
        if (high < -0x1p-40 * size) *planes &= ~(left & (0u - left));
    }
    return true;
}

/// A ray with the inverse of its direction; 0 in place of one along the slab.
typedef struct tact_slab_ray {
    float origin[3], inverse[3];
    float tmin;
} tact_slab_ray;

static inline float tact_slab_inverse(float d)
{
    return fabsf(d) < TACT_TINY ? 0.0f : 1.0f / d;
}

static inline tact_slab_ray tact_slab_ray_of(const tact_ray* r)
{
    return (tact_slab_ray){
        {r->ox, r->oy, r->oz}, {tact_slab_inverse(r->dx), tact_slab_inverse(r->dy), tact_slab_inverse(r->dz)}, r->tmin};
}

/// As tact_ray_aabb(), with reciprocals that are made once. `from` receives where the ray is in the box first, rounded
/// down.
static inline bool tact_sides_on_ray(const tact_slab_ray* r, const float lower[3], const float upper[3], float end,
                                     float* from)
{
    float enter = -INFINITY, leave = INFINITY;
    for (int k = 0; k < 3; ++k) {
        float first, last;
        if (r->inverse[k] == 0.0f) {
            if (!(lower[k] <= r->origin[k] && r->origin[k] <= upper[k])) return false;
            continue;
        }
        tact_slab_cross(r->origin[k], r->inverse[k], lower[k], upper[k], &first, &last);
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return tact_slabs_meet(enter, leave, r->tmin, end, from);
}
