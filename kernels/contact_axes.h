// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Directions along which two cores are farthest apart, or overlap least: normals of faces, and what is across an edge
// of either (Gottschalk, Lin, Manocha: OBBTree, 1996, for boxes; Gregorius: The Separating Axis Test between Convex
// Polyhedra, 2013, for edges that meet on the Gauss map).
#ifndef TACT_CONTACT_AXES_H
#define TACT_CONTACT_AXES_H

#include "contact_shape.h"

STRUCT(TactAxis)
{
    TactVec way;  // of unit length, from A to B
    float apart;  // the separation along it; negative where they overlap
    uint first;   // the face, or A's edge; TACT_CONTACT_NONE: there is none
    uint second;  // B's edge
};

FN TactAxis tact_no_axis(void)
{
    TactAxis r;
    r.way = tact_vec(0.0f, 0.0f, 0.0f);
    r.apart = -3.40282347e38f;
    r.first = TACT_CONTACT_NONE;
    r.second = TACT_CONTACT_NONE;
    return r;
}

FN TactVec tact_face_normal(TACT_SHAPES_FROM TactCore c, uint f)
{
    uint4 plane = FACES(to_uint(TACT_FACE_ROWS) * (c.face + f));
    return tact_vec(as_float(plane.x), as_float(plane.y), as_float(plane.z));
}

// The face of a core that is turned the most against a direction of its body's frame; of equal ones the first.
FN uint tact_faces_against_each(TACT_SHAPES_FROM TactCore c, TactVec way)
{
    float least = 0.0f;
    uint face = 0u;
    for (uint f = 0u; f < c.face_count; ++f) {
        float turned = tact_dot_vec(tact_face_normal(TACT_SHAPES_WITH c, f), way);
        bool less = f == 0u || turned < least;
        least = less ? turned : least;
        face = less ? f : face;
    }
    return face;
}

#ifdef TACT_CONTACT_LANES
FN uint tact_faces_against(TACT_SHAPES_FROM TactCore c, TactVec way);
#else
#define tact_faces_against tact_faces_against_each
#endif

// The same; of a box by the longest part of the direction.
FN uint tact_face_against(TACT_SHAPES_FROM TactCore c, TactVec way)
{
    uint face = way.x < 0.0f ? 1u : 0u;
    if (c.kind == to_uint(TACT_KIND_BOX)) {
        float most = ABS(way.x);
        if (ABS(way.y) > most) {
            most = ABS(way.y);
            face = way.y < 0.0f ? 3u : 2u;
        }
        if (ABS(way.z) > most) face = way.z < 0.0f ? 5u : 4u;
    } else {
        face = tact_faces_against(TACT_SHAPES_WITH c, way);
    }
    return face;
}

// How far a face's plane is from its body's position.
FN float tact_face_offset(TACT_SHAPES_FROM TactCore c, uint f)
{
    PRECISE float offset = as_float(FACES(to_uint(TACT_FACE_ROWS) * (c.face + f)).w) * c.scale;
    return offset;
}

// The first points of the other core that were found farthest out from faces: what they show of a face spares looking
// at all points.
STRUCT(TactWitnesses)
{
    uint point[TACT_CONTACT_WITNESSES];
    uint count;
};

// What the separation along a face's normal is made of. `own`: A, or B where `second`.
STRUCT(TactAcross)
{
    TactVec normal;  // in the frame of A
    TactVec back;    // against it, in the frame of the other core
    float between;
    float offset;
};

FN TactAcross tact_across(TACT_SHAPES_FROM TactCore own, TactPlaced placed, bool second, uint f)
{
    TactAcross r;
    TactVec n = tact_face_normal(TACT_SHAPES_WITH own, f);
    r.offset = tact_face_offset(TACT_SHAPES_WITH own, f);
    if (second) {
        r.normal = tact_placed_way(placed, n);
        r.back = tact_times(r.normal, -1.0f);
        r.between = -tact_dot_vec(placed.t, r.normal);
    } else {
        r.normal = n;
        r.back = tact_times(tact_placed_back(placed, n), -1.0f);
        r.between = tact_dot_vec(placed.t, n);
    }
    return r;
}

// The separation along a face's normal where the other core's farthest point is `along` its back.
FN float tact_apart_across(TactAcross f, float along)
{
    PRECISE float apart = (f.between - along) - f.offset;
    return apart;
}

