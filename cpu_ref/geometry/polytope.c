// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/polytope.h"

#include "base/asserts.h"
#include "cpu_ref/geometry/convex_internal.h"
#include "tact/bodies.h"

/// Part of the sizes and the distance of two shapes within which they touch.
#define TOUCHING 0x1p-48

/// Part of an edge's length up to which its height along a normal may have either sign: the normals of faces that are
/// not quite flat do not fit their edges any better. A wrong axis costs time and does no harm.
#define LEVEL 0x1p-18

/// Sine of the angle of two edges below which their product is rounding.
#define PARALLEL 0x1p-50

enum { MOST_SIDES = 256 };  // whose heights along an edge are kept

/// An axis and what it is the normal of.
typedef struct axis {
    dvec n;  ///< of unit length, from A to B
    double gap;
    uint32_t kind, a, b;
} axis;

/// Two polyhedra, and the axes so far.
typedef struct contest {
    convex_pair pair;
    const tact_polytope *a, *b;
    double touching;
    axis best;
    double least;     ///< an axis with a smaller gap is not the best
    dvec in_a, in_b;  ///< points of either, relative to its origin: the last ones that were farthest along an axis
} contest;

static dvec side_normal(const convex_shape* s, const tact_hull_side* side)
{
    const dvec n = d_make(side->x, side->y, side->z);
    return s->posed ? d_scale(convex_turned_out(s, n), 1.0 / s->scale) : n;
}

/// From a point of A to one of B, both relative to their origins.
static dvec between(const contest* c, dvec in_a, dvec in_b)
{
    return d_sub(d_sub(in_b, in_a), c->pair.offset);
}

/// Measures the gap along an axis and keeps the better one. False when it separates.
static bool measure(contest* c, axis x)
{
    c->in_a = tact_convex_core_support(&c->pair.a, x.n);
    c->in_b = tact_convex_core_support(&c->pair.b, d_scale(x.n, -1.0));
    x.gap = d_dot(x.n, between(c, c->in_a, c->in_b));
    if (x.gap > c->best.gap) c->best = x;
    if (x.gap > c->least) c->least = x.gap;
    return !(x.gap > c->touching);
}

static bool measure_faces(contest* c, bool of_a)
{
    const convex_shape* s = of_a ? &c->pair.a : &c->pair.b;
    const tact_polytope* p = of_a ? c->a : c->b;
    for (uint32_t f = 0; f < p->hull->face_count; ++f) {
        const dvec n = side_normal(s, &p->sides[f]);
        // No more than the gap to the point of the other that was the last.
        const dvec way = of_a ? between(c, d_make(0.0, 0.0, 0.0), c->in_b) : between(c, c->in_a, d_make(0.0, 0.0, 0.0));
        const double most = (of_a ? d_dot(n, way) : -d_dot(n, way)) - s->scale * p->sides[f].height;
        if (most < c->least - c->touching) continue;
        const axis x = {of_a ? n : d_scale(n, -1.0), 0.0, of_a ? TACT_AXIS_FACE_A : TACT_AXIS_FACE_B, of_a ? f : 0,
                        of_a ? 0 : f};
        if (!measure(c, x)) return false;
    }
    return true;
}

/// An edge of A and what it has to do with B.
typedef struct edge_of_a {
    dvec from, along;               ///< in the common frame, relative to A's origin
    dvec left, right;               ///< normals of its faces
    dvec own, own_left, own_right;  ///< direction and normals in B's frame
    double level;                   ///< height along a normal of B that may have either sign
} edge_of_a;

static edge_of_a edge_for_b(const contest* c, const tact_hull_edge* e)
{
    const convex_shape *a = &c->pair.a, *b = &c->pair.b;
    edge_of_a r;
    r.from = tact_convex_hull_point(a, e->from);
    r.along = d_sub(tact_convex_hull_point(a, e->to), r.from);
    r.left = side_normal(a, &c->a->sides[e->left]);
    r.right = side_normal(a, &c->a->sides[e->right]);
    r.own = convex_turned_in(b, r.along);
    r.own_left = convex_turned_in(b, r.left);
    r.own_right = convex_turned_in(b, r.right);
    r.level = LEVEL * convex_size(r.own);
    return r;
}

/// Whether every normal between those of an edge's faces has a gap below `least`: the gap is at most that to any point
/// of the other polyhedron, and between two normals along which a way is negative it is no less so.
static bool faces_away(dvec left, dvec right, dvec way, double least)
{
    return d_dot(left, way) < least && d_dot(right, way) < least;
}

static double height_along(const tact_hull_side* side, dvec d)
{
    return (side->x * d.x + side->y * d.y) + side->z * d.z;
}

/// Whether the arcs of two edges cross on the sphere of normals, B's turned over: each has its ends on both sides of
/// the other's great circle, and both cross the same way. `x` and `y` are the heights of A's edge along the normals of
/// B's left and right face.
static bool arcs_cross(const edge_of_a* e, double x, double y, dvec other)
{
    const bool up = x >= -e->level && y <= e->level, down = x <= e->level && y >= -e->level;
    if (!up && !down) return false;
    const double u = d_dot(e->own_left, other), v = d_dot(e->own_right, other);
    const double level = LEVEL * convex_size(other) * convex_size(e->own_left);
    return (up && u >= -level && v <= level) || (down && u <= level && v >= -level);
}

