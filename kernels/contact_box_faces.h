// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The contact of two boxes at a face of one: where the edges of the face that it meets cross it (Liang, Barsky: A new
// concept and method for line clipping, 1984), and its own corners within that face. Without branches, so that the
// host has many pairs side by side; what is chosen among is written out, since lanes have no places to count to. Truth
// is a float, 0 or 1, and what holds together is multiplied: compilers make no lanes of conditions upon conditions.
#ifndef TACT_CONTACT_BOX_FACES_H
#define TACT_CONTACT_BOX_FACES_H

#include "contact_box.h"

// The face of a box that is turned along a direction from A to B within 8 degrees: A's, else B's.
STRUCT(TactBoxFlat)
{
    float there;   // 1, or 0: no face is
    float second;  // 1: it is B's
    float axis;    // of the box, 0 to 2
    float sign;    // of its normal along that
};

FN TactBoxFlat tact_box_flat(TactPlaced placed, TactVec way)
{
    TactVec back = tact_times(tact_placed_back(placed, way), -1.0f);
    float most_a = ABS(way.y) > ABS(way.x) ? ABS(way.y) : ABS(way.x);
    float axis_a = ABS(way.y) > ABS(way.x) ? 1.0f : 0.0f;
    float part_a = ABS(way.y) > ABS(way.x) ? way.y : way.x;
    axis_a = ABS(way.z) > most_a ? 2.0f : axis_a;
    part_a = ABS(way.z) > most_a ? way.z : part_a;
    float most_b = ABS(back.y) > ABS(back.x) ? ABS(back.y) : ABS(back.x);
    float axis_b = ABS(back.y) > ABS(back.x) ? 1.0f : 0.0f;
    float part_b = ABS(back.y) > ABS(back.x) ? back.y : back.x;
    axis_b = ABS(back.z) > most_b ? 2.0f : axis_b;
    part_b = ABS(back.z) > most_b ? back.z : part_b;
    TactBoxFlat r;
    float of_a = ABS(part_a) > 0.99f ? 1.0f : 0.0f;
    float of_b = ABS(part_b) > 0.99f ? 1.0f : 0.0f;
    r.there = of_a + of_b * (1.0f - of_a);
    r.second = of_a > 0.5f ? 0.0f : 1.0f;
    r.axis = of_a > 0.5f ? axis_a : axis_b;
    float part = of_a > 0.5f ? part_a : part_b;
    r.sign = part < 0.0f ? -1.0f : 1.0f;
    return r;
}

// A direction or place of a box as its face has it: two axes of the face, and how far out.
FN TactVec tact_box_turned(TactVec v, TactBoxFlat f)
{
    float u = f.axis < 0.5f ? v.y : (f.axis < 1.5f ? v.z : v.x);
    float s = f.axis < 0.5f ? v.z : (f.axis < 1.5f ? v.x : v.y);
    float w = f.axis < 0.5f ? v.x : (f.axis < 1.5f ? v.y : v.z);
    return tact_vec(u, s, w * f.sign);
}

// And back.
FN TactVec tact_box_returned(TactVec v, TactBoxFlat f)
{
    float w = v.z * f.sign;
    float x = f.axis < 0.5f ? w : (f.axis < 1.5f ? v.y : v.x);
    float y = f.axis < 0.5f ? v.x : (f.axis < 1.5f ? w : v.y);
    float z = f.axis < 0.5f ? v.y : (f.axis < 1.5f ? v.x : w);
    return tact_vec(x, y, z);
}

// The part of an edge m + s d, s from -1 to 1, that lies over a face of half lengths hu and hv.
STRUCT(TactBoxPart)
{
    float from, to;
    float first, last;  // sides of the face where it enters and leaves: 0 and 1 across u, 2 and 3 across v
};

