// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/geometry/moving_internal.h"
#include "cpu_ref/geometry/obb_internal.h"

/// A shape as the axis tests see it: floats that the caller keeps, or numbers worked out here.
typedef struct body {
    const tact_vec3 *vertices, *normals, *edges;
    dvec own_vertices[8], own_normals[3], own_edges[3];
    dvec center;     // of a box, whose vertices are its own
    double half[3];  // along its own edges
    size_t vertex_count, normal_count, edge_count;
} body;

static dvec vertex(const body* b, size_t i)
{
    return b->vertices ? d_from(b->vertices[i]) : b->own_vertices[i];
}

static dvec normal(const body* b, size_t i)
{
    return b->normals ? d_from(b->normals[i]) : b->own_normals[i];
}

static dvec edge(const body* b, size_t i)
{
    return b->edges ? d_from(b->edges[i]) : b->own_edges[i];
}

static bool all_finite(const tact_vec3* v, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!v_finite(v[i])) return false;
    }
    return true;
}

static bool body_from_convex(const tact_moving_convex* c, body* b)
{
    b->vertices = c->vertices;
    b->normals = c->normals;
    b->edges = c->edges;
    b->vertex_count = c->vertex_count;
    b->normal_count = c->normal_count;
    b->edge_count = c->edge_count;
    return b->vertex_count > 0 && all_finite(b->vertices, b->vertex_count) && all_finite(b->normals, b->normal_count) &&
           all_finite(b->edges, b->edge_count);
}

static bool body_from_obb(const tact_obb* box, body* b)
{
    dbox d;
    if (!dbox_from(box, &d)) return false;
    b->vertices = b->normals = b->edges = NULL;
    b->center = d.center;
    b->vertex_count = 8;
    b->normal_count = b->edge_count = 3;
    for (int k = 0; k < 8; ++k) {
        dvec v = d.center;
        for (int i = 0; i < 3; ++i)
            v = d_along(v, k >> i & 1 ? d.half[i] : -d.half[i], d.axis[i]);
        b->own_vertices[k] = v;
    }
    for (int i = 0; i < 3; ++i) {
        b->half[i] = d.half[i];
        b->own_normals[i] = d.face[i];
        b->own_edges[i] = d.axis[i];
    }
    return true;
}

/// Two bodies, the first moving against the second, and what the axes so far have told.
typedef struct contest {
    const body *a, *b;
    dvec origin, motion;
    moving_time enter, leave;
    dvec entered;  // the axis that was entered last, from b to a
    dvec shallow;  // the axis of least depth at time 0, from b to a
    double depth;  // along it, squared
} contest;

typedef struct shadow {
    double low, high, size;
} shadow;

static shadow cast_box(const body* b, dvec origin, dvec axis)
{
    const dvec offset = d_sub(b->center, origin);
    const double middle = d_dot(offset, axis);
    double reach = 0.0, size = d_abs_dot(offset, axis);
    for (int i = 0; i < 3; ++i) {
        reach += b->half[i] * fabs(d_dot(b->own_edges[i], axis));
        size += b->half[i] * d_abs_dot(b->own_edges[i], axis);
    }
    const shadow s = {middle - reach, middle + reach, size};
    return s;
}

/// Of a body on an axis, and the sum of the sizes of the terms of its ends.
static shadow cast(const body* b, dvec origin, dvec axis)
{
    if (!b->vertices) return cast_box(b, origin, axis);
    shadow s = {HUGE_VAL, -HUGE_VAL, 0.0};
    for (size_t i = 0; i < b->vertex_count; ++i) {
        const dvec v = d_sub(vertex(b, i), origin);
        const double at = d_dot(v, axis), size = d_abs_dot(v, axis);
        s.low = at < s.low ? at : s.low;
        s.high = at > s.high ? at : s.high;
        s.size = size > s.size ? size : s.size;
    }
    return s;
}

static void note_depth(contest* c, double depth, dvec axis)
{
    const double squared = depth * depth / d_dot(axis, axis);
    if (!(squared < c->depth)) return;
    c->depth = squared;
    c->shallow = axis;
}

/// False when the axis tells that there is no contact.
static bool ask_axis(contest* c, dvec axis)
{
    if (!(d_dot(axis, axis) > 0.0)) return true;
    const shadow a = cast(c->a, c->origin, axis), b = cast(c->b, c->origin, axis);
    const double speed = d_dot(axis, c->motion), slack = 0x1p-48 * (a.size + b.size + d_abs_dot(axis, c->motion));
    const double before = b.low - a.high - slack, after = a.low - b.high - slack;  // gaps, a in front and behind
    if (before <= 0.0 && after <= 0.0) {
        note_depth(c, before > after ? before : after, before >= after ? d_scale(axis, -1.0) : axis);
    }
    if (speed == 0.0) return before <= 0.0 && after <= 0.0;
    const double den = fabs(speed);
    const moving_time enter = {speed > 0.0 ? before : after, den}, leave = {speed > 0.0 ? -after : -before, den};
    if (moving_later(enter, c->enter)) {
        c->enter = enter;
        c->entered = speed > 0.0 ? d_scale(axis, -1.0) : axis;
    }
    if (moving_later(c->leave, leave)) c->leave = leave;
    return !moving_later(c->enter, c->leave);
}

