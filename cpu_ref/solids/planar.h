// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Triangulations of points in a plane with sides that must be there. Which way three points turn is decided by the
/// owner, exactly; places in double precision only choose between two diagonals that both are right.
///
/// Sources: Lawson, "Software for C1 surface interpolation", 1977 (diagonals); Sloan, "A fast algorithm for generating
/// constrained Delaunay triangulations", 1993 (sides).

#include "base/env.h"

/// In place of a side.
#define TACT_PLANAR_NONE 0xffffffffu

typedef struct tact_planar {
    tact_env* env;
    /// 1 if the points turn counter-clockwise, -1 if clockwise, 0 if they are on one line.
    int (*turn)(const void* user, uint32_t a, uint32_t b, uint32_t c);
    /// Of two segments that cross, by their names, the first of which is there: the number of a new point where they
    /// do, whose place and turns are then known. NULL: that is an error.
    tact_result (*cross)(void* user, uint32_t there, uint32_t added, uint32_t* point);
    void* user;
    double (*place)[2];  ///< of each point, about
    uint32_t* corners;   ///< three for each triangle, counter-clockwise
    uint32_t* across;    ///< of side 3 t + k, from corner k on: the same of the other triangle, or NONE
    uint32_t* fixed;     ///< of each side: the name of a segment that it is part of and must stay for, or 0
    uint32_t* side_of;   ///< of each point: a side that begins there, or NONE
    uint32_t* stack;     ///< sides that may have a better diagonal
    uint64_t* queue;     ///< sides that a new one crosses, by their ends
    size_t triangle_room, side_room, fixed_room, point_room, stack_room, queue_room;
    size_t count;   ///< of triangles
    size_t points;  ///< for which there is room
    uint32_t last;  ///< triangle that a search begins at
    uint32_t mixed;
} tact_planar;

/// Begins with the triangle of points 0, 1 and 2, which is counter-clockwise, and with room for `points` in all. The
/// arrays grow with the largest that there was. Errors: OUT_OF_MEMORY.
tact_result tact_planar_begin(tact_planar* planar, size_t points);
/// A struct of zeroes but for `env` is allowed.
void tact_planar_end(tact_planar* planar);

/// Adds a point that is in the triangulation's area or on its border, and at none of its points.
tact_result tact_planar_insert(tact_planar* planar, uint32_t point);

/// Makes the segment between two points a side, or, where points are on it or it crosses others, several. `name` is not
/// 0. INVALID_ARGUMENT, unless `cross` is there: it crosses a segment that was made one.
tact_result tact_planar_fix(tact_planar* planar, uint32_t from, uint32_t to, uint32_t name);

/// The side, from its beginning, that the way from a point to another begins with. It must be sides all along.
uint32_t tact_planar_side(const tact_planar* planar, uint32_t from, uint32_t to);

/// The segment between two points meets no other and crosses no segment that was made a side; it may be one.
bool tact_planar_sees(const tact_planar* planar, uint32_t from, uint32_t to);
