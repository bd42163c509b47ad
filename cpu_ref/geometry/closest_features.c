// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// V-Clip. Every test is done in the frame of the polyhedron whose Voronoi region it is about, on its points as they are
// given; points of the other one come there by one product. A step leads to features that are closer, so that there is
// an end; where rounding makes a circle of steps, GJK has the answer.

#include "base/asserts.h"
#include "cpu_ref/geometry/convex_internal.h"
#include "tact/geometry/polytope.h"

enum { MOST_STEPS = 200 };

/// Sine of the angle of an edge with a face up to which they are parallel.
#define LEVEL 0x1p-44

/// A polyhedron, and how points of the other one come into its frame.
typedef struct clip_side {
    const tact_polytope* p;
    const convex_shape* shape;
    dvec turn[3];  ///< what the other's axes are here
    dvec move;
    uint32_t kind, number;  ///< of the feature
} clip_side;

typedef enum clip_end { CLIP_ON, CLIP_CLOSEST, CLIP_OVERLAP } clip_end;

/// The part of an edge in a Voronoi region, and the features across its ends.
typedef struct clip {
    dvec from, along;
    double low, high;
    bool has_low, has_high;
    uint32_t low_kind, low_number, high_kind, high_number;
} clip;

static dvec point_of(const clip_side* s, uint32_t number)
{
    return d_sub(d_from(s->p->hull->points[number]), s->shape->own);
}

/// A point of the other polyhedron, in this one's frame.
static dvec seen_from(const clip_side* s, const clip_side* other, uint32_t number)
{
    const dvec q = point_of(other, number);
    return d_along(d_along(d_along(s->move, q.x, s->turn[0]), q.y, s->turn[1]), q.z, s->turn[2]);
}

static dvec normal_of(const clip_side* s, uint32_t face)
{
    const tact_hull_side* side = &s->p->sides[face];
    return d_make(side->x, side->y, side->z);
}

static void go_to(clip_side* s, uint32_t kind, uint32_t number)
{
    s->kind = kind;
    s->number = number;
}