static bool ask_faces(contest* c, const body* b)
{
    for (size_t i = 0; i < b->normal_count; ++i) {
        if (!ask_axis(c, normal(b, i))) return false;
    }
    return true;
}

static bool ask_edges(contest* c)
{
    for (size_t i = 0; i < c->a->edge_count; ++i) {
        for (size_t k = 0; k < c->b->edge_count; ++k) {
            if (!ask_axis(c, d_cross(edge(c->a, i), edge(c->b, k)))) return false;
        }
    }
    return true;
}

/// The edges of both bodies, those of a first.
static dvec either_edge(const contest* c, size_t i)
{
    return d_unit(i < c->a->edge_count ? edge(c->a, i) : edge(c->b, i - c->a->edge_count));
}

/// The axes within a plane or along a line that hold all edges, and across it. Any axis is a valid one, so being
/// generous about what is a plane costs time and nothing else.
static bool ask_flat(contest* c)
{
    const double narrow = 0x1p-20;  // squared sine
    const size_t count = c->a->edge_count + c->b->edge_count;
    if (!c->a->vertices || !c->b->vertices) return true;  // a box has edges in all directions
    dvec u = {0.0, 0.0, 0.0}, n = {0.0, 0.0, 0.0};
    double rise = 0.0;
    for (size_t i = 0; i < count && d_dot(u, u) == 0.0; ++i)
        u = either_edge(c, i);
    for (size_t i = 0; i < count; ++i) {
        const dvec across = d_cross(u, either_edge(c, i));
        if (d_dot(across, across) > d_dot(n, n)) n = across;
    }
    const bool line = d_dot(n, n) <= narrow;
    n = d_unit(n);
    for (size_t i = 0; i < count; ++i)
        rise = fmax(rise, fabs(d_dot(n, either_edge(c, i))));
    if (rise * rise > narrow) return true;
    if (!ask_axis(c, n)) return false;
    for (size_t i = 0; i < count; ++i) {
        if (!ask_axis(c, d_cross(n, either_edge(c, i)))) return false;
    }
    if (!line) return true;
    if (d_dot(u, u) == 0.0) u = d_make(1.0, 0.0, 0.0);
    const dvec v = d_perpendicular(u);
    return ask_axis(c, u) && ask_axis(c, v) && ask_axis(c, d_cross(u, v));
}

/// Those of a body's vertices that are foremost along a direction.
typedef struct feature {
    const body* b;
    dvec origin, shift, along;
    double least;
} feature;

static feature foremost(const body* b, dvec origin, dvec shift, dvec along)
{
    double high = -HUGE_VAL, wide = 0.0;
    for (size_t i = 0; i < b->vertex_count; ++i) {
        const dvec v = vertex(b, i), w = d_sub(v, vertex(b, 0));
        const double at = d_dot(d_sub(v, origin), along), ww = d_dot(w, w);
        high = at > high ? at : high;
        wide = ww > wide ? ww : wide;
    }
    const feature f = {b, origin, shift, along, high - 0x1p-19 * sqrt(wide)};
    return f;
}

/// Its point that is farthest in a direction, moved.
static dvec feature_support(const feature* f, dvec direction)
{
    double most = -HUGE_VAL;
    dvec best = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < f->b->vertex_count; ++i) {
        const dvec v = d_sub(vertex(f->b, i), f->origin);
        const double at = d_dot(v, direction);
        if (d_dot(v, f->along) < f->least || !(at > most)) continue;
        most = at;
        best = v;
    }
    return d_add(best, f->shift);
}

/// Points of the two features, and their difference seen along the axis of contact.
typedef struct match {
    dvec a, b, apart;
} match;

static match find_match(const feature* a, const feature* b, dvec direction, dvec axis)
{
    match m = {feature_support(a, direction), feature_support(b, d_scale(direction, -1.0)), {0.0, 0.0, 0.0}};
    m.apart = d_sub(m.a, m.b);
    m.apart = d_along(m.apart, -d_dot(m.apart, axis), axis);
    return m;
}

static match mix(const match* x, double s, const match* y)
{
    const match m = {d_along(x->a, s, d_sub(y->a, x->a)), d_along(x->b, s, d_sub(y->b, x->b)),
                     d_along(x->apart, s, d_sub(y->apart, x->apart))};
    return m;
}

