// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A posed shape, or a part of it, that moves and turns against a part of a body that rests: conservative advancement
// (Mirtich: Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, 2.3). A step takes the direction along which
// both are the farthest apart, and goes as far as no point of the shape can reach the part along it.
#ifndef TACT_BODY_CAST_H
#define TACT_BODY_CAST_H

#include "body_cast_layout.h"
#include "contact_parts.h"
#include "contact_simplex.h"
#include "contact_triangle.h"

STRUCT(TactCast)
{
    TactBodyRow mover;     // at the item's begin; its position is its part's from the body's, along the world's axes
    uint part;             // of the shape
    bool one_sided;        // its triangles have one side
    TactVec arm;           // from the shape's position to the part's at the item's begin, along the world's axes
    TactVec move;          // over the item
    TactVec spin;          // over the item: the axis times a bound of the angle
    float turn;            // that bound
    float dx, dy, dz, dw;  // what is added to the rotation over the whole cast
    float start, span;
};

STRUCT(TactCastState)
{
    float along;  // the part of the item that is known to be free
    uint state;
};

// The part of the shape where it is at a part of the item. It turns about the shape's position.
FN TactPart tact_cast_mover(TACT_SHAPES_FROM TactCast c, float along)
{
    TactBodyRow r = c.mover;
    PRECISE float time = c.start + along * c.span;
    time = time > TACT_CAST_LEAST ? time : 0.0f;
    PRECISE float x = c.mover.qx + c.dx * time;
    PRECISE float y = c.mover.qy + c.dy * time;
    PRECISE float z = c.mover.qz + c.dz * time;
    PRECISE float w = c.mover.qw + c.dw * time;
    PRECISE float length2 = ((x * x + y * y) + z * z) + w * w;
    float length = tact_sqrt(length2);
    r.qx = tact_div(x, length);
    r.qy = tact_div(y, length);
    r.qz = tact_div(z, length);
    r.qw = tact_div(w, length);
    TactPart p = tact_part_of(TACT_SHAPES_WITH r, c.part);
    TactVec at = tact_more(tact_vec(c.mover.hx, c.mover.hy, c.mover.hz), c.move, along);
    at = tact_more(at, tact_less(p.offset, c.arm), 1.0f);
    p.row.hx = at.x;
    p.row.hy = at.y;
    p.row.hz = at.z;
    p.row.lx = 0.0f;
    p.row.ly = 0.0f;
    p.row.lz = 0.0f;
    return p;
}

// `id`: of its first rows among those of bodies. `what`, `from`, `motion` and `part`: the item's rows.
FN TactCast tact_cast_of(TACT_SHAPES_FROM FROM(float4, bodies) uint id, uint4 what, uint4 from, uint4 motion,
                         uint4 part)
{
    TactCast c;
    c.mover = tact_body_of(WITH(bodies) id);
    c.mover.hx = as_float(from.x);
    c.mover.hy = as_float(from.y);
    c.mover.hz = as_float(from.z);
    c.mover.lx = 0.0f;
    c.mover.ly = 0.0f;
    c.mover.lz = 0.0f;
    c.move = tact_vec(as_float(motion.x), as_float(motion.y), as_float(motion.z));
    c.start = as_float(from.w);
    c.span = as_float(what.w);
    float4 added = bodies[to_uint(TACT_POSED_ROWS) * id + 4u];
    float4 spin = bodies[to_uint(TACT_POSED_ROWS) * id + 5u];
    c.dx = added.x;
    c.dy = added.y;
    c.dz = added.z;
    c.dw = added.w;
    PRECISE float turn = spin.w * c.span;
    bool turns = turn > TACT_CAST_LEAST;
    c.turn = turns ? turn : 0.0f;
    c.spin = tact_times(tact_vec(spin.x, spin.y, spin.z), turns ? c.span : 0.0f);
    c.part = part.x;
    c.one_sided = tact_part_is_one_sided(TACT_SHAPES_WITH c.mover);
    c.arm = tact_vec(0.0f, 0.0f, 0.0f);
    TactPart begins = tact_cast_mover(TACT_SHAPES_WITH c, 0.0f);
    c.arm = begins.offset;
    return c;
}

