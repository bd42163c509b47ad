// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/frustum.h
/// View frusta: their planes from a matrix, and the part of a shape inside. Conservative: a shape that is in the
/// frustum is never reported outside, but one near an edge or corner may be reported to intersect though it does not.
///
/// Planes have *outward* unit normals, so inside is n . x <= d for all. A frustum is the set that its stored planes
/// bound; rounding them to floats moves them by about 2^-23 of the distances involved. Source where none is named:
/// Tomas Akenine-Moeller and others, Real-Time Rendering, 4th edition, 2018, 22.14.

#include "tact/geometry/overlap.h"

enum {
    TACT_FRUSTUM_LEFT = 0,
    TACT_FRUSTUM_RIGHT = 1,
    TACT_FRUSTUM_BOTTOM = 2,
    TACT_FRUSTUM_TOP = 3,
    TACT_FRUSTUM_NEAR = 4,  ///< where clip z is least: the far one in a projection with reversed depth
    TACT_FRUSTUM_FAR = 5,
    TACT_FRUSTUM_PLANES = 6
};

/// The visible part of clip space: always -w <= x, y <= w.
typedef enum tact_clip_depth {
    TACT_CLIP_MINUS_ONE_TO_ONE = 0,  ///< -w <= z <= w, as in OpenGL
    TACT_CLIP_ZERO_TO_ONE = 1        ///< 0 <= z <= w, as in Direct3D and Vulkan
} tact_clip_depth;

/// The storage order of a matrix M with clip = M (x, y, z, 1)'. Code that multiplies row vectors from the left has the
/// transpose, so its row-major matrices are BY_COLUMNS here.
typedef enum tact_matrix_order {
    TACT_MATRIX_BY_ROWS = 0,    ///< m[4 row + column]
    TACT_MATRIX_BY_COLUMNS = 1  ///< m[row + 4 column], as in OpenGL
} tact_matrix_order;

/// The view volume of a camera: six planes, or five, and eight corners.
typedef struct tact_frustum {
    tact_plane plane[TACT_FRUSTUM_PLANES];  ///< with outward unit normals; `planes` says which are there
    uint32_t planes;      ///< bit k: plane k is there. The far one is missing when the far distance is infinite.
    uint32_t directions;  ///< bit k: corner k is at infinity, and corner[k] the unit vector that points there
    tact_vec3 corner[8];  ///< bit 0 of k set: right, bit 1: top, bit 2: far
} tact_frustum;

/// Makes the frustum that a view-projection matrix shows: the sums and differences of its rows, normalised. A near or
/// far plane whose normal may be nothing but rounding (less than 2^-20 of the rows it is the difference of) is missing,
/// so a far distance beyond some 2^19 near ones counts as infinite; so does an infinite one, also with reversed depth.
/// False, with a frustum that has nothing inside, for a NaN, an infinity, or a matrix that shows no volume with four
/// sides. About 700 operations. G. Gribb, K. Hartmann, Fast Extraction of Viewing Frustum Planes from the
/// World-View-Projection Matrix, 2001; RTR 22.14.1.
TACT_API bool tact_frustum_from_matrix(const float m[16], tact_matrix_order order, tact_clip_depth depth,
                                       tact_frustum* frustum);

/// Makes the frustum within six planes with outward normals of any length, in the order of the names above. A near or
/// far plane with a zero normal is missing. False as for tact_frustum_from_matrix.
TACT_API bool tact_frustum_from_planes(const tact_plane planes[TACT_FRUSTUM_PLANES], tact_frustum* frustum);

/// Tests whether the point is inside or on the boundary. 42 operations.
TACT_API bool tact_frustum_contains_point(const tact_frustum* f, tact_vec3 point);

/// Returns how much of a shape is in the frustum: OUTSIDE when it is wholly in front of one plane, INSIDE when wholly
/// behind all, else INTERSECTING. INSIDE is certain, and so is OUTSIDE. 8 operations a plane for a sphere, 13 for an
/// AABB, 30 for an OBB. RTR 22.14.2, 22.14.3.
TACT_API tact_containment tact_frustum_sphere(const tact_frustum* f, tact_sphere s);
TACT_API tact_containment tact_frustum_aabb(const tact_frustum* f, tact_aabb box);
TACT_API tact_containment tact_frustum_obb(const tact_frustum* f, const tact_obb* box);

/// Returns the same for the nodes of a tree. `planes`: on entry the planes to test, at the root f->planes; on return,
/// when the result is INTERSECTING, those that the shape crosses: the ones to test for what is inside the shape.
/// Otherwise it is not changed. An empty set means inside, and the results for what lies within are as without the
/// mask. `last`, which may be NULL, holds the plane to test first and receives the one that gave OUTSIDE; keep one for
/// each object from frame to frame, 0 at first. U. Assarsson, T. Moeller, Optimized View Frustum Culling Algorithms for
/// Bounding Boxes, 2000; RTR 19.4.
TACT_API tact_containment tact_frustum_sphere_masked(const tact_frustum* f, tact_sphere s, uint32_t* planes,
                                                     uint32_t* last);
TACT_API tact_containment tact_frustum_aabb_masked(const tact_frustum* f, tact_aabb box, uint32_t* planes,
                                                   uint32_t* last);
TACT_API tact_containment tact_frustum_obb_masked(const tact_frustum* f, const tact_obb* box, uint32_t* planes,
                                                  uint32_t* last);

/// Returns the same as without "tight", except that a box that intersects is outside after all when all corners of the
/// frustum are beyond one of its faces (by more than 2^-20 of the corners' size): it catches boxes larger than the
/// frustum, 24 to 48 comparisons more. Still conservative: axes that are products of edges are not tried. Of 142,000
/// boxes from a tenth of the frustum's size to several times it that are apart from it, the planes miss 12 %, and with
/// the corners 3 %. I. Quilez, Correcting Frustum Culling, 2013; RTR 22.14.3.
TACT_API tact_containment tact_frustum_aabb_tight(const tact_frustum* f, tact_aabb box);
TACT_API tact_containment tact_frustum_obb_tight(const tact_frustum* f, const tact_obb* box);

/// Finds the three planes, of left or right, bottom or top, near or far, that the point is nearer to: the octant of the
/// frustum that it is in. As a mask of planes for a *sphere* around the point they give the result of all six. For
/// another shape around it, OUTSIDE is right, and INSIDE is when a sphere around it is inside. No planes for a bad
/// point. 45 operations, so it pays when kept for many shapes or frames. Assarsson and Moeller, as above; RTR 22.14.2.
TACT_API uint32_t tact_frustum_octant(const tact_frustum* f, tact_vec3 point);

/// Returns how much of the convex hull of points is in view, in clip space and without planes: OUTSIDE when all are
/// beyond the same one of the six bounds, before the division by w; INSIDE when all are within. For a box pass its
/// corners. About 40 operations a point. OUTSIDE for no points and for NaN and infinite numbers. RTR 22.14.3.
TACT_API tact_containment tact_clip_points(const float m[16], tact_matrix_order order, tact_clip_depth depth,
                                           const tact_vec3* points, size_t count);
