// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A sphere and a box or a triangle: the box's point that is closest to the middle of the sphere, or the face that this
// is the least below (Ericson: Real-Time Collision Detection, 2005, 5.1.3). Without branches, as contact_rod.h.
#ifndef TACT_CONTACT_BALL_H
#define TACT_CONTACT_BALL_H

#include "contact_triangle.h"

FN float tact_between(float x, float h)
{
    float least = x < -h ? -h : x;
    return least > h ? h : least;
}

// 0, 1 or 2 as x is below -h, within, or above h.
FN float tact_ball_side(float x, float h)
{
    return x < -h ? 0.0f : (x > h ? 2.0f : 1.0f);
}

// `half_box`: the box's half lengths. `second`: the sphere is B.
FN TactOnePoint tact_ball_box(TactMeeting w, TactVec half_box, bool second)
{
    TactVec back = tact_times(tact_placed_back(w.placed, w.placed.t), -1.0f);
    TactVec c = tact_vec_or(second, w.placed.t, back);
    TactVec h = half_box;
    TactVec q = tact_vec(tact_between(c.x, h.x), tact_between(c.y, h.y), tact_between(c.z, h.z));
    TactVec v = tact_less(c, q);
    float v2 = tact_dot_vec(v, v);
    float distance = tact_sqrt(v2);
    bool outside = distance > w.noise;
    TactVec outward = tact_times(v, tact_div(1.0f, outside ? distance : 1.0f));
    // The least deep of the faces.
    PRECISE float x = ABS(c.x) - h.x;
    PRECISE float y = ABS(c.y) - h.y;
    PRECISE float z = ABS(c.z) - h.z;
    float most = y > x ? y : x;
    float face = y > x ? 1.0f : 0.0f;
    face = z > most ? 2.0f : face;
    most = z > most ? z : most;
    float sx = c.x < 0.0f ? -1.0f : 1.0f;
    float sy = c.y < 0.0f ? -1.0f : 1.0f;
    float sz = c.z < 0.0f ? -1.0f : 1.0f;
    TactVec inward = tact_vec(face == 0.0f ? sx : 0.0f, face == 1.0f ? sy : 0.0f, face == 2.0f ? sz : 0.0f);
    TactVec on_face =
        tact_vec(face == 0.0f ? sx * h.x : c.x, face == 1.0f ? sy * h.y : c.y, face == 2.0f ? sz * h.z : c.z);
    TactVec way = tact_vec_or(outside, outward, inward);
    TactVec on_box = tact_vec_or(outside, q, on_face);
    float apart = outside ? distance : most;
    PRECISE float side = 9.0f * tact_ball_side(c.x, h.x) + 3.0f * tact_ball_side(c.y, h.y) + tact_ball_side(c.z, h.z);
    PRECISE float below = 32.0f + 2.0f * face + (face == 0.0f ? sx : (face == 1.0f ? sy : sz));
    // The way goes from the box to the sphere.
    TactVec from_ball = tact_times(tact_placed_way(w.placed, way), -1.0f);
    TactVec own_box = tact_placed_way(w.placed, on_box);
    TactVec box_there = tact_more(w.placed.t, own_box, 1.0f);
    TactVec none = tact_vec(0.0f, 0.0f, 0.0f);
    return tact_one_point(w, tact_vec_or(second, way, from_ball), tact_vec_or(second, on_box, none),
                          tact_vec_or(second, c, box_there), tact_vec_or(second, none, own_box), apart,
                          TACT_FEATURE_CLOSEST | to_uint(outside ? side : below), 1.0f);
}

// The closest place of an edge from p to q to c: how far along it, and the direction from there.
STRUCT(TactEdgePlace)
{
    float s, apart;
    TactVec way;   // of unit length; zero where c is as good as on the edge
    float shown;   // by how much that separates c from the triangle
    float beyond;  // c is beyond the edge, seen along the normal n: above 0
};

// `other`: the third corner.
FN TactEdgePlace tact_edge_place(TactVec p, TactVec q, TactVec other, TactVec n, TactVec c, float noise)
{
    TactEdgePlace r;
    TactVec e = tact_less(q, p);
    TactVec from = tact_less(c, p);
    TactVec from_q = tact_less(c, q);
    float e2 = tact_dot_vec(e, e);
    bool there = e2 > TACT_CONTACT_LEAST4;
    float per_e = tact_div(1.0f, there ? e2 : 1.0f);
    PRECISE float s = tact_dot_vec(from, e) * per_e;
    r.s = there ? tact_within(s) : 0.0f;
    // What rounding left along the edge is taken out, since it turns the direction where they are close.
    TactVec v = tact_less(from, tact_times(e, r.s));
    PRECISE float along = tact_dot_vec(v, e) * per_e;
    v = tact_less(v, tact_times(e, along));
    v = tact_vec_or(r.s > 0.0f, tact_vec_or(r.s < 1.0f, v, from_q), from);
    r.apart = tact_sqrt(tact_dot_vec(v, v));
    bool touch = r.apart <= noise;
    r.way = tact_times(v, touch ? 0.0f : tact_div(1.0f, touch ? 1.0f : r.apart));
    float of_p = tact_dot_vec(r.way, from);
    float of_q = tact_dot_vec(r.way, from_q);
    float of_other = tact_dot_vec(r.way, tact_less(c, other));
    float least = of_p < of_q ? of_p : of_q;
    r.shown = of_other < least ? of_other : least;
    r.beyond = tact_dot_vec(from, tact_cross_vec(e, n));
    return r;
}