// A part as casts see it: at the origin, without a margin.
FN TactPart tact_cast_part(TactPart part)
{
    TactPart r = part;
    r.row.hx = 0.0f;
    r.row.hy = 0.0f;
    r.row.hz = 0.0f;
    r.row.lx = 0.0f;
    r.row.ly = 0.0f;
    r.row.lz = 0.0f;
    r.row.margin = 0.0f;
    return r;
}

// Two parts that are held against each other.
STRUCT(TactCastMeeting)
{
    TactMeeting w;
    TactVec arm;  // from the shape's position to its part's, in the frame of the body's part
    float swing;  // how long that is where the shape turns
};

FN TactCastMeeting tact_cast_meeting(TactCast c, TactPart part, TactPart mover)
{
    TactCastMeeting m;
    m.w = tact_meeting(part.row, mover.row, part.core, mover.core);
    float times = as_float((254u << 23) - as_uint(m.w.back));
    m.arm = tact_times(tact_placed_back(m.w.axes, mover.offset), times);
    PRECISE float length = tact_sqrt(tact_dot_vec(m.arm, m.arm)) * 1.000001f;
    m.swing = c.turn > 0.0f ? length : 0.0f;
    return m;
}

// How far an item may go on: `to` is the direction from the shape to the part, in the frame of the part, `near` the
// point of the shape that is farthest along it, `gap` what is between them. A turn by s takes a point p, measured along
// `to`, no farther than along `to` tilted by s, and s^2 / 2 of its distance from the axis: so farther points along the
// tilted direction bound all that lies between, since the farthest is a convex function of the tilt. Points are from
// the shape's position, about which it turns.
FN TactCastState tact_cast_advance(TACT_SHAPES_FROM TactCast c, TactCastMeeting m, TactVec to, TactFarthest near,
                                   float gap, TactCastState s)
{
    TactCastState r = s;
    TactMeeting w = m.w;
    float times = as_float((254u << 23) - as_uint(w.back));
    TactVec move = tact_times(tact_placed_back(w.axes, c.move), times);
    TactVec tilt = tact_cross_vec(to, tact_placed_back(w.axes, c.spin));
    TactVec p = tact_more(m.arm, tact_placed_way(w.placed, tact_core_point(TACT_SHAPES_WITH w.b, near.i)), 1.0f);
    float ahead = tact_dot_vec(move, to);
    PRECISE float speed = ahead + tact_dot_vec(p, tilt);
    PRECISE float extent = w.b.extent + m.swing;
    PRECISE float bend = 0.5f * c.turn * c.turn * extent;
    PRECISE float rest = 1.0f - s.along;
    PRECISE float under = speed * speed + 4.0f * bend * gap;
    float root = tact_sqrt(under);
    // Where this point alone, and the bend, would have used up the gap.
    PRECISE float above = speed < 0.0f ? root - speed : 2.0f * gap;
    PRECISE float below = speed < 0.0f ? 2.0f * bend : root + speed;
    PRECISE float whole = below * rest;
    bool to_end = above >= whole;
    float trial = rest;
    if (!to_end) trial = tact_div(above, below);
    if (trial > rest) trial = rest;
    TactFarthest tilted =
        tact_core_farthest(TACT_SHAPES_WITH w.b, tact_placed_back(w.placed, tact_more(to, tilt, trial)));
    PRECISE float beyond = (tilted.along - near.along) + tact_dot_vec(m.arm, tilt) * trial;
    beyond = beyond > 0.0f ? beyond : 0.0f;
    PRECISE float used = (ahead * trial + beyond) + bend * trial * trial;
    if (used <= gap && trial >= rest) {
        r.state = TACT_CAST_NONE;
    } else {
        PRECISE float part = used <= gap ? trial : trial * tact_div(gap, used);
        PRECISE float sum = s.along + part;
        PRECISE float down = sum - sum * 1.1920929e-7f;
        r.along = down;
        if (!(down > s.along)) {
            r.along = s.along;
            r.state = TACT_CAST_HIT;
        }
    }
    return r;
}

