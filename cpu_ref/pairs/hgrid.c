// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A hierarchy of grids, each with cells half as wide as the one above: see grid_cells.h.

#include "cpu_ref/pairs/grid_cells.h"

static tact_result find(tact_pairs_job* job)
{
    return tact_cells_pairs(job, TACT_PAIRS_HGRID, false);
}

const tact_pairs_way tact_pairs_hgrid = {TACT_PAIRS_HGRID, find, tact_cells_release};