// A triangle of a mesh in the frame of its place: corners, the edges that begin there, and the normal of its front.
STRUCT(TactTriangle)
{
    TactVec p, q, r, n;
    float edge_p, edge_q, edge_r;
};

// The limits of an edge and of those beside it, where a place is at one of its ends.
FN float tact_place_limit(float s, float own, float before, float after)
{
    float other = s > 0.0f ? (s < 1.0f ? own : after) : before;
    return other < own ? other : own;
}

// `second`: the sphere is B. What tact_triangle_choice() does for other cores is done here: beyond an edge only
// directions that belong to the triangle count, and of one that is `one_sided` the front.
FN TactOnePoint tact_ball_triangle(TactMeeting w, TactTriangle t, bool one_sided, bool second)
{
    TactVec own = tact_times(tact_placed_back(w.placed, w.placed.t), -1.0f);
    TactVec c = tact_vec_or(second, w.placed.t, own);
    float above = tact_dot_vec(tact_less(c, t.p), t.n);
    bool back = above < 0.0f;
    TactVec outward = tact_times(t.n, back ? -1.0f : 1.0f);
    TactEdgePlace pq = tact_edge_place(t.p, t.q, t.r, t.n, c, w.noise);
    TactEdgePlace qr = tact_edge_place(t.q, t.r, t.p, t.n, c, w.noise);
    TactEdgePlace rp = tact_edge_place(t.r, t.p, t.q, t.n, c, w.noise);
    float most = pq.beyond > qr.beyond ? pq.beyond : qr.beyond;
    most = rp.beyond > most ? rp.beyond : most;
    bool inside = most <= 0.0f;
    float limit_p = tact_edge_limit(t.edge_p, back);
    float limit_q = tact_edge_limit(t.edge_q, back);
    float limit_r = tact_edge_limit(t.edge_r, back);
    // The closest of the edges, which is that whose direction separates the most: distances may be the same but for
    // rounding.
    float limit = tact_place_limit(pq.s, limit_p, limit_r, limit_q);
    float shown = pq.shown;
    float number = 16.0f + (pq.s > 0.0f ? (pq.s < 1.0f ? 2.0f : 1.0f) : 0.0f);
    TactVec from_edge = pq.way;
    bool next = qr.shown > shown;
    limit = next ? tact_place_limit(qr.s, limit_q, limit_p, limit_r) : limit;
    number = next ? 20.0f + (qr.s > 0.0f ? (qr.s < 1.0f ? 2.0f : 1.0f) : 0.0f) : number;
    from_edge = tact_vec_or(next, qr.way, from_edge);
    shown = next ? qr.shown : shown;
    next = rp.shown > shown;
    limit = next ? tact_place_limit(rp.s, limit_r, limit_q, limit_p) : limit;
    number = next ? 24.0f + (rp.s > 0.0f ? (rp.s < 1.0f ? 2.0f : 1.0f) : 0.0f) : number;
    from_edge = tact_vec_or(next, rp.way, from_edge);
    shown = next ? rp.shown : shown;
    float distance = pq.apart < qr.apart ? pq.apart : qr.apart;
    distance = rp.apart < distance ? rp.apart : distance;
    // Close to an edge rounding turns the direction, which then separates less than the face does.
    bool by_face = inside || distance <= w.noise || shown < ABS(above);
    TactVec way = tact_vec_or(by_face, outward, from_edge);
    float cosine = tact_dot_vec(way, outward);
    PRECISE float needed = limit - 1e-4f;
    float state = inside ? 1.0f : (cosine < needed ? 0.0f : 1.0f);
    state = one_sided ? (back ? 0.0f : state) : state;
    float apart = inside ? ABS(above) : distance;
    TactVec on_triangle = tact_less(c, tact_times(way, apart));
    float feature = inside ? (back ? 1.0f : 0.0f) : number;
    // The way goes from the triangle to the sphere.
    TactVec from_ball = tact_times(tact_placed_way(w.placed, way), -1.0f);
    TactVec own_triangle = tact_placed_way(w.placed, on_triangle);
    TactVec there = tact_more(w.placed.t, own_triangle, 1.0f);
    TactVec none = tact_vec(0.0f, 0.0f, 0.0f);
    return tact_one_point(w, tact_vec_or(second, way, from_ball), tact_vec_or(second, on_triangle, none),
                          tact_vec_or(second, c, there), tact_vec_or(second, none, own_triangle), apart,
                          TACT_FEATURE_CLOSEST | to_uint(feature), state);
}

FN TactTriangle tact_triangle_of(TACT_SHAPES_FROM TactCore c)
{
    TactTriangle t;
    t.p = tact_core_point(TACT_SHAPES_WITH c, 0u);
    t.q = tact_core_point(TACT_SHAPES_WITH c, 1u);
    t.r = tact_core_point(TACT_SHAPES_WITH c, 2u);
    t.n = tact_face_normal(TACT_SHAPES_WITH c, 0u);
    t.edge_p = POINTS(c.point).w;
    t.edge_q = POINTS(c.point + 1u).w;
    t.edge_r = POINTS(c.point + 2u).w;
    return t;
}

#endif
