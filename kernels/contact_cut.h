// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The contact of a face with what faces it: the other core's face, edge or point is cut by the planes through the
// face's edges (Sutherland, Hodgman: Reentrant polygon clipping, 1974), and of the corners four stay.
#ifndef TACT_CONTACT_CUT_H
#define TACT_CONTACT_CUT_H

#include "contact_points.h"

// A polygon, or a segment or a point, while it is cut. A corner's tag says where it comes from: a point's number, or a
// plane and an edge; `edge` is that to the next corner: of the polygon, or from TACT_CONTACT_CORNERS on, a plane.
STRUCT(TactCut)
{
    TactVec at[TACT_CONTACT_CUT];
    uint tag[TACT_CONTACT_CUT];
    uint edge[TACT_CONTACT_CUT];
    uint count;
};

#define TACT_TAG_LEAVES 0x1000u
#define TACT_TAG_ENTERS 0x2000u
#define TACT_TAG_DEEPEST 0x4000u

// A point of A's core or of B's, in the frame of A.
FN TactVec tact_point_of(TACT_SHAPES_FROM TactCore c, TactPlaced placed, bool second, uint i)
{
    TactVec p = tact_core_point(TACT_SHAPES_WITH c, i);
    if (second) p = tact_more(placed.t, tact_placed_way(placed, p), 1.0f);
    return p;
}

// The corners of the face of `c` that is turned the most against n; of a core without faces its points. `second`: c is
// B's.
FN void tact_facing(TACT_SHAPES_FROM TactCore c, TactPlaced placed, bool second, TactVec n, INOUT(TactCut, cut))
{
    uint count = c.point_count;
    uint corner = 0u;
    if (c.face_count > 0u) {
        TactVec m = n;
        if (second) m = tact_placed_back(placed, n);
        uint face = tact_face_against(TACT_SHAPES_WITH c, m);
        uint4 row = FACES(to_uint(TACT_FACE_ROWS) * (c.face + face) + 1u);
        corner = row.x;
        count = row.y;
    }
    for (uint i = 0u; i < count; ++i) {
        uint point = i;
        if (c.face_count > 0u) point = CORNERS(corner + i);
        ITS(cut).at[i] = tact_point_of(TACT_SHAPES_WITH c, placed, second, point);
        ITS(cut).tag[i] = point;
        ITS(cut).edge[i] = i;
    }
    ITS(cut).count = count;
}

// Keeps of it what is at most `slack` beyond the plane through p with the normal n, of any length.
FN void tact_cut(INOUT(TactCut, c), TactVec p, TactVec n, float slack, uint plane)
{
    float beyond[TACT_CONTACT_CUT];
    bool all = true;
    uint count = ITS(c).count;
    for (uint i = 0u; i < count; ++i) {
        beyond[i] = tact_dot_vec(tact_less(ITS(c).at[i], p), n);
        all = all && beyond[i] <= slack;
    }
    if (!all) {
        TactCut r;
        r.count = 0u;
        for (uint i = 0u; i < count; ++i) {
            uint next = i + 1u < count ? i + 1u : 0u;
            float here = beyond[i];
            float there = beyond[next];
            bool in_here = here <= slack;
            bool in_there = there <= slack;
            if (in_here && r.count < to_uint(TACT_CONTACT_CUT)) {
                r.at[r.count] = ITS(c).at[i];
                r.tag[r.count] = ITS(c).tag[i];
                r.edge[r.count] = ITS(c).edge[i];
                r.count = r.count + 1u;
            }
            // A segment has one edge.
            bool crosses = in_here != in_there && (count > 2u || i == 0u);
            if (crosses && r.count < to_uint(TACT_CONTACT_CUT)) {
                PRECISE float whole = here - there;
                float t = tact_div(here, whole);
                t = t < 0.0f ? 0.0f : (t > 1.0f ? 1.0f : t);
                r.at[r.count] = tact_more(ITS(c).at[i], tact_less(ITS(c).at[next], ITS(c).at[i]), t);
                r.tag[r.count] = (in_here ? TACT_TAG_LEAVES : TACT_TAG_ENTERS) | (plane << 5) | ITS(c).edge[i];
                r.edge[r.count] = in_here ? to_uint(TACT_CONTACT_CORNERS) + plane : ITS(c).edge[i];
                r.count = r.count + 1u;
            }
        }
        for (uint i = 0u; i < r.count; ++i) {
            ITS(c).at[i] = r.at[i];
            ITS(c).tag[i] = r.tag[i];
            ITS(c).edge[i] = r.edge[i];
        }
        ITS(c).count = r.count;
    }
}

