// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The contact of a pair of posed shapes.
#ifndef TACT_CONTACT_H
#define TACT_CONTACT_H

#include "contact_box.h"
#include "contact_rod.h"
#include "contact_simplex.h"

// Two cores that are segments, nearly parallel and beside each other: the ends of what they have in common. No points:
// they are not.
FN TactManifold tact_beside(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, TactVec way, float reach)
{
    TactManifold m = tact_no_manifold();
    if (a.point_count == 2u && b.point_count == 2u) {
        TactVec p = tact_core_point(TACT_SHAPES_WITH a, 0u);
        TactVec d = tact_less(tact_core_point(TACT_SHAPES_WITH a, 1u), p);
        TactVec q = tact_other_point(TACT_SHAPES_WITH b, placed, 0u);
        TactVec e = tact_less(tact_other_point(TACT_SHAPES_WITH b, placed, 1u), q);
        TactVec n = tact_cross_vec(d, e);
        float d2 = tact_dot_vec(d, d);
        PRECISE float turned2 = 1e-4f * d2 * tact_dot_vec(e, e);
        float along = tact_dot_vec(d, e);
        if (tact_dot_vec(n, n) < turned2) {
            // Where A's ends are along B, and B's along A.
            float e2 = tact_dot_vec(e, e);
            float from = tact_div(tact_dot_vec(tact_less(q, p), d), d2);
            PRECISE float to = from + tact_div(along, d2);
            float low = tact_within(from < to ? from : to);
            float high = tact_within(from < to ? to : from);
            PRECISE float least = (high - low) * (high - low) * d2;
            PRECISE float worth = 1e-4f * d2;
            if (least > worth) {
                for (uint k = 0u; k < 2u; ++k) {
                    TactVec on_a = tact_more(p, d, k == 0u ? low : high);
                    float s = tact_within(tact_div(tact_dot_vec(tact_less(on_a, q), e), e2));
                    TactVec on_b = tact_more(q, e, s);
                    float apart = tact_dot_vec(tact_less(on_b, on_a), way);
                    if (apart <= reach) {
                        TactManifold one =
                            tact_point_contact(a, b, on_a, on_b, way, apart, TACT_FEATURE_CLOSEST | 0x10000u | k);
                        m.at[m.count] = one.at[0];
                        m.apart[m.count] = one.apart[0];
                        m.feature[m.count] = one.feature[0];
                        m.count = m.count + 1u;
                    }
                }
            }
        }
    }
    m.way = way;
    return m;
}

FN TactManifold tact_closest_contact(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, TactDistance d,
                                     float reach)
{
    TactVec way = d.way;
    TactManifold m = tact_beside(TACT_SHAPES_WITH a, b, placed, way, reach);
    if (m.count < 2u) {
        TactVec on_a = tact_simplex_on_a(TACT_SHAPES_WITH a, d.simplex);
        m = tact_point_contact(a, b, on_a, tact_less(on_a, d.simplex.near), way, d.distance,
                               TACT_FEATURE_CLOSEST | ((d.simplex.p0.a & 0xffu) << 8) | (d.simplex.p0.b & 0xffu));
    }
    return m;
}

// What two cores that are no half-spaces have, by their distance and then along the directions that separate them.
FN TactManifold tact_solid_contact(TACT_SHAPES_FROM TactMeeting w)
{
    TactCore a = w.a;
    TactCore b = w.b;
    TactPlaced placed = w.placed;
    float reach = w.reach;
    float size = w.size;
    float noise = w.noise;
    TactManifold m = tact_no_manifold();
    TactDistance d = tact_core_distance(TACT_SHAPES_WITH a, b, placed, reach, noise);
    if (!d.farther && d.distance <= reach) {
        TactFaces of_a = tact_faces(TACT_SHAPES_WITH a, b, placed, false);
        TactFaces of_b = tact_faces(TACT_SHAPES_WITH b, a, placed, true);
        TactAxis first = of_a.best;
        TactAxis second = of_b.best;
        TactAxis edge = tact_no_axis();
        PRECISE float close = 0.00390625f * size;
        PRECISE float slack = 4.0f * noise;
        bool apart = d.distance > 0.0f;
        float best = first.apart > second.apart ? first.apart : second.apart;
        float closest = -3.40282347e38f;
        if (apart && d.distance > close) {
            PRECISE float about = d.distance * 3.81469727e-6f + slack;
            closest = d.distance;
            slack = about;
        } else {
            edge = tact_edges(TACT_SHAPES_WITH a, b, placed, of_a.seen, of_b.seen, best, slack);
            if (apart) {
                closest = tact_apart_along(TACT_SHAPES_WITH a, b, placed, d.way);
            } else if (edge.apart < -3e38f) {
                edge = tact_any_axis(TACT_SHAPES_WITH a, b, placed);
            }
        }
        best = edge.apart > best ? edge.apart : best;
        best = closest > best ? closest : best;
        PRECISE float about_first = first.apart + slack;
        PRECISE float about_second = second.apart + slack;
        if (about_first >= best) {
            m = tact_face_contact(TACT_SHAPES_WITH a, b, placed, first, false, reach, noise);
        } else if (about_second >= best) {
            m = tact_face_contact(TACT_SHAPES_WITH a, b, placed, second, true, reach, noise);
        } else if (edge.apart >= best) {
            if (edge.first != TACT_CONTACT_NONE) {
                m = tact_edge_contact(TACT_SHAPES_WITH a, b, placed, edge);
            } else {
                TactVec on_a = tact_simplex_on_a(TACT_SHAPES_WITH a, d.simplex);
                m = tact_point_contact(a, b, on_a, tact_more(on_a, edge.way, edge.apart), edge.way, edge.apart,
                                       TACT_FEATURE_EDGES);
            }
        } else {
            m = tact_closest_contact(TACT_SHAPES_WITH a, b, placed, d, reach);
        }
    }
    return m;
}

