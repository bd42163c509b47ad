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

// How far a face's plane is from its body's position.
FN float tact_face_offset(TACT_SHAPES_FROM TactCore c, uint f)
{
    PRECISE float offset = as_float(FACES(to_uint(TACT_FACE_ROWS) * (c.face + f)).w) * c.scale;
    return offset;
}

// The best of A's faces; of equal ones the first.
FN TactAxis tact_first_faces(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed)
{
    TactAxis best = tact_no_axis();
    for (uint f = 0u; f < a.face_count; ++f) {
        TactVec n = tact_face_normal(TACT_SHAPES_WITH a, f);
        TactFarthest of_b = tact_core_farthest(TACT_SHAPES_WITH b, tact_times(tact_placed_back(placed, n), -1.0f));
        PRECISE float apart = (tact_dot_vec(placed.t, n) - of_b.along) - tact_face_offset(TACT_SHAPES_WITH a, f);
        if (apart > best.apart) {
            best.apart = apart;
            best.way = n;
            best.first = f;
        }
    }
    return best;
}

// The best of B's faces. The way is from A to B all the same.
FN TactAxis tact_second_faces(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed)
{
    TactAxis best = tact_no_axis();
    for (uint f = 0u; f < b.face_count; ++f) {
        TactVec n = tact_placed_way(placed, tact_face_normal(TACT_SHAPES_WITH b, f));
        TactFarthest of_a = tact_core_farthest(TACT_SHAPES_WITH a, tact_times(n, -1.0f));
        PRECISE float apart = (-of_a.along - tact_dot_vec(placed.t, n)) - tact_face_offset(TACT_SHAPES_WITH b, f);
        if (apart > best.apart) {
            best.apart = apart;
            best.way = tact_times(n, -1.0f);
            best.first = f;
        }
    }
    return best;
}

// Whether the arc from normal `left` to `right`, across the edge e, can meet an arc across the edge of the other body
// with normals m and n: whether these lie on either side of the first's circle. A core without faces has whole circles.
FN bool tact_arc_parts(bool whole, TactVec left, TactVec right, TactVec other_edge)
{
    float l = tact_dot_vec(left, other_edge);
    float r = tact_dot_vec(right, other_edge);
    return whole || (l <= 0.0f && r >= 0.0f) || (l >= 0.0f && r <= 0.0f);
}

FN TactVec tact_edge_normal(TACT_SHAPES_FROM TactCore c, uint f)
{
    TactVec n = tact_vec(0.0f, 0.0f, 0.0f);
    if (f != TACT_CONTACT_NONE) n = tact_face_normal(TACT_SHAPES_WITH c, f);
    return n;
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

// The best of an edge of A and an edge of B that is better than `least`; that, and no edges, where none is. What a pair
// of edges says is proved by the farthest points along it: so no pair can be taken for better than it is.
FN TactAxis tact_edges(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, float least)
{
    TactAxis best = tact_no_axis();
    best.apart = least;
    for (uint j = 0u; j < b.edge_count; ++j) {
        uint4 second = EDGES(b.edge + j);
        TactVec b0 = tact_other_point(TACT_SHAPES_WITH b, placed, second.x);
        TactVec b1 = tact_other_point(TACT_SHAPES_WITH b, placed, second.y);
        TactVec e = tact_less(b1, b0);
        float e2 = tact_dot_vec(e, e);
        bool b_whole = second.z == TACT_CONTACT_NONE;
        TactVec b_left = tact_placed_way(placed, tact_edge_normal(TACT_SHAPES_WITH b, second.z));
        TactVec b_right = tact_placed_way(placed, tact_edge_normal(TACT_SHAPES_WITH b, second.w));
        for (uint i = 0u; i < a.edge_count; ++i) {
            uint4 first = EDGES(a.edge + i);
            TactVec a0 = tact_core_point(TACT_SHAPES_WITH a, first.x);
            TactVec d = tact_less(tact_core_point(TACT_SHAPES_WITH a, first.y), a0);
            bool a_whole = first.z == TACT_CONTACT_NONE;
            TactVec a_left = tact_edge_normal(TACT_SHAPES_WITH a, first.z);
            TactVec a_right = tact_edge_normal(TACT_SHAPES_WITH a, first.w);
            if (tact_arc_parts(b_whole, b_left, b_right, d) && tact_arc_parts(a_whole, a_left, a_right, e)) {
                TactVec n = tact_cross_vec(d, e);
                float n2 = tact_dot_vec(n, n);
                PRECISE float parallel = 1e-12f * tact_dot_vec(d, d) * e2;
                if (n2 > parallel && n2 > TACT_CONTACT_LEAST4) {
                    float between = tact_dot_vec(n, tact_less(b0, a0));
                    float on_a = tact_edge_side(a_left, a_right, n);
                    float on_b = tact_edge_side(b_left, b_right, n);
                    // Of the two directions that in which both edges are outermost.
                    for (uint turn = 0u; turn < 2u; ++turn) {
                        float sign = turn == 0u ? 1.0f : -1.0f;
                        PRECISE float say = sign * between;
                        bool outermost = on_a * sign >= 0.0f && on_b * sign <= 0.0f;
                        if (outermost && tact_is_farther(say, best.apart, n2)) {
                            TactVec way = tact_times(n, tact_div(sign, tact_sqrt(n2)));
                            float apart = tact_apart_along(TACT_SHAPES_WITH a, b, placed, way);
                            if (apart > best.apart) {
                                best.apart = apart;
                                best.way = way;
                                best.first = i;
                                best.second = j;
                            }
                        }
                    }
                }
            }
        }
    }
    return best;
}

// For cores without faces that lie in each other: something across both, or across the one that is not a point.
FN TactAxis tact_any_axis(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed)
{
    TactVec e = tact_vec(0.0f, 0.0f, 0.0f);
    if (b.edge_count > 0u) {
        uint4 edge = EDGES(b.edge);
        e = tact_less(tact_other_point(TACT_SHAPES_WITH b, placed, edge.y),
                      tact_other_point(TACT_SHAPES_WITH b, placed, edge.x));
    }
    if (a.edge_count > 0u) {
        uint4 edge = EDGES(a.edge);
        e = tact_less(tact_core_point(TACT_SHAPES_WITH a, edge.y), tact_core_point(TACT_SHAPES_WITH a, edge.x));
    }
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
