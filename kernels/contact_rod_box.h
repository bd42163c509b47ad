// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A capsule and a box: its segment against the box in the box's frame. Without branches, so that the host has many
// pairs side by side; truth is a float, as in contact_box_faces.h.
#ifndef TACT_CONTACT_ROD_BOX_H
#define TACT_CONTACT_ROD_BOX_H

#include "contact_box_faces.h"

// Half the gradient of the squared distance from the box, along the segment s + x d.
FN float tact_rod_slope(TactVec s, TactVec d, TactVec h, float x)
{
    TactVec p = tact_more(s, d, x);
    PRECISE float ex = p.x - tact_box_clamped(p.x, h.x);
    PRECISE float ey = p.y - tact_box_clamped(p.y, h.y);
    PRECISE float ez = p.z - tact_box_clamped(p.z, h.z);
    return tact_dot3(d.x, d.y, d.z, ex, ey, ez);
}

// Where a segment may bend away from a box, and where it is closest: the slope never falls, and is straight between the
// places where the segment passes the planes of faces.
STRUCT(TactRodPlace)
{
    float low, slope_low;    // the last place where it does not rise
    float high, slope_high;  // the first where it does not fall
};

FN TactRodPlace tact_rod_look(TactRodPlace r, TactVec s, TactVec d, TactVec h, float x)
{
    TactRodPlace n = r;
    float at = tact_box_clamped(x, 1.0f);
    float slope = tact_rod_slope(s, d, h, at);
    float later = (slope <= 0.0f ? 1.0f : 0.0f) * (at >= r.low ? 1.0f : 0.0f);
    float earlier = (slope >= 0.0f ? 1.0f : 0.0f) * (at <= r.high ? 1.0f : 0.0f);
    n.low = later > 0.5f ? at : r.low;
    n.slope_low = later > 0.5f ? slope : r.slope_low;
    n.high = earlier > 0.5f ? at : r.high;
    n.slope_high = earlier > 0.5f ? slope : r.slope_high;
    return n;
}

FN TactRodPlace tact_rod_look_twice(TactRodPlace r, TactVec s, TactVec d, TactVec h, float at, float along, float most)
{
    float per = ABS(along) > TACT_CONTACT_LEAST ? 1.0f : 0.0f;
    float inverse = per * tact_div(1.0f, per > 0.5f ? along : 1.0f);
    PRECISE float x0 = (most - at) * inverse;
    PRECISE float x1 = (-most - at) * inverse;
    return tact_rod_look(tact_rod_look(r, s, d, h, x0), s, d, h, x1);
}

// The place on the segment, from -1 to 1, that is closest to the box; of several the middle.
FN float tact_rod_closest(TactVec s, TactVec d, TactVec h)
{
    TactRodPlace r;
    r.low = -2.0f;
    r.slope_low = -1.0f;
    r.high = 2.0f;
    r.slope_high = 1.0f;
    r = tact_rod_look(tact_rod_look(r, s, d, h, -1.0f), s, d, h, 1.0f);
    r = tact_rod_look_twice(r, s, d, h, s.x, d.x, h.x);
    r = tact_rod_look_twice(r, s, d, h, s.y, d.y, h.y);
    r = tact_rod_look_twice(r, s, d, h, s.z, d.z, h.z);
    // It rises from the beginning, or falls to the end.
    float low = r.low < -1.0f ? -1.0f : r.low;
    float high = r.high > 1.0f ? 1.0f : r.high;
    PRECISE float rise = r.slope_high - r.slope_low;
    float inner = (r.low < r.high ? 1.0f : 0.0f) * (r.low >= -1.0f ? 1.0f : 0.0f) * (r.high <= 1.0f ? 1.0f : 0.0f);
    inner = inner * (rise > 0.0f ? 1.0f : 0.0f);
    float part = tact_div(-r.slope_low, inner > 0.5f ? rise : 1.0f);
    PRECISE float between = low + (high - low) * part;
    PRECISE float middle = 0.5f * (low + high);
    float flat_place = r.low < -1.0f ? -1.0f : (r.high > 1.0f ? 1.0f : middle);
    return tact_box_clamped(inner > 0.5f ? between : flat_place, 1.0f);
}

// The separation of the segment from the box along a direction from the box.
FN float tact_rod_apart(TactVec s, TactVec d, TactVec h, TactVec n)
{
    PRECISE float apart =
        (tact_dot_vec(n, s) - ABS(tact_dot_vec(n, d))) - tact_dot3(h.x, h.y, h.z, ABS(n.x), ABS(n.y), ABS(n.z));
    return apart;
}

