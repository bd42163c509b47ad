// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How two triangles meet, by their corners, sides and faces: all that an arrangement needs, without a coordinate.

#include "cpu_ref/geometry/vec.h"

/// A part of a triangle: corners 0 to 2, sides 3 to 5 (from corner 0, 1, 2 to the next), the face 6.
enum { MEETING_SIDE = 3, MEETING_FACE = 6, MEETING_NONE = 7, MEETING_MOST = 12 };

/// A point that both triangles have, in the inside of one part of each.
typedef struct tact_meeting_point {
    uint8_t a, b;
} tact_meeting_point;

/// The corners of what two triangles have in common: none; a point; the ends of a segment; of two in one plane, those
/// of a convex polygon, in no order.
typedef struct tact_meeting {
    uint8_t count;
    bool coplanar;
    tact_meeting_point point[MEETING_MOST];
} tact_meeting;

/// The axis along which a triangle with an area is seen largest, but for rounding, and which way round: 1 if
/// counter-clockwise, else -1.
int tact_best_axis(const tact_vec3 triangle[3], int* facing);

/// Triangles with an area. Every decision is exact.
tact_meeting tact_triangles_meet(const tact_vec3 a[3], const tact_vec3 b[3]);

/// Bits of the sides that a part is on: those at a corner, a side itself.
static inline unsigned tact_meeting_sides(uint8_t part)
{
    return part < MEETING_SIDE ? 1u << part | 1u << (part + 2) % 3 : part < MEETING_FACE ? 1u << (part - 3) : 0u;
}