// Whether a witness shows that a face's separation is no more than `most`. Rounding keeps order: what the farthest
// point gives is no more than what any other does.
FN bool tact_is_within(TACT_SHAPES_FROM TactCore other, TactAcross f, TactWitnesses seen, float most)
{
    bool within = false;
    for (uint k = 0u; k < seen.count && !within; ++k) {
        float4 p = POINTS(other.point + seen.point[k]);
        PRECISE float along = tact_dot3(p.x, p.y, p.z, f.back.x, f.back.y, f.back.z) * other.scale;
        within = tact_apart_across(f, along) <= most;
    }
    return within;
}

STRUCT(TactFaces)
{
    TactAxis best;
    TactWitnesses seen;
};

FN TactFaces tact_no_faces(void)
{
    TactFaces r;
    r.best = tact_no_axis();
    r.seen.count = 0u;
    return r;
}

// What was found, and a face by all points of the other core, of which the farthest becomes a witness.
FN TactFaces tact_face_looked(TACT_SHAPES_FROM TactCore other, TactAcross across, uint f, TactFaces found)
{
    TactFaces r = found;
    TactFarthest farthest = tact_core_farthest(TACT_SHAPES_WITH other, across.back);
    float apart = tact_apart_across(across, farthest.along);
    if (r.seen.count < to_uint(TACT_CONTACT_WITNESSES)) {
        r.seen.point[r.seen.count] = farthest.i;
        r.seen.count = r.seen.count + 1u;
    }
    if (apart > r.best.apart) {
        r.best.apart = apart;
        r.best.way = across.normal;
        r.best.first = f;
    }
    return r;
}

// The face that is turned the most towards the other core's position, which is often the best.
FN uint tact_face_towards(TACT_SHAPES_FROM TactCore own, TactPlaced placed, bool second)
{
    TactVec away = tact_times(placed.t, -1.0f);
    if (second) away = tact_placed_back(placed, placed.t);
    return tact_face_against(TACT_SHAPES_WITH own, away);
}

// The best of the faces of A, or of B where `second`; of equal ones that towards the other core, then the first.
FN TactFaces tact_faces_each(TACT_SHAPES_FROM TactCore own, TactCore other, TactPlaced placed, bool second)
{
    TactFaces r = tact_no_faces();
    uint towards = tact_face_towards(TACT_SHAPES_WITH own, placed, second);
    for (uint k = 0u; own.face_count > 0u && k <= own.face_count; ++k) {
        // That one comes twice, since one place alone shall look at all points; its own witness rules it out then.
        uint f = k == 0u ? towards : k - 1u;
        TactAcross across = tact_across(TACT_SHAPES_WITH own, placed, second, f);
        if (!tact_is_within(TACT_SHAPES_WITH other, across, r.seen, r.best.apart)) {
            r = tact_face_looked(TACT_SHAPES_WITH other, across, f, r);
        }
    }
    if (second) r.best.way = tact_times(r.best.way, -1.0f);
    return r;
}

#ifdef TACT_CONTACT_LANES
FN TactFaces tact_faces(TACT_SHAPES_FROM TactCore own, TactCore other, TactPlaced placed, bool second);
#else
#define tact_faces tact_faces_each
#endif

// Whether the arc from normal `left` to `right`, across the edge e, can meet an arc across the edge of the other body
// with normals m and n: whether these lie on either side of the first's circle. A core without faces has whole circles.
FN bool tact_arc_parts(bool whole, TactVec left, TactVec right, TactVec other_edge)
{
    float l = tact_dot_vec(left, other_edge);
    float r = tact_dot_vec(right, other_edge);
    return whole || (l <= 0.0f && r >= 0.0f) || (l >= 0.0f && r <= 0.0f);
}

// On which side of the edge between two faces n leads outwards: 0 where it has none, or as good as none.
FN float tact_edge_side(TactVec left, TactVec right, TactVec n)
{
    TactVec outward = tact_more(left, right, 1.0f);
    float side = tact_dot_vec(outward, n);
    return tact_dot_vec(outward, outward) > 0.01f ? side : 0.0f;
}

// Whether along / sqrt(length2) > apart.
FN bool tact_is_farther(float along, float apart, float length2)
{
    PRECISE float along2 = along * along;
    PRECISE float apart2 = apart * apart * length2;
    return along >= 0.0f ? (apart < 0.0f || along2 > apart2) : (apart < 0.0f && along2 < apart2);
}

FN TactVec tact_edge_normal(TACT_SHAPES_FROM TactCore c, uint f)
{
    TactVec n = tact_vec(0.0f, 0.0f, 0.0f);
    if (f != TACT_CONTACT_NONE) n = tact_face_normal(TACT_SHAPES_WITH c, f);
    return n;
}