// Twice the area of the triangle from p and q to s, seen against n: negative on the other side.
FN float tact_area_to(TactVec p, TactVec q, TactVec s, TactVec n)
{
    return tact_dot_vec(tact_cross_vec(tact_less(q, p), tact_less(s, p)), n);
}

// Of the corners that are kept all, where there are no more than four. Else the one that is farthest from their middle,
// that farthest from it, the one that makes the largest area with both, and the one that adds the most to that: which
// is deepest has no part in that, so that corners at rest, nearly as deep as each other, stay the same. Where another
// is deeper than these by more than 64 noise it takes the place of the nearest. A later one is farther by 10 % of its
// square, or 2 %, or is not.
FN TactManifold tact_four(INOUT(TactCut, c), float apart[TACT_CONTACT_CUT], bool kept[TACT_CONTACT_CUT], TactVec n,
                          float noise)
{
    TactManifold m = tact_no_manifold();
    uint count = 0u;
    uint deepest = 0u;
    uint chosen[TACT_CONTACT_POINTS];
    float number = 0.0f;
    TactVec middle = tact_vec(0.0f, 0.0f, 0.0f);
    for (uint i = 0u; i < ITS(c).count; ++i) {
        if (kept[i]) {
            if (count < to_uint(TACT_CONTACT_POINTS)) chosen[count] = i;
            if (count == 0u || apart[i] < apart[deepest]) deepest = i;
            count = count + 1u;
            number = number + 1.0f;
            middle = tact_more(middle, ITS(c).at[i], 1.0f);
        }
    }
    if (count > to_uint(TACT_CONTACT_POINTS)) {
        middle = tact_times(middle, tact_div(1.0f, number));
        uint first = chosen[0];
        float most = -1.0f;
        for (uint i = 0u; i < ITS(c).count; ++i) {
            TactVec d = tact_less(ITS(c).at[i], middle);
            float d2 = tact_dot_vec(d, d);
            PRECISE float enough = most * 1.1f;
            if (kept[i] && d2 > enough) {
                most = d2;
                first = i;
            }
        }
        uint second = first;
        most = -1.0f;
        for (uint i = 0u; i < ITS(c).count; ++i) {
            TactVec d = tact_less(ITS(c).at[i], ITS(c).at[first]);
            float d2 = tact_dot_vec(d, d);
            PRECISE float enough = most * 1.02f;
            if (kept[i] && i != first && d2 > enough) {
                most = d2;
                second = i;
            }
        }
        uint third = first;
        float side = 1.0f;
        most = TACT_CONTACT_LEAST;
        for (uint i = 0u; i < ITS(c).count; ++i) {
            float area = tact_area_to(ITS(c).at[first], ITS(c).at[second], ITS(c).at[i], n);
            PRECISE float enough = most * 1.02f;
            if (kept[i] && ABS(area) > enough) {
                most = ABS(area);
                side = area < 0.0f ? 1.0f : -1.0f;
                third = i;
            }
        }
        uint fourth = first;
        most = TACT_CONTACT_LEAST;
        for (uint i = 0u; i < ITS(c).count && third != first; ++i) {
            float of_first = side * tact_area_to(ITS(c).at[first], ITS(c).at[second], ITS(c).at[i], n);
            float of_second = side * tact_area_to(ITS(c).at[second], ITS(c).at[third], ITS(c).at[i], n);
            float of_third = side * tact_area_to(ITS(c).at[third], ITS(c).at[first], ITS(c).at[i], n);
            float area = of_second > of_first ? of_second : of_first;
            area = of_third > area ? of_third : area;
            PRECISE float enough = most * 1.02f;
            if (kept[i] && area > enough) {
                most = area;
                fourth = i;
            }
        }
        chosen[0] = first;
        count = 1u;
        for (uint k = 0u; k < 3u; ++k) {
            uint other = k == 0u ? second : (k == 1u ? third : fourth);
            if (other != first) {
                chosen[count] = other;
                count = count + 1u;
            }
        }
        PRECISE float enough = apart[deepest] + 64.0f * noise;
        bool as_deep = false;
        uint nearest = 0u;
        float least = 3.40282347e38f;
        for (uint k = 0u; k < count; ++k) {
            as_deep = as_deep || apart[chosen[k]] <= enough;
            TactVec d = tact_less(ITS(c).at[chosen[k]], ITS(c).at[deepest]);
            float d2 = tact_dot_vec(d, d);
            if (d2 < least) {
                least = d2;
                nearest = k;
            }
        }
        if (!as_deep) chosen[nearest] = deepest;
    }
    m.count = count;
    for (uint k = 0u; k < count; ++k) {
        m.at[k] = ITS(c).at[chosen[k]];
        m.apart[k] = apart[chosen[k]];
        m.feature[k] = ITS(c).tag[chosen[k]];
    }
    return m;
}

