// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A capsule and a triangle of a mesh: its segment against the triangle in the triangle's frame. Without branches, as
// contact_rod_box.h. What tact_triangle_choice() does for other cores is done here.
#ifndef TACT_CONTACT_ROD_TRIANGLE_H
#define TACT_CONTACT_ROD_TRIANGLE_H

#include "contact_ball.h"
#include "contact_rod_box.h"

// The segment s + x d, x from -1 to 1, and an edge from p to q: their closest places (Ericson: Real-Time Collision
// Detection, 2005, 5.1.9), and the direction away from the triangle that separates the most, across both or along those
// places. Of several edges the best direction is the right one; their distances may be the same but for rounding.
STRUCT(TactRodEdge)
{
    float x, t;   // on the segment, and on the edge, from 0 to 1
    TactVec way;  // of unit length
    float apart;  // of the segment and the triangle along it
    float kind;   // 0: across both; 3: along the closest places
};

// `other`: the third corner.
FN TactRodEdge tact_rod_edge(TactVec s, TactVec d, float d2, TactVec p, TactVec q, TactVec other)
{
    TactVec e = tact_less(q, p);
    TactVec from = tact_less(s, p);
    TactVec n = tact_cross_vec(d, e);
    float e2 = tact_dot_vec(e, e);
    float n2 = tact_dot_vec(n, n);
    float long_d = d2 > TACT_CONTACT_LEAST4 ? 1.0f : 0.0f;
    float long_e = e2 > TACT_CONTACT_LEAST4 ? 1.0f : 0.0f;
    float per_d = tact_div(1.0f, long_d > 0.5f ? d2 : 1.0f);
    float per_e = tact_div(1.0f, long_e > 0.5f ? e2 : 1.0f);
    PRECISE float parallel = 1e-10f * (d2 * e2) + TACT_CONTACT_LEAST4;
    float there = n2 > parallel ? 1.0f : 0.0f;
    float crossing = -tact_div(tact_dot_vec(tact_cross_vec(from, e), n), there > 0.5f ? n2 : 1.0f);
    float x = there > 0.5f ? tact_box_clamped(crossing, 1.0f) : 0.0f;
    PRECISE float along_e = tact_dot_vec(tact_more(from, d, x), e) * per_e;
    float t = long_e > 0.5f ? tact_within(along_e) : 0.0f;
    PRECISE float along_d = -tact_dot_vec(tact_more(from, e, -t), d) * per_d;
    x = long_d > 0.5f ? tact_box_clamped(along_d, 1.0f) : 0.0f;
    TactVec v = tact_more(tact_more(from, e, -t), d, x);
    // What rounding left along either is taken out, since it turns the direction where they are close.
    float inner_d = (x > -1.0f ? 1.0f : 0.0f) * (x < 1.0f ? 1.0f : 0.0f);
    float inner_e = (t > 0.0f ? 1.0f : 0.0f) * (t < 1.0f ? 1.0f : 0.0f);
    PRECISE float left_e = tact_dot_vec(v, e) * per_e;
    v = tact_more(v, e, -left_e * inner_e);
    PRECISE float left_d = tact_dot_vec(v, d) * per_d;
    v = tact_more(v, d, -left_d * inner_d);
    float v2 = tact_dot_vec(v, v);
    float has_way = v2 > TACT_CONTACT_LEAST4 ? 1.0f : 0.0f;
    TactVec along = tact_times(v, has_way * tact_div(1.0f, tact_sqrt(has_way > 0.5f ? v2 : 1.0f)));
    float of_q = tact_dot_vec(along, e);
    float of_other = tact_dot_vec(along, tact_less(other, p));
    float most = of_q > 0.0f ? of_q : 0.0f;
    most = of_other > most ? of_other : most;
    PRECISE float close_apart = (tact_dot_vec(along, from) - ABS(tact_dot_vec(along, d))) - most;
    close_apart = has_way > 0.5f ? close_apart : -3e38f;
    // Either way along what is across both.
    TactVec across = tact_times(n, there * tact_div(1.0f, tact_sqrt(there > 0.5f ? n2 : 1.0f)));
    float at = tact_dot_vec(across, from);
    float third = tact_dot_vec(across, tact_less(other, p));
    PRECISE float ahead = at - (third > 0.0f ? third : 0.0f);
    PRECISE float behind = (third < 0.0f ? third : 0.0f) - at;
    float forwards = ahead >= behind ? 1.0f : -1.0f;
    float cross_apart = ahead >= behind ? ahead : behind;
    cross_apart = there > 0.5f ? cross_apart : -3e38f;
    float by_close = close_apart > cross_apart ? 1.0f : 0.0f;
    TactRodEdge r;
    r.x = x;
    r.t = t;
    r.way = tact_vec(by_close > 0.5f ? along.x : forwards * across.x, by_close > 0.5f ? along.y : forwards * across.y,
                     by_close > 0.5f ? along.z : forwards * across.z);
    r.apart = by_close > 0.5f ? close_apart : cross_apart;
    r.kind = by_close > 0.5f ? 3.0f : 0.0f;
    return r;
}

