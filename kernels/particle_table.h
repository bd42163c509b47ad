// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// How a device lays its cells out: a table for each level, row by row, of a size that has to do with the number of
// particles and not with the room they are in. Along an axis a cell lies in its coordinate modulo the table's size, a
// power of two; along an axis with a period, in its coordinate within the period, modulo the size unless the table is
// as long as the period (its mask then has all bits). So a place of the table may hold several cells; the particles in
// it are in order of id, whatever their cells.
#ifndef TACT_PARTICLE_TABLE_H
#define TACT_PARTICLE_TABLE_H

#include "particle_grid.h"

// Cells of a level along an axis with a period, else 0. `shift`: levels between this and the finest.
FN int tact_table_period(TactGridAxis a, int shift)
{
    return a.period > 0.0f ? (a.high - a.low + 1) >> shift : 0;
}

// A coordinate at most a period outside, brought into it.
FN int tact_table_turn(int coordinate, int cells)
{
    int result = coordinate;
    if (cells > 0) {
        if (coordinate < 0) result = coordinate + cells;
        if (coordinate >= cells) result = coordinate - cells;
    }
    return result;
}

FN uint tact_table_slot(int coordinate, int cells, uint mask)
{
    return to_uint(tact_table_turn(coordinate, cells)) & mask;
}

// How many cells from `coordinate` (inside the period) on lie side by side in the table.
FN int tact_table_run(int coordinate, int cells, uint mask, uint size)
{
    int run = to_int(size - (to_uint(coordinate) & mask));
    if (cells > 0 && cells - coordinate < run) run = cells - coordinate;
    return run;
}

// The first (side -1) or last (side 1) cell that a particle at x can touch something in, of a level, counted from
// `base`; `otherwise` if that is nearer, or where the way there leads across the face of a period. `reach`: sum of
// the radii. A particle that touches is off along an axis by no more than `reach` and roundings: the margin, a
// thousandth of the reach and two roundings of x, is more than that.
FN int tact_table_bound(TactGridAxis a, float x, float reach, int side, int shift, int base, int otherwise)
{
    PRECISE float margin = reach * 1.001f + ABS(x) * 4.8e-7f;
    PRECISE float low = x - margin;
    PRECISE float high = x + margin;
    PRECISE float end = a.origin + a.period;
    int result = otherwise;
    if (!(a.period > 0.0f) || (low >= a.origin && high < end)) {
        int cell = (tact_grid_coordinate(a, side < 0 ? low : high) >> shift) - base;
        if (side < 0) result = cell > otherwise ? cell : otherwise;
        if (side > 0) result = cell < otherwise ? cell : otherwise;
    }
    return result;
}

#if defined(TACT_GLSL) || defined(TACT_OPENCL)
// A cell in two words; coordinates are within TACT_CELL_LIMIT.
FN uint2 tact_table_pack(TactCell c)
{
    return make_uint2(to_uint(c.x + TACT_CELL_LIMIT) | (to_uint(c.y + TACT_CELL_LIMIT) << 16u),
                      to_uint(c.z + TACT_CELL_LIMIT));
}

FN TactCell tact_table_unpack(uint2 words)
{
    TactCell c;
    c.x = to_int(words.x & 0xffffu) - TACT_CELL_LIMIT;
    c.y = to_int(words.x >> 16u) - TACT_CELL_LIMIT;
    c.z = to_int(words.y) - TACT_CELL_LIMIT;
    return c;
}
#endif

// Whether a particle in cell j of level `level_j` is the one that a walk from cell i looks for in row (z, y), cells x0
// to x1 of it, and not one of another cell that shares a place with those.
FN bool tact_table_is_here(TactGrid g, TactCell i, int level_i, TactCell j, int level_j, int z, int y, int x0, int x1)
{
    TactView v = tact_grid_view(g, i, level_i, j, level_j);
    return v.sees != 0 && v.z == z && v.y == y && v.x >= x0 && v.x <= x1;
}

#endif
