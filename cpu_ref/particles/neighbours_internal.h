// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The parts of the neighbour search: neighbours_sort.c brings points into the order of their cells, neighbours_rows.c
/// finds which runs of them a cell has to look at, neighbours_lanes.h looks, neighbours.c leads.

#include "base/compiler.h"
#include "cpu_ref/particles/neighbours.h"

enum {
    TACT_NEIGHBOUR_BLOCK = 16,  ///< candidates that one mask speaks of
    TACT_NEIGHBOUR_PAD = 16,    ///< floats that may be read after the last point
    TACT_NEIGHBOUR_ROWS = 25,   ///< rows of cells that one looks at, at most: five by five
    TACT_NEIGHBOUR_BLOCKS = 1024,
};

/// An array that only grows. Its contents are lost when it does.
typedef struct tact_neighbour_array {
    void* data;
    size_t bytes;
} tact_neighbour_array;

/// How an axis is cut into cells.
typedef struct tact_neighbour_axis {
    float origin, inverse;  ///< cells per unit of length
    float low, high;        ///< the outermost cells; what is farther out is in them
    float period;           ///< 0: open
    uint32_t cells;         ///< in a period
    uint32_t reach;         ///< cells to either side that a neighbour may be in
} tact_neighbour_axis;

/// A row of cells along x that has points.
typedef struct tact_neighbour_row {
    uint32_t key;      ///< z * 2^16 + y
    uint32_t first;    ///< slot; the next row's is the end
    uint32_t table;    ///< where its part of `starts` begins
    uint32_t x_first;  ///< of its first and last point
    uint32_t x_last;
    uint32_t shift;  ///< entry b of the table is where cells from x_first + (b << shift) on begin
} tact_neighbour_row;

enum {
    TACT_NEIGHBOUR_AHEAD = 24  ///< how many points before it is needed
};

/// A point and its id: what is fetched from all over memory when points are put in order, in one piece.
typedef struct tact_neighbour_point {
    float at[3];
    uint32_t id;
} tact_neighbour_point;

/// Sorted points, for the lanes. Each array can be read TACT_NEIGHBOUR_PAD past its end.
typedef struct tact_neighbour_points {
    const float *x, *y, *z;
    float radius2;
    bool once;                        ///< only candidates in later slots than the point count
    float period[3], half_period[3];  ///< open axes: 0 and INFINITY
} tact_neighbour_points;

/// The candidates of a cell, cut into blocks: slots start[b] + i for the bits i set in lanes[b].
typedef struct tact_neighbour_blocks {
    uint32_t count;
    uint32_t start[TACT_NEIGHBOUR_BLOCKS];
    uint16_t lanes[TACT_NEIGHBOUR_BLOCKS];
} tact_neighbour_blocks;

typedef struct tact_neighbour_lanes {
    const char* name;
    /// Points of slots [first, first + count) against the blocks: masks[p * blocks + b] has the candidates within the
    /// radius, and how many those are is added to counts[p]. `wrapped`: the shorter way round counts.
    void (*test)(const tact_neighbour_points* points, const tact_neighbour_blocks* blocks, bool wrapped, uint32_t first,
                 uint32_t count, uint16_t* masks, uint64_t* counts);
    /// Writes the slots that `count` lists of masks stand for, one list after the other. What lies between the end of
    /// them and `limit` may be overwritten. Returns where the next goes.
    uint32_t* (*write)(const uint32_t* starts, uint32_t block_count, const uint16_t* masks, uint32_t count,
                       uint32_t* out, const uint32_t* limit);
} tact_neighbour_lanes;

extern const tact_neighbour_lanes tact_neighbour_lanes_portable, tact_neighbour_lanes_sse2, tact_neighbour_lanes_avx2,
    tact_neighbour_lanes_avx512;

struct tact_neighbour_finder {
    tact_env* env;
    const tact_neighbour_lanes* lanes;
    tact_neighbour_axis axes[3];
    bool outside;  ///< some point is not in the domain of a periodic axis
    uint32_t count;
    int threads;
    bool once;  ///< each pair is to be found by its first slot only
    tact_neighbour_stats stats;

    // By index of the caller's.
    tact_neighbour_array raw_keys;   ///< uint64_t: z * 2^32 + y * 2^16 + x of the cell
    tact_neighbour_array words[2];   ///< uint64_t: what is sorted
    tact_neighbour_array histogram;  ///< uint32_t
    tact_neighbour_array packets;    ///< tact_neighbour_point

    // By slot.
    tact_neighbour_array order;    ///< uint32_t: index of the caller's
    tact_neighbour_array keys;     ///< uint64_t, as raw_keys
    tact_neighbour_array points;   ///< float: all x, then y, then z, each with its padding
    tact_neighbour_array ids;      ///< uint32_t
    tact_neighbour_array offsets;  ///< uint64_t

    tact_neighbour_array rows;  ///< tact_neighbour_row, and one more that ends the last
    uint32_t row_count;
    tact_neighbour_array starts;  ///< uint32_t
    tact_neighbour_array pieces, stream;
    tact_neighbour_array neighbours;  ///< uint32_t
};

/// Room for `count` elements, contents lost. False when out of memory: the array is then as before.
bool tact_neighbour_room(tact_env* env, tact_neighbour_array* array, size_t count, size_t size);

/// Whether each list is where the one before ends, and has slots that ascend, without its own; `once`: after its own.
/// For TACT_VALIDATE.
bool tact_neighbours_are_valid(const tact_neighbour_finder* finder, const tact_neighbour_lists* lists);

/// neighbours_sort.c: chooses the cells and fills in all that is by slot but the offsets.
tact_result tact_neighbours_sort(tact_neighbour_finder* finder, const tact_neighbour_job* job);

/// neighbours_plan.c: how the axes are cut. `single`: a bit for each axis that must be one cell.
void tact_neighbours_plan(tact_neighbour_finder* finder, const tact_neighbour_job* job, unsigned single);

/// neighbours_rows.c: finds the rows of the sorted points.
tact_result tact_neighbours_make_rows(tact_neighbour_finder* finder);

/// Walks over the cells of consecutive slots, and says what each has to look at.
typedef struct tact_neighbour_walk {
    const tact_neighbour_finder* finder;
    uint32_t slot, end;
    uint32_t row;
    uint32_t near[TACT_NEIGHBOUR_ROWS];  ///< rows that the cells of this one look at, ascending; `once`: from it on
    uint32_t near_count;
    bool rows_wrapped;
    // The cell.
    uint32_t first, last;  ///< its slots, as far as they are the walk's; `once`: some of a crowded one's
    uint32_t begins[2 * TACT_NEIGHBOUR_ROWS], ends[2 * TACT_NEIGHBOUR_ROWS];  ///< candidates, ascending;
                                                                              ///< `once`: from `first` on
    uint32_t range_count;
    bool wrapped;
} tact_neighbour_walk;

void tact_neighbour_walk_begin(tact_neighbour_walk* walk, const tact_neighbour_finder* finder, uint32_t begin,
                               uint32_t end);
/// The next cell, if there is one.
bool tact_neighbour_walk_next(tact_neighbour_walk* walk);
