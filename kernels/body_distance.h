// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// How far two bodies, or a part of either, are from each other.
#ifndef TACT_BODY_DISTANCE_H
#define TACT_BODY_DISTANCE_H

#include "body_distance_layout.h"
#include "contact_ball.h"
#include "contact_box.h"
#include "contact_parts.h"
#include "contact_rod.h"
#include "contact_simplex.h"
#include "contact_triangle.h"

STRUCT(TactGap)
{
    uint state;
    float distance;  // of the surfaces
    TactVec way;     // from A to B, of unit length, along the world's axes
    TactVec on_a;    // on A, from its position along the world's axes; of what is close on the core
    TactVec on_b;    // the same of B
    float margin;    // with which there is a contact
};

FN TactGap tact_no_gap(void)
{
    TactGap r;
    r.state = TACT_GAP_NONE;
    r.distance = TACT_GAP_ENDLESS;
    r.way = tact_vec(0.0f, 0.0f, 0.0f);
    r.on_a = r.way;
    r.on_b = r.way;
    r.margin = 0.0f;
    return r;
}

// A core as it is seen from where it is as good as a point: so no square of what is left is too small for a float.
FN TactCore tact_core_from_afar(TactCore c)
{
    TactCore r = c;
    r.scale = c.extent < TACT_CONTACT_LEAST ? 0.0f : c.scale;
    r.radius = c.radius < TACT_CONTACT_LEAST ? 0.0f : c.radius;
    return r;
}

// Two bodies however far they are from each other, without margins. Units are those of a contact, or about the distance
// where that is more; then it is what coordinates are rounded by.
FN TactMeeting tact_meeting_apart(TactBodyRow a, TactBodyRow b, TactCore core_a, TactCore core_b, TactVec between)
{
    float afar = ABS(between.x) > ABS(between.y) ? ABS(between.x) : ABS(between.y);
    afar = ABS(between.z) > afar ? ABS(between.z) : afar;
    float whole = tact_meeting_whole(core_a, core_b);
    uint exponent = as_uint(afar > whole ? afar : whole) >> 23;
    bool there = exponent <= 227u;
    exponent = exponent < 27u ? 27u : exponent;
    exponent = there ? exponent : 127u;
    TactMeeting w = tact_meeting_in(a, b, core_a, core_b, between, 0.0f, exponent);
    PRECISE float rounding = 9.53674316e-7f * afar * as_float((254u - exponent) << 23);
    w.noise = rounding > w.noise ? rounding : w.noise;
    w.a = tact_core_from_afar(w.a);
    w.b = tact_core_from_afar(w.b);
    w.there = there;
    return w;
}

// A place in the frame of A along the world's axes, from the position of a part's body. What devices have for a zero is
// one before it is large again.
FN TactVec tact_gap_place(TactMeeting w, TactVec at, TactPart part)
{
    TactVec along = tact_contact_vec(tact_placed_way(w.axes, at));
    return tact_contact_vec(tact_more(tact_times(along, w.back), part.offset, 1.0f));
}

// How far the cores may be from each other where the surfaces are no farther than `most`: a little more, so that what
// is beyond it is beyond `most` after rounding, too.
FN float tact_gap_reach(TactMeeting w, float most)
{
    PRECISE float limit = most * as_float((254u - (as_uint(w.back) >> 23)) << 23);
    PRECISE float reach = (limit + w.reach) * 1.000000477f;
    return limit < 1e18f ? reach : TACT_GAP_ENDLESS;
}

// Of a half-space, which is A, or B where `second`, and a core.
FN TactGap tact_plane_gap(TACT_SHAPES_FROM TactMeeting w, bool second)
{
    TactCore own = w.a;
    TactCore other = w.b;
    if (second) {
        own = w.b;
        other = w.a;
    }
    TactAcross across = tact_across(TACT_SHAPES_WITH own, w.placed, second, 0u);
    TactFarthest farthest = tact_core_farthest(TACT_SHAPES_WITH other, across.back);
    TactGap r = tact_no_gap();
    r.state = TACT_GAP_APART;
    r.distance = tact_apart_across(across, farthest.along);
    TactVec point = tact_core_point(TACT_SHAPES_WITH other, farthest.i);
    // The point's foot on the plane, from the position of the half-space.
    if (second) {
        r.way = tact_times(across.normal, -1.0f);
        r.on_a = point;
        r.on_b = tact_more(tact_less(point, w.placed.t), across.normal, -r.distance);
    } else {
        r.way = across.normal;
        r.on_b = tact_placed_way(w.placed, point);
        r.on_a = tact_more(tact_more(w.placed.t, r.on_b, 1.0f), across.normal, -r.distance);
    }
    return r;
}

// The direction from one closest point to the other, unless another separates the cores by clearly more: the points are
// certain to less than it is.
FN TactVec tact_gap_way(TACT_SHAPES_FROM TactMeeting w, TactDistance d, bool apart)
{
    TactVec between = tact_times(d.simplex.near, tact_div(-1.0f, apart ? d.distance : 1.0f));
    TactVec r = d.way;
    bool same = between.x == r.x && between.y == r.y && between.z == r.z;
    if (apart && !same) {
        PRECISE float least = d.along - 0.5f * w.noise;
        if (tact_apart_along(TACT_SHAPES_WITH w.a, w.b, w.placed, between) >= least) r = between;
    }
    return r;
}

FN TactGap tact_point_gap(TactOnePoint p)
{
    TactGap r = tact_no_gap();
    r.state = TACT_GAP_APART;
    r.distance = p.cores;
    r.way = p.way;
    r.on_a = p.on_a;
    r.on_b = p.on_b;
    return r;
}

