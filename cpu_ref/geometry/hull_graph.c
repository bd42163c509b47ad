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

// ---- Apex points ----

enum { MOST_CELLS = 1024 };

size_t tact_apex_map_size(uint32_t cells)
{
    return cells <= MOST_CELLS ? 6 * (size_t)cells * cells : 0;
}

/// The place of -1 to 1 among cells.
static uint32_t cell_along(double at, uint32_t cells)
{
    const double place = 0.5 * (at + 1.0) * (double)cells;
    const uint32_t cell = place > 0.0 ? (uint32_t)place : 0;
    return cell < cells ? cell : cells - 1;
}

/// A direction that is finite and not zero.
static size_t cell_of(dvec d, uint32_t cells)
{
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    const int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    const double along = d_at(d, axis), inverse = 1.0 / fabs(along);
    const uint32_t u = cell_along(d_at(d, (axis + 1) % 3) * inverse, cells);
    const uint32_t v = cell_along(d_at(d, (axis + 2) % 3) * inverse, cells);
    return ((size_t)(2 * axis + (along > 0.0)) * cells + v) * cells + u;
}

static dvec middle_of(int side, uint32_t u, uint32_t v, uint32_t cells)
{
    const double a = (2.0 * (double)u + 1.0) / (double)cells - 1.0, b = (2.0 * (double)v + 1.0) / (double)cells - 1.0;
    const double along = side % 2 ? 1.0 : -1.0;
    const int axis = side / 2;
    return axis == 0 ? d_make(along, a, b) : axis == 1 ? d_make(b, along, a) : d_make(a, b, along);
}

bool tact_apex_map_make(const tact_hull_graph* graph, uint32_t cells, uint32_t* map)
{
    if (graph->count == 0 || tact_apex_map_size(cells) == 0) return false;
    uint32_t at = 0;
    for (int side = 0; side < 6; ++side) {
        for (uint32_t v = 0; v < cells; ++v) {
            for (uint32_t i = 0; i < cells; ++i) {
                // To and fro, so that each walk begins next to its end.
                const uint32_t u = v % 2 ? cells - 1 - i : i;
                const dvec middle = middle_of(side, u, v, cells);
                at = tact_hull_graph_climb(graph, middle, at);
                TACT_ASSERT(cell_of(middle, cells) == ((size_t)side * cells + v) * cells + u);
                map[((size_t)side * cells + v) * cells + u] = at;
            }
        }
    }
    return true;
}

uint32_t tact_apex_map_extreme(const tact_hull_graph* graph, const uint32_t* map, uint32_t cells, tact_vec3 direction)
{
    const dvec d = d_from(direction);
    const bool some = tact_apex_map_size(cells) > 0 && d_finite(d) && d_dot(d, d) > 0.0;
    return tact_hull_graph_climb(graph, d, some ? map[cell_of(d, cells)] : 0);
}
