// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the separation of meshes means: the nearest of every triangle of A and every moved triangle of B.

#include "cpu_ref/overlap/separation.h"
#include "cpu_ref/overlap/separation_square.h"
#include "tact/geometry/distance.h"

static tact_separation_nearest none_within(float limit)
{
    return (tact_separation_nearest){(double)limit * (double)limit, TACT_NONE, TACT_NONE};
}

void tact_separation_reference(const tact_separation_job* job, tact_separation_nearest* nearest)
{
    *nearest = none_within(job->limit);
    for (size_t i = 0; i < job->a->triangle_count; ++i) {
        const tact_triangle a = tact_overlap_triangle(job->a, i);
        if (!tact_overlap_triangle_there(&a)) continue;
        const tact_separation_triangle still = tact_separation_prepare(&a);
        for (size_t j = 0; j < job->b->triangle_count; ++j) {
            tact_triangle b = tact_overlap_triangle(job->b, j);
            if (!tact_overlap_triangle_there(&b)) continue;
            b = tact_overlap_move(job->pose, &b);
            if (!tact_overlap_triangle_there(&b)) continue;
            const tact_separation_triangle moved = tact_separation_prepare(&b);
            dvec gap;
            const bool overlap = tact_triangle_overlaps_triangle(&a, &b);
            const tact_separation_nearest n = {
                overlap ? TACT_SEPARATION_OVERLAP : tact_separation_square(&still, &moved, &gap), (uint32_t)i,
                (uint32_t)j};
            if (tact_separation_nearer(&n, nearest)) *nearest = n;
        }
    }
}

void tact_separation_result(const tact_separation_job* job, const tact_separation_nearest* nearest,
                            tact_mesh_distance* result)
{
    *result = (tact_mesh_distance){INFINITY, TACT_NONE, TACT_NONE, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
    if (nearest->a == TACT_NONE) return;
    const tact_triangle a = tact_overlap_triangle(job->a, nearest->a),
                        still = tact_overlap_triangle(job->b, nearest->b);
    const tact_triangle b = tact_overlap_move(job->pose, &still);
    const tact_closest_pair pair = tact_closest_triangle_triangle(&a, &b);
    const double square = nearest->square > 0.0 ? nearest->square : 0.0;
    *result = (tact_mesh_distance){(float)sqrt(square), nearest->a, nearest->b, pair.a, pair.b};
}