// The direction from the box across one of its edges and the segment, which is e x d; zero where they are parallel.
FN TactVec tact_rod_across(TactVec n, TactVec s, float d2)
{
    float n2 = tact_dot_vec(n, n);
    PRECISE float least = d2 * 1e-10f + TACT_CONTACT_LEAST4;
    float there = n2 > least ? 1.0f : 0.0f;
    float side = tact_dot_vec(n, s) < 0.0f ? -1.0f : 1.0f;
    return tact_times(n, there * side * tact_div(1.0f, tact_sqrt(there > 0.5f ? n2 : 1.0f)));
}

STRUCT(TactRodAxis)
{
    TactVec way;  // of unit length, from the box
    float apart;
    float kind;  // 0, 1 or 2: across an edge along that axis; 3: along the closest points; 4: of a face
};

FN TactRodAxis tact_rod_axis_or(float first, TactRodAxis a, TactRodAxis b)
{
    TactRodAxis r;
    r.way =
        tact_vec(first > 0.5f ? a.way.x : b.way.x, first > 0.5f ? a.way.y : b.way.y, first > 0.5f ? a.way.z : b.way.z);
    r.apart = first > 0.5f ? a.apart : b.apart;
    r.kind = first > 0.5f ? a.kind : b.kind;
    return r;
}

// What is worth more than nothing: a direction there is.
FN TactRodAxis tact_rod_axis(TactVec s, TactVec d, TactVec h, TactVec way, float kind)
{
    TactRodAxis r;
    float there = tact_dot_vec(way, way) > 0.5f ? 1.0f : 0.0f;
    float apart = tact_rod_apart(s, d, h, way);
    r.way = way;
    r.apart = there > 0.5f ? apart : -3e38f;
    r.kind = kind;
    return r;
}

FN TactRodAxis tact_rod_better(TactRodAxis r, TactRodAxis other)
{
    return tact_rod_axis_or(other.apart > r.apart ? 1.0f : 0.0f, other, r);
}

// The best of the normals of faces, of what is across an edge, and of the closest points at `closest`: a face's unless
// another is better by more than `slack`.
FN TactRodAxis tact_rod_best(TactVec s, TactVec d, TactVec h, TactVec closest, float noise)
{
    float sx = s.x < 0.0f ? -1.0f : 1.0f;
    float sy = s.y < 0.0f ? -1.0f : 1.0f;
    float sz = s.z < 0.0f ? -1.0f : 1.0f;
    TactRodAxis face = tact_rod_axis(s, d, h, tact_vec(sx, 0.0f, 0.0f), 4.0f);
    face = tact_rod_better(face, tact_rod_axis(s, d, h, tact_vec(0.0f, sy, 0.0f), 4.0f));
    face = tact_rod_better(face, tact_rod_axis(s, d, h, tact_vec(0.0f, 0.0f, sz), 4.0f));
    float d2 = tact_dot_vec(d, d);
    TactRodAxis other = tact_rod_axis(s, d, h, tact_rod_across(tact_vec(0.0f, -d.z, d.y), s, d2), 0.0f);
    other = tact_rod_better(other, tact_rod_axis(s, d, h, tact_rod_across(tact_vec(d.z, 0.0f, -d.x), s, d2), 1.0f));
    other = tact_rod_better(other, tact_rod_axis(s, d, h, tact_rod_across(tact_vec(-d.y, d.x, 0.0f), s, d2), 2.0f));
    // Closest points have no direction where they are one.
    TactVec beyond =
        tact_vec(closest.x - tact_box_clamped(closest.x, h.x), closest.y - tact_box_clamped(closest.y, h.y),
                 closest.z - tact_box_clamped(closest.z, h.z));
    float beyond2 = tact_dot_vec(beyond, beyond);
    float apart = beyond2 > TACT_CONTACT_LEAST4 ? 1.0f : 0.0f;
    float length = tact_sqrt(apart > 0.5f ? beyond2 : 1.0f);
    TactVec along = tact_times(beyond, apart * tact_div(1.0f, length));
    other = tact_rod_better(other, tact_rod_axis(s, d, h, along, 3.0f));
    float distance = apart > 0.5f ? length : 0.0f;
    PRECISE float enough = face.apart + (4.0f * noise + 3.81469727e-6f * distance);
    return tact_rod_axis_or(other.apart > enough ? 1.0f : 0.0f, other, face);
}

// A contact of three points at most, of which numbers are all floats.
STRUCT(TactRodContact)
{
    TactVec way;  // from A to B, in the frame of A
    float count;
    TactVec at[3];
    float apart[3];
    float tag[3];
    float kind;  // of the axis; of what is along a face 4
    float axis, sign;
};

