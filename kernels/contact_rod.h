// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Two spheres or capsules: the closest points of two segments (Ericson: Real-Time Collision Detection, 2005, 5.1.9), of
// which a sphere's has no length. Without branches, so that the host has many pairs side by side.
#ifndef TACT_CONTACT_ROD_H
#define TACT_CONTACT_ROD_H

#include "contact_meeting.h"

// Half the length of a sphere's or capsule's segment.
FN float tact_rod_half(TACT_SHAPES_FROM TactCore c)
{
    return tact_core_point(TACT_SHAPES_WITH c, c.point_count - 1u).y;
}

// 1 / length of a vector whose square is given; of none 1.
FN float tact_rod_inverse(float square)
{
    return tact_div(1.0f, tact_sqrt(square > TACT_CONTACT_LEAST4 ? square : 1.0f));
}

// In the frame of A, whose segment lies along y. `half_a` and `half_b`: of the segments' lengths, in the same units.
FN TactOnePoint tact_rods(TactMeeting w, float half_a, float half_b)
{
    PRECISE float length = 2.0f * half_a;
    TactVec p = tact_vec(0.0f, -half_a, 0.0f);
    TactVec d = tact_vec(0.0f, length, 0.0f);
    TactVec q = tact_more(w.placed.t, w.placed.y, -half_b);
    TactVec e = tact_times(w.placed.y, 2.0f * half_b);
    TactVec r = tact_less(q, p);
    TactVec n = tact_cross_vec(d, e);
    float d2 = tact_dot_vec(d, d);
    float e2 = tact_dot_vec(e, e);
    float n2 = tact_dot_vec(n, n);
    bool long_a = d2 > TACT_CONTACT_LEAST4;
    bool long_b = e2 > TACT_CONTACT_LEAST4;
    PRECISE float both2 = d2 * e2;
    PRECISE float parallel = 1e-12f * both2;
    bool across = n2 > (parallel > TACT_CONTACT_LEAST4 ? parallel : TACT_CONTACT_LEAST4);
    // The lines' closest points, of which what is beyond an end is brought back to it, once from either side.
    float s = tact_div(tact_dot_vec(tact_cross_vec(r, e), n), across ? n2 : 1.0f);
    s = across ? tact_within(s) : 0.0f;
    float t = tact_div(-tact_dot_vec(tact_less(r, tact_times(d, s)), e), long_b ? e2 : 1.0f);
    t = long_b ? tact_within(t) : 0.0f;
    s = tact_div(tact_dot_vec(tact_more(r, e, t), d), long_a ? d2 : 1.0f);
    s = long_a ? tact_within(s) : 0.0f;
    TactVec on_a = tact_more(p, d, s);
    TactVec on_b = tact_more(q, e, t);
    TactVec v = tact_less(on_b, on_a);
    // How far within the ends.
    float inner_s = s < 0.5f ? s : 1.0f - s;
    float inner_t = t < 0.5f ? t : 1.0f - t;
    bool inside_a = inner_s > 0.0f;
    bool inside_b = inner_t > 0.0f;
    // What rounding left along the segments is taken out, since it turns the normal where they are close.
    float along = tact_div(tact_dot_vec(v, e), long_b ? e2 : 1.0f);
    v.y = inside_a ? 0.0f : v.y;
    v = tact_vec_or(inside_b, tact_more(v, e, -along), v);
    v.y = inside_a ? 0.0f : v.y;
    float v2 = tact_dot_vec(v, v);
    float between = tact_sqrt(v2);
    // What is across both is the better direction where they cross closer than they are turned.
    PRECISE float turned = n2 * w.size;
    PRECISE float needed = between * both2;
    bool touch = between <= w.noise;
    float worth = inside_a ? (inside_b ? turned : 0.0f) : 0.0f;
    worth = touch ? 3.40282347e38f : worth;
    bool by_lines = (across ? worth : 0.0f) > needed;
    float sign = tact_dot_vec(n, r) < 0.0f ? -1.0f : 1.0f;
    TactVec across_both = tact_times(n, sign * tact_rod_inverse(n2));
    // Across the one that is not a point.
    TactVec other = ABS(e.x) > ABS(e.z) ? tact_vec(-e.y, e.x, 0.0f) : tact_vec(0.0f, -e.z, e.y);
    other = tact_times(other, tact_rod_inverse(tact_dot_vec(other, other)));
    other = tact_vec_or(long_a, tact_vec(1.0f, 0.0f, 0.0f), tact_vec_or(long_b, other, tact_vec(0.0f, 1.0f, 0.0f)));
    TactVec apart_way = tact_times(v, tact_rod_inverse(v2));
    TactVec way = tact_vec_or(by_lines, across_both, tact_vec_or(touch, other, apart_way));
    float apart = tact_dot_vec(tact_less(on_b, on_a), way);
    // Numbers that compilers select in lanes.
    float end_a = s > 0.0f ? (s < 1.0f ? 2.0f : 1.0f) : 0.0f;
    float end_b = t > 0.0f ? (t < 1.0f ? 2.0f : 1.0f) : 0.0f;
    PRECISE float ends = 256.0f * end_a + end_b;
    PRECISE float turned2 = 1e-4f * both2;
    turned2 = long_a ? (long_b ? turned2 : 0.0f) : 0.0f;
    float state = n2 < turned2 ? 2.0f : 1.0f;
    PRECISE float along_b = half_b * (2.0f * t - 1.0f);
    return tact_one_point(w, way, on_a, on_b, tact_times(w.placed.y, along_b), apart,
                          TACT_FEATURE_CLOSEST | to_uint(ends), state);
}

#endif
