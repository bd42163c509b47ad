// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Contacts of one point.
#ifndef TACT_CONTACT_POINTS_H
#define TACT_CONTACT_POINTS_H

#include "contact_axes.h"

FN float tact_within(float t)
{
    float least = t < 0.0f ? 0.0f : t;
    return least > 1.0f ? 1.0f : least;
}

STRUCT(TactManifold)
{
    TactVec way;  // of unit length, from A to B
    uint count;
    bool from_b;                       // points are measured from B's position, not from A's
    TactVec at[TACT_CONTACT_POINTS];   // midway between the surfaces
    float apart[TACT_CONTACT_POINTS];  // the surfaces; negative where they overlap
    uint feature[TACT_CONTACT_POINTS];
};

#define TACT_FEATURE_SECOND 0x80000000u  // the face is B's
#define TACT_FEATURE_EDGES 0x40000000u
#define TACT_FEATURE_CLOSEST 0x20000000u

FN TactManifold tact_no_manifold(void)
{
    TactManifold m;
    m.way = tact_vec(0.0f, 0.0f, 0.0f);
    m.count = 0u;
    m.from_b = false;
    for (uint k = 0u; k < to_uint(TACT_CONTACT_POINTS); ++k) {
        m.at[k] = m.way;
        m.apart[k] = 0.0f;
        m.feature[k] = 0u;
    }
    return m;
}

// One point between a point of either core.
FN TactManifold tact_point_contact(TactCore a, TactCore b, TactVec on_a, TactVec on_b, TactVec way, float apart,
                                   uint feature)
{
    TactManifold m = tact_no_manifold();
    PRECISE float surfaces = apart - (a.radius + b.radius);
    TactVec from = tact_more(on_a, way, a.radius);
    TactVec to = tact_more(on_b, way, -b.radius);
    m.way = way;
    m.count = 1u;
    m.at[0] = tact_more(from, tact_less(to, from), 0.5f);
    m.apart[0] = surfaces;
    m.feature[0] = feature;
    return m;
}

// A segment of a core's surface.
STRUCT(TactSegment)
{
    TactVec from, along;
    uint number;
};

// Where the lines of an edge of A and an edge of B come closest (Ericson: Real-Time Collision Detection, 2005, 5.1.9).
FN TactManifold tact_segment_contact(TactCore a, TactCore b, TactSegment of_a, TactSegment of_b, TactVec way,
                                     float apart)
{
    TactVec d = of_a.along;
    TactVec e = of_b.along;
    TactVec r = tact_less(of_b.from, of_a.from);
    TactVec n = tact_cross_vec(d, e);
    float n2 = tact_dot_vec(n, n);
    float s = tact_within(tact_div(tact_dot_vec(tact_cross_vec(r, e), n), n2));
    float t = tact_within(tact_div(tact_dot_vec(tact_cross_vec(r, d), n), n2));
    return tact_point_contact(a, b, tact_more(of_a.from, d, s), tact_more(of_b.from, e, t), way, apart,
                              TACT_FEATURE_EDGES | ((of_a.number & 0x3ffu) << 10) | (of_b.number & 0x3ffu));
}

FN TactManifold tact_edge_contact(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, TactAxis axis)
{
    uint4 first = EDGES(a.edge + axis.first);
    uint4 second = EDGES(b.edge + axis.second);
    TactSegment of_a;
    of_a.from = tact_core_point(TACT_SHAPES_WITH a, first.x);
    of_a.along = tact_core_edge(TACT_SHAPES_WITH a, first);
    of_a.number = axis.first;
    TactSegment of_b;
    of_b.from = tact_other_point(TACT_SHAPES_WITH b, placed, second.x);
    of_b.along = tact_placed_way(placed, tact_core_edge(TACT_SHAPES_WITH b, second));
    of_b.number = axis.second;
    return tact_segment_contact(a, b, of_a, of_b, axis.way, axis.apart);
}

#endif
