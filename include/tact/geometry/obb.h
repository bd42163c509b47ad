// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/obb.h
/// Oriented boxes: overlap, containment, conversion, merging. Fits to points are in obb_fit.h.
///
/// A box is taken as the set that its numbers describe: axes that are perpendicular and of unit length only to the
/// precision of a float are used as they are, so results do not depend on the order of the boxes. Boxes with negative
/// or non-finite parts, or with axes that span no volume, contain and overlap nothing. Half lengths may be 0.

#include "tact/geometry/types.h"

/// Computes the corners, corner k at center + sum of +-half_i axis_i with + where bit i of k is set. Rounded once; all
/// NaN for
/// a box that is no set. About 40 operations.
TACT_API void tact_obb_corners(const tact_obb* box, tact_vec3 corners[8]);

/// Converts an AABB to an oriented box; where the centre is rounded the half lengths grow so that it still contains the
/// AABB. An empty or non-finite AABB gives a box with half lengths -1, which overlaps nothing.
TACT_API tact_obb tact_obb_from_aabb(tact_aabb box);

/// Returns the smallest AABB that contains the box, its bounds rounded outwards. About 20 operations. A box that is no
/// set gives the empty AABB (lower infinity, upper -infinity). Ericson: Real-Time Collision Detection, 2005, 4.2.6.
TACT_API tact_aabb tact_obb_to_aabb(const tact_obb* box);

/// Returns the volume 8 half_0 half_1 half_2, the length of the axes taken as 1. NaN for a box that is no set.
TACT_API double tact_obb_volume(const tact_obb* box);

/// Returns the surface area, as tact_obb_volume. A flat box has twice the area of its rectangle.
TACT_API double tact_obb_area(const tact_obb* box);

/// Tests whether the point is in the box. About 40 operations in double, right to a relative 2^-50 of the terms that
/// are compared.
TACT_API bool tact_obb_contains_point(const tact_obb* box, tact_vec3 point);

/// Tests whether the boxes share a point. Separating axes: the face normals of both and the cross products of their
/// axes, 15 at most; about 200 operations in single precision, four at a time. Where their error could decide, and of
/// boxes whose axes are not orthonormal to 2^-19, 150 to 400 in double: the projections come from each box's axes on
/// the other's face normals, and where rounding could still decide, the axis itself is formed and tested.
///
/// An axis separates when the gap is larger than 2^-50 of the sum of the absolute terms that it is the difference of,
/// so touching boxes overlap at any scale and in any rotation that floats express exactly. (Nearly) parallel edges need
/// no tolerance: products of two floats are exact in double, so each component of a cross product is right to its last
/// bit, and any direction whatever is a valid axis when all projections are made on that direction.
/// Gottschalk, Lin, Manocha: OBBTree, 1996; Ericson: Real-Time Collision Detection, 2005, 4.4.1 and 4.4.2; Moeller and
/// others: Real-Time Rendering, 4th edition 2018, 22.13.5.
TACT_API bool tact_obb_overlaps_obb(const tact_obb* a, const tact_obb* b);

/// Tests conservatively whether the boxes share a point, by the six face normals alone: false when all corners of one
/// box are outside of one face of the other. Never misses an overlap. Of random pairs placed so that about half
/// overlap, 3.5 % are reported to overlap though they do not (`test_obb`, half lengths from 0.2 to 1). About 60 % of
/// the full test's operations when nothing separates, but its time. van den Bergen: Efficient collision detection of
/// complex deformable models using AABB trees, 1997; Ericson 4.4.1.
TACT_API bool tact_obb_overlaps_obb_faces(const tact_obb* a, const tact_obb* b);

/// Tests whether upright boxes share a point: both have the same direction (or its opposite) as axis[up], 0 <= up <= 2.
/// Five axes: the
/// two sides of each and the vertical. Exact for such boxes; for others conservative (it never misses an overlap, as
/// its axes are among the 15; 6.5 % wrong where overlap_faces has 3.5 %). False for another `up`. Ericson 4.4.1.
TACT_API bool tact_obb_overlaps_obb_upright(const tact_obb* a, const tact_obb* b, int up);

/// Tests whether the boxes share a point: the centre of each box against the other, else the nine edges of the three
/// faces that face the other box's centre against the other's three such faces: up to 54 tests of a segment against a
/// rectangle, about 1500 operations. An edge within a face's plane counts where it meets the face; of two opposite
/// faces seen edge-on, one is taken. A reported overlap is one, to rounding. *Not proven to report all*: overlaps whose
/// only crossings are on far sides would be missed, though of 3 million overlapping random pairs (bricks, sticks,
/// plates, flat boxes) it misses none. Slower than tact_obb_overlaps_obb(), which is the one to use.
/// Zakharov, Sadykov: OBB intersection by front faces, 2003, with containment and parallel edges settled as above.
TACT_API bool tact_obb_overlaps_obb_front_faces(const tact_obb* a, const tact_obb* b);

/// Tests whether the boxes share a point: the centre of each box against the other, else all twelve edges of each
/// against all six faces of the other, up to 144 tests of a segment against a rectangle, about 4000 operations. Of two
/// boxes that share a point an edge of one meets a face of the other, or one is inside the other and has its centre
/// there: so right to rounding, which may decide either way where boxes touch. A measure for the front faces, not the
/// one to use. Zakharov, Sadykov: OBB intersection by front faces, 2003, theorem 1.
TACT_API bool tact_obb_overlaps_obb_edges(const tact_obb* a, const tact_obb* b);

/// Tests whether a box and an AABB share a point, as tact_obb_overlaps_obb(). The AABB's midpoint is exact inside. An
/// empty AABB overlaps nothing.
TACT_API bool tact_obb_overlaps_aabb(const tact_obb* box, tact_aabb aabb);

/// Makes a box that contains the image of the box: the same box moved when the transform is a rotation, reflection and
/// uniform scale (to rounding, outwards), else a box along the images of the first two axes, made perpendicular. False
/// when an argument is not finite or the result does not fit into floats. About 400 operations.
TACT_API bool tact_obb_transform(const tact_transform* transform, const tact_obb* box, tact_obb* image);

/// Makes a box that contains both: the one of least volume along the axes of a, the axes of b, and the principal axes
/// of the 16 corners. Not the smallest there is, but no larger than either box's axes give; merging a box with one that
/// it contains gives that box up to rounding. False when one is no set or the result does not fit into floats. About
/// 2000 operations. Ericson, 6.5.3.
TACT_API bool tact_obb_merge(const tact_obb* a, const tact_obb* b, tact_obb* merged);
