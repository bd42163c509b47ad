// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/ranks/curve.h"

#include <math.h>
#include <stdlib.h>

enum {
    LEVELS = 20,          ///< of halving each axis
    CELLS = 1 << LEVELS,  ///< on an axis
    OUTLIERS = 16,        ///< of so many points of the sample one may lie outside the middle, on each side
};

/// One more than the last code.
static const uint64_t END = (uint64_t)1 << 3 * LEVELS;

/// The cell of a coordinate: of two, the greater one's is not the lower. That is all that cutting relies on.
static uint32_t cell_of(const tact_rank_curve* c, int axis, float x)
{
    if (c->scale == 0.0) return 0;
    const double place = ((double)x - c->lower[axis]) * c->scale;
    if (place >= (double)(CELLS - 1)) return CELLS - 1;
    return place > 0.0 ? (uint32_t)place : 0;
}

static uint64_t code_of(const uint32_t cell[3])
{
    return tact_rank_curve_bits(cell[0]) << 2 | tact_rank_curve_bits(cell[1]) << 1 | tact_rank_curve_bits(cell[2]);
}

static void cells_of(const tact_rank_curve* c, tact_vec3 point, uint32_t cell[3])
{
    cell[0] = cell_of(c, 0, point.x);
    cell[1] = cell_of(c, 1, point.y);
    cell[2] = cell_of(c, 2, point.z);
}

/// The last part that begins at the code or before it: of parts that begin together that is the one which is not empty.
static uint32_t part_of(const tact_rank_curve* c, uint64_t code)
{
    TACT_ASSERT(code < END);
    uint32_t low = 0, high = c->parts;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->cuts[middle] <= code) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t tact_rank_curve_part(const tact_rank_curve* c, tact_vec3 point)
{
    uint32_t cell[3];
    cells_of(c, point, cell);
    return part_of(c, code_of(cell));
}

uint32_t tact_rank_curve_home(const tact_rank_curve* c, const tact_aabb* box)
{
    // All codes of a box lie between those of its two corners.
    const uint32_t first = tact_rank_curve_part(c, box->lower);
    return tact_rank_curve_part(c, box->upper) == first ? first : TACT_RANK_PARTS;
}

/// A box on its way down an octree whose nodes are runs of the curve.
typedef struct meeting {
    const tact_rank_curve* curve;
    uint32_t low[3], high[3];  ///< cells of the box
    uint32_t* parts;
    uint32_t count;
} meeting;

static void add_part(meeting* m, uint32_t part)
{
    if (m->count > 0 && m->parts[m->count - 1] >= part) return;
    // A part without a code has no point.
    if (m->curve->cuts[part] == m->curve->cuts[part + 1]) return;
    m->parts[m->count++] = part;
}

/// A node of 8^level cells from `at` on, whose codes begin at `code`. Nodes within one part are not opened, so that
/// those which are have a cut in them: not more than there are cuts and levels.
static void meet(meeting* m, int level, const uint32_t at[3], uint64_t code)
{
    const uint32_t width = (uint32_t)1 << level;
    bool within = true;
    for (int k = 0; k < 3; ++k) {
        if (at[k] > m->high[k] || at[k] + (width - 1) < m->low[k]) return;
        within = within && at[k] >= m->low[k] && at[k] + (width - 1) <= m->high[k];
    }
    const uint32_t first = part_of(m->curve, code), last = part_of(m->curve, code + (((uint64_t)1 << 3 * level) - 1));
    if (first == last || within) {
        for (uint32_t part = first; part <= last; ++part)
            add_part(m, part);
        return;
    }
    TACT_ASSERT(level > 0);
    const uint32_t half = width / 2;
    for (uint32_t child = 0; child < 8; ++child) {
        const uint32_t corner[3] = {at[0] + (child >> 2 & 1) * half, at[1] + (child >> 1 & 1) * half,
                                    at[2] + (child & 1) * half};
        meet(m, level - 1, corner, code + ((uint64_t)child << 3 * (level - 1)));
    }
}

uint32_t tact_rank_curve_meets(const tact_rank_curve* c, const tact_aabb* box, uint32_t* parts)
{
    static const uint32_t origin[3] = {0, 0, 0};
    meeting m = {.curve = c, .parts = parts};
    cells_of(c, box->lower, m.low);
    cells_of(c, box->upper, m.high);
    meet(&m, LEVELS, origin, 0);
    TACT_ASSERT(m.count > 0 && m.count <= c->parts);
    return m.count;
}

static int compare_floats(const void* a, const void* b)
{
    const float p = *(const float*)a, q = *(const float*)b;
    return (p > q) - (p < q);
}

static int compare_codes(const void* a, const void* b)
{
    const uint64_t p = *(const uint64_t*)a, q = *(const uint64_t*)b;
    return (p > q) - (p < q);
}

/// Where the cells of an axis begin and how far they go: as far as the middle of the sample and twice its width on
/// either side, so that a few points far away do not take the cells of all others. Sorts the `count` coordinates.
static double extent_of(float* values, size_t count, double* lower)
{
    *lower = 0.0;
    if (count == 0) return 0.0;
    qsort(values, count, sizeof *values, compare_floats);
    const size_t out = count / OUTLIERS;
    const double least = (double)values[0], most = (double)values[count - 1];
    const double low = (double)values[out], high = (double)values[count - 1 - out], width = high - low;
    *lower = width > 0.0 && low - 2.0 * width > least ? low - 2.0 * width : least;
    const double upper = width > 0.0 && high + 2.0 * width < most ? high + 2.0 * width : most;
    return upper - *lower;
}

/// `values` has room for `count`.
static void place_cells(const tact_vec3* sample, size_t count, float* values, tact_rank_curve* c)
{
    double extent = 0.0;
    for (int k = 0; k < 3; ++k) {
        size_t finite = 0;
        for (size_t i = 0; i < count; ++i) {
            const float x = k == 0 ? sample[i].x : k == 1 ? sample[i].y : sample[i].z;
            if (isfinite(x)) values[finite++] = x;
        }
        const double own = extent_of(values, finite, &c->lower[k]);
        if (own > extent) extent = own;
    }
    // Floats are 2^-149 apart at least, so that this is finite.
    c->scale = extent > 0.0 ? (double)CELLS / extent : 0.0;
}

tact_result tact_rank_curve_cut(tact_env* env, const tact_vec3* sample, size_t count, uint32_t parts,
                                tact_rank_curve* c)
{
    *c = (tact_rank_curve){.parts = parts};
    float* values = tact_allocate(env, count, sizeof *values);
    uint64_t* codes = tact_allocate(env, count, sizeof *codes);
    c->cuts = tact_allocate_zeroed(env, (size_t)parts + 1, sizeof *c->cuts);
    const bool room = values && codes && c->cuts;
    if (room) {
        place_cells(sample, count, values, c);
        for (size_t i = 0; i < count; ++i) {
            uint32_t cell[3];
            cells_of(c, sample[i], cell);
            codes[i] = code_of(cell);
        }
        qsort(codes, count, sizeof *codes, compare_codes);
        for (uint32_t i = 1; i < parts && count > 0; ++i)
            c->cuts[i] = codes[(size_t)((uint64_t)i * count / parts)];
        c->cuts[parts] = END;
    }
    tact_release(env, values);
    tact_release(env, codes);
    return room ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

void tact_rank_curve_free(tact_env* env, tact_rank_curve* c)
{
    tact_release(env, c->cuts);
    c->cuts = NULL;
}
