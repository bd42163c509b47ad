// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The contact of a triangle of a mesh: as that of any core, but for directions that belong to a triangle beside it.
// Without that a body that slides over a flat mesh is caught at the edges inside it.
#ifndef TACT_CONTACT_TRIANGLE_H
#define TACT_CONTACT_TRIANGLE_H

#include "contact_cut.h"
#include "contact_meeting.h"

// The cosine of the angle by which directions across an edge may lie off the normal of the side that is touched.
// `code`: as in contact_layout.h.
FN float tact_edge_limit(float code, bool back)
{
    PRECISE float angle = code - TACT_EDGE_HOLLOW;
    float hollow = back ? angle : 1.0f;
    float ridge = back ? 1.0f : code;
    float limit = code > 2.0f ? hollow : ridge;
    return code < -1.0f ? -1.0f : limit;
}

// The same of all the edges that a place on the triangle lies on. `noise`: what it is certain to.
FN float tact_triangle_limit(TACT_SHAPES_FROM TactCore c, TactVec at, bool back, float noise)
{
    TactVec n = tact_face_normal(TACT_SHAPES_WITH c, 0u);
    float limit = 1.0f;
    for (uint k = 0u; k < 3u; ++k) {
        uint next = k < 2u ? k + 1u : 0u;
        TactVec p = tact_core_point(TACT_SHAPES_WITH c, k);
        TactVec e = tact_less(tact_core_point(TACT_SHAPES_WITH c, next), p);
        TactVec side = tact_cross_vec(e, n);
        PRECISE float slack = 16.0f * noise * tact_sqrt(tact_dot_vec(side, side));
        float beyond = tact_dot_vec(tact_less(at, p), side);
        float edge = tact_edge_limit(POINTS(c.point + k).w, back);
        bool on = beyond > -slack;
        limit = on && edge < limit ? edge : limit;
    }
    return limit;
}

// A contact without the point that stands for what lies beyond the face, and touches another triangle.
FN TactManifold tact_manifold_within(TactManifold m)
{
    TactManifold r = m;
    r.count = 0u;
    for (uint k = 0u; k < m.count; ++k) {
        if ((m.feature[k] & TACT_TAG_DEEPEST) == 0u) {
            r.at[r.count] = m.at[k];
            r.apart[r.count] = m.apart[k];
            r.feature[r.count] = m.feature[k];
            r.count = r.count + 1u;
        }
    }
    return r;
}

// Whether the other body's middle is behind a triangle: B where `second`, or A.
FN bool tact_is_behind(TACT_SHAPES_FROM TactMeeting w, TactCore own, bool second)
{
    TactVec middle = w.placed.t;
    if (second) middle = tact_times(tact_placed_back(w.placed, w.placed.t), -1.0f);
    return tact_dot_vec(middle, tact_face_normal(TACT_SHAPES_WITH own, 0u)) <
           tact_face_offset(TACT_SHAPES_WITH own, 0u);
}

// Whether a triangle with one side has a solid behind it, for which it is not there. `second`: it is B, or else A.
FN bool tact_is_unseen(TACT_SHAPES_FROM TactMeeting w, bool one_sided, bool second)
{
    TactCore own = w.a;
    TactCore other = w.b;
    if (second) {
        own = w.b;
        other = w.a;
    }
    bool behind = false;
    if (one_sided && own.kind == to_uint(TACT_KIND_TRIANGLE) && other.kind != to_uint(TACT_KIND_TRIANGLE) &&
        other.kind != to_uint(TACT_KIND_HALF_SPACE))
        behind = tact_is_behind(TACT_SHAPES_WITH w, own, second);
    return behind;
}

// What makes the contact in place of m, which the triangle has by itself: its side, or nothing where m may stay.
FN TactChoice tact_triangle_choice(TACT_SHAPES_FROM TactMeeting w, bool second, TactManifold m)
{
    TactCore own = w.a;
    if (second) own = w.b;
    bool back = tact_is_behind(TACT_SHAPES_WITH w, own, second);
    uint face = back ? 1u : 0u;
    TactVec outward = tact_face_normal(TACT_SHAPES_WITH own, face);
    // In the triangle's frame, away from it.
    TactVec way = m.way;
    TactVec at = m.at[0];
    float apart = m.apart[0];
    for (uint k = 1u; k < m.count; ++k) {
        if (m.apart[k] < apart) {
            at = m.at[k];
            apart = m.apart[k];
        }
    }
    if (second) {
        way = tact_times(tact_placed_back(w.placed, m.way), -1.0f);
        at = tact_placed_back(w.placed, tact_less(at, w.placed.t));
    }
    // From midway between the surfaces to the core.
    PRECISE float inwards = apart * -0.5f - own.radius;
    at = tact_more(at, way, inwards);
    float cosine = tact_dot_vec(way, outward);
    PRECISE float least = tact_triangle_limit(TACT_SHAPES_WITH own, at, back, w.noise) - 1e-4f;
    TactChoice r = tact_no_choice();
    if (cosine < least) {
        r.how = TACT_CHOICE_FACE;
        r.second = second;
        r.alone = true;
        r.axis.first = face;
        r.axis.way = second ? tact_times(tact_placed_way(w.placed, outward), -1.0f) : outward;
        r.axis.apart = tact_apart_along(TACT_SHAPES_WITH w.a, w.b, w.placed, r.axis.way);
    }
    return r;
}

#endif