// Ascending by feature.
FN TactManifold tact_in_order(TactManifold m)
{
    TactManifold r = m;
    for (uint i = 1u; i < r.count; ++i) {
        for (uint k = i; k > 0u; --k) {
            if (r.feature[k] < r.feature[k - 1u]) {
                TactVec at = r.at[k];
                float apart = r.apart[k];
                uint feature = r.feature[k];
                r.at[k] = r.at[k - 1u];
                r.apart[k] = r.apart[k - 1u];
                r.feature[k] = r.feature[k - 1u];
                r.at[k - 1u] = at;
                r.apart[k - 1u] = apart;
                r.feature[k - 1u] = feature;
            }
        }
    }
    return r;
}

// The contact along an axis of a face of A, or of B where `second`, with the other core. The face is turned along the
// axis, as good as; separations are those along the axis.
FN TactManifold tact_face_contact(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, TactAxis axis, uint face,
                                  bool second, float reach, float noise)
{
    TactCore own = a;
    TactCore other = b;
    if (second) {
        own = b;
        other = a;
    }
    TactVec outward = second ? tact_times(axis.way, -1.0f) : axis.way;
    TactVec n = tact_face_normal(TACT_SHAPES_WITH own, face);
    float offset = tact_face_offset(TACT_SHAPES_WITH own, face);
    if (second) {
        n = tact_placed_way(placed, n);
        PRECISE float moved = offset + tact_dot_vec(placed.t, n);
        offset = moved;
    }
    float turned = tact_dot_vec(n, outward);
    TactCut c;
    tact_facing(TACT_SHAPES_WITH other, placed, !second, n, BY(c));
    uint4 row = FACES(to_uint(TACT_FACE_ROWS) * (own.face + face) + 1u);
    TactVec q = tact_vec(0.0f, 0.0f, 0.0f);
    if (row.y > 0u) q = tact_point_of(TACT_SHAPES_WITH own, placed, second, CORNERS(row.x));
    for (uint i = 0u; i < row.y; ++i) {
        uint next = i + 1u < row.y ? i + 1u : 0u;
        TactVec p = q;
        q = tact_point_of(TACT_SHAPES_WITH own, placed, second, CORNERS(row.x + next));
        TactVec side = tact_cross_vec(tact_less(q, p), n);
        PRECISE float slack = noise * tact_sqrt(tact_dot_vec(side, side)) + TACT_CONTACT_LEAST4;
        tact_cut(BY(c), p, side, slack, i);
    }
    float apart[TACT_CONTACT_CUT];
    bool kept[TACT_CONTACT_CUT];
    uint least = 0u;
    for (uint i = 0u; i < c.count; ++i) {
        PRECISE float plane = tact_dot_vec(c.at[i], n) - offset;
        float along = tact_div(plane, turned);
        apart[i] = along < axis.apart ? axis.apart : along;
        kept[i] = apart[i] <= reach;
        if (apart[i] < apart[least]) least = i;
    }
    // The deepest of the corners is as deep as the axis says, but for how the face is turned against it. Where none
    // comes near that, the deepest point stands for itself.
    PRECISE float near = axis.apart + 4096.0f * noise;
    if (c.count > 0u && apart[least] <= near) {
        apart[least] = axis.apart;
        kept[least] = true;
    } else {
        TactVec way = tact_times(outward, -1.0f);
        if (!second) way = tact_placed_back(placed, way);
        TactFarthest deepest = tact_core_farthest(TACT_SHAPES_WITH other, way);
        uint last = c.count < to_uint(TACT_CONTACT_CUT) ? c.count : to_uint(TACT_CONTACT_CUT) - 1u;
        c.at[last] = tact_point_of(TACT_SHAPES_WITH other, placed, !second, deepest.i);
        c.tag[last] = TACT_TAG_DEEPEST | deepest.i;
        apart[last] = axis.apart;
        kept[last] = true;
        c.count = last + 1u;
    }
    TactManifold m = tact_four(BY(c), apart, kept, n, noise);
    m.way = axis.way;
    for (uint k = 0u; k < m.count; ++k) {
        PRECISE float back = ((m.apart[k] + other.radius) - own.radius) * 0.5f;
        PRECISE float surfaces = m.apart[k] - (a.radius + b.radius);
        m.at[k] = tact_more(m.at[k], outward, -back);
        m.apart[k] = surfaces;
        m.feature[k] = (second ? TACT_FEATURE_SECOND : 0u) | ((face & 0x1ffu) << 16) | m.feature[k];
    }
    return tact_in_order(m);
}

