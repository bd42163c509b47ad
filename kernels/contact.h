// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The contact of a pair of posed shapes.
#ifndef TACT_CONTACT_H
#define TACT_CONTACT_H

#include "contact_ball.h"
#include "contact_parts.h"
#include "contact_rod.h"
#include "contact_rod_box.h"
#include "contact_rod_triangle.h"
#include "contact_simplex.h"
#include "contact_triangle.h"

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

// Whether a direction separates cores by as much as their distance. The search may end without one, where it finds
// nothing closer.
FN bool tact_is_shown(TactDistance d, float noise)
{
    PRECISE float more = (d.distance - d.along) - d.distance * 1e-5f;
    return more <= 4.0f * noise;
}

// The best of an edge of A and an edge of B, where normals of faces do not show that the cores are well apart.
FN TactAxis tact_solid_edges(TACT_SHAPES_FROM TactMeeting w, TactFaces of_a, TactFaces of_b)
{
    TactAxis edge = tact_no_axis();
    float best = of_a.best.apart > of_b.best.apart ? of_a.best.apart : of_b.best.apart;
    PRECISE float close = 0.00390625f * w.size;
    PRECISE float slack = 4.0f * w.noise;
    if (best <= close) {
        edge = tact_edges(TACT_SHAPES_WITH w.a, w.b, w.placed, of_a.seen, of_b.seen, best, slack);
    }
    return edge;
}

// What makes the contact of two cores of which neither is a half-space, by their axes and, where these do not show that
// they overlap, their distance.
FN TactChoice tact_solid_choice(TACT_SHAPES_FROM TactMeeting w, TactDistance d, TactAxis of_a, TactAxis of_b,
                                TactAxis of_edges)
{
    TactChoice r = tact_no_choice();
    TactAxis edge = of_edges;
    PRECISE float close = 0.00390625f * w.size;
    PRECISE float slack = 4.0f * w.noise;
    float closest = -3.40282347e38f;
    if (d.distance > close && tact_is_shown(d, w.noise)) {
        PRECISE float about = d.distance * 3.81469727e-6f + slack;
        closest = d.distance;
        slack = about;
    } else if (d.distance > 0.0f) {
        closest = tact_apart_along(TACT_SHAPES_WITH w.a, w.b, w.placed, d.way);
    } else if (edge.apart < -3e38f) {
        edge = tact_any_axis(TACT_SHAPES_WITH w.a, w.b, w.placed);
    }
    float best = of_a.apart > of_b.apart ? of_a.apart : of_b.apart;
    best = edge.apart > best ? edge.apart : best;
    best = closest > best ? closest : best;
    PRECISE float about_first = of_a.apart + slack;
    PRECISE float about_second = of_b.apart + slack;
    if (about_first >= best) {
        r.how = TACT_CHOICE_FACE;
        r.axis = of_a;
    } else if (about_second >= best) {
        r.how = TACT_CHOICE_FACE;
        r.second = true;
        r.axis = of_b;
    } else if (edge.apart >= best) {
        r.how = edge.first != TACT_CONTACT_NONE ? TACT_CHOICE_EDGES : TACT_CHOICE_ANY;
        r.axis = edge;
    } else {
        bool shown = tact_is_shown(d, w.noise);
        r.how = shown ? TACT_CHOICE_CLOSEST : TACT_CHOICE_ANY;
        r.axis.way = d.way;
        r.axis.apart = shown ? d.distance : closest;
    }
    return r;
}

