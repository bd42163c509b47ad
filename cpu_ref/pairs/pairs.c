// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pairs/pairs.h"

#include <math.h>
#include <string.h>

#include "cpu_ref/pairs/lanes.h"
#include "cpu_ref/pairs/pair_sink.h"
#include "tact/geometry/aabb.h"
#include "tact/geometry/bounding_sphere.h"
#include "tact/geometry/overlap.h"

TACT_LANE_CHOICE(tact_pairs_lane_table, TACT_LANE_TABLES(tact_pairs_lanes), tact_pairs_lanes)

static tact_aabb no_box(void)
{
    return (tact_aabb){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
}

tact_aabb tact_aabb_pruning_box(tact_aabb box)
{
    return tact_aabb_is_empty(box) ? no_box() : box;
}

static float round_down(double x)
{
    const float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static float round_up(double x)
{
    const float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

tact_aabb tact_sphere_pruning_box(tact_sphere s)
{
    if (!(s.radius >= 0.0f) || !isfinite(s.radius) || !isfinite(s.center.x) || !isfinite(s.center.y) ||
        !isfinite(s.center.z)) {
        return no_box();
    }
    // The tests compare a sum of squares with a square, all rounded: when they say yes, the distance along an axis is
    // at most the sum of the radii times 1 + 2^-21, and what underflow adds.
    const double x = (double)s.center.x, y = (double)s.center.y, z = (double)s.center.z;
    const double r = (double)s.radius * (1.0 + 0x1p-20) + 1e-22;
    return (tact_aabb){{round_down(x - r), round_down(y - r), round_down(z - r)},
                       {round_up(x + r), round_up(y + r), round_up(z + r)}};
}

static bool categories_allow(const tact_volume_view* of_a, uint32_t a, const tact_volume_view* of_b, uint32_t b)
{
    TACT_ASSERT(a < of_a->count && b < of_b->count);
    if (!of_a->categories && !of_b->categories) return true;
    const tact_categories f = of_a->categories ? of_a->categories[a] : TACT_CATEGORIES_ALL;
    const tact_categories g = of_b->categories ? of_b->categories[b] : TACT_CATEGORIES_ALL;
    return (f.category & g.mask) != 0 && (g.category & f.mask) != 0;
}

static bool shapes_overlap(const tact_volume_view* of_a, uint32_t a, const tact_volume_view* of_b, uint32_t b)
{
    if (of_a->spheres && of_b->spheres) return tact_sphere_overlaps_sphere(of_a->spheres[a], of_b->spheres[b]);
    if (of_a->spheres) return tact_sphere_overlaps_aabb(of_a->spheres[a], of_b->boxes[b]);
    if (of_b->spheres) return tact_sphere_overlaps_aabb(of_b->spheres[b], of_a->boxes[a]);
    return tact_aabb_overlaps_aabb(of_a->boxes[a], of_b->boxes[b]);
}

bool tact_volume_view_overlap(const tact_volume_view* of_a, uint32_t a, const tact_volume_view* of_b, uint32_t b)
{
    return categories_allow(of_a, a, of_b, b) && tact_volume_is_live(&of_a->boxes[a]) &&
           tact_volume_is_live(&of_b->boxes[b]) && shapes_overlap(of_a, a, of_b, b);
}

tact_result tact_pairs_reference(tact_pairs_job* job)
{
    TACT_ASSERT(job->a && job->sinks);
    const tact_volume_view *a = job->a, *b = job->b ? job->b : job->a;
    const uint32_t end = job->end < a->count ? job->end : a->count;
    for (uint32_t i = job->from; i < end; ++i) {
        for (uint32_t k = job->b ? 0 : i + 1; k < b->count; ++k) {
            if (tact_volume_view_overlap(a, i, b, k)) tact_pair_sink_add(&job->sinks[0], i, k);
        }
        if (i % 1024 == 0 && job->progress && !job->progress((double)i / (double)a->count, job->progress_user)) {
            return tact_fail(job->env, TACT_ERROR_CANCELLED, "cancelled");
        }
    }
    job->tests = (uint64_t)a->count * b->count;
    return TACT_OK;
}