// The part of a straight way where a point may be within a distance of a core.
STRUCT(TactCastRange)
{
    float first, last;
};

// Cuts it to where a height, which rises by so much over the whole way, is not above 0. Numbers below
// TACT_CONTACT_LEAST are zeros.
FN TactCastRange tact_cast_below(TactCastRange range, float height, float rise)
{
    TactCastRange r = range;
    if (height > TACT_CONTACT_LEAST) {
        float fall = rise < -TACT_CONTACT_LEAST ? -rise : 0.0f;
        if (height < fall) {
            float enter = tact_div(height, fall);
            if (enter > r.first) r.first = enter;
        } else {
            r.last = -1.0f;
        }
    } else if (rise > TACT_CONTACT_LEAST) {
        float depth = height < -TACT_CONTACT_LEAST ? -height : 0.0f;
        if (depth < rise) {
            float leave = tact_div(depth, rise);
            if (leave < r.last) r.last = leave;
        }
    }
    return r;
}

// Cuts it to where a point that moves is within a radius of the origin. The place on the line that is closest to the
// origin gives the distance: so what rounding takes of it does not grow with the way.
FN TactCastRange tact_cast_round(TactCastRange range, TactVec from, TactVec move, float radius)
{
    TactCastRange r = range;
    float move2 = tact_dot_vec(move, move);
    bool moves = move2 > TACT_CONTACT_LEAST4;
    float closest = tact_div(-tact_dot_vec(from, move), moves ? move2 : 1.0f);
    TactVec beside = tact_more(from, move, moves ? closest : 0.0f);
    PRECISE float left = radius * radius - tact_dot_vec(beside, beside);
    if (left < 0.0f) {
        r.last = -1.0f;
    } else if (moves) {
        float half_way = tact_sqrt(tact_div(left, move2));
        PRECISE float enter = closest - half_way;
        PRECISE float leave = closest + half_way;
        if (enter > r.first) r.first = enter;
        if (leave < r.last) r.last = leave;
    }
    return r;
}

// The same of the planes beside a triangle, through its edges.
FN TactCastRange tact_cast_beside(TACT_SHAPES_FROM TactCastRange range, TactCore c, TactVec from, TactVec move,
                                  float reach)
{
    TactCastRange r = range;
    TactVec n = tact_face_normal(TACT_SHAPES_WITH c, 0u);
    for (uint k = 0u; k < 3u; ++k) {
        TactVec p = tact_core_point(TACT_SHAPES_WITH c, k);
        TactVec side = tact_cross_vec(tact_less(tact_core_point(TACT_SHAPES_WITH c, k < 2u ? k + 1u : 0u), p), n);
        float length = tact_sqrt(tact_dot_vec(side, side));
        if (length > 9.53674316e-7f) {
            TactVec way = tact_times(side, tact_div(1.0f, length));
            PRECISE float height = tact_dot_vec(tact_less(from, p), way) - reach;
            r = tact_cast_below(r, height, tact_dot_vec(move, way));
        }
    }
    return r;
}