/// The nearest to 0 on the segment between two.
static match nearest_mix(const match* x, const match* y)
{
    const dvec u = d_sub(y->apart, x->apart);
    const double uu = d_dot(u, u);
    return mix(x, uu > 0.0 ? d_clamp(-d_dot(x->apart, u) / uu, 0.0, 1.0) : 0.0, y);
}

/// The nearest to 0 of the triangle of three, and which two of them to go on with.
static match nearest_of_three(match m[3], dvec axis)
{
    double weight[3], sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        weight[i] = d_dot(axis, d_cross(m[(i + 1) % 3].apart, m[(i + 2) % 3].apart));
        sum += weight[i];
    }
    const double sign = sum < 0.0 ? -1.0 : 1.0;
    if (sum != 0.0 && sign * weight[0] >= 0.0 && sign * weight[1] >= 0.0 && sign * weight[2] >= 0.0) {
        const match edge = mix(&m[0], weight[0] + weight[1] != 0.0 ? weight[1] / (weight[0] + weight[1]) : 0.0, &m[1]);
        return mix(&edge, weight[2] / sum, &m[2]);
    }
    // The newest is at 2, so the nearest is on one of its two edges or at it.
    const match p = nearest_mix(&m[0], &m[2]), q = nearest_mix(&m[1], &m[2]);
    if (d_dot(p.apart, p.apart) <= d_dot(q.apart, q.apart)) {
        m[1] = m[2];
        return p;
    }
    m[0] = m[2];
    return q;
}

/// A point that the features which face each other along the axis have in common, seen along it. Gilbert, Johnson and
/// Keerthi's method in the plane across the axis.
static dvec meeting_point(const contest* c, dvec axis, double t)
{
    enum { ROUNDS = 32 };
    const dvec still = {0.0, 0.0, 0.0};
    const feature a = foremost(c->a, c->origin, d_scale(c->motion, t), d_scale(axis, -1.0));
    const feature b = foremost(c->b, c->origin, still, axis);
    match m[3] = {find_match(&a, &b, d_perpendicular(axis), axis)}, best = m[0];
    int count = 1;
    for (int round = 0; round < ROUNDS; ++round) {
        const double now = d_dot(best.apart, best.apart);
        if (!(now > 0.0)) break;
        const match next = find_match(&a, &b, d_scale(best.apart, -1.0), axis);
        if (now - d_dot(best.apart, next.apart) <= 0x1p-40 * now) break;
        m[count] = next;
        const match nearer = count == 1 ? nearest_mix(&m[0], &m[1]) : nearest_of_three(m, axis);
        count = 2;
        if (!(d_dot(nearer.apart, nearer.apart) < now)) break;
        best = nearer;
    }
    return d_add(c->origin, d_scale(d_add(best.a, best.b), 0.5));
}

static tact_moving_hit decide(const body* a, tact_vec3 motion_a, const body* b, tact_vec3 motion_b)
{
    const dvec ma = d_from(motion_a), mb = d_from(motion_b);
    contest c = {.a = a, .b = b, .origin = vertex(b, 0), .motion = d_sub(ma, mb)};
    c.enter = (moving_time){0.0, 1.0};
    c.leave = (moving_time){1.0, 1.0};
    c.depth = HUGE_VAL;
    if (!ask_faces(&c, a) || !ask_faces(&c, b) || !ask_edges(&c) || !ask_flat(&c)) return moving_miss();
    const bool moves_in = c.enter.num > 0.0;
    const dvec axis = d_unit(moves_in ? c.entered : c.shallow);
    const double t = fmin(c.enter.num / c.enter.den, 1.0);
    const dvec point = d_along(meeting_point(&c, axis, t), t, mb);
    return moving_hit(t, point, axis);
}

tact_moving_hit tact_moving_obb_obb(const tact_obb* a, tact_vec3 motion_a, const tact_obb* b, tact_vec3 motion_b)
{
    body p, q;
    if (!body_from_obb(a, &p) || !body_from_obb(b, &q) || !v_finite(motion_a) || !v_finite(motion_b)) {
        return moving_miss();
    }
    return decide(&p, motion_a, &q, motion_b);
}

tact_moving_hit tact_moving_convex_convex(const tact_moving_convex* a, tact_vec3 motion_a, const tact_moving_convex* b,
                                          tact_vec3 motion_b)
{
    body p, q;
    if (!body_from_convex(a, &p) || !body_from_convex(b, &q) || !v_finite(motion_a) || !v_finite(motion_b)) {
        return moving_miss();
    }
    return decide(&p, motion_a, &q, motion_b);
}