FN TactRodEdge tact_rod_edge_or(float first, TactRodEdge a, TactRodEdge b)
{
    TactRodEdge r;
    r.x = first > 0.5f ? a.x : b.x;
    r.t = first > 0.5f ? a.t : b.t;
    r.way =
        tact_vec(first > 0.5f ? a.way.x : b.way.x, first > 0.5f ? a.way.y : b.way.y, first > 0.5f ? a.way.z : b.way.z);
    r.apart = first > 0.5f ? a.apart : b.apart;
    r.kind = first > 0.5f ? a.kind : b.kind;
    return r;
}

// The part of the segment that is over the triangle, cut by one edge after another.
STRUCT(TactRodOver)
{
    float from, to;
    float first, last;  // the edges where it enters and leaves
};

FN TactRodOver tact_rod_cut(TactRodOver over, TactVec s, TactVec d, TactVec p, TactVec q, TactVec n, float noise,
                            float number)
{
    TactVec side = tact_cross_vec(tact_less(q, p), n);
    PRECISE float slack = noise * tact_sqrt(tact_dot_vec(side, side)) + TACT_CONTACT_LEAST4;
    PRECISE float at = tact_dot_vec(side, tact_less(s, p)) - slack;
    float slope = tact_dot_vec(side, d);
    float steep = ABS(slope) > TACT_CONTACT_LEAST4 ? 1.0f : 0.0f;
    float place = -tact_div(at, steep > 0.5f ? slope : 1.0f);
    // Beside the edge all the way.
    float outside = (1.0f - steep) * (at > 0.0f ? 1.0f : 0.0f);
    float enters = steep * (slope < 0.0f ? 1.0f : 0.0f) * (place > over.from ? 1.0f : 0.0f);
    float leaves = steep * (slope > 0.0f ? 1.0f : 0.0f) * (place < over.to ? 1.0f : 0.0f);
    TactRodOver r;
    r.from = enters > 0.5f ? place : over.from;
    r.first = enters > 0.5f ? number : over.first;
    r.to = leaves > 0.5f ? place : over.to;
    r.last = leaves > 0.5f ? number : over.last;
    r.from = outside > 0.5f ? 2.0f : r.from;
    return r;
}

// A place on the segment over the face whose normal is `outward`, through p.
FN TactBoxPoint tact_rod_point(TactVec s, TactVec d, float x, TactVec p, TactVec outward, float per_turned, float least,
                               float tag)
{
    TactVec at = tact_more(s, d, x);
    TactBoxPoint q = tact_box_point(at.x, at.y, at.z, tag, 1.0f);
    PRECISE float along = tact_dot_vec(tact_less(at, p), outward) * per_turned;
    q.apart = along < least ? least : along;
    return q;
}

// The point of a contact `r` in the frame of A.
#define TACT_ROD_WRITE(q, i)                                                     \
    {                                                                            \
        PRECISE float half_back = ((q.apart + rod_radius) - own_radius) * -0.5f; \
        TactVec at = tact_more(tact_vec(q.u, q.v, q.w), way, half_back);         \
        TactVec in_a = tact_more(placed.t, tact_placed_way(placed, at), 1.0f);   \
        PRECISE float surfaces = q.apart - radii;                                \
        r.at[i] = tact_vec_or(second, in_a, at);                                 \
        r.apart[i] = surfaces;                                                   \
        r.tag[i] = q.tag;                                                        \
    }

