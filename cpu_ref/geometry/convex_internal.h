// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Convex shapes prepared for queries: in double, about their own centre, with their radius taken off.

#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/convex.h"

typedef enum convex_core {
    CORE_SPAN,       ///< sum of r_i edge_i, |r_i| <= 1: point, segment, rectangle, box
    CORE_CORNERS,    ///< three points
    CORE_CYLINDER,   ///< edge[0] is half the axis, edge[1] its direction
    CORE_CONE,       ///< about the apex; edge[0] leads to the centre of the base, edge[1] is the axis' direction
    CORE_ELLIPSOID,  ///< edge_i are the half axes
    CORE_HULL,
    CORE_CUSTOM
} convex_core;

typedef struct convex_shape {
    convex_core core;
    bool valid, posed;
    int edges;      ///< of CORE_SPAN
    dvec origin;    ///< what all the rest is relative to
    dvec middle;    ///< somewhere inside, to begin with; the origin where it is not known
    dvec own;       ///< the origin in the frame of a hull or a custom shape
    dvec turn[3];   ///< what a pose makes of the axes of that frame
    double scale;   ///< of the pose; 1 without one
    dvec edge[3];   ///< or the corners
    double disc;    ///< radius of the cylinder or the cone's base
    double radius;  ///< around the core
    const tact_hull* hull;
    const void* custom;
    tact_support_fn* support;
    uint32_t hint;  ///< where the last climb ended
    float largest;  ///< coordinate of the hull's points, where there is no climbing
} convex_shape;

/// A vector of a shape's own frame in the common one.
static inline dvec convex_turned_out(const convex_shape* s, dvec v)
{
    return s->posed ? d_along(d_along(d_scale(s->turn[0], v.x), v.y, s->turn[1]), v.z, s->turn[2]) : v;
}

/// A direction of the common frame in a shape's own, of another length where the pose has a scale.
static inline dvec convex_turned_in(const convex_shape* s, dvec d)
{
    return s->posed ? d_make(d_dot(s->turn[0], d), d_dot(s->turn[1], d), d_dot(s->turn[2], d)) : d;
}

/// A point y = a - b of K, a relative to A's origin and b to B's.
typedef struct convex_vertex {
    dvec y, a, b;
    dvec direction;  ///< it was found in
} convex_vertex;

/// The cores of A and B and K, their set of differences.
typedef struct convex_pair {
    convex_shape a, b;
    dvec offset;    ///< from B's origin to A's
    double radius;  ///< the sum of both
} convex_pair;

/// Points of K and the one of their hull nearest to the origin.
typedef struct convex_simplex {
    int count;
    convex_vertex p[4];
    double weight[4];
    dvec v;
    double vv;  ///< v . v
    bool inside;
} convex_simplex;

typedef enum gjk_verdict {
    GJK_APART,
    GJK_TOUCHING,
    GJK_UNPROVEN,  ///< no farther apart than found, and perhaps not apart at all
    GJK_NEAR       ///< nearly touching, on whichever side
} gjk_verdict;

/// The sum of the sizes of a vector's coordinates.
static inline double convex_size(dvec v)
{
    return (fabs(v.x) + fabs(v.y)) + fabs(v.z);
}

dvec tact_convex_core_support(convex_shape* shape, dvec direction);

/// A point of a hull, relative to the origin.
dvec tact_convex_hull_point(const convex_shape* shape, uint32_t number);

/// False if one of the shapes is invalid.
bool tact_convex_pair_make(convex_pair* pair, tact_convex a, tact_convex b);
convex_vertex tact_convex_pair_support(convex_pair* pair, dvec direction);

typedef enum convex_quick { QUICK_APART, QUICK_TOUCHING, QUICK_UNSURE } convex_quick;

/// Whether the origin is in K or nearer to it than `pair->radius`, where that is not a matter of rounding. `cache` may
/// be NULL; it is written when there is an answer.
convex_quick tact_convex_quick(convex_pair* pair, tact_convex_cache* cache);

/// Finds the point of K nearest to the origin. With `radii_matter` it returns GJK_APART as soon as the cores are known
/// to be farther apart than `pair->radius`; then the simplex is not the nearest one.
gjk_verdict tact_convex_gjk(convex_pair* pair, convex_simplex* simplex, bool radii_matter);
void tact_convex_simplex_start(convex_pair* pair, convex_simplex* simplex, const tact_convex_cache* cache);

/// Finds the point nearest to the origin and drops the corners that it does not need.
void tact_convex_simplex_solve(convex_simplex* simplex);

/// A contact before rounding: the points lie on the cores, relative to their origins.
typedef struct convex_contact {
    double distance;  ///< of the cores
    dvec a, b, normal;
    bool converged;
} convex_contact;

/// Contact of the cores, deep or apart. With `deep` false and cores that overlap, it is only a common point with a
/// normal of zero, unless there are radii. False if one of the shapes is invalid.
bool tact_convex_contact_find(convex_pair* pair, bool deep, tact_convex_cache* cache, convex_contact* contact);

/// A contact of the shapes with their radii, in single precision.
tact_convex_contact tact_convex_contact_round(const convex_pair* pair, const convex_contact* contact);

/// For cores that touch or overlap. The distance is positive if the origin is found outside of K after all.
convex_contact tact_convex_contact_deep(convex_pair* pair, const convex_simplex* simplex);

/// The points of the simplex' hull in either core that make its v, relative to their origins; 0 for an
/// empty simplex, which a custom shape leaves that gives NaN midway.
void tact_convex_witnesses(const convex_simplex* simplex, dvec* a, dvec* b);

/// Part of a polyhedron's size by which its faces may be bent.
#define TACT_POLYTOPE_BENT 1e-5
