// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/triangle_triangle.h
/// The overlap of two triangles, and where they meet. Every decision is the exact one for the coordinates given.

#include "tact/geometry/types.h"

/// The kind of meeting of two triangles.
typedef enum tact_triangle_meeting {
    TACT_TRIANGLES_APART = 0,
    TACT_TRIANGLES_MEET_IN_POINT = 1,
    TACT_TRIANGLES_MEET_IN_SEGMENT = 2,
    TACT_TRIANGLES_COPLANAR = 3  ///< they meet in one plane, or one of them is a segment or a point
} tact_triangle_meeting;

/// The meeting of two triangles.
typedef struct tact_triangle_contact {
    tact_triangle_meeting meeting;  ///< of what kind
    tact_segment segment;           ///< a equals b for a point; zero when apart or coplanar
} tact_triangle_contact;

/// Tests whether the two closed triangles have a point in common.
///
/// Method: the signs of six tetrahedron volumes give the sides of the vertices, two more whether the pieces of the
/// common line overlap (P. Guigue, O. Devillers, Fast and Robust Triangle-Triangle Overlap Test Using Orientation
/// Predicates, 2003, with the reordering of both triangles that the summary in Real-Time Rendering 22.11 leaves out).
/// Single precision decides where its error allows; else the volumes are found in double, and one that rounding could
/// still have given the wrong sign is summed exactly.
/// Cost: about 170 operations, four at a time, of which half is left out for triangles on one side of a plane; in
/// double up to eight volumes of about 40 operations; an exact one costs some 10,000, unless two of its four points
/// are equal.
/// Degenerate triangles are the segments or points they are. Eleven-axis separation (Ericson, Real-Time Collision
/// Detection, 2005, 5.2.10) would call every coplanar pair overlapping: those are tested in their plane here.
/// The result does not change when the triangles or their vertices are exchanged. NaN or infinite: false.
TACT_API bool tact_triangle_overlaps_triangle(const tact_triangle* a, const tact_triangle* b);

/// Finds how two triangles meet, and the segment they have in common when their planes differ.
///
/// The kind is exact. The ends are computed in double and rounded once; which edges they lie on is decided exactly.
/// Ends are in lexicographic order and a zero is never negative, so exchanging a and b changes no bit. After rounding,
/// a short segment may have equal ends. Cost and source as for tact_triangle_overlaps_triangle, plus two exact
/// comparisons.
TACT_API tact_triangle_contact tact_triangle_triangle_contact(const tact_triangle* a, const tact_triangle* b);
