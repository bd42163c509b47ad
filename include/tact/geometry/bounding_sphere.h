// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/bounding_sphere.h
/// Spheres around points and around spheres: tests, merging, and fits from fast to smallest.
///
/// Every function that makes a sphere returns one that contains all of its input exactly, after the rounding to floats:
/// given its centre, the radius is the least float that does. So spheres that the sources leave too small (the one
/// across the most separated points, the one along the principal axis) are grown here.
///
/// The empty sphere has a negative radius. Fits return it when there is nothing to hold, when a number is NaN or
/// infinite, and when the radius would exceed the largest float. Points lie `stride` bytes apart, 0 meaning packed. The
/// sections named are those of C. Ericson, Real-Time Collision Detection, 2005 (RTCD) and of T. Akenine-Möller and
/// others, Real-Time Rendering, 4th edition, 2018 (RTR).

#include "tact/geometry/types.h"

/// Returns the empty sphere: centre 0, radius -1.
TACT_API tact_sphere tact_sphere_empty(void);

/// Tests whether the spheres share a point (RTCD 4.3.1): (dx dx + dy dy) + dz dz <= r r with d the difference of the
/// centres and r the sum of the radii, all in single precision in this order: the result of
/// tact_batch_sphere_spheres(), with its range. 11 operations.
TACT_API bool tact_sphere_overlaps_sphere(tact_sphere a, tact_sphere b);

/// Tests whether the point is in the sphere, its surface included. About 25 operations; exact, by longer sums where
/// doubles do not suffice.
TACT_API bool tact_sphere_contains_point(tact_sphere sphere, tact_vec3 point);

/// Tests whether all of `inner` is in `outer`. About 30 operations; exact. False for an empty sphere.
TACT_API bool tact_sphere_contains_sphere(tact_sphere outer, tact_sphere inner);

/// Returns the least sphere around both (RTCD 6.5.2): one of them where it holds the other, else the one whose diameter
/// is the segment through both centres. The centre is rounded to nearest. An empty sphere adds nothing. About 60
/// operations.
TACT_API tact_sphere tact_sphere_union(tact_sphere a, tact_sphere b);

/// Returns the least sphere around a sphere and a point (RTCD 4.3.2). A NaN or infinite point adds nothing.
TACT_API tact_sphere tact_sphere_include_point(tact_sphere sphere, tact_vec3 point);

/// Returns the sphere around a box, about its midpoint. Empty for an empty or an unbounded box.
TACT_API tact_sphere tact_sphere_from_aabb(tact_aabb box);

/// Returns the least sphere about a given centre. 8 operations a point.
TACT_API tact_sphere tact_sphere_around(tact_vec3 center, const tact_vec3* points, size_t count, size_t stride);

/// Finds the indices of the pair that is farthest apart among the three pairs of points that are extreme along the
/// coordinate axes (RTCD 4.3.2, whose listing takes the shortest pair when the other two are equally long). They are
/// the same index when all points coincide. False, with the indices left alone, when there are no points or when one
/// has a NaN or an infinity. 6 comparisons a point.
TACT_API bool tact_most_separated_points(const tact_vec3* points, size_t count, size_t stride, size_t* first,
                                         size_t* second);

/// Fits a sphere about the midpoint of the points' box (RTCD 4.3.2; RTR 22.3.2). Two passes. At most sqrt(3) times the
/// least radius.
TACT_API tact_sphere tact_sphere_fit_midpoint(const tact_vec3* points, size_t count, size_t stride);

/// Fits a sphere about the midpoint of tact_most_separated_points() (RTCD 4.3.2). Two passes. At most twice the least
/// radius, as any centre in the points' hull.
TACT_API tact_sphere tact_sphere_fit_distant(const tact_vec3* points, size_t count, size_t stride);

/// Fits a sphere by Ritter's method (An efficient bounding sphere, in Graphics Gems, 1990; RTCD 4.3.2; RTR 22.3.2): the
/// sphere across the most separated points, grown point by point. Three passes; typically 5 % to 20 % above the least
/// radius. At times tact_sphere_fit_midpoint() is better; both together still are fast.
TACT_API tact_sphere tact_sphere_fit_ritter(const tact_vec3* points, size_t count, size_t stride);

/// Fits a sphere by Wu's method (A linear-time simple bounding volume algorithm, in Graphics Gems III, 1992; RTCD
/// 4.3.3): about the midpoint of the two points that are extreme along the direction of largest spread, an eigenvector
/// of the points' covariance by Jacobi rotations that stop relative to the trace, so at any scale. Four passes.
TACT_API tact_sphere tact_sphere_fit_eigen(const tact_vec3* points, size_t count, size_t stride);

/// Fits a sphere by Ritter's method, grown from the pair of points of tact_sphere_fit_eigen() (RTCD 4.3.3). Five
/// passes.
TACT_API tact_sphere tact_sphere_fit_ritter_eigen(const tact_vec3* points, size_t count, size_t stride);

/// Fits a sphere by iterating Ritter's method (RTCD 4.3.4): `iterations` times (8 is customary) the sphere is shrunk to
/// 95 % and grown again over the points in another order; the best is returned, never worse than
/// tact_sphere_fit_ritter() by more than rounding. The orders are those of an arithmetic progression around the array
/// and depend on the seed alone; the points stay where they are. Two passes an iteration; typically 1 % above the least
/// radius.
TACT_API tact_sphere tact_sphere_fit_iterative(const tact_vec3* points, size_t count, size_t stride,
                                               uint32_t iterations, uint64_t seed);

/// Returns the smallest sphere: its radius is at most 1 + 2^-22 times the least one, and as much above that as the
/// rounding of the centre to floats takes.
///
/// Method: the support set of at most 4 points of E. Welzl, Smallest enclosing disks, 1991 (RTCD 4.3.5), without his
/// recursion: the point farthest from the sphere enters, as B. Gärtner, Fast and robust smallest enclosing balls, 1999,
/// chooses it, and the smallest sphere of those 5 points, found among the circumspheres of their subsets, is the next
/// one. Its radius grows at each step; rounding can end the process early, never lead it astray. No memory, no limit
/// on the number of points; each step is a pass over them. There are about 5 to 15 steps. Coincident, collinear,
/// coplanar and cospherical points are no special cases.
TACT_API tact_sphere tact_sphere_fit_smallest(const tact_vec3* points, size_t count, size_t stride);

/// Returns a sphere around spheres that lie `stride` bytes apart, 0 meaning packed: the better one of the sphere about
/// their box's midpoint (RTR 22.3.2) and of Ritter's method with 8 iterations, both with the radii in all comparisons.
/// For two spheres the least one; for more typically 1 % above it (the recursion for points does not carry over to
/// spheres: K. Fischer and B. Gärtner, The smallest enclosing ball of balls, 2003). Empty when a sphere is empty or not
/// finite. About 20 passes.
TACT_API tact_sphere tact_sphere_around_spheres(const tact_sphere* spheres, size_t count, size_t stride);
