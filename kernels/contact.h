// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The contact of a pair of posed shapes.
#ifndef TACT_CONTACT_H
#define TACT_CONTACT_H

#include "contact_box.h"
#include "contact_simplex.h"
#include "particle_contact.h"

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
FN TactManifold tact_solid_contact(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, float reach, float size,
                                   float noise)
{
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

// In the frame of A. `margin`: how far apart surfaces may be.
FN TactManifold tact_core_contact(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, float margin)
{
    TactManifold m = tact_no_manifold();
    PRECISE float reach = (a.radius + b.radius) + margin;
    PRECISE float size = a.extent + b.extent;
    PRECISE float noise = 9.53674316e-7f * size + TACT_CONTACT_LEAST;
    PRECISE float outer = size + reach;
    PRECISE float outer2 = outer * outer * 1.00001f;
    if (a.kind == to_uint(TACT_KIND_HALF_SPACE) || b.kind == to_uint(TACT_KIND_HALF_SPACE)) {
        bool second = a.kind != to_uint(TACT_KIND_HALF_SPACE);
        if (a.kind != b.kind) {
            TactCore own = a;
            TactCore other = b;
            if (second) {
                own = b;
                other = a;
            }
            TactAxis axis = tact_faces(TACT_SHAPES_WITH own, other, placed, second).best;
            if (axis.apart <= reach) m = tact_face_contact(TACT_SHAPES_WITH a, b, placed, axis, second, reach, noise);
        }
    } else if (tact_dot_vec(placed.t, placed.t) <= outer2) {
        bool boxes = a.kind == to_uint(TACT_KIND_BOX) && b.kind == to_uint(TACT_KIND_BOX);
        float best = 0.0f;
        if (boxes) {
            TactBoxAxes axes =
                tact_box_axes(tact_box_half(TACT_SHAPES_WITH a), tact_box_half(TACT_SHAPES_WITH b), placed);
            best = tact_box_best(axes);
            if (best <= 0.0f) m = tact_box_contact(TACT_SHAPES_WITH a, b, placed, axes, reach, noise);
        }
        if (!boxes || (best > 0.0f && best <= reach)) {
            m = tact_solid_contact(TACT_SHAPES_WITH a, b, placed, reach, size, noise);
        }
    }
    return m;
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

// Numbers below 2^-126, which some devices do not have, are 0, and so is -0.
FN TactVec tact_contact_vec(TactVec v)
{
    return tact_vec(tact_contact_number(v.x), tact_contact_number(v.y), tact_contact_number(v.z));
}

// The contact of two bodies: the normal along the world's axes, points along them from A's position. It is worked out
// in units of a power of two about their size, so that no square is too large or too small for a float. Bodies below
// 2^-100 touch nothing.
FN TactManifold tact_body_contact(TACT_SHAPES_FROM TactBodyRow a, TactBodyRow b)
{
    TactPlaced axes_a = tact_axes_of(a.qx, a.qy, a.qz, a.qw);
    TactPlaced axes_b = tact_axes_of(b.qx, b.qy, b.qz, b.qw);
    TactPlaced placed = tact_placed(axes_a, axes_b, tact_between_bodies(a, b));
    TactCore core_a = tact_core_of(TACT_SHAPES_WITH a.shape, a.scale);
    TactCore core_b = tact_core_of(TACT_SHAPES_WITH b.shape, b.scale);
    PRECISE float margin = a.margin + b.margin;
    PRECISE float whole = ((core_a.extent + core_b.extent) + (core_a.radius + core_b.radius)) + margin;
    uint exponent = as_uint(whole) >> 23;
    TactManifold m = tact_no_manifold();
    if (exponent >= 27u && exponent <= 227u) {
        float times = as_float((254u - exponent) << 23);
        float back = as_float(exponent << 23);
        PRECISE float margin_there = margin * times;
        placed.t = tact_times(placed.t, times);
        m = tact_core_contact(TACT_SHAPES_WITH tact_core_scaled(core_a, times), tact_core_scaled(core_b, times), placed,
                              margin_there);
        m.way = tact_contact_vec(tact_placed_way(axes_a, m.way));
        for (uint k = 0u; k < m.count; ++k) {
            m.at[k] = tact_contact_vec(tact_times(tact_placed_way(axes_a, m.at[k]), back));
            PRECISE float apart = m.apart[k] * back;
            m.apart[k] = tact_contact_number(apart);
        }
    }
    return m;
}

#endif