FN TactBoxPart tact_box_part(TactVec m, TactVec d, float per_u, float per_v, float hu, float hv)
{
    TactBoxPart r;
    // An edge along a side lies within it, or not.
    float along_u = ABS(d.x) > TACT_CONTACT_LEAST ? 0.0f : 1.0f;
    float along_v = ABS(d.y) > TACT_CONTACT_LEAST ? 0.0f : 1.0f;
    float wide_u = ABS(m.x) <= hu ? 3e38f : -3e38f;
    float wide_v = ABS(m.y) <= hv ? 3e38f : -3e38f;
    PRECISE float near_u = (-hu - m.x) * per_u;
    PRECISE float far_u = (hu - m.x) * per_u;
    PRECISE float near_v = (-hv - m.y) * per_v;
    PRECISE float far_v = (hv - m.y) * per_v;
    float from_u = per_u < 0.0f ? far_u : near_u;
    float to_u = per_u < 0.0f ? near_u : far_u;
    float from_v = per_v < 0.0f ? far_v : near_v;
    float to_v = per_v < 0.0f ? near_v : far_v;
    from_u = along_u > 0.5f ? -wide_u : from_u;
    to_u = along_u > 0.5f ? wide_u : to_u;
    from_v = along_v > 0.5f ? -wide_v : from_v;
    to_v = along_v > 0.5f ? wide_v : to_v;
    float enters_u = per_u < 0.0f ? 1.0f : 0.0f;
    float enters_v = per_v < 0.0f ? 3.0f : 2.0f;
    r.first = from_v > from_u ? enters_v : enters_u;
    r.last = to_v < to_u ? 5.0f - enters_v : 1.0f - enters_u;
    float from = from_v > from_u ? from_v : from_u;
    float to = to_v < to_u ? to_v : to_u;
    r.from = from > -1.0f ? from : -1.0f;
    r.to = to < 1.0f ? to : 1.0f;
    return r;
}

// What may be a point of the contact.
STRUCT(TactBoxPoint)
{
    float u, v, w;
    float apart;
    float tag;  // what it is, a whole number
    float there;
};

FN TactBoxPoint tact_box_point(float u, float v, float w, float tag, float there)
{
    TactBoxPoint r;
    r.u = u;
    r.v = v;
    r.w = w;
    r.apart = 0.0f;
    r.tag = tag;
    r.there = there;
    return r;
}

FN TactBoxPoint tact_box_point_or(float first, TactBoxPoint a, TactBoxPoint b)
{
    TactBoxPoint r;
    r.u = first > 0.5f ? a.u : b.u;
    r.v = first > 0.5f ? a.v : b.v;
    r.w = first > 0.5f ? a.w : b.w;
    r.apart = first > 0.5f ? a.apart : b.apart;
    r.tag = first > 0.5f ? a.tag : b.tag;
    r.there = first > 0.5f ? a.there : b.there;
    return r;
}

FN float tact_box_clamped(float x, float most)
{
    float low = x < -most ? -most : x;
    return low > most ? most : low;
}

// A place on an edge over a face of half lengths h.
FN TactBoxPoint tact_box_point_at(TactVec m, TactVec d, float s, TactVec h, float tag, float there)
{
    TactVec p = tact_more(m, d, s);
    return tact_box_point(tact_box_clamped(p.x, h.x), tact_box_clamped(p.y, h.y), p.z, tag, there);
}

// A corner of the face over the face that it meets, whose middle is c and whose half edges are e and f.
FN TactBoxPoint tact_box_own_corner(float u, float v, TactVec c, TactVec e, TactVec f, float det, float per_det,
                                    float room_e, float room_f, float tag)
{
    PRECISE float qu = u - c.x;
    PRECISE float qv = v - c.y;
    PRECISE float along_e = qu * f.y - qv * f.x;
    PRECISE float along_f = e.x * qv - e.y * qu;
    PRECISE float w = c.z + (along_e * per_det) * e.z + (along_f * per_det) * f.z;
    PRECISE float most_e = ABS(det) - room_e;
    PRECISE float most_f = ABS(det) - room_f;
    float within = ABS(along_f) < most_f ? 1.0f : 0.0f;
    return tact_box_point(u, v, w, tag, within * (ABS(along_e) < most_e ? 1.0f : 0.0f));
}

