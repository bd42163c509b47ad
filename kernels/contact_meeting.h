// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A pair of bodies as its contact is worked out, and back. Without branches, so that the host has many pairs side by
// side.
#ifndef TACT_CONTACT_MEETING_H
#define TACT_CONTACT_MEETING_H

#include "contact_points.h"
#include "particle_contact.h"

// All in units of a power of two about the bodies' size, so that no square is too large or too small for a float.
STRUCT(TactMeeting)
{
    TactPlaced axes;    // A's along the world's
    TactPlaced placed;  // B in the frame of A
    TactCore a, b;
    float back;   // a unit in the world's
    float reach;  // between the cores, at most
    float size;   // of the cores
    float noise;  // what coordinates are certain to
    bool there;   // bodies below 2^-100 are not, nor those that are too far from each other
};

// What makes a contact. Each kind of manifold is made in one place, since devices copy a function wherever it is
// called.
#define TACT_CHOICE_NONE 0u
#define TACT_CHOICE_FACE 1u
#define TACT_CHOICE_EDGES 2u
#define TACT_CHOICE_BOX_EDGES 3u
#define TACT_CHOICE_CLOSEST 4u
#define TACT_CHOICE_ANY 5u  // some direction, of cores without faces that lie in each other

STRUCT(TactChoice)
{
    uint how;
    bool second;  // the face is B's
    bool alone;   // no other face is cut, however it is turned
    TactAxis axis;
};

FN TactChoice tact_no_choice(void)
{
    TactChoice r;
    r.how = TACT_CHOICE_NONE;
    r.second = false;
    r.alone = false;
    r.axis = tact_no_axis();
    return r;
}

#define TACT_POINT_NONE 0u
#define TACT_POINT_ONE 1u
#define TACT_POINT_BESIDE 2u  // nearly parallel: they may touch at two points

// A contact of one point at most, as of a manifold.
STRUCT(TactOnePoint)
{
    uint state;
    TactVec way;
    TactVec at;
    float apart;  // of the surfaces
    uint feature;
    float cores;         // how far these are apart
    TactVec on_a, on_b;  // on the cores, each from its own body's position
};

FN TactVec tact_vec_or(bool first, TactVec a, TactVec b)
{
    return tact_vec(first ? a.x : b.x, first ? a.y : b.y, first ? a.z : b.z);
}

// The point between a place on A's core and one on B's, along `way` from A to B; `own_b`: the latter from B's position.
FN TactOnePoint tact_one_point(TactMeeting w, TactVec way, TactVec on_a, TactVec on_b, TactVec own_b, float apart,
                               uint feature, float state)
{
    TactOnePoint r;
    TactVec from = tact_more(on_a, way, w.a.radius);
    TactVec to = tact_more(on_b, way, -w.b.radius);
    PRECISE float surfaces = apart - (w.a.radius + w.b.radius);
    float near = apart <= w.reach ? state : 0.0f;
    r.way = way;
    r.at = tact_more(from, tact_less(to, from), 0.5f);
    r.apart = surfaces;
    r.feature = feature;
    r.state = to_uint(w.there ? near : 0.0f);
    r.cores = apart;
    r.on_a = on_a;
    r.on_b = own_b;
    return r;
}

// A core in other units.
FN TactCore tact_core_scaled(TactCore c, float times)
{
    TactCore r = c;
    PRECISE float scale = c.scale * times;
    PRECISE float radius = c.radius * times;
    PRECISE float extent = c.extent * times;
    r.scale = scale;
    r.radius = radius;
    r.extent = extent;
    return r;
}

// In units of the power of two whose bits above the fraction are `exponent`. `between`: from A's position to B's.
FN TactMeeting tact_meeting_in(TactBodyRow a, TactBodyRow b, TactCore core_a, TactCore core_b, TactVec between,
                               float margin, uint exponent)
{
    TactMeeting w;
    w.axes = tact_axes_of(a.qx, a.qy, a.qz, a.qw);
    TactPlaced axes_b = tact_axes_of(b.qx, b.qy, b.qz, b.qw);
    w.placed = tact_placed(w.axes, axes_b, between);
    float times = as_float((254u - exponent) << 23);
    w.back = as_float(exponent << 23);
    PRECISE float margin_there = margin * times;
    w.placed.t = tact_times(w.placed.t, times);
    w.a = tact_core_scaled(core_a, times);
    w.b = tact_core_scaled(core_b, times);
    PRECISE float reach = (w.a.radius + w.b.radius) + margin_there;
    PRECISE float size = w.a.extent + w.b.extent;
    PRECISE float noise = 9.53674316e-7f * size + TACT_CONTACT_LEAST;
    w.reach = reach;
    w.size = size;
    w.noise = noise;
    w.there = true;
    return w;
}

// The extents and radii of both.
FN float tact_meeting_whole(TactCore a, TactCore b)
{
    PRECISE float whole = (a.extent + b.extent) + (a.radius + b.radius);
    return whole;
}

FN TactMeeting tact_meeting(TactBodyRow a, TactBodyRow b, TactCore core_a, TactCore core_b)
{
    PRECISE float margin = a.margin + b.margin;
    PRECISE float whole = tact_meeting_whole(core_a, core_b) + margin;
    uint exponent = as_uint(whole) >> 23;
    bool there = exponent >= 27u && exponent <= 227u;
    exponent = there ? exponent : 127u;
    TactMeeting w = tact_meeting_in(a, b, core_a, core_b, tact_between_bodies(a, b), margin, exponent);
    PRECISE float outer = w.size + w.reach;
    PRECISE float outer2 = outer * outer * 1.00001f;
    bool half_space = w.a.kind == to_uint(TACT_KIND_HALF_SPACE) || w.b.kind == to_uint(TACT_KIND_HALF_SPACE);
    bool within = tact_dot_vec(w.placed.t, w.placed.t) <= outer2;
    w.there = there && (half_space || within);
    return w;
}

// Numbers below 2^-126, which some devices do not have, are 0, and so is -0.
FN TactVec tact_contact_vec(TactVec v)
{
    return tact_vec(tact_contact_number(v.x), tact_contact_number(v.y), tact_contact_number(v.z));
}

// A direction along the world's axes.
FN TactVec tact_meeting_way(TactMeeting w, TactVec way)
{
    return tact_contact_vec(tact_placed_way(w.axes, way));
}

// A place along the world's axes, from A's position or from B's.
FN TactVec tact_meeting_place(TactMeeting w, TactVec at, bool from_b)
{
    TactVec from = tact_times(w.placed.t, from_b ? 1.0f : 0.0f);
    return tact_contact_vec(tact_times(tact_placed_way(w.axes, tact_less(at, from)), w.back));
}

FN float tact_meeting_length(TactMeeting w, float length)
{
    PRECISE float back = length * w.back;
    return tact_contact_number(back);
}

#endif
