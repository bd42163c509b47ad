// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/polytope.h"

#include "base/asserts.h"
#include "cpu_ref/geometry/convex_internal.h"

/// Part of the sizes and the distance of two shapes within which they touch.
#define TOUCHING 0x1p-48

/// Part of an edge's length up to which its height along a normal may have either sign: the normals of faces that are
/// not quite flat do not fit their edges any better. A wrong axis costs time and does no harm.
#define LEVEL 0x1p-18

/// Sine of the angle of two edges below which their product is rounding.
#define PARALLEL 0x1p-50

enum {
    MOST_EDGES = 64,   ///< of B, that each edge of A meets at a time
    MOST_FACES = 256,  ///< whose axes are kept, of either
    KNOWN = 8
};

/// An axis and what it is the normal of.
typedef struct axis {
    dvec n;  ///< of unit length, from A to B
    double gap;
    uint32_t kind, a, b;
} axis;

/// Points of a polyhedron, relative to its origin: its middle and the last ones that were farthest along an axis.
typedef struct known_points {
    dvec p[KNOWN];
    uint32_t count, next;
} known_points;

/// A face's normal as an axis from A to B, and a point of the other polyhedron as low along it as it needs to be for
/// the axis not to be the best, or the lowest.
typedef struct face_axis {
    dvec n, point;
    double offset, gap;  ///< along n: of the face, and from there to the point
} face_axis;

