// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Two boxes: the separation along the normals of their faces and along what is across an edge of either (Gottschalk,
// Lin, Manocha: OBBTree, 1996). Without branches, so that the host has many pairs side by side.
#ifndef TACT_CONTACT_BOX_H
#define TACT_CONTACT_BOX_H

#include "contact_cut.h"
#include "contact_meeting.h"

// The best separation along normals of A's faces, of B's, and along what is across an edge of either; of equal ones the
// first.
STRUCT(TactBoxAxes)
{
    float first, second, edge;
    uint first_face, second_face;
    uint edges;  // three times A's axis and B's
};

FN TactBoxAxes tact_no_box_axes(void)
{
    TactBoxAxes r;
    r.first = -3.40282347e38f;
    r.second = r.first;
    r.edge = r.first;
    r.first_face = 0u;
    r.second_face = 0u;
    r.edges = 0u;
    return r;
}

// Half lengths.
FN TactVec tact_box_half(TACT_SHAPES_FROM TactCore c)
{
    return tact_core_point(TACT_SHAPES_WITH c, 7u);
}

FN float tact_box_apart(float between, float own, float other)
{
    PRECISE float apart = (ABS(between) - other) - own;
    return apart;
}

// How far a box reaches along a direction whose parts along its axes these are.
FN float tact_box_along(TactVec h, float x, float y, float z)
{
    return tact_dot3(h.x, h.y, h.z, ABS(x), ABS(y), ABS(z));
}

// Along what is across an axis of A and an axis of B: of vectors only the parts along the two other axes of A count.
// `t` is between the boxes, `h` A's half lengths, c the axis of B; q and r are its other axes, hq and hr the half
// lengths along those.
FN float tact_box_across(float tu, float tv, float hu, float hv, float cu, float cv, float qu, float qv, float hq,
                         float ru, float rv, float hr)
{
    PRECISE float n2 = cu * cu + cv * cv;
    PRECISE float between = tv * cu - tu * cv;
    PRECISE float of_a = hu * ABS(cv) + hv * ABS(cu);
    PRECISE float q = qv * cu - qu * cv;
    PRECISE float r = rv * cu - ru * cv;
    PRECISE float of_b = hq * ABS(q) + hr * ABS(r);
    PRECISE float apart = (ABS(between) - of_a) - of_b;
    // Axes as good as parallel have no direction across.
    bool across = n2 > 1e-12f;
    float length = tact_sqrt(across ? n2 : 1.0f);
    float along = tact_div(apart, length);
    return across ? along : -3.40282347e38f;
}

FN TactBoxAxes tact_box_axes(TactVec ha, TactVec hb, TactPlaced p)
{
    TactBoxAxes r;
    TactVec t = p.t;
    float x = tact_box_apart(t.x, ha.x, tact_box_along(hb, p.x.x, p.y.x, p.z.x));
    float y = tact_box_apart(t.y, ha.y, tact_box_along(hb, p.x.y, p.y.y, p.z.y));
    float z = tact_box_apart(t.z, ha.z, tact_box_along(hb, p.x.z, p.y.z, p.z.z));
    uint face_x = t.x > 0.0f ? 1u : 0u;
    uint face_y = t.y > 0.0f ? 3u : 2u;
    uint face_z = t.z > 0.0f ? 5u : 4u;
    r.first = y > x ? y : x;
    r.first_face = y > x ? face_y : face_x;
    r.first_face = z > r.first ? face_z : r.first_face;
    r.first = z > r.first ? z : r.first;
    // From B A lies on the other side.
    TactVec back = tact_placed_back(p, t);
    x = tact_box_apart(back.x, hb.x, tact_box_along(ha, p.x.x, p.x.y, p.x.z));
    y = tact_box_apart(back.y, hb.y, tact_box_along(ha, p.y.x, p.y.y, p.y.z));
    z = tact_box_apart(back.z, hb.z, tact_box_along(ha, p.z.x, p.z.y, p.z.z));
    face_x = back.x < 0.0f ? 1u : 0u;
    face_y = back.y < 0.0f ? 3u : 2u;
    face_z = back.z < 0.0f ? 5u : 4u;
    r.second = y > x ? y : x;
    r.second_face = y > x ? face_y : face_x;
    r.second_face = z > r.second ? face_z : r.second_face;
    r.second = z > r.second ? z : r.second;
#define TACT_BOX_ROW(u, v, pair)                                                                     \
    x = tact_box_across(t.u, t.v, ha.u, ha.v, p.x.u, p.x.v, p.y.u, p.y.v, hb.y, p.z.u, p.z.v, hb.z); \
    y = tact_box_across(t.u, t.v, ha.u, ha.v, p.y.u, p.y.v, p.z.u, p.z.v, hb.z, p.x.u, p.x.v, hb.x); \
    z = tact_box_across(t.u, t.v, ha.u, ha.v, p.z.u, p.z.v, p.x.u, p.x.v, hb.x, p.y.u, p.y.v, hb.y); \
    r.edges = x > r.edge ? pair : r.edges;                                                           \
    r.edge = x > r.edge ? x : r.edge;                                                                \
    r.edges = y > r.edge ? pair + 1u : r.edges;                                                      \
    r.edge = y > r.edge ? y : r.edge;                                                                \
    r.edges = z > r.edge ? pair + 2u : r.edges;                                                      \
    r.edge = z > r.edge ? z : r.edge;
    r.edge = -3.40282347e38f;
    r.edges = 0u;
    TACT_BOX_ROW(y, z, 0u)
    TACT_BOX_ROW(z, x, 3u)
    TACT_BOX_ROW(x, y, 6u)
#undef TACT_BOX_ROW
    return r;
}