// The contact that was chosen.
FN TactManifold tact_chosen(TACT_SHAPES_FROM TactMeeting w, TactChoice c, TactDistance d, TactBoxAxes axes)
{
    TactManifold m = tact_no_manifold();
    TactFlat flat_face = tact_no_flat();
    TactBoxFlat box_face;
    box_face.there = 0.0f;
    if (w.a.kind == to_uint(TACT_KIND_BOX) && w.b.kind == to_uint(TACT_KIND_BOX)) {
        box_face = tact_box_flat(w.placed, c.axis.way);
    } else {
        flat_face = tact_flat_face(TACT_SHAPES_WITH w.a, w.b, w.placed, c.axis.way);
    }
    if (c.alone || (c.how == TACT_CHOICE_FACE && flat_face.face == TACT_CONTACT_NONE)) {
        flat_face.face = c.axis.first;
        flat_face.second = c.second;
    }
    if (box_face.there > 0.5f) {
        m = tact_box_manifold(tact_box_faces(w, tact_box_half(TACT_SHAPES_WITH w.a),
                                             tact_box_half(TACT_SHAPES_WITH w.b), c.axis.way, c.axis.apart, box_face),
                              c.axis.way, box_face);
    } else if (flat_face.face != TACT_CONTACT_NONE) {
        m = tact_face_contact(TACT_SHAPES_WITH w.a, w.b, w.placed, c.axis, flat_face.face, flat_face.second, w.reach,
                              w.noise);
    } else if (c.how == TACT_CHOICE_EDGES) {
        m = tact_edge_contact(TACT_SHAPES_WITH w.a, w.b, w.placed, c.axis);
    } else if (c.how == TACT_CHOICE_BOX_EDGES) {
        m = tact_box_edges(TACT_SHAPES_WITH w, axes, c.axis.way);
    } else if (c.how == TACT_CHOICE_CLOSEST) {
        m = tact_closest_contact(TACT_SHAPES_WITH w.a, w.b, w.placed, d, w.reach);
    } else if (c.how == TACT_CHOICE_ANY) {
        TactVec on_a = tact_simplex_on_a(TACT_SHAPES_WITH w.a, d.simplex);
        m = tact_point_contact(w.a, w.b, on_a, tact_more(on_a, c.axis.way, c.axis.apart), c.axis.way, c.axis.apart,
                               TACT_FEATURE_EDGES);
    }
    return m;
}

FN TactManifold tact_one_contact(TactOnePoint p)
{
    TactManifold m = tact_no_manifold();
    if (p.state != TACT_POINT_NONE) {
        m.count = 1u;
        m.way = p.way;
        m.at[0] = p.at;
        m.apart[0] = p.apart;
        m.feature[0] = p.feature;
    }
    return m;
}

FN TactManifold tact_rod_contact(TACT_SHAPES_FROM TactMeeting w)
{
    TactOnePoint rods = tact_rods(w, tact_rod_half(TACT_SHAPES_WITH w.a), tact_rod_half(TACT_SHAPES_WITH w.b));
    TactManifold m = tact_no_manifold();
    if (rods.state == TACT_POINT_BESIDE) m = tact_beside(TACT_SHAPES_WITH w.a, w.b, w.placed, rods.way, w.reach);
    if (m.count < 2u) m = tact_one_contact(rods);
    return m;
}

// What makes the contact of two polytopes, of which one may be a half-space.
STRUCT(TactSolid)
{
    TactChoice choice;
    TactDistance distance;
};

FN TactSolid tact_no_solid(void)
{
    TactSolid r;
    r.choice = tact_no_choice();
    r.distance = tact_no_distance();
    return r;
}

FN TactSolid tact_solid_of(TACT_SHAPES_FROM TactMeeting w, bool half_a, bool half_b)
{
    TactSolid r = tact_no_solid();
    bool solid = !half_a && !half_b;
    solid = solid && !tact_are_far(TACT_SHAPES_WITH w.a, w.b, w.placed, w.reach, w.noise);
    TactFaces of_a = tact_no_faces();
    TactFaces of_b = of_a;
    for (uint side = 0u; side < 2u; ++side) {
        bool second = side == 1u;
        if (solid || (second ? half_b && !half_a : half_a && !half_b)) {
            TactCore own = w.a;
            TactCore other = w.b;
            if (second) {
                own = w.b;
                other = w.a;
            }
            TactFaces looked = tact_faces(TACT_SHAPES_WITH own, other, w.placed, second);
            if (second) {
                of_b = looked;
            } else {
                of_a = looked;
            }
            solid = solid && looked.best.apart <= w.reach;
        }
    }
    if (solid) {
        TactAxis edge = tact_solid_edges(TACT_SHAPES_WITH w, of_a, of_b);
        float best = of_a.best.apart > of_b.best.apart ? of_a.best.apart : of_b.best.apart;
        best = edge.apart > best ? edge.apart : best;
        // What overlaps along all of these overlaps.
        bool overlaps = best <= -4.0f * w.noise && best > -3e38f;
        if (best <= w.reach && !overlaps) {
            r.distance = tact_core_distance(TACT_SHAPES_WITH w.a, w.b, w.placed, w.reach, w.noise);
        }
        solid = best <= w.reach && !r.distance.farther &&
                (r.distance.distance <= w.reach || !tact_is_shown(r.distance, w.noise));
        if (solid) r.choice = tact_solid_choice(TACT_SHAPES_WITH w, r.distance, of_a.best, of_b.best, edge);
        if (r.choice.axis.apart > w.reach) r.choice = tact_no_choice();
    } else if (half_a != half_b) {
        r.choice.second = half_b;
        r.choice.alone = true;
        r.choice.axis = of_a.best;
        if (half_b) r.choice.axis = of_b.best;
        if (r.choice.axis.apart <= w.reach) r.choice.how = TACT_CHOICE_FACE;
    }
    return r;
}

