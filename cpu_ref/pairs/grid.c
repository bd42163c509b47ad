// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// One uniform grid with hashed cells, and a list of the few boxes too large for it: see grid_cells.h.

#include "cpu_ref/pairs/grid_cells.h"

static tact_result find(tact_pairs_job* job)
{
    return tact_cells_pairs(job, TACT_PAIRS_GRID, true);
}

const tact_pairs_way tact_pairs_grid = {TACT_PAIRS_GRID, find, tact_cells_release};