FN float tact_box_best(TactBoxAxes r)
{
    float best = r.second > r.first ? r.second : r.first;
    return r.edge > best ? r.edge : best;
}

FN float tact_part(TactVec v, uint axis)
{
    return axis == 0u ? v.x : (axis == 1u ? v.y : v.z);
}

// Where the edge along an axis begins that is farthest along n, and the edge. Both relative to the box.
FN TactSegment tact_box_edge(TactVec h, uint axis, TactVec n)
{
    TactSegment r;
    float x = axis == 0u ? -h.x : (n.x < 0.0f ? -h.x : h.x);
    float y = axis == 1u ? -h.y : (n.y < 0.0f ? -h.y : h.y);
    float z = axis == 2u ? -h.z : (n.z < 0.0f ? -h.z : h.z);
    PRECISE float length = 2.0f * tact_part(h, axis);
    r.from = tact_vec(x, y, z);
    r.along = tact_vec(axis == 0u ? length : 0.0f, axis == 1u ? length : 0.0f, axis == 2u ? length : 0.0f);
    r.number = 8u * axis + (x > 0.0f ? 1u : 0u) + (y > 0.0f ? 2u : 0u) + (z > 0.0f ? 4u : 0u);
    return r;
}

// The direction across the axes that are best, away from A.
FN TactVec tact_box_edge_way(TactPlaced p, TactBoxAxes axes)
{
    float pair = to_float(to_int(axes.edges));
    float i = pair > 5.5f ? 2.0f : (pair > 2.5f ? 1.0f : 0.0f);
    float j = pair - 3.0f * i;
    TactVec c = tact_vec_or(j < 0.5f, p.x, tact_vec_or(j < 1.5f, p.y, p.z));
    TactVec e = tact_vec(i < 0.5f ? 1.0f : 0.0f, i == 1.0f ? 1.0f : 0.0f, i > 1.5f ? 1.0f : 0.0f);
    TactVec n = tact_cross_vec(e, c);
    float sign = tact_dot_vec(n, p.t) < 0.0f ? -1.0f : 1.0f;
    return tact_times(n, tact_div(sign, tact_sqrt(tact_dot_vec(n, n))));
}

// The contact of the edges that are best along `way`, an edge of A and an edge of B.
FN TactManifold tact_box_edges(TACT_SHAPES_FROM TactMeeting w, TactBoxAxes axes, TactVec way)
{
    uint i = axes.edges / 3u;
    uint j = axes.edges - 3u * i;
    TactSegment of_a = tact_box_edge(tact_box_half(TACT_SHAPES_WITH w.a), i, way);
    TactSegment of_b =
        tact_box_edge(tact_box_half(TACT_SHAPES_WITH w.b), j, tact_times(tact_placed_back(w.placed, way), -1.0f));
    of_b.from = tact_more(w.placed.t, tact_placed_way(w.placed, of_b.from), 1.0f);
    of_b.along = tact_placed_way(w.placed, of_b.along);
    return tact_segment_contact(w.a, w.b, of_a, of_b, way, axes.edge);
}

// The normal of a box's face.
FN TactVec tact_box_normal(uint face)
{
    float number = to_float(to_int(face));
    float axis = number > 3.5f ? 2.0f : (number > 1.5f ? 1.0f : 0.0f);
    float s = number == 2.0f * axis ? -1.0f : 1.0f;
    return tact_vec(axis < 0.5f ? s : 0.0f, axis == 1.0f ? s : 0.0f, axis > 1.5f ? s : 0.0f);
}

// The axis that makes the contact of two boxes whose cores overlap, or touch.
STRUCT(TactBoxWay)
{
    TactVec way;
    float apart;
};

FN TactBoxWay tact_box_way(TactPlaced placed, TactBoxAxes axes, float noise)
{
    TactBoxWay r;
    PRECISE float enough = tact_box_best(axes) - 4.0f * noise;
    bool first = axes.first >= enough;
    bool second = axes.second >= enough;
    TactVec of_b = tact_times(tact_placed_way(placed, tact_box_normal(axes.second_face)), -1.0f);
    TactVec other = tact_vec_or(second, of_b, tact_box_edge_way(placed, axes));
    r.way = tact_vec_or(first, tact_box_normal(axes.first_face), other);
    r.apart = first ? axes.first : (second ? axes.second : axes.edge);
    return r;
}

// As a choice, of edges unless a face is turned along it.
FN TactChoice tact_box_choice(TactMeeting w, TactBoxAxes axes)
{
    TactChoice r = tact_no_choice();
    TactBoxWay way = tact_box_way(w.placed, axes, w.noise);
    r.how = TACT_CHOICE_BOX_EDGES;
    r.axis.way = way.way;
    r.axis.apart = way.apart;
    return r;
}

#endif
