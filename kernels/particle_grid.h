// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The cells that particles lie in, shared by C, GLSL and OpenCL C. docs/particles.md states it in prose.
//
// Cells serve two ends. They prune: particles whose cells are not neighbours do not touch. And they order: what a
// particle gets from its partners is summed in an order that every backend can walk without sorting a particle's
// partners. That order depends on the particles alone, never on how a backend lays its grid out in memory.
//
// There are up to five levels. Cells of level 0, the coarsest, are at least as wide as the largest particle; each level
// halves them. A particle is on the finest level whose cells are as wide as itself.
#ifndef TACT_PARTICLE_GRID_H
#define TACT_PARTICLE_GRID_H

#include "dialect.h"

#define TACT_PARTICLE_LEVELS 5
// Cells are wider than the particles in them by this factor, 1 + 2^-6. It pays for rounding: a cell coordinate is off
// by three roundings of at most 2^-24 of its value, which is at most 2^15, so two of them by less than 2^-6 together.
#define TACT_CELL_SLACK 1.015625f
// Cell coordinates of the finest level lie in [-2^15, 2^15 - 1]: what is farther out is in the outermost cell.
#define TACT_CELL_LIMIT 32768

// One axis. `inverse`: cells of the finest level per unit of length. [low, high]: their range. `period`: length after
// which everything repeats, or 0; high - low + 1 is then a multiple of 2^(levels - 1), and three times that at least.
STRUCT(TactGridAxis)
{
    float origin, inverse;
    int low, high;
    float period;
};

STRUCT(TactGrid)
{
    TactGridAxis x, y, z;
    float edge;  // of cells of level 0: at least TACT_CELL_SLACK times the largest diameter
    int levels;
};

STRUCT(TactCell)
{
    int x, y, z;
};

// A position brought into the domain [origin, origin + period) of a periodic axis. What is more than a period outside,
// which the speed limit rules out for all but contacts that overlap absurdly, comes to the origin. Axes without a
// period are left alone.
FN float tact_grid_wrap(TactGridAxis a, float x)
{
    PRECISE float end = a.origin + a.period;
    PRECISE float up = x + a.period;
    PRECISE float down = x - a.period;
    float result = x;
    if (a.period > 0.0f) {
        if (x < a.origin) result = up >= a.origin && up < end ? up : a.origin;
        if (x >= end) result = down >= a.origin && down < end ? down : a.origin;
    }
    return result;
}

// The shorter way from one position to another: d, or d a period longer or shorter.
FN float tact_grid_shorter(TactGridAxis a, float d)
{
    PRECISE float half_period = 0.5f * a.period;
    PRECISE float less = d - a.period;
    PRECISE float more = d + a.period;
    float result = d;
    if (a.period > 0.0f) {
        if (d > half_period) result = less;
        if (d < -half_period) result = more;
    }
    return result;
}

// The coordinate of the finest level's cell. Never decreases with x. NaN counts as lowest.
FN int tact_grid_coordinate(TactGridAxis a, float x)
{
    PRECISE float from = tact_grid_wrap(a, x) - a.origin;
    PRECISE float scaled = from * a.inverse;
    float cell = FLOOR(scaled);
    float low = to_float(a.low);
    float high = to_float(a.high);
    cell = cell > low ? cell : low;
    cell = cell < high ? cell : high;
    return to_int(cell);
}

FN TactCell tact_grid_cell(TactGrid g, float x, float y, float z)
{
    TactCell c;
    c.x = tact_grid_coordinate(g.x, x);
    c.y = tact_grid_coordinate(g.y, y);
    c.z = tact_grid_coordinate(g.z, z);
    return c;
}

// The level of a particle by its radius.
FN int tact_grid_level(TactGrid g, float radius)
{
    PRECISE float width = 2.0f * radius * TACT_CELL_SLACK;
    PRECISE float edge = g.edge;
    int level = 0;
    for (int next = 1; next < g.levels; ++next) {
        edge = 0.5f * edge;
        if (width <= edge) level = next;
    }
    return level;
}

// A finest coordinate on a level; >> rounds down.
FN int tact_grid_on_level(TactGrid g, int coordinate, int level)
{
    return coordinate >> (g.levels - 1 - level);
}

// From cell `from` to cell `to` of one level, the shorter way round.
FN int tact_grid_offset(TactGrid g, TactGridAxis a, int from, int to, int level)
{
    int d = to - from;
    if (a.period > 0.0f) {
        int cells = (a.high - a.low + 1) >> (g.levels - 1 - level);
        if (d > 1) d -= cells;
        if (d < -1) d += cells;
    }
    return d;
}

// How particle i sees particle j. `sees` is 1 when, on the coarser of their two levels, their cells are the same or
// neighbours: only then does i look at j. x, y, z: the cell of j on its own level, counted from the cell of i on the
// coarser of the two. What i gets from its partners is summed in ascending order of (level of j, z, y, x, id of j).
STRUCT(TactView)
{
    int sees;
    int level;
    int x, y, z;
};

FN int tact_grid_seen(TactGrid g, int coordinate, int level, int finer, int offset)
{
    int mask = (1 << finer) - 1;
    return offset * (mask + 1) + (tact_grid_on_level(g, coordinate, level) & mask);
}

FN TactView tact_grid_view(TactGrid g, TactCell i, int level_i, TactCell j, int level_j)
{
    TactView v;
    int coarse = level_i < level_j ? level_i : level_j;
    int x = tact_grid_offset(g, g.x, tact_grid_on_level(g, i.x, coarse), tact_grid_on_level(g, j.x, coarse), coarse);
    int y = tact_grid_offset(g, g.y, tact_grid_on_level(g, i.y, coarse), tact_grid_on_level(g, j.y, coarse), coarse);
    int z = tact_grid_offset(g, g.z, tact_grid_on_level(g, i.z, coarse), tact_grid_on_level(g, j.z, coarse), coarse);
    v.sees = x >= -1 && x <= 1 && y >= -1 && y <= 1 && z >= -1 && z <= 1 ? 1 : 0;
    v.level = level_j;
    int finer = level_j - coarse;
    v.x = tact_grid_seen(g, j.x, level_j, finer, x);
    v.y = tact_grid_seen(g, j.y, level_j, finer, y);
    v.z = tact_grid_seen(g, j.z, level_j, finer, z);
    return v;
}

#endif