// Twice the area of the triangle from a and b to q, along the face; negative on the other side.
FN float tact_box_area(TactBoxPoint a, TactBoxPoint b, TactBoxPoint q)
{
    PRECISE float bu = b.u - a.u;
    PRECISE float bv = b.v - a.v;
    PRECISE float qu = q.u - a.u;
    PRECISE float qv = q.v - a.v;
    PRECISE float area = bu * qv - bv * qu;
    return area;
}

#define TACT_BOX_ENTERS 1024.0f
#define TACT_BOX_LEAVES 2048.0f
#define TACT_BOX_CORNER 3072.0f
#define TACT_BOX_DEEPEST 4096.0f
#define TACT_BOX_NO_TAG 1048576.0f

// The lower tag first; those that are not there come last.
#define TACT_BOX_ORDER(low, high)                       \
    {                                                   \
        float later = low.tag > high.tag ? 1.0f : 0.0f; \
        TactBoxPoint was = low;                         \
        low = tact_box_point_or(later, high, low);      \
        high = tact_box_point_or(later, was, high);     \
    }

#define TACT_BOX_EACH(DO) DO(q0) DO(q1) DO(q2) DO(q3) DO(q4) DO(q5) DO(q6) DO(q7) DO(q8) DO(q9) DO(q10) DO(q11)
#define TACT_BOX_EVERY(DO) TACT_BOX_EACH(DO) DO(q12)

// The point of a contact `r` in the frame of A, of one that a face `f` has.
#define TACT_BOX_WRITE(q, i, f)                                                                    \
    {                                                                                              \
        PRECISE float half_back = ((q.apart + other_radius) - own_radius) * -0.5f;                 \
        TactVec at = tact_box_returned(tact_more(tact_vec(q.u, q.v, q.w), outward, half_back), f); \
        TactVec in_a = tact_more(p.t, tact_placed_way(p, at), 1.0f);                               \
        PRECISE float surfaces = q.apart - radii;                                                  \
        r.at[i] = tact_vec_or(second, in_a, at);                                                   \
        r.apart[i] = surfaces;                                                                     \
        r.tag[i] = q.tag;                                                                          \
    }

// A contact, of which numbers are all floats.
STRUCT(TactBoxContact)
{
    float count;
    TactVec at[TACT_CONTACT_POINTS];
    float apart[TACT_CONTACT_POINTS];
    float tag[TACT_CONTACT_POINTS];
};