/// The edge between two points that are neighbours; edges are sorted by their smaller point, then the other. The count
/// of edges where there is none: the hull's neighbours are not those of its faces.
static uint32_t edge_between(const clip_side* s, uint32_t p, uint32_t q)
{
    const uint32_t small = p < q ? p : q, large = p < q ? q : p;
    uint32_t low = 0, high = s->p->edge_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const tact_hull_edge* e = &s->p->edges[middle];
        const uint32_t first = e->from < e->to ? e->from : e->to, second = e->from < e->to ? e->to : e->from;
        if (first == small && second == large) return middle;
        if (first < small || (first == small && second < large)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return s->p->edge_count;
}

static double height_over(const clip_side* s, uint32_t face, dvec x)
{
    const tact_hull* h = s->p->hull;
    return d_dot(normal_of(s, face), d_sub(x, point_of(s, h->face_points[h->face_start[face]])));
}

/// The direction across an edge of a face, into the face: left of the edge from `from` to `to`.
static dvec into_face(const clip_side* s, uint32_t face, uint32_t from, uint32_t to)
{
    return d_cross(normal_of(s, face), d_sub(point_of(s, to), point_of(s, from)));
}

// ---- Points in regions ----

/// Whether a point leaves the region of a vertex; then the feature is the edge that it goes along most.
static bool leaves_vertex(clip_side* s, dvec x)
{
    const tact_hull* h = s->p->hull;
    const uint32_t v = s->number;
    const dvec at = point_of(s, v), way = d_sub(x, at);
    double most = 0.0;
    uint32_t best = v;
    for (uint32_t i = h->neighbour_start[v]; i < h->neighbour_start[v + 1]; ++i) {
        const dvec along = d_sub(point_of(s, h->neighbours[i]), at);
        const double on = d_dot(way, along);
        if (!(on > LEVEL * convex_size(way) * convex_size(along))) continue;
        // The greatest cosine, by its square.
        const double square = on * on / d_dot(along, along);
        if (!(square > most)) continue;
        most = square;
        best = h->neighbours[i];
    }
    if (best != v) go_to(s, TACT_POLYTOPE_EDGE, edge_between(s, v, best));
    return best != v;
}

static bool leaves_edge(clip_side* s, dvec x)
{
    const tact_hull_edge* e = &s->p->edges[s->number];
    const dvec from = point_of(s, e->from), to = point_of(s, e->to), along = d_sub(to, from), way = d_sub(x, from);
    if (d_dot(way, along) < 0.0) {
        go_to(s, TACT_POLYTOPE_VERTEX, e->from);
    } else if (d_dot(d_sub(x, to), along) > 0.0) {
        go_to(s, TACT_POLYTOPE_VERTEX, e->to);
    } else if (d_dot(d_cross(normal_of(s, e->left), along), way) > 0.0) {
        go_to(s, TACT_POLYTOPE_FACE, e->left);
    } else if (d_dot(d_cross(normal_of(s, e->right), along), way) < 0.0) {
        go_to(s, TACT_POLYTOPE_FACE, e->right);
    } else {
        return false;
    }
    return true;
}

/// The feature is then the edge that the point is farthest outside of.
static bool leaves_face(clip_side* s, dvec x)
{
    const tact_hull* h = s->p->hull;
    const uint32_t face = s->number, first = h->face_start[face], end = h->face_start[face + 1];
    double most = 0.0;
    uint32_t best = end;
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t from = h->face_points[i], to = h->face_points[i + 1 < end ? i + 1 : first];
        const dvec in = into_face(s, face, from, to);
        const double out = -d_dot(in, d_sub(x, point_of(s, from)));
        if (!(out > 0.0)) continue;
        const double square = out * out / d_dot(in, in);
        if (!(square > most)) continue;
        most = square;
        best = i;
    }
    if (best == end) return false;
    go_to(s, TACT_POLYTOPE_EDGE,
          edge_between(s, h->face_points[best], h->face_points[best + 1 < end ? best + 1 : first]));
    return true;
}

// ---- Edges in regions ----

static clip whole_edge(const clip_side* s, const clip_side* other)
{
    const tact_hull_edge* e = &other->p->edges[other->number];
    const dvec from = seen_from(s, other, e->from);
    return (clip){.from = from, .along = d_sub(seen_from(s, other, e->to), from), .low = 0.0, .high = 1.0};
}

/// Cuts off what is in front of a plane, by the heights of both ends. False where that is all.
static bool clip_by(clip* c, double from, double to, uint32_t kind, uint32_t number)
{
    if (from > 0.0 && to > 0.0) return false;
    const double at = from / (from - to);
    if (from > 0.0 && at > c->low) {
        c->low = at;
        c->has_low = true;
        c->low_kind = kind;
        c->low_number = number;
    } else if (to > 0.0 && at < c->high) {
        c->high = at;
        c->has_high = true;
        c->high_kind = kind;
        c->high_number = number;
    }
    return true;
}

/// Whether an edge gets farther from a vertex, an edge's end or a face, of this polyhedron, there.
static double slope_at(const clip_side* s, const clip* c, double at, uint32_t kind, uint32_t number)
{
    const dvec x = d_along(c->from, at, c->along);
    if (kind == TACT_POLYTOPE_VERTEX) return d_dot(c->along, d_sub(x, point_of(s, number)));
    const double up = d_dot(c->along, normal_of(s, number));
    // Of an edge along a face it is rounding.
    if (fabs(up) <= LEVEL * d_length(c->along)) return 0.0;
    return height_over(s, number, x) >= 0.0 ? up : -up;
}

/// Whether the edge comes closer across an end of its part; the feature is then the one across.
static bool leaves_part(clip_side* s, const clip* c, double low, double high)
{
    if (c->has_low && low > 0.0) {
        go_to(s, c->low_kind, c->low_number);
        return true;
    }
    if (c->has_high && high < 0.0) {
        go_to(s, c->high_kind, c->high_number);
        return true;
    }
    return false;
}