// The ends of the part of a segment that is over a face.
STRUCT(TactRodTwo)
{
    TactBoxPoint q0, q1;
    float found;  // the deeper one is as deep as the axis is, but for how the face is turned against it
};

// `apart`: along the axis, which is then the depth of the deeper one. `there`: there is such a part.
FN TactRodTwo tact_rod_two(TactBoxPoint q0, TactBoxPoint q1, float there, float apart, float reach, float noise)
{
    TactRodTwo r;
    float least = q1.apart < q0.apart ? q1.apart : q0.apart;
    PRECISE float near = apart + 4096.0f * noise;
    r.found = there * (least <= near ? 1.0f : 0.0f);
    float last = q1.apart < q0.apart ? 1.0f : 0.0f;
    float it0 = r.found * (1.0f - last);
    float it1 = r.found * last;
    r.q0 = q0;
    r.q1 = q1;
    r.q0.apart = it0 > 0.5f ? apart : q0.apart;
    r.q1.apart = it1 > 0.5f ? apart : q1.apart;
    float reach0 = r.q0.apart <= reach ? 1.0f : 0.0f;
    float reach1 = r.q1.apart <= reach ? 1.0f : 0.0f;
    r.q0.there = there * (it0 + (1.0f - it0) * reach0);
    r.q1.there = there * (it1 + (1.0f - it1) * reach1);
    return r;
}

// Three points by their tags, those that are not there last.
#define TACT_ROD_ORDER(q0, q1, q2)                       \
    q0.tag = q0.there > 0.5f ? q0.tag : TACT_BOX_NO_TAG; \
    q1.tag = q1.there > 0.5f ? q1.tag : TACT_BOX_NO_TAG; \
    q2.tag = q2.there > 0.5f ? q2.tag : TACT_BOX_NO_TAG; \
    TACT_BOX_ORDER(q0, q1)                               \
    TACT_BOX_ORDER(q1, q2)                               \
    TACT_BOX_ORDER(q0, q1)