// Whether an edge has no directions between the normals of its faces: it has none, or they lie back to back.
FN bool tact_edge_is_open(TACT_SHAPES_FROM TactCore c, uint edge)
{
    uint4 row = EDGES(c.edge + edge);
    TactVec sum =
        tact_more(tact_edge_normal(TACT_SHAPES_WITH c, row.z), tact_edge_normal(TACT_SHAPES_WITH c, row.w), 1.0f);
    return tact_dot_vec(sum, sum) <= 0.01f;
}

// A bit for each edge of a core.
STRUCT(TactEdgeWords)
{
    uint may[TACT_CONTACT_EDGE_WORDS];
};

// Which edges of A, or of B where `second`, may have something across them that is better than `most` < 0, as far as
// the witnesses show. The separation along a direction between the normals of an edge's faces is at most what a point
// of the other core has above the edge, which is the same sum of what it has above both faces; and that direction is no
// longer than the sum.
FN TactEdgeWords tact_edge_words(TACT_SHAPES_FROM TactCore own, TactCore other, TactPlaced placed, bool second,
                                 TactWitnesses seen, float most)
{
    TactEdgeWords r;
    for (uint i = 0u; i < own.edge_count; ++i) {
        bool may = true;
        if (!tact_edge_is_open(TACT_SHAPES_WITH own, i)) {
            uint4 row = EDGES(own.edge + i);
            TactAcross left = tact_across(TACT_SHAPES_WITH own, placed, second, row.z);
            TactAcross right = tact_across(TACT_SHAPES_WITH own, placed, second, row.w);
            for (uint k = 0u; k < seen.count && may; ++k) {
                float4 p = POINTS(other.point + seen.point[k]);
                PRECISE float on_left = tact_dot3(p.x, p.y, p.z, left.back.x, left.back.y, left.back.z) * other.scale;
                PRECISE float on_right =
                    tact_dot3(p.x, p.y, p.z, right.back.x, right.back.y, right.back.z) * other.scale;
                may = tact_apart_across(left, on_left) > most || tact_apart_across(right, on_right) > most;
            }
        }
        uint bit = to_uint(may) << (i & 31u);
        r.may[i >> 5] = (i & 31u) == 0u ? bit : r.may[i >> 5] | bit;
    }
    return r;
}

// An edge from its first point to its second, in its body's frame. Of points that lie close to each other the
// difference is exact, which it is no longer once they were turned.
FN TactVec tact_core_edge(TACT_SHAPES_FROM TactCore c, uint4 edge)
{
    float4 from = POINTS(c.point + edge.x);
    float4 to = POINTS(c.point + edge.y);
    return tact_times(tact_less(tact_vec(to.x, to.y, to.z), tact_vec(from.x, from.y, from.z)), c.scale);
}

// What is across two edges. Of two that are nearly parallel most of what rounding does to it is along both of them,
// where it would move all points: so what is left along the first is taken out, and with it what is along the second.
FN TactVec tact_across_edges(TactVec d, TactVec e)
{
    TactVec n = tact_cross_vec(d, e);
    float d2 = tact_dot_vec(d, d);
    float along = d2 > 0.0f ? tact_div(tact_dot_vec(n, d), d2) : 0.0f;
    return tact_more(n, d, -along);
}