// In the frame of A and its units. `one_sided`: a triangle touches what is in front of it alone.
FN TactManifold tact_core_contact(TACT_SHAPES_FROM TactMeeting w, bool one_sided)
{
    TactManifold m = tact_no_manifold();
    TactChoice choice = tact_no_choice();
    TactBoxAxes axes = tact_no_box_axes();
    bool half_a = w.a.kind == to_uint(TACT_KIND_HALF_SPACE);
    bool half_b = w.b.kind == to_uint(TACT_KIND_HALF_SPACE);
    bool solid = !half_a && !half_b;
    if (w.a.kind <= to_uint(TACT_KIND_CAPSULE) && w.b.kind <= to_uint(TACT_KIND_CAPSULE)) {
        solid = false;
        m = tact_rod_contact(TACT_SHAPES_WITH w);
    } else if (w.a.kind + w.b.kind == to_uint(TACT_KIND_BOX) && w.a.kind != w.b.kind) {
        // The kind of a sphere is 0.
        bool second = w.b.kind == to_uint(TACT_KIND_SPHERE);
        TactCore box = w.b;
        if (second) box = w.a;
        solid = false;
        m = tact_one_contact(tact_ball_box(w, tact_box_half(TACT_SHAPES_WITH box), second));
    } else if ((w.a.kind == to_uint(TACT_KIND_CAPSULE) && w.b.kind == to_uint(TACT_KIND_BOX)) ||
               (w.a.kind == to_uint(TACT_KIND_BOX) && w.b.kind == to_uint(TACT_KIND_CAPSULE))) {
        bool second = w.b.kind == to_uint(TACT_KIND_BOX);
        TactCore box = w.a;
        TactCore rod = w.b;
        if (second) {
            box = w.b;
            rod = w.a;
        }
        solid = false;
        m = tact_rod_box_manifold(
            tact_rod_box(w, tact_rod_half(TACT_SHAPES_WITH rod), tact_box_half(TACT_SHAPES_WITH box), second), second);
    } else if (w.a.kind + w.b.kind == to_uint(TACT_KIND_TRIANGLE) && w.a.kind != w.b.kind &&
               (w.a.kind == to_uint(TACT_KIND_SPHERE) || w.b.kind == to_uint(TACT_KIND_SPHERE))) {
        bool second = w.b.kind == to_uint(TACT_KIND_SPHERE);
        TactCore flat_core = w.b;
        if (second) flat_core = w.a;
        solid = false;
        m = tact_one_contact(tact_ball_triangle(w, tact_triangle_of(TACT_SHAPES_WITH flat_core), one_sided, second));
    } else if (w.a.kind + w.b.kind == to_uint(TACT_KIND_TRIANGLE + TACT_KIND_CAPSULE) &&
               (w.a.kind == to_uint(TACT_KIND_CAPSULE) || w.b.kind == to_uint(TACT_KIND_CAPSULE))) {
        bool second = w.b.kind == to_uint(TACT_KIND_TRIANGLE);
        TactCore flat_core = w.a;
        TactCore rod = w.b;
        if (second) {
            flat_core = w.b;
            rod = w.a;
        }
        solid = false;
        m = tact_rod_box_manifold(tact_rod_triangle(w, tact_rod_half(TACT_SHAPES_WITH rod),
                                                    tact_triangle_of(TACT_SHAPES_WITH flat_core), one_sided, second),
                                  second);
    } else if (w.a.kind == to_uint(TACT_KIND_BOX) && w.b.kind == to_uint(TACT_KIND_BOX)) {
        axes = tact_box_axes(tact_box_half(TACT_SHAPES_WITH w.a), tact_box_half(TACT_SHAPES_WITH w.b), w.placed);
        float best = tact_box_best(axes);
        solid = best > 0.0f && best <= w.reach;
        if (best <= 0.0f) choice = tact_box_choice(w, axes);
    }
    TactSolid s = tact_no_solid();
    if (solid || half_a != half_b) {
        s = tact_solid_of(TACT_SHAPES_WITH w, half_a, half_b);
        choice = s.choice;
    }
    // A triangle may have another contact than it would have by itself. Of a half-space all that is beyond it counts.
    bool triangle_b = w.b.kind == to_uint(TACT_KIND_TRIANGLE);
    bool triangle = (triangle_b && !half_a) || (w.a.kind == to_uint(TACT_KIND_TRIANGLE) && !half_b);
    TactCore surface = w.a;
    if (triangle_b) surface = w.b;
    if (triangle && one_sided && tact_is_behind(TACT_SHAPES_WITH w, surface, triangle_b)) choice = tact_no_choice();
    for (uint pass = 0u; pass < 2u && choice.how != TACT_CHOICE_NONE; ++pass) {
        m = tact_chosen(TACT_SHAPES_WITH w, choice, s.distance, axes);
        if (pass == 1u) m = tact_manifold_within(m);
        choice.how = TACT_CHOICE_NONE;
        if (pass == 0u && triangle && m.count > 0u) {
            choice = tact_triangle_choice(TACT_SHAPES_WITH w, triangle_b, m);
            if (choice.how != TACT_CHOICE_NONE && choice.axis.apart > w.reach) {
                choice.how = TACT_CHOICE_NONE;
                m.count = 0u;
            }
        }
    }
    return m;
}

