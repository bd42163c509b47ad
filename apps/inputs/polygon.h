// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Polygons cut into triangles. Triangles and their order are part of the tool's results, since hits name them; so this
/// is, comparison by comparison, what version 5.2.5 of the Assimp library does, which read these files before. Where
/// its triangles overlap, as of an L whose inner corner is in line with two others, tact_polygon_triangulate() cuts.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What one mesh's polygons share. All zero but for `work` to begin with.
typedef struct tact_polygon_cutter {
    float* flat;  ///< scratch from malloc
    bool* done;   ///< scratch from malloc
    size_t room;
    uint32_t last;   ///< the first corner of the last triangle, plus one
    bool overlap;    ///< a triangle of the last polygon is turned over: others overlap by as much
    uint64_t recut;  ///< polygons that tact_polygon_triangulate() has cut
    uint64_t
        work;  ///< points against triangles that may still be tried: cutting takes the square of the corners, or more
} tact_polygon_cutter;

typedef enum tact_polygon_result {
    TACT_POLYGON_CUT,
    TACT_POLYGON_NOT_SIMPLE,  ///< only a part of it could be cut, or nothing
    TACT_POLYGON_TOO_MUCH,    ///< `work` is used up
    TACT_POLYGON_NO_MEMORY,
} tact_polygon_result;

/// Cuts a polygon of at least three corners. `corners` are numbers of vertices in `positions`, three floats each.
/// Writes at most count - 2 triangles to `triangles` and their number to `*made`.
tact_polygon_result tact_polygon_cut(tact_polygon_cutter* cutter, const float* positions, const uint32_t* corners,
                                     size_t count, uint32_t* triangles, size_t* made);

void tact_polygon_free(tact_polygon_cutter* cutter);