static bool edge_leaves_vertex(clip_side* s, const clip_side* other)
{
    const tact_hull* h = s->p->hull;
    const uint32_t v = s->number;
    const dvec at = point_of(s, v);
    clip c = whole_edge(s, other);
    const dvec from = d_sub(c.from, at), to = d_add(from, c.along);
    for (uint32_t i = h->neighbour_start[v]; i < h->neighbour_start[v + 1]; ++i) {
        const dvec along = d_sub(point_of(s, h->neighbours[i]), at);
        // The number of the neighbour, of which the edge is looked for when it matters.
        if (!clip_by(&c, d_dot(from, along), d_dot(to, along), TACT_POLYTOPE_EDGE, h->neighbours[i])) {
            go_to(s, TACT_POLYTOPE_EDGE, edge_between(s, v, h->neighbours[i]));
            return true;
        }
    }
    const double low = slope_at(s, &c, c.low, TACT_POLYTOPE_VERTEX, v);
    const double high = slope_at(s, &c, c.high, TACT_POLYTOPE_VERTEX, v);
    if (!leaves_part(s, &c, low, high)) return false;
    go_to(s, TACT_POLYTOPE_EDGE, edge_between(s, v, s->number));
    return true;
}

static bool edge_leaves_edge(clip_side* s, const clip_side* other)
{
    const tact_hull_edge* e = &s->p->edges[s->number];
    const dvec begin = point_of(s, e->from), end = point_of(s, e->to), along = d_sub(end, begin);
    const dvec left = d_cross(normal_of(s, e->left), along), right = d_cross(along, normal_of(s, e->right));
    clip c = whole_edge(s, other);
    const dvec from = d_sub(c.from, begin), to = d_add(from, c.along);
    const double length = d_dot(along, along);
    if (!clip_by(&c, -d_dot(from, along), -d_dot(to, along), TACT_POLYTOPE_VERTEX, e->from)) {
        go_to(s, TACT_POLYTOPE_VERTEX, e->from);
    } else if (!clip_by(&c, d_dot(from, along) - length, d_dot(to, along) - length, TACT_POLYTOPE_VERTEX, e->to)) {
        go_to(s, TACT_POLYTOPE_VERTEX, e->to);
    } else if (!clip_by(&c, d_dot(from, left), d_dot(to, left), TACT_POLYTOPE_FACE, e->left)) {
        go_to(s, TACT_POLYTOPE_FACE, e->left);
    } else if (!clip_by(&c, d_dot(from, right), d_dot(to, right), TACT_POLYTOPE_FACE, e->right)) {
        go_to(s, TACT_POLYTOPE_FACE, e->right);
    } else {
        const double low = c.has_low ? slope_at(s, &c, c.low, c.low_kind, c.low_number) : 0.0;
        const double high = c.has_high ? slope_at(s, &c, c.high, c.high_kind, c.high_number) : 0.0;
        return leaves_part(s, &c, low, high);
    }
    return true;
}

// ---- Pairs of features ----

/// The square of the distance of two segments, the first from `from` along `along`; `at` is the place on the first.
static double segments_apart(dvec p, dvec u, dvec q, dvec v, double* at, double* on)
{
    const dvec w = d_sub(p, q);
    const double uu = d_dot(u, u), uv = d_dot(u, v), vv = d_dot(v, v), uw = d_dot(u, w), vw = d_dot(v, w);
    const double area = uu * vv - uv * uv;
    double s = area > 1e-14 * (uu * vv) ? (uv * vw - vv * uw) / area : 0.5;
    s = fmin(fmax(s, 0.0), 1.0);
    double t = (uv * s + vw) / vv;
    if (t < 0.0 || t > 1.0) {
        t = fmin(fmax(t, 0.0), 1.0);
        s = fmin(fmax((uv * t - uw) / uu, 0.0), 1.0);
    }
    *at = s;
    *on = t;
    const dvec gap = d_sub(d_along(p, s, u), d_along(q, t, v));
    return d_dot(gap, gap);
}