// A contact along the world's axes.
FN TactManifold tact_meeting_manifold(TactMeeting w, TactManifold m, bool from_b)
{
    TactManifold r = m;
    r.from_b = from_b;
    r.way = tact_meeting_way(w, m.way);
    for (uint k = 0u; k < m.count; ++k) {
        r.at[k] = tact_meeting_place(w, m.at[k], from_b);
        r.apart[k] = tact_meeting_length(w, m.apart[k]);
    }
    return r;
}

// A half-space, whose position becomes the place on its plane that is nearest to another's: so it is as good far off.
FN TactBodyRow tact_half_space_near(TactBodyRow half_space, TactBodyRow other)
{
    TactPlaced axes = tact_axes_of(half_space.qx, half_space.qy, half_space.qz, half_space.qw);
    float along = tact_dot_vec(axes.y, tact_between_bodies(half_space, other));
    TactBodyRow r = half_space;
    r.hx = other.hx;
    r.hy = other.hy;
    r.hz = other.hz;
    r.lx = other.lx;
    r.ly = other.ly;
    r.lz = other.lz;
    return tact_body_moved(r, tact_times(axes.y, -along));
}

// The contact of two bodies, or of a part of either. Points are measured from B where A is a surface, which may reach
// far.
FN TactManifold tact_body_contact(TACT_SHAPES_FROM TactBodyRow a, TactBodyRow b, uint part_a, uint part_b)
{
    TactPart of_a = tact_part_of(TACT_SHAPES_WITH a, part_a);
    TactPart of_b = tact_part_of(TACT_SHAPES_WITH b, part_b);
    bool half_a = of_a.core.kind == to_uint(TACT_KIND_HALF_SPACE);
    bool half_b = of_b.core.kind == to_uint(TACT_KIND_HALF_SPACE);
    if (half_a) of_a.row = tact_half_space_near(of_a.row, of_b.row);
    if (half_b && !half_a) of_b.row = tact_half_space_near(of_b.row, of_a.row);
    TactMeeting w = tact_meeting(of_a.row, of_b.row, of_a.core, of_b.core);
    TactManifold m = tact_no_manifold();
    if (w.there) {
        bool one_sided = tact_part_is_one_sided(TACT_SHAPES_WITH a) || tact_part_is_one_sided(TACT_SHAPES_WITH b);
        bool from_b = half_a || of_a.core.kind == to_uint(TACT_KIND_TRIANGLE);
        TactVec offset = of_a.offset;
        if (from_b) offset = of_b.offset;
        m = tact_meeting_manifold(w, tact_core_contact(TACT_SHAPES_WITH w, one_sided), from_b);
        for (uint k = 0u; k < m.count; ++k) {
            m.at[k] = tact_contact_vec(tact_more(m.at[k], offset, 1.0f));
        }
    }
    return m;
}

#endif