// Where an item begins. A ball that does not turn is a point that moves in a straight line: it is not within its radius
// of a core before it is as far below all faces, of a sphere or a capsule before it is so near to the middle. Steps go
// on from there; what is never there touches nothing.
FN TactCastState tact_cast_begin(TACT_SHAPES_FROM TactCast c, TactPart part)
{
    TactCastState r;
    r.along = 0.0f;
    r.state = TACT_CAST_MOVING;
    TactPart mover = tact_cast_mover(TACT_SHAPES_WITH c, 0.0f);
    if (!(c.turn > 0.0f) && mover.core.kind == to_uint(TACT_KIND_SPHERE)) {
        TactMeeting w = tact_cast_meeting(c, part, mover).w;
        float times = as_float((254u << 23) - as_uint(w.back));
        TactVec from = w.placed.t;
        TactVec move = tact_times(tact_placed_back(w.axes, c.move), times);
        PRECISE float reach = w.reach + (w.size + w.reach) * TACT_CAST_SLACK;
        TactCastRange range;
        range.first = 0.0f;
        range.last = 1.0f;
        if (w.a.kind == to_uint(TACT_KIND_SPHERE)) {
            range = tact_cast_round(range, from, move, reach);
        } else if (w.a.kind == to_uint(TACT_KIND_CAPSULE)) {
            PRECISE float top = ABS(tact_core_point(TACT_SHAPES_WITH w.a, 1u).y) + reach;
            PRECISE float above = from.y - top;
            PRECISE float below = -from.y - top;
            range = tact_cast_round(range, tact_vec(from.x, 0.0f, from.z), tact_vec(move.x, 0.0f, move.z), reach);
            range = tact_cast_below(range, above, move.y);
            range = tact_cast_below(range, below, -move.y);
        } else if (w.a.kind != to_uint(TACT_KIND_HALF_SPACE)) {
            for (uint f = 0u; f < w.a.face_count && range.last >= range.first; ++f) {
                TactVec n = tact_face_normal(TACT_SHAPES_WITH w.a, f);
                PRECISE float height = (tact_dot_vec(from, n) - tact_face_offset(TACT_SHAPES_WITH w.a, f)) - reach;
                range = tact_cast_below(range, height, tact_dot_vec(move, n));
            }
            if (w.a.kind == to_uint(TACT_KIND_TRIANGLE))
                range = tact_cast_beside(TACT_SHAPES_WITH range, w.a, from, move, reach);
        }
        if (range.first > range.last) {
            r.state = TACT_CAST_NONE;
        } else if (range.first > TACT_CAST_LEAST) {
            r.along = range.first;
        }
    }
    return r;
}

// One step of an item. `part`: by tact_cast_part(); `one_sided`: of its body. `last`: there is no other step, and what
// is reached counts.
FN TactCastState tact_cast_step(TACT_SHAPES_FROM TactCast c, TactPart part, bool one_sided, bool last, TactCastState s)
{
    TactCastState r = s;
    TactCastMeeting m = tact_cast_meeting(c, part, tact_cast_mover(TACT_SHAPES_WITH c, s.along));
    TactMeeting w = m.w;
    PRECISE float outer = (w.size + w.reach) + m.swing;
    PRECISE float slack = outer * TACT_CAST_SLACK;
    PRECISE float close = outer * TACT_CAST_NEAR;
    TactVec way = tact_vec(0.0f, 1.0f, 0.0f);
    float of_a = 0.0f;
    bool met = last;
    if (w.a.kind != to_uint(TACT_KIND_HALF_SPACE)) {
        TactDistance d = tact_core_distance(TACT_SHAPES_WITH w.a, w.b, w.placed, 3.40282347e38f, w.noise);
        way = d.way;
        met = met || !(d.distance > 0.0f);
        TactFarthest farthest = tact_core_farthest(TACT_SHAPES_WITH w.a, way);
        of_a = farthest.along;
    }
    TactVec to = tact_times(way, -1.0f);
    TactFarthest near = tact_core_farthest(TACT_SHAPES_WITH w.b, tact_placed_back(w.placed, to));
    PRECISE float gap = ((tact_dot_vec(w.placed.t, way) - near.along) - of_a) - w.reach;
    if (met || gap <= close) {
        r.state = TACT_CAST_HIT;
        if (tact_is_unseen(TACT_SHAPES_WITH w, one_sided, false) ||
            tact_is_unseen(TACT_SHAPES_WITH w, c.one_sided, true))
            r.state = TACT_CAST_NONE;
    } else {
        PRECISE float free_gap = gap - slack;
        r = tact_cast_advance(TACT_SHAPES_WITH c, m, to, near, free_gap, s);
    }
    return r;
}

#endif