/// The edge of a face, or its end, that is closest to an edge of the other.
static void go_to_border(clip_side* s, const clip* c)
{
    const tact_hull* h = s->p->hull;
    const uint32_t face = s->number, first = h->face_start[face], end = h->face_start[face + 1];
    double least = HUGE_VAL, place = 0.0;
    uint32_t best = first;
    for (uint32_t i = first; i < end; ++i) {
        const dvec from = point_of(s, h->face_points[i]);
        const dvec to = point_of(s, h->face_points[i + 1 < end ? i + 1 : first]);
        double at, on;
        const double apart = segments_apart(c->from, c->along, from, d_sub(to, from), &at, &on);
        if (!(apart < least)) continue;
        least = apart;
        place = on;
        best = i;
    }
    const uint32_t from = h->face_points[best], to = h->face_points[best + 1 < end ? best + 1 : first];
    if (place > 0.0 && place < 1.0) {
        go_to(s, TACT_POLYTOPE_EDGE, edge_between(s, from, to));
    } else {
        go_to(s, TACT_POLYTOPE_VERTEX, place > 0.0 ? to : from);
    }
}

static clip_end edge_and_face(clip_side* edge, clip_side* face)
{
    const tact_hull* h = face->p->hull;
    const uint32_t first = h->face_start[face->number], end = h->face_start[face->number + 1];
    clip c = whole_edge(face, edge);
    const dvec to = d_add(c.from, c.along);
    bool all = false;
    for (uint32_t i = first; i < end && !all; ++i) {
        const uint32_t p = h->face_points[i], q = h->face_points[i + 1 < end ? i + 1 : first];
        const dvec in = into_face(face, face->number, p, q), corner = point_of(face, p);
        all = !clip_by(&c, -d_dot(in, d_sub(c.from, corner)), -d_dot(in, d_sub(to, corner)), TACT_POLYTOPE_EDGE, i);
    }
    if (all || c.low > c.high) {
        go_to_border(face, &c);
        return CLIP_ON;
    }
    const double low = height_over(face, face->number, d_along(c.from, c.low, c.along));
    const double high = height_over(face, face->number, d_along(c.from, c.high, c.along));
    if ((low <= 0.0 && high >= 0.0) || (low >= 0.0 && high <= 0.0)) return CLIP_OVERLAP;
    const bool first_end = fabs(low) <= fabs(high);
    const tact_hull_edge* e = &edge->p->edges[edge->number];
    if (first_end ? c.has_low : c.has_high) {
        const uint32_t i = first_end ? c.low_number : c.high_number;
        go_to(face, TACT_POLYTOPE_EDGE,
              edge_between(face, h->face_points[i], h->face_points[i + 1 < end ? i + 1 : first]));
    } else {
        go_to(edge, TACT_POLYTOPE_VERTEX, first_end ? e->from : e->to);
    }
    return CLIP_ON;
}

/// Of a vertex below a face: the face that it is highest over, if that is above it.
static clip_end behind_face(clip_side* face, dvec x)
{
    double most = -HUGE_VAL;
    uint32_t best = face->number;
    for (uint32_t f = 0; f < face->p->hull->face_count; ++f) {
        const double height = height_over(face, f, x);
        if (!(height > most)) continue;
        most = height;
        best = f;
    }
    if (!(most > 0.0)) return CLIP_OVERLAP;
    if (best == face->number) return CLIP_CLOSEST;
    go_to(face, TACT_POLYTOPE_FACE, best);
    return CLIP_ON;
}