// Of spheres and capsules, or a sphere and a box, whose cores may overlap: all is known then, too.
FN TactGap tact_closed_gap(TACT_SHAPES_FROM TactMeeting w)
{
    TactGap r;
    if (w.a.kind == to_uint(TACT_KIND_BOX) || w.b.kind == to_uint(TACT_KIND_BOX)) {
        bool second = w.b.kind == to_uint(TACT_KIND_SPHERE);
        TactCore box = w.b;
        if (second) box = w.a;
        r = tact_point_gap(tact_ball_box(w, tact_box_half(TACT_SHAPES_WITH box), second));
    } else {
        r = tact_point_gap(tact_rods(w, tact_rod_half(TACT_SHAPES_WITH w.a), tact_rod_half(TACT_SHAPES_WITH w.b)));
    }
    return r;
}

// The kind of a sphere is 0.
FN bool tact_gap_is_closed(TactCore a, TactCore b)
{
    return (a.kind <= to_uint(TACT_KIND_CAPSULE) && b.kind <= to_uint(TACT_KIND_CAPSULE)) ||
           (a.kind + b.kind == to_uint(TACT_KIND_BOX) && a.kind != b.kind);
}

// Of two cores: way and places in the frame of A, places from their own bodies' positions.
FN TactGap tact_core_gap(TACT_SHAPES_FROM TactMeeting w, float most)
{
    TactGap r = tact_no_gap();
    TactDistance d = tact_core_distance(TACT_SHAPES_WITH w.a, w.b, w.placed, tact_gap_reach(w, most), w.noise);
    if (!d.farther) {
        bool apart = d.distance > 0.0f;
        // Where the search ended without a direction that shows as much, what is shown counts; cores that are close may
        // overlap then, or be apart along another direction.
        PRECISE float shown = d.along + d.distance * 3.81469727e-6f + 2.0f * w.noise;
        PRECISE float close = 0.00390625f * w.size;
        bool surfaces = w.a.kind == to_uint(TACT_KIND_TRIANGLE) && w.b.kind == to_uint(TACT_KIND_TRIANGLE);
        bool unsure = apart && shown < d.distance && !surfaces;
        PRECISE float margin = (d.distance + 4.0f * w.noise) * w.back;
        r.state = apart ? (unsure && d.distance <= close ? TACT_GAP_CLOSE : TACT_GAP_APART) : TACT_GAP_TOUCH;
        r.margin = margin;
        r.distance = 0.0f;
        if (apart) r.distance = unsure || d.along > d.distance ? d.along : d.distance;
        r.way = tact_gap_way(TACT_SHAPES_WITH w, d, apart);
        r.on_a = tact_simplex_on_a(TACT_SHAPES_WITH w.a, d.simplex);
        r.on_b = tact_placed_way(w.placed, tact_simplex_on_b(TACT_SHAPES_WITH w.b, d.simplex));
    }
    return r;
}

// Whether the spheres around two cores and their radii are farther apart than `most`, by more than all rounding.
FN bool tact_gap_is_beyond(TactCore a, TactCore b, TactVec between, float most)
{
    PRECISE float reach = tact_meeting_whole(a, b) + most;
    PRECISE float reach2 = reach * reach * 1.0001f;
    return most < 1e18f && a.kind != to_uint(TACT_KIND_HALF_SPACE) && b.kind != to_uint(TACT_KIND_HALF_SPACE) &&
           tact_dot_vec(between, between) > reach2;
}

// The distance of two bodies, or of a part of either, where it is no more than `most`. Of cores that overlap it is that
// of cores that touch, until a contact is there.
FN TactGap tact_body_gap(TACT_SHAPES_FROM TactBodyRow a, TactBodyRow b, uint part_a, uint part_b, float most)
{
    TactPart of_a = tact_part_of(TACT_SHAPES_WITH a, part_a);
    TactPart of_b = tact_part_of(TACT_SHAPES_WITH b, part_b);
    TactVec between = tact_between_bodies(of_a.row, of_b.row);
    TactGap r = tact_no_gap();
    if (!tact_gap_is_beyond(of_a.core, of_b.core, between, most)) {
        TactMeeting w = tact_meeting_apart(of_a.row, of_b.row, of_a.core, of_b.core, between);
        bool half_a = w.a.kind == to_uint(TACT_KIND_HALF_SPACE);
        bool half_b = w.b.kind == to_uint(TACT_KIND_HALF_SPACE);
        if (w.there && half_a != half_b) {
            r = tact_plane_gap(TACT_SHAPES_WITH w, half_b);
        } else if (w.there && tact_gap_is_closed(w.a, w.b)) {
            r = tact_closed_gap(TACT_SHAPES_WITH w);
        } else if (w.there && !half_a &&
                   !tact_is_unseen(TACT_SHAPES_WITH w, tact_part_is_one_sided(TACT_SHAPES_WITH a), false) &&
                   !tact_is_unseen(TACT_SHAPES_WITH w, tact_part_is_one_sided(TACT_SHAPES_WITH b), true)) {
            r = tact_core_gap(TACT_SHAPES_WITH w, most);
        }
        if (r.state != TACT_GAP_NONE) {
            PRECISE float surfaces = r.distance - (w.a.radius + w.b.radius);
            r.distance = tact_meeting_length(w, surfaces);
            // The contact's normal moves the others.
            bool surface = r.state != TACT_GAP_CLOSE;
            r.on_a = tact_gap_place(w, tact_more(r.on_a, r.way, surface ? w.a.radius : 0.0f), of_a);
            r.on_b = tact_gap_place(w, tact_more(r.on_b, r.way, surface ? -w.b.radius : 0.0f), of_b);
            r.way = tact_meeting_way(w, r.way);
        }
    }
    return r;
}

#endif
