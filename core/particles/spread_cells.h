// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How space is cut among ranks. Cells wider than any contact is long follow each other along a Morton curve (G. M.
/// Morton, "A Computer Oriented Geodetic Data Base", 1966), and the curve is cut into one piece for each rank. Cells
/// and cuts are the same on all ranks, and depend on integers alone.

#include "core/ranks/ranks.h"
#include "cpu_ref/particles/particles.h"

enum { TACT_SPREAD_AROUND = 26 };  ///< cells about a cell

typedef struct tact_spread_cells {
    TactGridAxis axes[3];          ///< for bringing positions into a period
    double origin[3], inverse[3];  ///< cells by unit of length
    int32_t count[3];              ///< with a period: of cells; else 0
    int32_t first[3], last[3];     ///< all cells that hold particles, of any rank, lie between these
    uint32_t ranks;                ///< pieces
    uint64_t* cuts;                ///< where pieces after the first begin, ascending; ranks - 1 of them
    uint32_t cut_count;            ///< 0: nothing is cut yet, and all is the first rank's
} tact_spread_cells;

/// Cells that are `width` wide at least, in the frame of a grid. Keeps the cuts.
void tact_spread_cells_frame(tact_spread_cells* cells, const TactGrid* grid, float width);

/// Whether two frames are one.
bool tact_spread_cells_alike(const tact_spread_cells* a, const tact_spread_cells* b);

/// The cell of a position. Two positions that are no farther apart than the width have cells that are the same or
/// neighbours.
TactCell tact_spread_cell(const tact_spread_cells* cells, const float position[3]);

/// A cell's place on the curve, below 2^63.
uint64_t tact_spread_code(TactCell cell);

/// The rank whose piece a place is on.
uint32_t tact_spread_owner(const tact_spread_cells* cells, uint64_t code);

/// The numbers by which ranks agree where particles are, for a reduction to the greatest.
enum { TACT_SPREAD_BOUNDS = 6 };

/// Makes the numbers count a cell that holds particles; without any they are zeros.
void tact_spread_bound(uint64_t numbers[TACT_SPREAD_BOUNDS], TactCell cell);
/// Takes over the greatest of all ranks.
void tact_spread_set_bounds(tact_spread_cells* cells, const uint64_t numbers[TACT_SPREAD_BOUNDS]);

/// The ranks but for `own` that have a cell about this one, or the cell itself, each once; of cells between first and
/// last, since others hold nothing that a ghost could meet. Returns how many.
uint32_t tact_spread_about(const tact_spread_cells* cells, TactCell cell, uint32_t own,
                           uint32_t ranks[TACT_SPREAD_AROUND + 1]);

/// Cuts the curve anew, so that ranks have equal parts of all keys, which are places on the curve, one for each unit of
/// work, ascending. Collective. Errors: OUT_OF_MEMORY, the group's.
tact_result tact_spread_cut(tact_spread_cells* cells, tact_ranks* ranks, const uint64_t* keys, size_t count);