// The contact of a half-space with anything else.
FN TactManifold tact_half_space_contact(TACT_SHAPES_FROM TactMeeting w)
{
    TactManifold m = tact_no_manifold();
    bool second = w.a.kind != to_uint(TACT_KIND_HALF_SPACE);
    if (w.a.kind != w.b.kind) {
        TactCore own = w.a;
        TactCore other = w.b;
        if (second) {
            own = w.b;
            other = w.a;
        }
        TactAxis axis = tact_faces(TACT_SHAPES_WITH own, other, w.placed, second).best;
        if (axis.apart <= w.reach) {
            m = tact_face_contact(TACT_SHAPES_WITH w.a, w.b, w.placed, axis, second, w.reach, w.noise);
        }
    }
    return m;
}

// Half the length of a sphere's or capsule's segment.
FN float tact_rod_half(TACT_SHAPES_FROM TactCore c)
{
    return tact_core_point(TACT_SHAPES_WITH c, c.point_count - 1u).y;
}

FN TactManifold tact_rod_contact(TACT_SHAPES_FROM TactMeeting w)
{
    TactRods rods = tact_rods(w, tact_rod_half(TACT_SHAPES_WITH w.a), tact_rod_half(TACT_SHAPES_WITH w.b));
    TactManifold m = tact_no_manifold();
    if (rods.state == TACT_ROD_BESIDE) m = tact_beside(TACT_SHAPES_WITH w.a, w.b, w.placed, rods.way, w.reach);
    if (rods.state != TACT_ROD_APART && m.count < 2u) {
        m.count = 1u;
        m.way = rods.way;
        m.at[0] = rods.at;
        m.apart[0] = rods.apart;
        m.feature[0] = rods.feature;
    }
    return m;
}

// In the frame of A and its units.
FN TactManifold tact_core_contact(TACT_SHAPES_FROM TactMeeting w)
{
    TactManifold m = tact_no_manifold();
    if (w.a.kind == to_uint(TACT_KIND_HALF_SPACE) || w.b.kind == to_uint(TACT_KIND_HALF_SPACE)) {
        m = tact_half_space_contact(TACT_SHAPES_WITH w);
    } else if (w.a.kind <= to_uint(TACT_KIND_CAPSULE) && w.b.kind <= to_uint(TACT_KIND_CAPSULE)) {
        m = tact_rod_contact(TACT_SHAPES_WITH w);
    } else if (w.a.kind == to_uint(TACT_KIND_BOX) && w.b.kind == to_uint(TACT_KIND_BOX)) {
        TactBoxAxes axes =
            tact_box_axes(tact_box_half(TACT_SHAPES_WITH w.a), tact_box_half(TACT_SHAPES_WITH w.b), w.placed);
        float best = tact_box_best(axes);
        if (best <= 0.0f) {
            m = tact_box_contact(TACT_SHAPES_WITH w, axes);
        } else if (best <= w.reach) {
            m = tact_solid_contact(TACT_SHAPES_WITH w);
        }
    } else {
        m = tact_solid_contact(TACT_SHAPES_WITH w);
    }
    return m;
}

// A contact along the world's axes, points from A's position.
FN TactManifold tact_meeting_manifold(TactMeeting w, TactManifold m)
{
    TactManifold r = m;
    r.way = tact_meeting_way(w, m.way);
    for (uint k = 0u; k < m.count; ++k) {
        r.at[k] = tact_meeting_place(w, m.at[k]);
        r.apart[k] = tact_meeting_length(w, m.apart[k]);
    }
    return r;
}

// The contact of two bodies.
FN TactManifold tact_body_contact(TACT_SHAPES_FROM TactBodyRow a, TactBodyRow b)
{
    TactMeeting w = tact_meeting(a, b, tact_core_of(TACT_SHAPES_WITH a.shape, a.scale),
                                 tact_core_of(TACT_SHAPES_WITH b.shape, b.scale));
    TactManifold m = tact_no_manifold();
    if (w.there) m = tact_meeting_manifold(w, tact_core_contact(TACT_SHAPES_WITH w));
    return m;
}

#endif