// The best of two edges, or `best` where they are no better. What a pair of edges says is proved by the farthest points
// along it: so no pair can be taken for better than it is.
FN TactAxis tact_edge_pair(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, uint i, uint j, TactAxis best)
{
    TactAxis r = best;
    uint4 first = EDGES(a.edge + i);
    uint4 second = EDGES(b.edge + j);
    TactVec a0 = tact_core_point(TACT_SHAPES_WITH a, first.x);
    TactVec d = tact_core_edge(TACT_SHAPES_WITH a, first);
    TactVec b0 = tact_other_point(TACT_SHAPES_WITH b, placed, second.x);
    TactVec e = tact_placed_way(placed, tact_core_edge(TACT_SHAPES_WITH b, second));
    TactVec a_left = tact_edge_normal(TACT_SHAPES_WITH a, first.z);
    TactVec a_right = tact_edge_normal(TACT_SHAPES_WITH a, first.w);
    TactVec b_left = tact_placed_way(placed, tact_edge_normal(TACT_SHAPES_WITH b, second.z));
    TactVec b_right = tact_placed_way(placed, tact_edge_normal(TACT_SHAPES_WITH b, second.w));
    if (tact_arc_parts(second.z == TACT_CONTACT_NONE, b_left, b_right, d) &&
        tact_arc_parts(first.z == TACT_CONTACT_NONE, a_left, a_right, e)) {
        TactVec n = tact_across_edges(d, e);
        float n2 = tact_dot_vec(n, n);
        PRECISE float parallel = 1e-12f * tact_dot_vec(d, d) * tact_dot_vec(e, e);
        if (n2 > parallel && n2 > TACT_CONTACT_LEAST4) {
            float between = tact_dot_vec(n, tact_less(b0, a0));
            float on_a = tact_edge_side(a_left, a_right, n);
            float on_b = tact_edge_side(b_left, b_right, n);
            // Of the two directions that in which both edges are outermost.
            for (uint turn = 0u; turn < 2u; ++turn) {
                float sign = turn == 0u ? 1.0f : -1.0f;
                PRECISE float say = sign * between;
                bool outermost = on_a * sign >= 0.0f && on_b * sign <= 0.0f;
                if (outermost && tact_is_farther(say, r.apart, n2)) {
                    TactVec way = tact_times(n, tact_div(sign, tact_sqrt(n2)));
                    float apart = tact_apart_along(TACT_SHAPES_WITH a, b, placed, way);
                    if (apart > r.apart) {
                        r.apart = apart;
                        r.way = way;
                        r.first = i;
                        r.second = j;
                    }
                }
            }
        }
    }
    return r;
}

// The best of an edge of A and an edge of B that is better than `least`; that, and no edges, where none is. Edges that
// cannot be better by more than `slack` are left out: `on_b` are points of B, `on_a` of A.
FN TactAxis tact_edges_each(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, TactWitnesses on_b,
                            TactWitnesses on_a, float least, float slack)
{
    TactAxis best = tact_no_axis();
    best.apart = least;
    PRECISE float most = (least < 0.0f ? least : 0.0f) - slack;
    TactEdgeWords of_a = tact_edge_words(TACT_SHAPES_WITH a, b, placed, false, on_b, most);
    TactEdgeWords of_b = tact_edge_words(TACT_SHAPES_WITH b, a, placed, true, on_a, most);
    uint a_words = (a.edge_count + 31u) >> 5;
    uint b_words = (b.edge_count + 31u) >> 5;
    for (uint v = 0u; v < b_words; ++v) {
        for (uint right = of_b.may[v]; right != 0u; right = right & (right - 1u)) {
            uint j = v * 32u + POPCOUNT((right & (~right + 1u)) - 1u);
            for (uint u = 0u; u < a_words; ++u) {
                for (uint left = of_a.may[u]; left != 0u; left = left & (left - 1u)) {
                    uint i = u * 32u + POPCOUNT((left & (~left + 1u)) - 1u);
                    best = tact_edge_pair(TACT_SHAPES_WITH a, b, placed, i, j, best);
                }
            }
        }
    }
    return best;
}

#ifdef TACT_CONTACT_LANES
FN TactAxis tact_edges(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, TactWitnesses on_b,
                       TactWitnesses on_a, float least, float slack);
#else
#define tact_edges tact_edges_each
#endif

// For cores without faces that lie in each other: something across both, or across the one that is not a point.
FN TactAxis tact_any_axis(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed)
{
    TactVec e = tact_vec(0.0f, 0.0f, 0.0f);
    if (b.edge_count > 0u) {
        e = tact_placed_way(placed, tact_core_edge(TACT_SHAPES_WITH b, EDGES(b.edge)));
    }
    if (a.edge_count > 0u) e = tact_core_edge(TACT_SHAPES_WITH a, EDGES(a.edge));
    // Across e and the axis that is most across it.
    TactVec other = tact_vec(1.0f, 0.0f, 0.0f);
    if (ABS(e.x) > ABS(e.y) || ABS(e.x) > ABS(e.z)) {
        other = ABS(e.y) > ABS(e.z) ? tact_vec(0.0f, 0.0f, 1.0f) : tact_vec(0.0f, 1.0f, 0.0f);
    }
    TactVec n = tact_cross_vec(e, other);
    float n2 = tact_dot_vec(n, n);
    TactAxis r = tact_no_axis();
    r.way = tact_vec(0.0f, 1.0f, 0.0f);
    if (n2 > TACT_CONTACT_LEAST4) r.way = tact_times(n, tact_div(1.0f, tact_sqrt(n2)));
    r.apart = tact_apart_along(TACT_SHAPES_WITH a, b, placed, r.way);
    return r;
}

#endif
