// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pick/touched.h"

#include <math.h>
#include <string.h>

// Cells that an edge comes near to are marked; the others are what their centre is, since nothing parts them. Sums over
// all cells above and left of each corner then tell how many of a kind a box of cells has.
enum { CELLS = 128, SIDE = CELLS + 1, INSIDE = 0, OUTSIDE = 1 };

#define COORDINATE_MAX 0x1p20
#define MARGIN 0x1p-10

static size_t cell_of(double origin, double scale, double at)
{
    const double cell = (at - origin) * scale;
    TACT_ASSERT(scale > 0.0);
    return !(cell > 0.0) ? 0 : cell >= (double)(CELLS - 1) ? CELLS - 1 : (size_t)cell;
}

static double within(double at, double low, double high)
{
    return at < low ? low : at > high ? high : at;
}

/// Marks the cells of one row that the edge comes near to. The row's sides are taken a margin wider, which is far more
/// than what rounding does to the edge's ends in it.
static void mark_row(const tact_touch_area* area, const tact_touch_edge* e, size_t row, uint8_t* marked)
{
    TACT_ASSERT(row < CELLS);
    const double top = area->y0 + (double)row / area->grid_scale[1] - MARGIN;
    const double bottom = area->y0 + (double)(row + 1) / area->grid_scale[1] + MARGIN;
    const double dx = e->bx - e->ax, dy = e->by - e->ay;
    double s = 0.0, t = 1.0;
    if (fabs(dy) >= MARGIN) {
        s = within((top - e->ay) / dy, 0.0, 1.0);
        t = within((bottom - e->ay) / dy, 0.0, 1.0);
    }
    const double from = e->ax + s * dx, to = e->ax + t * dx;
    const size_t first = cell_of(area->x0, area->grid_scale[0], (from < to ? from : to) - MARGIN);
    const size_t last = cell_of(area->x0, area->grid_scale[0], (from < to ? to : from) + MARGIN);
    TACT_ASSERT(first <= last && last < CELLS);
    memset(marked + row * CELLS + first, 1, last - first + 1);
}

static void mark_edges(const tact_touch_area* area, uint8_t* marked)
{
    for (size_t i = 0; i < area->edge_count; ++i) {
        const tact_touch_edge* e = &area->edges[i];
        const double low = e->ay < e->by ? e->ay : e->by, high = e->ay < e->by ? e->by : e->ay;
        const size_t last = cell_of(area->y0, area->grid_scale[1], high + MARGIN);
        for (size_t row = cell_of(area->y0, area->grid_scale[1], low - MARGIN); row <= last; ++row)
            mark_row(area, e, row, marked);
    }
}

static void sum_up(const tact_touch_area* area, const uint8_t* marked, uint32_t (*sums)[2])
{
    memset(sums, 0, SIDE * sizeof *sums);
    for (size_t row = 0; row < CELLS; ++row) {
        uint32_t here[2] = {0, 0};
        uint32_t(*below)[2] = sums + (row + 1) * SIDE;
        memset(below, 0, sizeof *below);
        for (size_t column = 0; column < CELLS; ++column) {
            if (!marked[row * CELLS + column]) {
                const double x = area->x0 + ((double)column + 0.5) / area->grid_scale[0];
                const double y = area->y0 + ((double)row + 0.5) / area->grid_scale[1];
                ++here[tact_touch_in_lasso(area, x, y) ? INSIDE : OUTSIDE];
            }
            TACT_ASSERT(here[INSIDE] + here[OUTSIDE] <= column + 1);
            for (int k = 0; k < 2; ++k)
                below[column + 1][k] = sums[row * SIDE + column + 1][k] + here[k];
        }
    }
}

tact_result tact_touch_grid_make(tact_env* env, tact_touch_area* area)
{
    TACT_ASSERT(!area->grid && (area->edges || area->edge_count == 0));
    if (!(area->x0 < area->x1 && area->y0 < area->y1)) return TACT_OK;
    for (size_t i = 0; i < area->edge_count; ++i) {
        const tact_touch_edge* e = &area->edges[i];
        if (fabs(e->ax) > COORDINATE_MAX || fabs(e->ay) > COORDINATE_MAX) return TACT_OK;
    }
    area->grid_scale[0] = CELLS / (area->x1 - area->x0);
    area->grid_scale[1] = CELLS / (area->y1 - area->y0);
    if (!isfinite(area->grid_scale[0]) || !isfinite(area->grid_scale[1])) return TACT_OK;
    uint8_t* const marked = tact_allocate_zeroed(env, (size_t)CELLS * CELLS, 1);
    area->grid = tact_allocate(env, (size_t)SIDE * SIDE, sizeof *area->grid);
    const bool made = marked && area->grid;
    if (made) {
        mark_edges(area, marked);
        sum_up(area, marked, area->grid);
    }
    tact_release(env, marked);
    return made ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

tact_touch_cover tact_touch_grid_look(const tact_touch_area* area, double x0, double y0, double x1, double y1)
{
    if (!area->grid) return TACT_TOUCH_MIXED;
    const size_t left = cell_of(area->x0, area->grid_scale[0], x0);
    const size_t right = cell_of(area->x0, area->grid_scale[0], x1) + 1;
    const size_t top = cell_of(area->y0, area->grid_scale[1], y0);
    const size_t bottom = cell_of(area->y0, area->grid_scale[1], y1) + 1;
    TACT_ASSERT(left < right && top < bottom);
    const uint32_t cells = (uint32_t)((right - left) * (bottom - top));
    for (int k = 0; k < 2; ++k) {
        const uint32_t there = area->grid[bottom * SIDE + right][k] - area->grid[bottom * SIDE + left][k] -
                               area->grid[top * SIDE + right][k] + area->grid[top * SIDE + left][k];
        if (there == cells) return k == INSIDE ? TACT_TOUCH_ALL : TACT_TOUCH_NONE;
    }
    return TACT_TOUCH_MIXED;
}
