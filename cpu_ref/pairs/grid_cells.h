// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Boxes sorted into the cells of one or more uniform grids, for the methods GRID and HGRID (Ericson: Real-Time
/// Collision Detection, 2005, 7.1 and 7.2; Mirtich: Impulse-based dynamic simulation of rigid body systems, 1996).
///
/// A grid is a level. A box belongs to the finest level where it reaches over no more than two cells on each axis, and
/// there to the cell of its lower corner; so two boxes of one level that overlap are in cells that differ by at most
/// one on each axis. This is decided by comparing whole numbers, and the cell of a number never decreases as the number
/// grows, so that no rounding and no choice of cells can lose a pair: bad choices only cost time. Boxes that fit no
/// level (infinite ones, say) are in a list of their own.
///
/// Cells are hashed, so that memory depends on the number of boxes alone: cell (x, y, z) of a level is bucket
/// base + ((y stride_y + z stride_z) mod a power of two) + x. Cells next to each other along x are buckets next to each
/// other, a row. Rows may share buckets; a box's key, its y and z, tells whose it is. Where all cells find room no row
/// shares. The axis with the most cells is x.

#include "cpu_ref/pairs/pair_sink.h"

enum {
    TACT_GRID_LEVELS = 12,
    TACT_GRID_LAST = 65534,   ///< cells of y and z are 1 to this, so that a neighbour's number has 16 bits too
    TACT_GRID_PAST_END = 16,  ///< that the arrays of boxes are readable past their end
};

typedef struct tact_grid_level {
    float middle[3], scale[3], half[3], last[3];  ///< cell = (v - middle) scale + half, within [1, last]
    uint32_t stride_y, stride_z, mask;
    uint32_t base, length;  ///< its buckets
    uint32_t begin, end;    ///< its boxes
} tact_grid_level;

typedef struct tact_cells {
    uint64_t version;  ///< of the set these are of
    uint32_t count;    ///< ids of the set
    bool filled;

    int axis[3];  ///< which axis of space is x, y and z here
    int level_count;
    tact_grid_level levels[TACT_GRID_LEVELS];  ///< finest first
    uint32_t buckets;                          ///< the last is the list of those that fit no level
    uint32_t fitting, boxes;                   ///< boxes in levels, boxes in all

    // By place. The six numbers of a box: lower and upper x, lower and upper y, lower and upper z.
    float* bounds[6];
    uint32_t* keys;    ///< y | z << 16
    uint32_t* ids;     ///< of the volumes
    uint32_t* starts;  ///< where each bucket's boxes begin; `buckets` + 1

    // Memory. A box is 32 bytes as it is thrown into parts, 32 in its place, 4 for its bucket; a bucket is 4.
    void *sorted, *parts, *bucket_of, *starts_memory, *counts;
    size_t sorted_capacity, parts_capacity, bucket_capacity, starts_capacity, counts_capacity;
} tact_cells;

/// The cell of a number on axis `k`. Never decreases with v. v is not NaN.
static inline uint32_t tact_grid_cell(const tact_grid_level* level, int k, float v)
{
    float t = (v - level->middle[k]) * level->scale[k] + level->half[k];
    t = t > 1.0f ? t : 1.0f;
    t = t < level->last[k] ? t : level->last[k];
    return (uint32_t)t;
}

/// Where the row of a key begins: the bucket of its x = 0.
static inline uint32_t tact_grid_row(const tact_grid_level* level, uint32_t key)
{
    return level->base + (((key & 0xffffu) * level->stride_y + (key >> 16) * level->stride_z) & level->mask);
}

/// Chooses axes, levels and buckets for these boxes, by a sample. `single`: one level only. Cost: some microseconds to
/// a few hundred, whatever the number of boxes (grid_plan.c). There must be a box. Errors: OUT_OF_MEMORY.
tact_result tact_cells_plan(tact_env* env, const tact_volume_view* of, bool single, tact_cells* cells);

/// Brings the cells up to date: nothing if the set did not change, else all boxes are sorted anew, in time that grows
/// as their number does. `*kept` is NULL the first time. Errors: OUT_OF_MEMORY; what is kept is then filled anew the
/// next time.
tact_result tact_cells_update(tact_pairs_job* job, const tact_volume_view* of, bool single, void** kept);

void tact_cells_release(tact_env* env, void* kept);

/// Whether every live box has one place, as it is now, in the bucket where those that look for it look, and the
/// buckets' places follow each other. For TACT_VALIDATE.
bool tact_cells_are_valid(const tact_cells* cells, const tact_volume_view* of);

uint64_t tact_cells_memory(const tact_cells* cells);

/// The whole method: brings cells up to date and finds all pairs (grid_search.c). Errors: OUT_OF_MEMORY, CANCELLED.
tact_result tact_cells_pairs(tact_pairs_job* job, tact_pairs_method method, bool single);
