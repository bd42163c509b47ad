// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The parts of the neighbour search: neighbours_sort.c brings points into the order of their cells, neighbours_rows.c
/// finds which runs of them a cell has to look at, neighbours_lanes.h looks, neighbours.c leads.

#include "base/compiler.h"
#include "cpu_ref/particles/neighbours.h"

enum {
    TACT_NEIGHBOUR_PAD = 16,   ///< as many lanes as there are at most: what may be read or written after the last point
    TACT_NEIGHBOUR_ROWS = 25,  ///< rows of cells that one looks at, at most: five by five
    TACT_NEIGHBOUR_CANDIDATES = 2048,
    /// Points that look at the same others, at most. More would have to look at others that are near fewer of them.
    TACT_NEIGHBOUR_GROUP = 8,
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

/// Points that some others look at, side by side. Each array can be written TACT_NEIGHBOUR_PAD past its end.
typedef struct tact_neighbour_candidates {
    uint32_t count;
    uint32_t own;  ///< where the first of those that look is; UINT32_MAX: not among them
    float x[TACT_NEIGHBOUR_CANDIDATES + TACT_NEIGHBOUR_PAD], y[TACT_NEIGHBOUR_CANDIDATES + TACT_NEIGHBOUR_PAD];
    float z[TACT_NEIGHBOUR_CANDIDATES + TACT_NEIGHBOUR_PAD];
    uint32_t slot[TACT_NEIGHBOUR_CANDIDATES + TACT_NEIGHBOUR_PAD];  ///< ascending
} tact_neighbour_candidates;

/// Where lists go.
typedef struct tact_neighbour_out {
    uint32_t* to;           ///< where the next one begins
    const uint32_t* limit;  ///< up to which all may be overwritten
    uint64_t total;         ///< neighbours so far
    uint64_t* ends;         ///< the total at the end of each list
} tact_neighbour_out;

typedef struct tact_neighbour_lanes {
    const char* name;
    /// Makes the points of some ranges of slots candidates, for `first` and those after it. False: too many.
    bool (*gather)(const tact_neighbour_points* points, const uint32_t* begins, const uint32_t* ends, uint32_t count,
                   uint32_t first, tact_neighbour_candidates* candidates);
    /// Writes the lists of slots [first, first + count), which are among the candidates from `own` on, and where each
    /// ends, up to one for which there might be too little room. `wrapped`: the shorter way round counts. Returns how
    /// many lists were written.
    uint32_t (*list)(const tact_neighbour_points* points, const tact_neighbour_candidates* candidates, bool wrapped,
                     uint32_t first, uint32_t count, tact_neighbour_out* out);
} tact_neighbour_lanes;

extern const tact_neighbour_lanes tact_neighbour_lanes_portable, tact_neighbour_lanes_sse2, tact_neighbour_lanes_avx2,
    tact_neighbour_lanes_avx512;

struct tact_neighbour_finder {
    tact_env* env;
    const tact_neighbour_lanes* lanes;
    tact_neighbour_axis axes[3];
    uint32_t span;  ///< cells along x by which points that look together may be apart
    bool outside;   ///< some point is not in the domain of a periodic axis
    uint32_t count;
    int threads;
    bool once;  ///< each pair is to be found by its first slot only
    tact_neighbour_stats stats;

    // By index of the caller's.
    tact_neighbour_array raw_keys;   ///< uint64_t: z * 2^32 + y * 2^16 + x of the cell
    tact_neighbour_array words[2];   ///< uint64_t: what is sorted, and then keys or the order by slot
    tact_neighbour_array histogram;  ///< uint32_t
    tact_neighbour_array packets;    ///< tact_neighbour_point

    // By slot.
    const uint64_t* keys;          ///< as raw_keys
    const float* points[3];        ///< x, y and z: the caller's, if in order, or `copies`
    const uint32_t* order;         ///< index of the caller's, where points were sorted
    tact_neighbour_array copies;   ///< float: all x, then y, then z, each with its padding
    tact_neighbour_array ids;      ///< uint32_t
    tact_neighbour_array offsets;  ///< uint64_t

    tact_neighbour_array rows;  ///< tact_neighbour_row, and one more that ends the last
    uint32_t row_count;
    tact_neighbour_array starts;  ///< uint32_t
    tact_neighbour_array pieces, stream, rooms;
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

/// Walks over consecutive slots in groups, and says what each group has to look at.
typedef struct tact_neighbour_walk {
    const tact_neighbour_finder* finder;
    uint32_t slot, end;
    uint32_t row;
    uint32_t near[TACT_NEIGHBOUR_ROWS];  ///< rows that the cells of this one look at, ascending; `once`: from it on
    uint32_t near_count;
    bool rows_wrapped;
    // The group.
    uint32_t first, last;                                                     ///< slots in one row
    uint32_t begins[2 * TACT_NEIGHBOUR_ROWS], ends[2 * TACT_NEIGHBOUR_ROWS];  ///< candidates, ascending;
                                                                              ///< `once`: from `first` on
    uint32_t range_count;
    bool wrapped;
} tact_neighbour_walk;

void tact_neighbour_walk_begin(tact_neighbour_walk* walk, const tact_neighbour_finder* finder, uint32_t begin,
                               uint32_t end);
/// The next group, if there is one.
bool tact_neighbour_walk_next(tact_neighbour_walk* walk);
