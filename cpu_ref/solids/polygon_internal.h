// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What is inside of a polygon, as a triangulation. Its points 0 to 2 are corners of a triangle around all; vertex v is
/// point v + TACT_AREA_FRAME, one that has the place of a lower one is none; then come the places where edges cross.

#include "cpu_ref/solids/planar.h"
#include "cpu_ref/solids/points.h"
#include "tact/geometry/polygon.h"

enum { TACT_AREA_FRAME = 3 };

typedef struct tact_polygon_area {
    tact_env* env;
    const tact_polygon_view* polygon;
    tact_planar planar;
    tact_vec3* given;           ///< the frame and the vertices
    double (*place)[2];         ///< of all points
    uint32_t* next;             ///< of each vertex: the next one of its ring
    uint32_t* first;            ///< of each vertex: the lowest one in its place
    tact_meet_point* crossing;  ///< of edges
    size_t given_count, crossing_count, place_room, crossing_room;
    uint32_t edges[2];  ///< the first two that cross
    int32_t* winding;   ///< of each triangle
    uint8_t* inside;    ///< of each triangle
    int32_t scale;
} tact_polygon_area;

/// Makes the area. What it allocated is released by tact_area_end(), after a failure too.
tact_result tact_area_begin(tact_polygon_area* area, tact_env* env, const tact_polygon_view* polygon,
                            tact_polygon_rule rule);
void tact_area_end(tact_polygon_area* area);

/// 1 if three points of the area turn counter-clockwise, as tact_orient2d().
int tact_area_turn(const void* area, uint32_t a, uint32_t b, uint32_t c);

/// Gives the parts the area's points, and room for so many parts and corners.
tact_result tact_area_parts(const tact_polygon_area* area, size_t parts, size_t corners, tact_polygon_parts* to);

/// Makes the least number of convex parts of a simple polygon.
tact_result tact_area_least(const tact_polygon_area* area, tact_polygon_parts* to);