/// Measures the product of edge `i` of A and edge `j` of B where it may be the best.
static bool measure_edges(contest* c, const edge_of_a* e, uint32_t i, uint32_t j)
{
    const convex_shape* b = &c->pair.b;
    const tact_hull_edge* other = &c->b->edges[j];
    const dvec from = tact_convex_hull_point(b, other->from), to = tact_convex_hull_point(b, other->to);
    const dvec along = d_sub(to, from), n = d_cross(e->along, along);
    const double length = d_length(n);
    if (!(length > PARALLEL * d_length(e->along) * d_length(along))) return true;
    const double sign = d_dot(n, d_add(e->left, e->right)) < 0.0 ? -1.0 : 1.0;
    const axis x = {d_scale(n, sign / length), 0.0, TACT_AXIS_EDGES, i, j};
    // No axis has a larger gap than the way from an edge to the other along it.
    return d_dot(x.n, between(c, e->from, from)) < c->least - c->touching || measure(c, x);
}

static bool measure_edge(contest* c, uint32_t i)
{
    const tact_hull* hull = c->b->hull;
    const edge_of_a e = edge_for_b(c, &c->a->edges[i]);
    const double least = (c->least < 0.0 ? c->least : 0.0) - c->touching;
    const double* middle = c->b->middle;
    const dvec of_b = convex_turned_out(&c->pair.b, d_make(middle[0], middle[1], middle[2]));
    if (faces_away(e.left, e.right, between(c, e.from, of_b), least)) return true;
    if (faces_away(e.left, e.right, between(c, e.from, c->in_b), least)) return true;
    double heights[MOST_SIDES];
    const bool kept = hull->face_count <= MOST_SIDES;
    for (uint32_t f = 0; kept && f < hull->face_count; ++f)
        heights[f] = height_along(&c->b->sides[f], e.own);
    for (uint32_t j = 0; j < c->b->edge_count; ++j) {
        const tact_hull_edge* other = &c->b->edges[j];
        const double x = kept ? heights[other->left] : height_along(&c->b->sides[other->left], e.own);
        const double y = kept ? heights[other->right] : height_along(&c->b->sides[other->right], e.own);
        if ((x > e.level && y > e.level) || (x < -e.level && y < -e.level)) continue;
        const dvec along = d_sub(d_from(hull->points[other->to]), d_from(hull->points[other->from]));
        if (arcs_cross(&e, x, y, along) && !measure_edges(c, &e, i, j)) return false;
    }
    return true;
}

static bool measure_all(contest* c)
{
    if (!measure_faces(c, true) || !measure_faces(c, false)) return false;
    for (uint32_t i = 0; i < c->a->edge_count; ++i) {
        if (!measure_edge(c, i)) return false;
    }
    return true;
}

/// Measures the axis of the last call, if it still is one. The best is left to the search, which finds the same one
/// with and without a cache; but it need not be looked for among smaller gaps.
static bool measure_cached(contest* c, const tact_axis_cache* cache)
{
    const tact_hull *a = c->a->hull, *b = c->b->hull;
    axis x = {.kind = cache->kind, .a = cache->a, .b = cache->b};
    if (cache->kind == TACT_AXIS_FACE_A && cache->a < a->face_count) {
        x.n = side_normal(&c->pair.a, &c->a->sides[cache->a]);
    } else if (cache->kind == TACT_AXIS_FACE_B && cache->b < b->face_count) {
        x.n = d_scale(side_normal(&c->pair.b, &c->b->sides[cache->b]), -1.0);
    } else if (cache->kind == TACT_AXIS_EDGES && cache->a < c->a->edge_count && cache->b < c->b->edge_count) {
        const edge_of_a e = edge_for_b(c, &c->a->edges[cache->a]);
        if (!measure_edges(c, &e, cache->a, cache->b)) return false;
        c->best.gap = -HUGE_VAL;
        return true;
    } else {
        return true;
    }
    if (!measure(c, x)) return false;
    c->best.gap = -HUGE_VAL;
    return true;
}

static bool contest_make(contest* c, const tact_polytope* a, const tact_pose* pose_a, const tact_polytope* b,
                         const tact_pose* pose_b)
{
    if (a->hull == NULL || b->hull == NULL) return false;
    const tact_convex of_a = tact_convex_hull(a->hull), of_b = tact_convex_hull(b->hull);
    const tact_posed_convex posed_a = {of_a, pose_a, {0}}, posed_b = {of_b, pose_b, {0}};
    if (!tact_convex_pair_make(&c->pair, pose_a ? tact_convex_posed(&posed_a) : of_a,
                               pose_b ? tact_convex_posed(&posed_b) : of_b)) {
        return false;
    }
    c->a = a;
    c->b = b;
    c->touching =
        TOUCHING * ((convex_size(c->pair.offset) + c->pair.a.scale * a->extent) + c->pair.b.scale * b->extent);
    c->best = (axis){.gap = -HUGE_VAL};
    c->least = -HUGE_VAL;
    c->in_a = c->in_b = d_make(0.0, 0.0, 0.0);
    return true;
}

tact_polytope_gap tact_polytope_separation(const tact_polytope* a, const tact_pose* pose_a, const tact_polytope* b,
                                           const tact_pose* pose_b, tact_axis_cache* cache)
{
    const tact_polytope_gap none = {.distance = INFINITY, .axis = {NAN, NAN, NAN}};
    contest c;
    if (!contest_make(&c, a, pose_a, b, pose_b)) return none;
    const bool overlap = (cache == NULL || measure_cached(&c, cache)) && measure_all(&c);
    TACT_ASSERT(!c.pair.a.valid || !c.pair.b.valid || c.best.kind != TACT_AXIS_NONE);
    if (!c.pair.a.valid || !c.pair.b.valid) return none;
    const axis* x = &c.best;
    if (cache != NULL) *cache = (tact_axis_cache){x->kind, x->a, x->b};
    const double distance = overlap && x->gap > 0.0 ? 0.0 : x->gap;
    return (tact_polytope_gap){overlap, (float)distance, d_round(x->n), (tact_axis_kind)x->kind, x->a, x->b};
}