static clip_end vertex_and_face(clip_side* vertex, clip_side* face)
{
    const dvec x = seen_from(face, vertex, vertex->number);
    if (leaves_face(face, x)) return CLIP_ON;
    const tact_hull* h = vertex->p->hull;
    const double height = height_over(face, face->number, x);
    for (uint32_t i = h->neighbour_start[vertex->number]; i < h->neighbour_start[vertex->number + 1]; ++i) {
        const uint32_t next = h->neighbours[i];
        const dvec along = d_sub(seen_from(face, vertex, next), x);
        const double up = d_dot(normal_of(face, face->number), along);
        if ((height >= 0.0 ? -up : up) > LEVEL * d_length(along)) {
            go_to(vertex, TACT_POLYTOPE_EDGE, edge_between(vertex, vertex->number, next));
            return CLIP_ON;
        }
    }
    return height > 0.0 ? CLIP_CLOSEST : behind_face(face, x);
}

static clip_end vertices(clip_side* s)
{
    return leaves_vertex(&s[0], seen_from(&s[0], &s[1], s[1].number)) ||
                   leaves_vertex(&s[1], seen_from(&s[1], &s[0], s[0].number))
               ? CLIP_ON
               : CLIP_CLOSEST;
}

static clip_end step(clip_side s[2])
{
    clip_side *low = s[0].kind <= s[1].kind ? &s[0] : &s[1], *high = low == &s[0] ? &s[1] : &s[0];
    if (high->kind == TACT_POLYTOPE_VERTEX) return vertices(s);
    if (low->kind == TACT_POLYTOPE_VERTEX && high->kind == TACT_POLYTOPE_EDGE) {
        if (leaves_edge(high, seen_from(high, low, low->number))) return CLIP_ON;
        return edge_leaves_vertex(low, high) ? CLIP_ON : CLIP_CLOSEST;
    }
    if (low->kind == TACT_POLYTOPE_VERTEX) return vertex_and_face(low, high);
    if (high->kind == TACT_POLYTOPE_EDGE)
        return edge_leaves_edge(&s[0], &s[1]) || edge_leaves_edge(&s[1], &s[0]) ? CLIP_ON : CLIP_CLOSEST;
    // Two faces are no pair that a step leads to.
    if (low->kind == TACT_POLYTOPE_FACE) {
        const tact_hull* h = low->p->hull;
        go_to(low, TACT_POLYTOPE_VERTEX, h->face_points[h->face_start[low->number]]);
        return CLIP_ON;
    }
    return edge_and_face(low, high);
}

// ---- The whole ----

static bool has_feature(const tact_polytope* p, uint32_t kind, uint32_t number)
{
    return number < (kind == TACT_POLYTOPE_VERTEX ? p->hull->point_count
                     : kind == TACT_POLYTOPE_EDGE ? p->edge_count
                     : kind == TACT_POLYTOPE_FACE ? p->hull->face_count
                                                  : 0);
}

static void prepare(clip_side* s, const convex_shape* other, dvec offset)
{
    static const dvec axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double inverse = 1.0 / (s->shape->scale * s->shape->scale);
    for (int k = 0; k < 3; ++k)
        s->turn[k] = d_scale(convex_turned_in(s->shape, convex_turned_out(other, axes[k])), inverse);
    s->move = d_scale(convex_turned_in(s->shape, offset), inverse);
}

/// The closest points of two features that are closest, in the frame of the one of higher dimension.
static void closest_points(const clip_side* low, const clip_side* high, dvec* on_low, dvec* on_high)
{
    if (low->kind == TACT_POLYTOPE_EDGE) {
        const tact_hull_edge* e = &high->p->edges[high->number];
        const clip c = whole_edge(high, low);
        const dvec from = point_of(high, e->from), along = d_sub(point_of(high, e->to), from);
        double at, on;
        segments_apart(c.from, c.along, from, along, &at, &on);
        *on_low = d_along(c.from, at, c.along);
        *on_high = d_along(from, on, along);
        return;
    }
    const dvec x = *on_low = seen_from(high, low, low->number);
    if (high->kind == TACT_POLYTOPE_VERTEX) {
        *on_high = point_of(high, high->number);
    } else if (high->kind == TACT_POLYTOPE_EDGE) {
        const tact_hull_edge* e = &high->p->edges[high->number];
        const dvec from = point_of(high, e->from), along = d_sub(point_of(high, e->to), from);
        const double at = d_dot(d_sub(x, from), along) / d_dot(along, along);
        *on_high = d_along(from, fmin(fmax(at, 0.0), 1.0), along);
    } else {
        *on_high = d_along(x, -height_over(high, high->number, x), normal_of(high, high->number));
    }
}

