// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "core/particles/spread_cells.h"

#include <math.h>
#include <string.h>

#include "core/ranks/curve.h"

enum {
    BITS = 21,                     ///< of a cell's coordinate
    MIDDLE = 1 << (BITS - 1),      ///< the coordinate of the origin where there is no period
    MOST_CELLS = 1 << (BITS - 1),  ///< in a period
};

void tact_spread_cells_frame(tact_spread_cells* c, const TactGrid* grid, float width)
{
    const TactGridAxis* const axes[3] = {&grid->x, &grid->y, &grid->z};
    TACT_ASSERT(width > 0.0f);
    for (int k = 0; k < 3; ++k) {
        c->axes[k] = *axes[k];
        c->origin[k] = (double)axes[k]->origin;
        // A little wider, which pays for rounding.
        c->inverse[k] = 1.0 / (1.0001 * (double)width);
        c->count[k] = 0;
        if (!(axes[k]->period > 0.0f)) continue;
        const double period = (double)axes[k]->period, cells = floor(period * c->inverse[k]);
        c->count[k] = cells < 1.0 ? 1 : cells < MOST_CELLS ? (int32_t)cells : MOST_CELLS;
        c->inverse[k] = (double)c->count[k] / period;
    }
}

bool tact_spread_cells_alike(const tact_spread_cells* a, const tact_spread_cells* b)
{
    return memcmp(a->axes, b->axes, sizeof a->axes) == 0 && memcmp(a->origin, b->origin, sizeof a->origin) == 0 &&
           memcmp(a->inverse, b->inverse, sizeof a->inverse) == 0;
}

static int coordinate(const tact_spread_cells* c, int axis, float x)
{
    const double scaled = floor(((double)tact_grid_wrap(c->axes[axis], x) - c->origin[axis]) * c->inverse[axis]);
    if (c->count[axis] > 0) {
        const double last = (double)(c->count[axis] - 1);
        return (int)(scaled < 0.0 ? 0.0 : scaled > last ? last : scaled);
    }
    const double low = -MIDDLE, high = MIDDLE - 1;
    return (int)(scaled < low ? low : scaled > high ? high : scaled) + MIDDLE;
}

TactCell tact_spread_cell(const tact_spread_cells* c, const float position[3])
{
    const TactCell cell = {coordinate(c, 0, position[0]), coordinate(c, 1, position[1]), coordinate(c, 2, position[2])};
    return cell;
}

uint64_t tact_spread_code(TactCell cell)
{
    TACT_ASSERT(cell.x >= 0 && cell.x < 1 << BITS && cell.y >= 0 && cell.y < 1 << BITS && cell.z >= 0 &&
                cell.z < 1 << BITS);
    return tact_rank_curve_bits((uint64_t)cell.x) | tact_rank_curve_bits((uint64_t)cell.y) << 1 |
           tact_rank_curve_bits((uint64_t)cell.z) << 2;
}

uint32_t tact_spread_owner(const tact_spread_cells* c, uint64_t code)
{
    uint32_t low = 0, high = c->cut_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->cuts[middle] <= code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void tact_spread_bound(uint64_t numbers[TACT_SPREAD_BOUNDS], TactCell cell)
{
    const int at[3] = {cell.x, cell.y, cell.z};
    for (int k = 0; k < 3; ++k) {
        const uint64_t last = (uint64_t)at[k] + 1, first = (UINT64_C(1) << BITS) - (uint64_t)at[k];
        if (numbers[k] < last) numbers[k] = last;
        if (numbers[3 + k] < first) numbers[3 + k] = first;
    }
}

void tact_spread_set_bounds(tact_spread_cells* c, const uint64_t numbers[TACT_SPREAD_BOUNDS])
{
    for (int k = 0; k < 3; ++k) {
        c->last[k] = (int32_t)numbers[k] - 1;
        c->first[k] = (1 << BITS) - (int32_t)numbers[3 + k];
    }
}

/// The coordinate beside one; -1 where there is none that holds particles.
static int beside(const tact_spread_cells* c, int axis, int at, int by)
{
    const int count = c->count[axis];
    const int to = count > 0 ? (at + by + count) % count : at + by;
    return to >= c->first[axis] && to <= c->last[axis] ? to : -1;
}

uint32_t tact_spread_about(const tact_spread_cells* c, TactCell cell, uint32_t own,
                           uint32_t ranks[TACT_SPREAD_AROUND + 1])
{
    uint32_t found = 0;
    for (int n = 0; n < 27; ++n) {
        const TactCell at = {beside(c, 0, cell.x, n % 3 - 1), beside(c, 1, cell.y, n / 3 % 3 - 1),
                             beside(c, 2, cell.z, n / 9 - 1)};
        if (at.x < 0 || at.y < 0 || at.z < 0) continue;
        const uint32_t rank = tact_spread_owner(c, tact_spread_code(at));
        bool known = rank == own;
        for (uint32_t k = 0; k < found && !known; ++k)
            known = ranks[k] == rank;
        if (!known) ranks[found++] = rank;
    }
    return found;
}

/// How many of the keys are below a place.
static uint64_t below(const uint64_t* keys, size_t count, uint64_t code)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keys[middle] < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

tact_result tact_spread_cut(tact_spread_cells* c, tact_ranks* ranks, const uint64_t* keys, size_t count)
{
    tact_env* env = &ranks->context->env;
    const uint32_t cuts = tact_ranks_count(ranks) - 1;
    c->ranks = cuts + 1;
    uint64_t* rows = tact_allocate_zeroed(env, 2 * (size_t)cuts + 1, sizeof *rows);
    uint64_t* places = c->cuts ? c->cuts : tact_allocate_zeroed(env, (size_t)cuts + 1, sizeof *places);
    tact_result result = tact_ranks_agree(ranks, rows && places ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    uint64_t all = count;
    if (result == TACT_OK) result = tact_ranks_combine(ranks, TACT_RANKS_SUM, &all, 1);
    if (result == TACT_OK) {
        // Bit by bit, from the highest: the greatest places with no more keys below them than there should be.
        uint64_t *at = rows, *counts = rows + cuts;
        for (int bit = 3 * BITS - 1; bit >= 0 && result == TACT_OK; --bit) {
            for (uint32_t k = 0; k < cuts; ++k)
                counts[k] = below(keys, count, at[k] | UINT64_C(1) << bit);
            result = tact_ranks_combine(ranks, TACT_RANKS_SUM, counts, cuts);
            for (uint32_t k = 0; k < cuts; ++k) {
                const uint64_t share = all / c->ranks * (k + 1) + all % c->ranks * (k + 1) / c->ranks;
                if (counts[k] <= share) at[k] |= UINT64_C(1) << bit;
            }
        }
        if (result == TACT_OK) {
            memcpy(places, at, cuts * sizeof *places);
            c->cut_count = cuts;
        }
    }
    if (places != c->cuts && result != TACT_OK) {
        tact_release(env, places);
    } else if (places) {
        c->cuts = places;
    }
    tact_release(env, rows);
    return result;
}