// `second`: the box is B. In the frame of A and its units.
FN TactRodContact tact_rod_box(TactMeeting meeting, float rod_half, TactVec h, bool second)
{
    TactPlaced p = meeting.placed;
    float noise = meeting.noise;
    TactVec back_t = tact_times(tact_placed_back(p, p.t), -1.0f);
    TactVec s = tact_vec_or(second, back_t, p.t);
    TactVec d = tact_times(tact_vec_or(second, tact_vec(p.x.y, p.y.y, p.z.y), p.y), rod_half);
    float place = tact_rod_closest(s, d, h);
    TactVec closest = tact_more(s, d, place);
    TactRodAxis axis = tact_rod_best(s, d, h, closest, noise);
    // Along a face: the part of the segment over it.
    TactBoxFlat f;
    TactVec n = axis.way;
    float most = ABS(n.y) > ABS(n.x) ? ABS(n.y) : ABS(n.x);
    float part = ABS(n.y) > ABS(n.x) ? n.y : n.x;
    f.axis = ABS(n.y) > ABS(n.x) ? 1.0f : 0.0f;
    f.axis = ABS(n.z) > most ? 2.0f : f.axis;
    part = ABS(n.z) > most ? n.z : part;
    f.sign = part < 0.0f ? -1.0f : 1.0f;
    f.there = ABS(part) > 0.99f ? 1.0f : 0.0f;
    f.second = second ? 1.0f : 0.0f;
    TactVec fs = tact_box_turned(s, f);
    TactVec fd = tact_box_turned(d, f);
    TactVec fh = tact_box_turned(h, f);
    fh.z = ABS(fh.z);
    TactVec outward = tact_box_turned(n, f);
    float per_u = tact_div(1.0f, ABS(fd.x) > TACT_CONTACT_LEAST ? fd.x : 1.0f);
    float per_v = tact_div(1.0f, ABS(fd.y) > TACT_CONTACT_LEAST ? fd.y : 1.0f);
    PRECISE float hu = fh.x + noise;
    PRECISE float hv = fh.y + noise;
    TactBoxPart over = tact_box_part(fs, fd, per_u, per_v, hu, hv);
    float over_there = (over.from <= over.to ? 1.0f : 0.0f) * f.there;
    TactBoxPoint q0 = tact_box_point_at(fs, fd, over.from, fh,
                                        over.from > -1.0f ? TACT_BOX_ENTERS + 32.0f * over.first : 0.0f, over_there);
    TactBoxPoint q1 =
        tact_box_point_at(fs, fd, over.to, fh, over.to < 1.0f ? TACT_BOX_LEAVES + 32.0f * over.last : 1.0f, over_there);
    float per_turned = tact_div(1.0f, f.there > 0.5f ? outward.z : 1.0f);
    PRECISE float along0 = (q0.w - fh.z) * per_turned;
    PRECISE float along1 = (q1.w - fh.z) * per_turned;
    q0.apart = along0 < axis.apart ? axis.apart : along0;
    q1.apart = along1 < axis.apart ? axis.apart : along1;
    TactRodTwo two = tact_rod_two(q0, q1, over_there, axis.apart, meeting.reach, noise);
    q0 = two.q0;
    q1 = two.q1;
    // Else one point: the deeper end, or that closest to the edge, or to the box.
    float end = tact_dot_vec(d, n) > 0.0f ? -1.0f : 1.0f;
    float e = axis.kind;
    TactVec unit = tact_vec(e < 0.5f ? 1.0f : 0.0f, e == 1.0f ? 1.0f : 0.0f, e == 2.0f ? 1.0f : 0.0f);
    TactVec corner = tact_vec(n.x < 0.0f ? -h.x : h.x, n.y < 0.0f ? -h.y : h.y, n.z < 0.0f ? -h.z : h.z);
    TactVec across = tact_cross_vec(n, unit);
    float slope = tact_dot_vec(d, across);
    float off = tact_dot_vec(tact_less(corner, s), across);
    float crossing = tact_box_clamped(tact_div(off, ABS(slope) > TACT_CONTACT_LEAST ? slope : 1.0f), 1.0f);
    float single = e < 2.5f ? crossing : place;
    single = f.there > 0.5f ? end : single;
    float numbered = single < 0.0f ? 0.0f : 1.0f;
    float corner_number = (n.x < 0.0f ? 0.0f : 1.0f) + (n.y < 0.0f ? 0.0f : 2.0f) + (n.z < 0.0f ? 0.0f : 4.0f);
    // Where the closest point is: beyond which faces, and at which end of the segment.
    float zone = (closest.x > h.x ? 2.0f : (closest.x < -h.x ? 1.0f : 0.0f)) +
                 3.0f * (closest.y > h.y ? 2.0f : (closest.y < -h.y ? 1.0f : 0.0f)) +
                 9.0f * (closest.z > h.z ? 2.0f : (closest.z < -h.z ? 1.0f : 0.0f));
    float end_zone = place <= -1.0f ? 1.0f : (place >= 1.0f ? 2.0f : 0.0f);
    float single_tag = e < 2.5f ? 8.0f * e + corner_number : 4.0f * zone + end_zone;
    single_tag = f.there > 0.5f ? TACT_BOX_DEEPEST + numbered : single_tag;
    TactVec lone = tact_more(fs, fd, single);
    TactBoxPoint q2 = tact_box_point(lone.x, lone.y, lone.z, single_tag, 1.0f - two.found);
    q2.apart = axis.apart;
    TACT_ROD_ORDER(q0, q1, q2)
    TactRodContact r;
    float near_enough = (axis.apart <= meeting.reach ? 1.0f : 0.0f) * (meeting.there ? 1.0f : 0.0f);
    r.count = ((q0.there + q1.there) + q2.there) * near_enough;
    r.kind = f.there > 0.5f ? 4.0f : axis.kind;
    r.axis = f.axis;
    r.sign = f.sign;
    TactVec way_there = tact_times(tact_placed_way(p, n), -1.0f);
    r.way = tact_vec_or(second, way_there, n);
    float own_radius = second ? meeting.b.radius : meeting.a.radius;
    float other_radius = second ? meeting.a.radius : meeting.b.radius;
    PRECISE float radii = meeting.a.radius + meeting.b.radius;
    TACT_BOX_WRITE(q0, 0, f)
    TACT_BOX_WRITE(q1, 1, f)
    TACT_BOX_WRITE(q2, 2, f)
    return r;
}

FN uint tact_rod_box_feature(float kind, float axis, float sign, bool second, float tag)
{
    TactBoxFlat f;
    f.there = 1.0f;
    f.second = second ? 1.0f : 0.0f;
    f.axis = axis;
    f.sign = sign;
    uint single = (kind < 2.5f ? TACT_FEATURE_EDGES : TACT_FEATURE_CLOSEST) | to_uint(tag);
    return kind > 3.5f ? tact_box_feature(f, tag) : single;
}

FN TactManifold tact_rod_box_manifold(TactRodContact c, bool second)
{
    TactManifold r = tact_no_manifold();
    r.way = c.way;
    r.count = to_uint(c.count);
    for (uint k = 0u; k < r.count; ++k) {
        r.at[k] = c.at[k];
        r.apart[k] = c.apart[k];
        r.feature[k] = tact_rod_box_feature(c.kind, c.axis, c.sign, second, c.tag[k]);
    }
    return r;
}

#endif
