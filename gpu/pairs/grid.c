// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "gpu/pairs/internal.h"

// The grid: boxes counted into cells, the counts scanned, and the boxes put in the cells' order. A cell is wider than
// any box but a few, which are kept in a list that everything is tested against; so boxes that overlap are in cells
// that touch. After C. Ericson, "Real-Time Collision Detection" (2005), 7.1; and S. Green, "Particle Simulation using
// CUDA" (2010), for cells as ranges of a sorted array.

enum { MOST_WIDE = 64, MOST_CROWD = 6 };

bool tact_gpu_grid_suits(const tact_gpu_volumes* v, char* reason, size_t size)
{
    const tact_grid_plan* plan = &v->plan;
    if (plan->wide_part * v->count > MOST_WIDE / 2) {
        snprintf(reason, size, "a tree: %.2g %% of the boxes are more than 4 times as wide as half of them",
                 100.0 * plan->wide_part);
        return false;
    }
    // A box meets the boxes of 14 cells.
    if (plan->crowd > MOST_CROWD) {
        snprintf(reason, size, "a tree: %.3g boxes would share a cell", plan->crowd);
        return false;
    }
    return true;
}

static tact_result count_cells(tact_gpu_volumes* v, uint32_t cells)
{
    const tact_grid_plan* plan = &v->plan;
    tact_buffer_fill(v->cell_table, 0, (size_t)(cells + 2) * 4, 0);
    TACT_LAUNCH_ITEMS(v->device, pairs_cells, v->count, .boxes = v->boxes, .cell_of = v->keys, .rank_of = v->order,
                      .sizes = v->cell_table, .count = v->count, .cells_x = plan->cells[0], .cells_y = plan->cells[1],
                      .cells_z = plan->cells[2], .origin_x = plan->origin[0], .origin_y = plan->origin[1],
                      .origin_z = plan->origin[2], .scale = plan->scale, .widest = plan->widest);
    if (!v->scan) tact_scan_create(v->device, 0, &v->scan);
    return tact_scan_run(v->scan, v->cell_table, v->cell_table, cells + 2, NULL, 0);
}

static tact_result place(tact_gpu_volumes* v, uint32_t cells)
{
    const uint32_t padded = (v->count + 7) / 8 * 8;
    return TACT_LAUNCH_ITEMS(v->device, pairs_place, padded, .boxes = v->boxes, .cell_of = v->keys, .rank_of = v->order,
                             .table = v->cell_table, .tree = v->tree, .count = v->count, .padded = padded,
                             .leaf_cells = cells + 2);
}

tact_result tact_gpu_grid_update(tact_gpu_volumes* v, const tact_gpu_side* side, bool asked, bool* rebuilt, bool* fits)
{
    *fits = true;
    if (v->count == 0) return TACT_OK;
    if (v->structure == TACT_PAIRS_GRID && v->structure_version == v->version && !side->array) return TACT_OK;
    v->structure = TACT_PAIRS_AUTO;
    v->order_count = 0;
    *rebuilt = true;
    const uint32_t cells = v->plan.cells[0] * v->plan.cells[1] * v->plan.cells[2];
    const uint64_t leaf_words = TACT_PAIRS_HEADER + ((uint64_t)v->count + 7) / 8 * TACT_PAIRS_GROUP_WORDS;
    tact_gpu_need(v, &v->keys, (uint64_t)v->count * 4, "cells of boxes");
    tact_gpu_need(v, &v->order, (uint64_t)v->count * 4, "places in cells");
    tact_gpu_need(v, &v->cell_table, (cells + 2 + (uint64_t)v->count) * 4, "cells");
    tact_gpu_need(v, &v->tree, leaf_words * 4, "sorted boxes");
    count_cells(v, cells);
    uint32_t wide[2] = {0, 0};
    if (tact_buffer_read(v->cell_table, (size_t)cells * 4, wide, sizeof wide) != TACT_OK)
        return tact_device_result(v->device);
    *fits = asked || wide[1] - wide[0] <= MOST_WIDE || wide[1] <= 1024;
    if (!*fits) return TACT_OK;
    if (place(v, cells) != TACT_OK) return tact_device_result(v->device);
    v->structure = TACT_PAIRS_GRID;
    v->structure_version = v->version;
    return TACT_OK;
}

tact_result tact_gpu_launch_grid(tact_gpu_volumes* a, const tact_pairs_walk* walk, bool resume)
{
    const tact_grid_plan* plan = &a->plan;
    const uint32_t cells = plan->cells[0] * plan->cells[1] * plan->cells[2];
    return TACT_LAUNCH_ITEMS(
        a->device, pairs_grid, a->count, .items = a->tree, .tree = a->tree, .rows = a->rows, .cache = a->cache,
        .state = a->state, .found_pairs = a->found, .details_a = a->details, .details_b = a->cell_table,
        .count = a->count, .mode = walk->mode, .resume = resume, .steps = walk->steps, .first = walk->first,
        .end = walk->end, .base = walk->base, .shift = walk->shift, .spheres_a = a->spheres, .spheres_b = a->spheres,
        .categories_a = a->categories_at, .categories_b = a->categories_at, .cells_x = plan->cells[0],
        .cells_y = plan->cells[1], .cells_z = plan->cells[2], .leaf_cells = cells + 2);
}
