// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/obb_fit.h
/// Oriented boxes around points. Every box contains every point it was made for, by tact_obb_contains_point, after
/// rounding.
///
/// All fits return TACT_ERROR_INVALID_ARGUMENT, and leave the box alone, when there is no point, a number is not finite
/// or the box does not fit into floats. Points that coincide or lie on a line or in a plane give boxes that are flat
/// but for rounding. Memory, where needed, is 32 bytes a point from the allocator (NULL: the C library's), else
/// TACT_ERROR_OUT_OF_MEMORY.
///
/// Volumes relative to the smallest that a fine search finds, the mean over bricks and ellipsoids of 100 points and the
/// worst of them (`test_obb_fit`): all principal axes 1.22 (2.9), greatest kept 1.17 (2.1), least kept 1.09 (1.9),
/// DiTO 1.15 (1.7), simple 1.69 (3.0), least kept and improved 1.005 (1.06), search 1.000 (1.01), exact 0.999 (1.000).

#include "tact/geometry/types.h"

/// Computes the mean and covariance of points, the mean of (p_i - mean_i)(p_j - mean_j). Differences are taken before
/// products, so nothing cancels far from the origin. Two passes, 30 operations a point. False for no points or
/// non-finite ones.
/// Ericson: Real-Time Collision Detection, 2005, 4.3.3.
TACT_API bool tact_covariance_of_points(const tact_vec3* points, size_t count, double mean[3], double covariance[3][3]);

/// Computes the same over the surface of triangles, three indices each, weighted by area: the result does not depend on
/// the subdivision of the surface. 60 operations a triangle. False for non-finite points, indices out of range or an
/// area of 0.
/// Gottschalk: Collision queries using oriented bounding boxes, 2000; Ericson, 4.4.3.
TACT_API bool tact_covariance_of_surface(const tact_vec3* points, size_t count, const uint32_t* triangles,
                                         size_t triangle_count, double mean[3], double covariance[3][3]);

/// Computes the same over the inside of a closed surface, by tetrahedra to its centre: the axes are those of the
/// inertia tensor. Triangles may face in or out, all alike. False also for a volume under 2^-20 of the area's 3/2
/// power. 90 operations a triangle. Mirtich: Fast and accurate computation of polyhedral mass properties, 1996;
/// Ericson, 4.4.3.
TACT_API bool tact_covariance_of_solid(const tact_vec3* points, size_t count, const uint32_t* triangles,
                                       size_t triangle_count, double mean[3], double covariance[3][3]);

/// The principal axes that a box keeps.
typedef enum tact_obb_axes {
    TACT_OBB_ALL_AXES = 0,       ///< all three principal axes; no memory needed
    TACT_OBB_GREATEST_AXIS = 1,  ///< keep that of greatest variance, the others from the least rectangle across it
    TACT_OBB_LEAST_AXIS = 2      ///< keep that of least variance: mostly the best of the three
} tact_obb_axes;

/// Fits a box along principal axes of the points. Points inside the hull and dense clusters turn the box away from the
/// best one: give the vertices of the hull alone, or its surface to tact_obb_fit_surface. O(n), or O(n log n) when the
/// least rectangle is taken. Barequet and others: BOXTREE, 1996; Ericson, 4.4.4.
TACT_API tact_result tact_obb_fit_principal(const tact_allocator* allocator, const tact_vec3* points, size_t count,
                                            tact_obb_axes axes, tact_obb* box);

/// Fits a box along principal axes of a surface, best that of the convex hull. Contains all points, used by triangles
/// or not. A surface without area is treated as the points are.
TACT_API tact_result tact_obb_fit_surface(const tact_allocator* allocator, const tact_vec3* points, size_t count,
                                          const uint32_t* triangles, size_t triangle_count, tact_obb_axes axes,
                                          tact_obb* box);

/// Fits a box along the axes of inertia of a closed surface's inside, else as tact_obb_fit_surface(). One whose volume
/// is too small is treated as the surface is.
TACT_API tact_result tact_obb_fit_solid(const tact_allocator* allocator, const tact_vec3* points, size_t count,
                                        const uint32_t* triangles, size_t triangle_count, tact_obb_axes axes,
                                        tact_obb* box);