// The face of a core that is turned along a direction of its body's frame, within 8 degrees; TACT_CONTACT_NONE: none
// is.
FN uint tact_face_along(TACT_SHAPES_FROM TactCore c, TactVec way)
{
    uint face = TACT_CONTACT_NONE;
    if (c.face_count > 0u) {
        uint most = tact_face_against(TACT_SHAPES_WITH c, tact_times(way, -1.0f));
        if (tact_dot_vec(tact_face_normal(TACT_SHAPES_WITH c, most), way) > 0.99f) face = most;
    }
    return face;
}

STRUCT(TactFlat)
{
    uint face;    // TACT_CONTACT_NONE: there is none
    bool second;  // it is B's
};

FN TactFlat tact_no_flat(void)
{
    TactFlat r;
    r.face = TACT_CONTACT_NONE;
    r.second = false;
    return r;
}

// The face that is turned along a direction from A to B: A's, else B's. Of cores of one point none is. It makes the
// contact along an axis of any kind: so a body that lies on another keeps its points while the best axis is now a
// face's, now that across two edges.
FN TactFlat tact_flat_face(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, TactVec way)
{
    TactFlat r = tact_no_flat();
    if (a.point_count > 1u && b.point_count > 1u) {
        r.face = tact_face_along(TACT_SHAPES_WITH a, way);
        if (r.face == TACT_CONTACT_NONE) {
            r.second = true;
            r.face = tact_face_along(TACT_SHAPES_WITH b, tact_placed_back(placed, tact_times(way, -1.0f)));
        }
    }
    return r;
}

#endif
