// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/hull_graph.h"

#include "base/asserts.h"
#include "cpu_ref/geometry/hull_internal.h"

/// Slopes below this along an edge are taken for a flat one.
static const double flat_slope = 0x1p-18;

static double height(const tact_hull_graph* g, dvec direction, uint32_t i)
{
    return d_dot(d_from(g->vertex[i]), direction);
}

static uint32_t highest_of_all(const tact_hull_graph* g, dvec direction)
{
    uint32_t best = UINT32_MAX;
    double top = -HUGE_VAL;
    for (uint32_t i = 0; i < g->count; ++i) {
        const double h = height(g, direction, i);
        if (h > top) {
            top = h;
            best = i;
        }
    }
    return best;
}

/// Whether a neighbour is as high as `i` up to the flat slope.
static bool on_a_plateau(const tact_hull_graph* g, dvec direction, uint32_t i)
{
    TACT_ASSERT(i < g->count && g->first[i] <= g->first[i + 1]);
    const double length = d_length(direction);
    for (uint32_t e = g->first[i]; e < g->first[i + 1]; ++e) {
        const dvec edge = d_sub(d_from(g->vertex[i]), d_from(g->vertex[g->neighbour[e]]));
        if (!(d_dot(edge, direction) > flat_slope * length * d_length(edge))) return true;
    }
    return g->first[i] == g->first[i + 1];
}

uint32_t tact_hull_graph_climb(const tact_hull_graph* g, dvec direction, uint32_t start)
{
    if (g->count == 0 || !d_finite(direction) || !(d_dot(direction, direction) > 0)) return UINT32_MAX;
    uint32_t at = start < g->count ? start : 0;
    double top = height(g, direction, at);
    if (!isfinite(top)) return highest_of_all(g, direction);
    for (;;) {
        uint32_t best = at;
        for (uint32_t e = g->first[at]; e < g->first[at + 1]; ++e) {
            const double h = height(g, direction, g->neighbour[e]);
            if (h > top) {
                top = h;
                best = g->neighbour[e];
            }
        }
        if (best == at) break;
        TACT_ASSERT(best < g->count);
        at = best;
    }
    return on_a_plateau(g, direction, at) ? highest_of_all(g, direction) : at;
}

uint32_t tact_hull_graph_extreme(const tact_hull_graph* graph, tact_vec3 direction, uint32_t start)
{
    return tact_hull_graph_climb(graph, d_from(direction), start);
}