/// Fits a box along the line between the two points that bound the AABB on two opposite sides and are farthest apart,
/// then likewise in the plane across it: 100 operations a point and no memory. Rough: where every side of the AABB has
/// several points, it may be much larger than the AABB. Barequet, Har-Peled: Efficiently approximating the
/// minimum-volume bounding box, 1999; Ericson, 4.4.3.
TACT_API tact_result tact_obb_fit_simple(const tact_vec3* points, size_t count, tact_obb* box);

/// The measure of a box to minimise.
typedef enum tact_obb_measure {
    TACT_OBB_VOLUME = 0,  ///< for boxes that meet boxes; flat boxes are compared by area
    TACT_OBB_AREA = 1     ///< for boxes that rays meet
} tact_obb_measure;

/// Fits a box by DiTO-26: the extreme points along 13 directions, the box along each edge of 7 large triangles between
/// them, and all points along the best of these and of the coordinate axes. The point farthest from the longest line is
/// sought among all points, so that flat clouds get flat boxes however long they are. O(n): three passes of about 80,
/// 20 and 20 operations a point, no memory. Never larger than the AABB but for rounding.
/// Larsson, Kaellberg: Fast computation of tight-fitting oriented bounding boxes, 2011; Moeller and others: Real-Time
/// Rendering, 4th edition 2018, 22.3.4.
TACT_API tact_result tact_obb_fit_dito(const tact_vec3* points, size_t count, tact_obb_measure measure, tact_obb* box);

/// The resolution of a search, and its counts. A `steps` of 0 stands for 9, `levels` of 0 for 8.
typedef struct tact_obb_search {
    tact_obb_measure measure;  ///< to minimise
    uint32_t steps;            ///< orientations per axis and level, 4 to 100
    uint32_t levels;           ///< each spans one spacing of the last to either side; at most 30
    uint64_t candidates;       ///< out: orientations tried
    uint64_t early;            ///< out: of these, given up before all points were projected
} tact_obb_search;

/// Tries all orientations of a grid, then of a finer one around the best, and so on: the starting frames are the
/// principal axes' and DiTO's box. The grid is a cube in tan(angle / 2) of half width tan(22.5 degrees), which meets
/// every orientation of a box. A candidate is given up once it is no smaller than the best, beginning with the extreme
/// points of the best: nine of ten need no more. steps^3 times levels candidates, times 20 operations a point for those
/// that are not given up. Give hull vertices. Deterministic.
/// Ericson, 4.4.5, after Miettinen 2002; orientation space by Rodrigues vectors: Frank 1988.
TACT_API tact_result tact_obb_fit_search(const tact_vec3* points, size_t count, tact_obb_search* search, tact_obb* box);

/// Edges of the largest hull that tact_obb_fit_exact() takes.
#define TACT_OBB_EXACT_EDGES 3072u

/// Fits the box of least volume, to 2^-20 of it. Two of its faces that meet each hold an edge of the convex hull; for
/// each pair of edges that can, the boxes that do are a range of one parameter, in which the volume is a quotient of
/// polynomials between places where the corners that are touched change. With n edges, n^2 tests and about n^1.5
/// ranges for round hulls; n^3 at worst. Memory besides that of tact_hull_mesh_3d(): 900 kB. Points in a plane: as
/// tact_obb_fit_principal() that keeps the least axis. LIMIT, and the box is left alone, for a hull with more than
/// TACT_OBB_EXACT_EDGES edges, edges in facets not counted. O'Rourke: Finding minimal enclosing boxes, 1985;
/// Ericson, 4.4.3.
TACT_API tact_result tact_obb_fit_exact(const tact_allocator* allocator, const tact_vec3* points, size_t count,
                                        tact_obb* box);

/// Turns a box's frame to the least rectangle across one of its axes as long as that makes it smaller by 2^-20 at
/// least, at most 64 times: a local minimum of the volume. The box need not contain the points at first; it does after
/// it. O(n log n) a turn. Ericson, 4.4.4.
TACT_API tact_result tact_obb_improve(const tact_allocator* allocator, const tact_vec3* points, size_t count,
                                      tact_obb* box);