// `second`: the triangle is B. In the frame of A and its units.
FN TactRodContact tact_rod_triangle(TactMeeting meeting, float rod_half, TactTriangle t, bool one_sided, bool second)
{
    TactPlaced placed = meeting.placed;
    float noise = meeting.noise;
    TactVec back_t = tact_times(tact_placed_back(placed, placed.t), -1.0f);
    TactVec s = tact_vec_or(second, back_t, placed.t);
    TactVec d = tact_times(tact_vec_or(second, tact_vec(placed.x.y, placed.y.y, placed.z.y), placed.y), rod_half);
    float d2 = tact_dot_vec(d, d);
    float above = tact_dot_vec(tact_less(s, t.p), t.n);
    bool back = above < 0.0f;
    TactVec outward = tact_times(t.n, back ? -1.0f : 1.0f);
    PRECISE float face_apart = ABS(above) - ABS(tact_dot_vec(t.n, d));
    TactRodEdge pq = tact_rod_edge(s, d, d2, t.p, t.q, t.r);
    TactRodEdge qr = tact_rod_edge(s, d, d2, t.q, t.r, t.p);
    TactRodEdge rp = tact_rod_edge(s, d, d2, t.r, t.p, t.q);
    float limit_p = tact_edge_limit(t.edge_p, back);
    float limit_q = tact_edge_limit(t.edge_q, back);
    float limit_r = tact_edge_limit(t.edge_r, back);
    float limit_pq = tact_place_limit(pq.t, limit_p, limit_r, limit_q);
    float limit_qr = tact_place_limit(qr.t, limit_q, limit_p, limit_r);
    float limit_rp = tact_place_limit(rp.t, limit_r, limit_q, limit_p);
    float next = qr.apart > pq.apart ? 1.0f : 0.0f;
    TactRodEdge edge = tact_rod_edge_or(next, qr, pq);
    float edge_number = next > 0.5f ? 1.0f : 0.0f;
    float edge_limit = next > 0.5f ? limit_qr : limit_pq;
    next = rp.apart > edge.apart ? 1.0f : 0.0f;
    edge = tact_rod_edge_or(next, rp, edge);
    edge_number = next > 0.5f ? 2.0f : edge_number;
    edge_limit = next > 0.5f ? limit_rp : edge_limit;
    // A face's unless another is better by more than is rounded; none that belongs to a triangle beside this one.
    float distance = edge.apart > 0.0f ? edge.apart : 0.0f;
    PRECISE float enough = face_apart + (4.0f * noise + 3.81469727e-6f * distance);
    float by_edge = edge.apart > enough ? 1.0f : 0.0f;
    PRECISE float needed = edge_limit - 1e-4f;
    float beside = by_edge * (tact_dot_vec(edge.way, outward) < needed ? 1.0f : 0.0f);
    by_edge = by_edge * (1.0f - beside);
    TactVec way = tact_vec(by_edge > 0.5f ? edge.way.x : outward.x, by_edge > 0.5f ? edge.way.y : outward.y,
                           by_edge > 0.5f ? edge.way.z : outward.z);
    float apart = by_edge > 0.5f ? edge.apart : face_apart;
    // Along the face: the part of the segment over it.
    float turned = tact_dot_vec(way, outward);
    float along_face = ABS(turned) > 0.99f ? 1.0f : 0.0f;
    TactVec facing = tact_times(outward, turned < 0.0f ? -1.0f : 1.0f);
    float per_turned = tact_div(1.0f, along_face > 0.5f ? ABS(turned) : 1.0f);
    TactRodOver over;
    over.from = -1.0f;
    over.to = 1.0f;
    over.first = 0.0f;
    over.last = 0.0f;
    over = tact_rod_cut(over, s, d, t.p, t.q, t.n, noise, 0.0f);
    over = tact_rod_cut(over, s, d, t.q, t.r, t.n, noise, 1.0f);
    over = tact_rod_cut(over, s, d, t.r, t.p, t.n, noise, 2.0f);
    float is_over = along_face * (over.from <= over.to ? 1.0f : 0.0f);
    float place0 = over.from <= over.to ? over.from : 0.0f;
    float place1 = over.from <= over.to ? over.to : 0.0f;
    TactBoxPoint q0 = tact_rod_point(s, d, place0, t.p, facing, per_turned, apart,
                                     place0 > -1.0f ? TACT_BOX_ENTERS + over.first : 0.0f);
    TactBoxPoint q1 = tact_rod_point(s, d, place1, t.p, facing, per_turned, apart,
                                     place1 < 1.0f ? TACT_BOX_LEAVES + over.last : 1.0f);
    TactRodTwo two = tact_rod_two(q0, q1, is_over, apart, meeting.reach, noise);
    q0 = two.q0;
    q1 = two.q1;
    // Else one point: the deeper end, or that at the edge. What lies beyond a face touches the triangle beside it.
    float end = tact_dot_vec(d, way) > 0.0f ? -1.0f : 1.0f;
    float single = along_face > 0.5f ? end : edge.x;
    float numbered = single < 0.0f ? 0.0f : 1.0f;
    float edge_place = edge.t > 0.0f ? (edge.t < 1.0f ? 1.0f : 2.0f) : 0.0f;
    float rod_place = edge.x > -1.0f ? (edge.x < 1.0f ? 1.0f : 2.0f) : 0.0f;
    float single_tag = 16.0f * edge_number + 4.0f * edge_place + rod_place;
    single_tag = along_face > 0.5f ? TACT_BOX_DEEPEST + numbered : single_tag;
    TactVec lone = tact_more(s, d, single);
    TactBoxPoint q2 = tact_box_point(lone.x, lone.y, lone.z, single_tag, (1.0f - two.found) * (1.0f - beside));
    q2.apart = apart;
    TACT_ROD_ORDER(q0, q1, q2)
    TactRodContact r;
    float side = one_sided ? (back ? 0.0f : 1.0f) : 1.0f;
    float near_enough = side * (apart <= meeting.reach ? 1.0f : 0.0f) * (meeting.there ? 1.0f : 0.0f);
    r.count = ((q0.there + q1.there) + q2.there) * near_enough;
    r.kind = along_face > 0.5f ? 4.0f : edge.kind;
    r.axis = 0.0f;
    r.sign = back ? -1.0f : 1.0f;
    TactVec way_there = tact_times(tact_placed_way(placed, way), -1.0f);
    r.way = tact_vec_or(second, way_there, way);
    float own_radius = second ? meeting.b.radius : meeting.a.radius;
    float rod_radius = second ? meeting.a.radius : meeting.b.radius;
    PRECISE float radii = meeting.a.radius + meeting.b.radius;
    TACT_ROD_WRITE(q0, 0)
    TACT_ROD_WRITE(q1, 1)
    TACT_ROD_WRITE(q2, 2)
    return r;
}

#endif