static bool find_contact(const convex_pair* pair, const clip_side s[2], convex_contact* c)
{
    const int low = s[0].kind <= s[1].kind ? 0 : 1, high = 1 - low;
    dvec p[2];
    closest_points(&s[low], &s[high], &p[low], &p[high]);
    const convex_shape* frame = s[high].shape;
    // From A to B, as A's frame is where the offset leads from B's.
    const dvec gap = convex_turned_out(frame, d_sub(p[1], p[0]));
    const double distance = d_length(gap);
    const dvec outer[2] = {convex_turned_out(frame, p[0]), convex_turned_out(frame, p[1])};
    *c = (convex_contact){.distance = distance, .converged = true};
    c->a = high == 0 ? outer[0] : d_sub(outer[0], pair->offset);
    c->b = high == 1 ? outer[1] : d_add(outer[1], pair->offset);
    if (!(distance > 0x1p-40 * (convex_size(c->a) + convex_size(c->b) + convex_size(pair->offset)))) return false;
    c->normal = d_scale(gap, 1.0 / distance);
    return true;
}

static bool walk(convex_pair* pair, clip_side s[2], convex_contact* c)
{
    prepare(&s[0], &pair->b, d_scale(pair->offset, -1.0));
    prepare(&s[1], &pair->a, pair->offset);
    for (int i = 0; i < MOST_STEPS; ++i) {
        const clip_end end = step(s);
        if (!has_feature(s[0].p, s[0].kind, s[0].number) || !has_feature(s[1].p, s[1].kind, s[1].number)) return false;
        if (end != CLIP_ON) return end == CLIP_CLOSEST && find_contact(pair, s, c);
    }
    return false;
}

tact_convex_contact tact_polytope_closest(const tact_polytope* a, const tact_pose* pose_a, const tact_polytope* b,
                                          const tact_pose* pose_b, tact_polytope_cache* cache)
{
    const tact_vec3 nowhere = {NAN, NAN, NAN};
    const tact_convex_contact none = {INFINITY, nowhere, nowhere, nowhere, true};
    if (a->hull == NULL || b->hull == NULL) return none;
    const tact_convex of_a = tact_convex_hull(a->hull), of_b = tact_convex_hull(b->hull);
    const tact_posed_convex posed_a = {of_a, pose_a, {0}}, posed_b = {of_b, pose_b, {0}};
    convex_pair pair;
    convex_contact c;
    if (!tact_convex_pair_make(&pair, pose_a ? tact_convex_posed(&posed_a) : of_a,
                               pose_b ? tact_convex_posed(&posed_b) : of_b)) {
        return none;
    }
    const tact_polytope_cache at = cache ? *cache : (tact_polytope_cache){0};
    clip_side s[2] = {{.p = a, .shape = &pair.a}, {.p = b, .shape = &pair.b}};
    if (has_feature(a, at.kind_a, at.a)) go_to(&s[0], at.kind_a, at.a);
    if (has_feature(b, at.kind_b, at.b)) go_to(&s[1], at.kind_b, at.b);
    if (a->hull->neighbours && b->hull->neighbours && walk(&pair, s, &c)) {
        if (cache) *cache = (tact_polytope_cache){s[0].kind, s[0].number, s[1].kind, s[1].number};
        return tact_convex_contact_round(&pair, &c);
    }
    return tact_convex_contact_find(&pair, false, NULL, &c) ? tact_convex_contact_round(&pair, &c) : none;
}