/// Two polyhedra, and the axes so far.
typedef struct contest {
    convex_pair pair;
    const tact_polytope *a, *b;
    double touching;
    double bent;  ///< by how much a point of a face may be behind its plane
    axis best;
    double least;  ///< an axis with a smaller gap is not the best
    known_points of_a, of_b;
    face_axis faces_a[MOST_FACES], faces_b[MOST_FACES];
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

/// Keeps the better axis; of those that are equal but for rounding the first, which is there with a cache and without.
/// False when it separates.
static bool keep(contest* c, axis x)
{
    if (x.gap > c->best.gap + c->touching) c->best = x;
    if (x.gap > c->least) c->least = x.gap;
    return !(x.gap > c->touching);
}

/// The farthest point along d, which is known from then on.
static dvec farthest(convex_shape* s, known_points* known, dvec d)
{
    const dvec p = tact_convex_core_support(s, d);
    known->p[known->next] = p;
    known->next = known->next + 1 < KNOWN ? known->next + 1 : 1;  // the middle stays
    if (known->count < KNOWN) ++known->count;
    return p;
}

static dvec farthest_of_a(contest* c, dvec n)
{
    return farthest(&c->pair.a, &c->of_a, n);
}

static dvec farthest_of_b(contest* c, dvec n)
{
    return farthest(&c->pair.b, &c->of_b, d_scale(n, -1.0));
}

/// Finds a known point with a smaller height than `least` along n. The gap is at most that to any point.
static bool known_below(const known_points* known, dvec n, double least, dvec* point)
{
    for (uint32_t i = 0; i < known->count; ++i) {
        if (!(d_dot(n, known->p[i]) < least)) continue;
        *point = known->p[i];
        return true;
    }
    return false;
}

/// Measures the gap along an axis.
static bool measure(contest* c, axis x)
{
    x.gap = d_dot(x.n, between(c, farthest_of_a(c, x.n), farthest_of_b(c, x.n)));
    return keep(c, x);
}

static bool measure_face_of_a(contest* c, uint32_t f)
{
    const tact_hull_side* side = &c->a->sides[f];
    face_axis x = {.n = side_normal(&c->pair.a, side)};
    x.offset = d_dot(x.n, c->pair.offset) + c->pair.a.scale * side->height;
    const bool below = known_below(&c->of_b, x.n, c->least - 2.0 * c->touching + x.offset, &x.point);
    if (!below) x.point = farthest_of_b(c, x.n);
    x.gap = d_dot(x.n, x.point) - x.offset;
    if (f < MOST_FACES) c->faces_a[f] = x;
    return below || keep(c, (axis){x.n, x.gap, TACT_AXIS_FACE_A, f, 0});
}

static bool measure_face_of_b(contest* c, uint32_t f)
{
    const tact_hull_side* side = &c->b->sides[f];
    const dvec n = side_normal(&c->pair.b, side);
    face_axis x = {.n = d_scale(n, -1.0)};
    x.offset = c->pair.b.scale * side->height - d_dot(n, c->pair.offset);
    const bool below = known_below(&c->of_a, n, c->least - 2.0 * c->touching + x.offset, &x.point);
    if (!below) x.point = farthest_of_a(c, x.n);
    x.gap = d_dot(n, x.point) - x.offset;
    if (f < MOST_FACES) c->faces_b[f] = x;
    return below || keep(c, (axis){x.n, x.gap, TACT_AXIS_FACE_B, 0, f});
}

static bool measure_faces(contest* c)
{
    for (uint32_t f = 0; f < c->a->hull->face_count; ++f) {
        if (!measure_face_of_a(c, f)) return false;
    }
    for (uint32_t f = 0; f < c->b->hull->face_count; ++f) {
        if (!measure_face_of_b(c, f)) return false;
    }
    return true;
}

/// An edge in the common frame, relative to its polyhedron's origin, with the normals of its faces as axes from A to B.
typedef struct polytope_edge {
    dvec from, along, left, right;
    uint32_t number;
} polytope_edge;

static polytope_edge edge_of_a(const contest* c, uint32_t i)
{
    const tact_hull_edge* e = &c->a->edges[i];
    const dvec from = tact_convex_hull_point(&c->pair.a, e->from), to = tact_convex_hull_point(&c->pair.a, e->to);
    const dvec left = side_normal(&c->pair.a, &c->a->sides[e->left]);
    return (polytope_edge){from, d_sub(to, from), left, side_normal(&c->pair.a, &c->a->sides[e->right]), i};
}

static polytope_edge edge_of_b(const contest* c, uint32_t j)
{
    const tact_hull_edge* e = &c->b->edges[j];
    const dvec from = tact_convex_hull_point(&c->pair.b, e->from), to = tact_convex_hull_point(&c->pair.b, e->to);
    const dvec left = d_scale(side_normal(&c->pair.b, &c->b->sides[e->left]), -1.0);
    const dvec right = d_scale(side_normal(&c->pair.b, &c->b->sides[e->right]), -1.0);
    return (polytope_edge){from, d_sub(to, from), left, right, j};
}

/// What a gap is below where it cannot be the best.
static double needless(const contest* c)
{
    return (c->least < 0.0 ? c->least : 0.0) - 2.0 * c->touching;
}

/// Whether every axis between the normals of an edge's faces has a needless gap: it is at most that to any point of the
/// other polyhedron, and of a way that is negative along both normals it is no less so between them.
static bool faces_away(const contest* c, const polytope_edge* e, dvec way)
{
    const double least = needless(c);
    return d_dot(e->left, way) < least && d_dot(e->right, way) < least;
}

/// faces_away() by the points of the edge's faces, with room for faces that are not quite flat.
static bool surely_faces_away(const contest* c, const tact_hull_edge* e, const face_axis* faces, double sign)
{
    if (e->left >= MOST_FACES || e->right >= MOST_FACES) return false;
    const face_axis *l = &faces[e->left], *r = &faces[e->right];
    const double least = needless(c) - c->bent;
    return (l->gap < least && sign * d_dot(r->n, l->point) - r->offset < least) ||
           (r->gap < least && sign * d_dot(l->n, r->point) - l->offset < least);
}

static bool edge_of_a_matters(contest* c, const polytope_edge* e)
{
    for (uint32_t k = 0; k < c->of_b.count; ++k) {
        if (faces_away(c, e, between(c, e->from, c->of_b.p[k]))) return false;
    }
    return !faces_away(c, e, between(c, e->from, farthest_of_b(c, d_add(e->left, e->right))));
}

static bool edge_of_b_matters(contest* c, const polytope_edge* e)
{
    for (uint32_t k = 0; k < c->of_a.count; ++k) {
        if (faces_away(c, e, between(c, c->of_a.p[k], e->from))) return false;
    }
    return !faces_away(c, e, between(c, farthest_of_a(c, d_add(e->left, e->right)), e->from));
}

/// Whether the arcs of two edges cross on the sphere of axes: each has its ends on both sides of the other's great
/// circle, and both cross the same way.
static bool arcs_cross(const polytope_edge* e, const polytope_edge* f)
{
    const double x = d_dot(f->left, e->along), y = d_dot(f->right, e->along), level = LEVEL * convex_size(e->along);
    const bool up = x <= level && y >= -level, down = x >= -level && y <= level;
    if (!up && !down) return false;
    const double u = d_dot(e->left, f->along), v = d_dot(e->right, f->along), other = LEVEL * convex_size(f->along);
    return (up && u >= -other && v <= other) || (down && u <= other && v >= -other);
}

/// Measures the product of two edges where it may be the best.
static bool measure_edges(contest* c, const polytope_edge* e, const polytope_edge* f)
{
    const dvec n = d_cross(e->along, f->along);
    const double length = d_length(n);
    if (!(length > PARALLEL * d_length(e->along) * d_length(f->along))) return true;
    const double sign = d_dot(n, d_add(e->left, e->right)) < 0.0 ? -1.0 : 1.0;
    const axis x = {d_scale(n, sign / length), 0.0, TACT_AXIS_EDGES, e->number, f->number};
    // No axis has a larger gap than the way from an edge to the other along it.
    return d_dot(x.n, between(c, e->from, f->from)) < c->least - 2.0 * c->touching || measure(c, x);
}

/// All edges of A with some of B.
static bool measure_some(contest* c, const polytope_edge* some, uint32_t count)
{
    for (uint32_t i = 0; i < c->a->edge_count && count > 0; ++i) {
        if (surely_faces_away(c, &c->a->edges[i], c->faces_a, 1.0)) continue;
        const polytope_edge e = edge_of_a(c, i);
        if (!edge_of_a_matters(c, &e)) continue;
        for (uint32_t k = 0; k < count; ++k) {
            if (arcs_cross(&e, &some[k]) && !measure_edges(c, &e, &some[k])) return false;
        }
    }
    return true;
}

static bool measure_all_edges(contest* c)
{
    polytope_edge some[MOST_EDGES];
    uint32_t count = 0;
    for (uint32_t j = 0; j < c->b->edge_count; ++j) {
        if (surely_faces_away(c, &c->b->edges[j], c->faces_b, -1.0)) continue;
        some[count] = edge_of_b(c, j);
        count += edge_of_b_matters(c, &some[count]);
        if (count < MOST_EDGES) continue;
        if (!measure_some(c, some, count)) return false;
        count = 0;
    }
    return measure_some(c, some, count);
}

/// Measures the axis of the last call, if it still is one. The best is left to the search, which finds the same one
/// with and without a cache; but it need not be looked for among smaller gaps.
static bool measure_cached(contest* c, const tact_axis_cache* cache)
{
    bool together = true;
    if (cache->kind == TACT_AXIS_FACE_A && cache->a < c->a->hull->face_count) {
        together = measure_face_of_a(c, cache->a);
    } else if (cache->kind == TACT_AXIS_FACE_B && cache->b < c->b->hull->face_count) {
        together = measure_face_of_b(c, cache->b);
    } else if (cache->kind == TACT_AXIS_EDGES && cache->a < c->a->edge_count && cache->b < c->b->edge_count) {
        const polytope_edge e = edge_of_a(c, cache->a), f = edge_of_b(c, cache->b);
        together = measure_edges(c, &e, &f);
    }
    if (together) c->best.gap = -HUGE_VAL;
    return together;
}

static known_points known_middle(const convex_shape* s, const tact_polytope* p)
{
    const dvec middle = d_make(p->middle[0], p->middle[1], p->middle[2]);
    return (known_points){.p = {convex_turned_out(s, middle)}, .count = 1, .next = 1};
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
    c->bent = 2.0 * TACT_POLYTOPE_BENT * (c->pair.a.scale * a->extent + c->pair.b.scale * b->extent);
    c->best = (axis){.gap = -HUGE_VAL};
    c->least = -HUGE_VAL;
    c->of_a = known_middle(&c->pair.a, a);
    c->of_b = known_middle(&c->pair.b, b);
    return true;
}

tact_polytope_gap tact_polytope_separation(const tact_polytope* a, const tact_pose* pose_a, const tact_polytope* b,
                                           const tact_pose* pose_b, tact_axis_cache* cache)
{
    const tact_polytope_gap none = {.distance = INFINITY, .axis = {NAN, NAN, NAN}};
    contest c;
    if (!contest_make(&c, a, pose_a, b, pose_b)) return none;
    const bool overlap = (cache == NULL || measure_cached(&c, cache)) && measure_faces(&c) && measure_all_edges(&c);
    TACT_ASSERT(!c.pair.a.valid || !c.pair.b.valid || c.best.kind != TACT_AXIS_NONE);
    if (!c.pair.a.valid || !c.pair.b.valid) return none;
    const axis* x = &c.best;
    if (cache != NULL) *cache = (tact_axis_cache){x->kind, x->a, x->b};
    const double distance = overlap && x->gap > 0.0 ? 0.0 : x->gap;
    return (tact_polytope_gap){overlap, (float)distance, d_round(x->n), (tact_axis_kind)x->kind, x->a, x->b};
}