// Of the corners and crossings that are kept all, where there are no more than four; else four as tact_four() has them.
// In the frame of A and its units. `apart`: along `way`.
FN TactBoxContact tact_box_faces(TactMeeting meeting, TactVec ha, TactVec hb, TactVec way, float apart,
                                 TactBoxFlat flat_of)
{
    TactPlaced p = meeting.placed;
    float noise = meeting.noise;
    bool second = flat_of.second > 0.5f;
    // The other box as the one with the face has it.
    TactVec back_t = tact_times(tact_placed_back(p, p.t), -1.0f);
    TactVec back_way = tact_times(tact_placed_back(p, way), -1.0f);
    TactVec x = tact_box_turned(tact_vec_or(second, tact_vec(p.x.x, p.y.x, p.z.x), p.x), flat_of);
    TactVec y = tact_box_turned(tact_vec_or(second, tact_vec(p.x.y, p.y.y, p.z.y), p.y), flat_of);
    TactVec z = tact_box_turned(tact_vec_or(second, tact_vec(p.x.z, p.y.z, p.z.z), p.z), flat_of);
    TactVec t = tact_box_turned(tact_vec_or(second, back_t, p.t), flat_of);
    TactVec outward = tact_box_turned(tact_vec_or(second, back_way, way), flat_of);
    TactVec h = tact_box_turned(tact_vec_or(second, hb, ha), flat_of);
    h.z = ABS(h.z);
    TactVec k = tact_vec_or(second, ha, hb);
    // The face that it meets is the one turned the most against it.
    float j = ABS(y.z) > ABS(x.z) ? 1.0f : 0.0f;
    float steep = ABS(y.z) > ABS(x.z) ? ABS(y.z) : ABS(x.z);
    j = ABS(z.z) > steep ? 2.0f : j;
    bool j0 = j < 0.5f;
    bool j1 = j < 1.5f;
    TactVec own = tact_vec_or(j0, x, tact_vec_or(j1, y, z));
    float own_half = j0 ? k.x : (j1 ? k.y : k.z);
    float e_half = j0 ? k.y : (j1 ? k.z : k.x);
    float f_half = j0 ? k.z : (j1 ? k.x : k.y);
    TactVec e = tact_times(tact_vec_or(j0, y, tact_vec_or(j1, z, x)), e_half);
    TactVec f = tact_times(tact_vec_or(j0, z, tact_vec_or(j1, x, y)), f_half);
    float own_sign = own.z > 0.0f ? -1.0f : 1.0f;
    TactVec c = tact_more(t, own, own_half * own_sign);
    // Numbers of corners have a bit for each axis, and those of edges eight for each axis that they are along.
    float own_bit = j0 ? 1.0f : (j1 ? 2.0f : 4.0f);
    float e_bit = j0 ? 2.0f : (j1 ? 4.0f : 1.0f);
    float f_bit = j0 ? 4.0f : (j1 ? 1.0f : 2.0f);
    float base = own_sign > 0.0f ? own_bit : 0.0f;
    float e_edge = (j0 ? 8.0f : (j1 ? 16.0f : 0.0f)) + base;
    float f_edge = (j0 ? 16.0f : (j1 ? 0.0f : 8.0f)) + base;
    // Along the four edges in turn.
    PRECISE float hu = h.x + noise;
    PRECISE float hv = h.y + noise;
    float e_u = tact_div(1.0f, ABS(e.x) > TACT_CONTACT_LEAST ? e.x : 1.0f);
    float e_v = tact_div(1.0f, ABS(e.y) > TACT_CONTACT_LEAST ? e.y : 1.0f);
    float f_u = tact_div(1.0f, ABS(f.x) > TACT_CONTACT_LEAST ? f.x : 1.0f);
    float f_v = tact_div(1.0f, ABS(f.y) > TACT_CONTACT_LEAST ? f.y : 1.0f);
    TactVec m0 = tact_less(c, f);
    TactVec m1 = tact_more(c, e, 1.0f);
    TactVec m2 = tact_more(c, f, 1.0f);
    TactVec m3 = tact_less(c, e);
    TactVec e_back = tact_times(e, -1.0f);
    TactVec f_back = tact_times(f, -1.0f);
    TactBoxPart s0 = tact_box_part(m0, e, e_u, e_v, hu, hv);
    TactBoxPart s1 = tact_box_part(m1, f, f_u, f_v, hu, hv);
    TactBoxPart s2 = tact_box_part(m2, e_back, -e_u, -e_v, hu, hv);
    TactBoxPart s3 = tact_box_part(m3, f_back, -f_u, -f_v, hu, hv);
#define TACT_BOX_START(s, m, d, corner, edge)                                                                  \
    tact_box_point_at(m, d, s.from, h, s.from > -1.0f ? TACT_BOX_ENTERS + 32.0f * s.first + (edge) : (corner), \
                      s.from <= s.to ? 1.0f : 0.0f)
#define TACT_BOX_END(s, m, d, edge)                                             \
    tact_box_point_at(m, d, s.to, h, TACT_BOX_LEAVES + 32.0f * s.last + (edge), \
                      (s.from <= s.to ? 1.0f : 0.0f) * (s.to < 1.0f ? 1.0f : 0.0f))
    TactBoxPoint q0 = TACT_BOX_START(s0, m0, e, base, e_edge);
    TactBoxPoint q1 = TACT_BOX_END(s0, m0, e, e_edge);
    TactBoxPoint q2 = TACT_BOX_START(s1, m1, f, base + e_bit, f_edge + e_bit);
    TactBoxPoint q3 = TACT_BOX_END(s1, m1, f, f_edge + e_bit);
    TactBoxPoint q4 = TACT_BOX_START(s2, m2, e_back, base + e_bit + f_bit, e_edge + f_bit);
    TactBoxPoint q5 = TACT_BOX_END(s2, m2, e_back, e_edge + f_bit);
    TactBoxPoint q6 = TACT_BOX_START(s3, m3, f_back, base + f_bit, f_edge);
    TactBoxPoint q7 = TACT_BOX_END(s3, m3, f_back, f_edge);
#undef TACT_BOX_START
#undef TACT_BOX_END
    // Its own corners, farther inside than corners of the other would be kept outside.
    PRECISE float det = e.x * f.y - e.y * f.x;
    float safe = ABS(det) > TACT_CONTACT_LEAST4 ? det : 1.0f;
    float per_det = tact_div(1.0f, safe);
    PRECISE float room_e = noise * f_half;
    PRECISE float room_f = noise * e_half;
    TactBoxPoint q8 = tact_box_own_corner(-h.x, -h.y, c, e, f, det, per_det, room_e, room_f, TACT_BOX_CORNER);
    TactBoxPoint q9 = tact_box_own_corner(h.x, -h.y, c, e, f, det, per_det, room_e, room_f, TACT_BOX_CORNER + 1.0f);
    TactBoxPoint q10 = tact_box_own_corner(h.x, h.y, c, e, f, det, per_det, room_e, room_f, TACT_BOX_CORNER + 2.0f);
    TactBoxPoint q11 = tact_box_own_corner(-h.x, h.y, c, e, f, det, per_det, room_e, room_f, TACT_BOX_CORNER + 3.0f);
    // The deepest is as deep as the axis says, but for how the face is turned against it. Where none comes near that,
    // the deepest corner of the other box stands for itself.
    float per_turned = tact_div(1.0f, outward.z);
    float least = 3e38f;
    float which = 3e38f;
#define TACT_BOX_MEASURE(q)                                           \
    {                                                                 \
        PRECISE float along = (q.w - h.z) * per_turned;               \
        q.apart = along < apart ? apart : along;                      \
        float here = q.there > 0.5f ? q.apart : 3e38f;                \
        which = here < least ? q.tag : which;                         \
        least = here < least ? here : least;                          \
        q.there = q.there * (q.apart <= meeting.reach ? 1.0f : 0.0f); \
    }
    TACT_BOX_EACH(TACT_BOX_MEASURE)
#undef TACT_BOX_MEASURE
    PRECISE float near = apart + 4096.0f * noise;
    float found = least <= near ? 1.0f : 0.0f;
#define TACT_BOX_DEEPEN(q)                                 \
    {                                                      \
        float it = found * (q.tag == which ? 1.0f : 0.0f); \
        q.apart = it > 0.5f ? apart : q.apart;             \
        q.there = q.there + it * (1.0f - q.there);         \
    }
    TACT_BOX_EACH(TACT_BOX_DEEPEN)
#undef TACT_BOX_DEEPEN
    float x_sign = tact_dot_vec(x, outward) < 0.0f ? 1.0f : -1.0f;
    float y_sign = tact_dot_vec(y, outward) < 0.0f ? 1.0f : -1.0f;
    float z_sign = tact_dot_vec(z, outward) < 0.0f ? 1.0f : -1.0f;
    TactVec deep = tact_more(tact_more(tact_more(t, x, x_sign * k.x), y, y_sign * k.y), z, z_sign * k.z);
    float deep_number = (x_sign > 0.0f ? 1.0f : 0.0f) + (y_sign > 0.0f ? 2.0f : 0.0f) + (z_sign > 0.0f ? 4.0f : 0.0f);
    TactBoxPoint q12 = tact_box_point(deep.x, deep.y, deep.z, TACT_BOX_DEEPEST + deep_number, 1.0f - found);
    q12.apart = apart;
    // How many there are, their middle and the deepest; and the first four.
    TactBoxPoint none = tact_box_point(0.0f, 0.0f, 0.0f, TACT_BOX_NO_TAG, 0.0f);
    TactBoxPoint a0 = none;
    TactBoxPoint a1 = none;
    TactBoxPoint a2 = none;
    TactBoxPoint a3 = none;
    TactBoxPoint deepest = none;
    deepest.apart = 3e38f;
    float count = 0.0f;
    float sum_u = 0.0f;
    float sum_v = 0.0f;
#define TACT_BOX_TAKE(q)                                                  \
    {                                                                     \
        float number = q.there > 0.5f ? count : -1.0f;                    \
        a0 = tact_box_point_or(number == 0.0f ? 1.0f : 0.0f, q, a0);      \
        a1 = tact_box_point_or(number == 1.0f ? 1.0f : 0.0f, q, a1);      \
        a2 = tact_box_point_or(number == 2.0f ? 1.0f : 0.0f, q, a2);      \
        a3 = tact_box_point_or(number == 3.0f ? 1.0f : 0.0f, q, a3);      \
        float deeper = q.there * (q.apart < deepest.apart ? 1.0f : 0.0f); \
        deepest = tact_box_point_or(deeper, q, deepest);                  \
        PRECISE float more_u = sum_u + (q.there > 0.5f ? q.u : 0.0f);     \
        PRECISE float more_v = sum_v + (q.there > 0.5f ? q.v : 0.0f);     \
        sum_u = more_u;                                                   \
        sum_v = more_v;                                                   \
        count = count + q.there;                                          \
    }
    TACT_BOX_EVERY(TACT_BOX_TAKE)
#undef TACT_BOX_TAKE
    // The one farthest from the middle, that farthest from it, and the largest areas.
    float share = tact_div(1.0f, count > 1.0f ? count : 1.0f);
    PRECISE float middle_u = sum_u * share;
    PRECISE float middle_v = sum_v * share;
    TactBoxPoint b0 = none;
    TactBoxPoint b1 = none;
    TactBoxPoint b2 = none;
    TactBoxPoint b3 = none;
    float most = -1.0f;
#define TACT_BOX_FIRST(q)                                     \
    {                                                         \
        PRECISE float du = q.u - middle_u;                    \
        PRECISE float dv = q.v - middle_v;                    \
        PRECISE float d2 = du * du + dv * dv;                 \
        PRECISE float enough = most * 1.1f;                   \
        float better = q.there * (d2 > enough ? 1.0f : 0.0f); \
        most = better > 0.5f ? d2 : most;                     \
        b0 = tact_box_point_or(better, q, b0);                \
    }
    TACT_BOX_EVERY(TACT_BOX_FIRST)
#undef TACT_BOX_FIRST
    most = 0.0f;
#define TACT_BOX_SECOND(q)                                    \
    {                                                         \
        PRECISE float du = q.u - b0.u;                        \
        PRECISE float dv = q.v - b0.v;                        \
        PRECISE float d2 = du * du + dv * dv;                 \
        PRECISE float enough = most * 1.02f;                  \
        float better = q.there * (d2 > enough ? 1.0f : 0.0f); \
        most = better > 0.5f ? d2 : most;                     \
        b1 = tact_box_point_or(better, q, b1);                \
    }
    TACT_BOX_EVERY(TACT_BOX_SECOND)
#undef TACT_BOX_SECOND
    most = TACT_CONTACT_LEAST;
    float side = 1.0f;
#define TACT_BOX_THIRD(q)                                            \
    {                                                                \
        float area = tact_box_area(b0, b1, q);                       \
        PRECISE float enough = most * 1.02f;                         \
        float better = q.there * (ABS(area) > enough ? 1.0f : 0.0f); \
        most = better > 0.5f ? ABS(area) : most;                     \
        side = better > 0.5f ? (area < 0.0f ? 1.0f : -1.0f) : side;  \
        b2 = tact_box_point_or(better, q, b2);                       \
    }
    TACT_BOX_EVERY(TACT_BOX_THIRD)
#undef TACT_BOX_THIRD
    most = TACT_CONTACT_LEAST;
#define TACT_BOX_FOURTH(q)                                                 \
    {                                                                      \
        float of_first = side * tact_box_area(b0, b1, q);                  \
        float of_second = side * tact_box_area(b1, b2, q);                 \
        float of_third = side * tact_box_area(b2, b0, q);                  \
        float area = of_second > of_first ? of_second : of_first;          \
        area = of_third > area ? of_third : area;                          \
        PRECISE float enough = most * 1.02f;                               \
        float better = q.there * b2.there * (area > enough ? 1.0f : 0.0f); \
        most = better > 0.5f ? area : most;                                \
        b3 = tact_box_point_or(better, q, b3);                             \
    }
    TACT_BOX_EVERY(TACT_BOX_FOURTH)
#undef TACT_BOX_FOURTH
    // One deeper by more than 64 noise takes the place of the nearest.
    PRECISE float enough_deep = deepest.apart + 64.0f * noise;
    float as_deep = 0.0f;
    float nearest = 3e38f;
    float place = 0.0f;
#define TACT_BOX_LOOK(q, number)                                                                 \
    {                                                                                            \
        as_deep = as_deep + (1.0f - as_deep) * q.there * (q.apart <= enough_deep ? 1.0f : 0.0f); \
        PRECISE float du = q.u - deepest.u;                                                      \
        PRECISE float dv = q.v - deepest.v;                                                      \
        PRECISE float d2 = du * du + dv * dv;                                                    \
        float closer = q.there * (d2 < nearest ? 1.0f : 0.0f);                                   \
        nearest = closer > 0.5f ? d2 : nearest;                                                  \
        place = closer > 0.5f ? number : place;                                                  \
    }
    TACT_BOX_LOOK(b0, 0.0f)
    TACT_BOX_LOOK(b1, 1.0f)
    TACT_BOX_LOOK(b2, 2.0f)
    TACT_BOX_LOOK(b3, 3.0f)
#undef TACT_BOX_LOOK
    place = as_deep > 0.5f ? 4.0f : place;
    b0 = tact_box_point_or(place == 0.0f ? 1.0f : 0.0f, deepest, b0);
    b1 = tact_box_point_or(place == 1.0f ? 1.0f : 0.0f, deepest, b1);
    b2 = tact_box_point_or(place == 2.0f ? 1.0f : 0.0f, deepest, b2);
    b3 = tact_box_point_or(place == 3.0f ? 1.0f : 0.0f, deepest, b3);
    float many = count > 4.5f ? 1.0f : 0.0f;
    a0 = tact_box_point_or(many, b0, a0);
    a1 = tact_box_point_or(many, b1, a1);
    a2 = tact_box_point_or(many, b2, a2);
    a3 = tact_box_point_or(many, b3, a3);
    TACT_BOX_ORDER(a0, a1)
    TACT_BOX_ORDER(a2, a3)
    TACT_BOX_ORDER(a0, a2)
    TACT_BOX_ORDER(a1, a3)
    TACT_BOX_ORDER(a1, a2)
    TactBoxContact r;
    r.count = ((a0.there + a1.there) + a2.there) + a3.there;
    float own_radius = second ? meeting.b.radius : meeting.a.radius;
    float other_radius = second ? meeting.a.radius : meeting.b.radius;
    PRECISE float radii = meeting.a.radius + meeting.b.radius;
    TACT_BOX_WRITE(a0, 0, flat_of)
    TACT_BOX_WRITE(a1, 1, flat_of)
    TACT_BOX_WRITE(a2, 2, flat_of)
    TACT_BOX_WRITE(a3, 3, flat_of)
    return r;
}

FN uint tact_box_feature(TactBoxFlat f, float tag)
{
    uint face = to_uint(2.0f * f.axis + (f.sign > 0.0f ? 1.0f : 0.0f));
    return (f.second > 0.5f ? TACT_FEATURE_SECOND : 0u) | (face << 16u) | to_uint(tag);
}

FN TactManifold tact_box_manifold(TactBoxContact c, TactVec way, TactBoxFlat f)
{
    TactManifold r = tact_no_manifold();
    r.way = way;
    r.count = to_uint(c.count);
    for (uint k = 0u; k < r.count; ++k) {
        r.at[k] = c.at[k];
        r.apart[k] = c.apart[k];
        r.feature[k] = tact_box_feature(f, c.tag[k]);
    }
    return r;
}

#endif
