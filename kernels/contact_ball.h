// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A sphere and a box: the box's point that is closest to the middle of the sphere, or the face that this is the least
// below (Ericson: Real-Time Collision Detection, 2005, 5.1.3). Without branches, as contact_rod.h.
#ifndef TACT_CONTACT_BALL_H
#define TACT_CONTACT_BALL_H

#include "contact_meeting.h"

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
    TactVec box_there = tact_more(w.placed.t, tact_placed_way(w.placed, on_box), 1.0f);
    TactVec none = tact_vec(0.0f, 0.0f, 0.0f);
    return tact_one_point(w, tact_vec_or(second, way, from_ball), tact_vec_or(second, on_box, none),
                          tact_vec_or(second, c, box_there), apart,
                          TACT_FEATURE_CLOSEST | to_uint(outside ? side : below), 1.0f);
}

#endif
