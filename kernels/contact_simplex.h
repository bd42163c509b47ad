// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The distance of two cores: of differences of their points, the one closest to the origin (Gilbert, Johnson, Keerthi:
// A fast procedure for computing the distance between complex objects in three-dimensional space, 1988). A step looks
// at what the new point adds alone: itself, and the edges, faces and the inside that it makes with those there; the
// best of these is taken if it is better than what there was. So flat simplices do no harm, and no step goes back.
#ifndef TACT_CONTACT_SIMPLEX_H
#define TACT_CONTACT_SIMPLEX_H

#include "contact_shape.h"

#define TACT_SIMPLEX_CLOSER 0
#define TACT_SIMPLEX_NO_CLOSER 1
#define TACT_SIMPLEX_INSIDE 2

// A point of A less a point of B.
STRUCT(TactDifference)
{
    TactVec at;
    uint a, b;
};

// Up to three points with weights whose sum is 1, and the place that those give.
STRUCT(TactSimplex)
{
    TactDifference p0, p1, p2;
    float w0, w1, w2;
    uint count;
    TactVec near;
    float near2;  // squared length
    int state;
};

FN bool tact_same_difference(TactDifference p, TactDifference q)
{
    return p.a == q.a && p.b == q.b;
}

// The place between p and q that is closest to the origin, if that is neither of them.
FN TactSimplex tact_simplex_edge(TactSimplex best, TactDifference p, TactDifference q)
{
    TactVec e = tact_less(q.at, p.at);
    float length2 = tact_dot_vec(e, e);
    float along = -tact_dot_vec(p.at, e);
    TactSimplex r = best;
    PRECISE float begins = length2 * 5.96046448e-8f;
    if (length2 > TACT_CONTACT_LEAST4 && along > begins && along < length2) {
        float t = tact_div(along, length2);
        TactVec about = tact_more(p.at, e, t);
        // What rounding left along the edge is taken out: where the place is near the origin it turns the normal.
        TactVec near = tact_more(about, e, -tact_div(tact_dot_vec(about, e), length2));
        float near2 = tact_dot_vec(near, near);
        if (near2 < best.near2) {
            PRECISE float rest = 1.0f - t;
            r.p0 = p;
            r.p1 = q;
            r.w0 = rest;
            r.w1 = t;
            r.w2 = 0.0f;
            r.count = 2u;
            r.near = near;
            r.near2 = near2;
            r.state = TACT_SIMPLEX_CLOSER;
        }
    }
    return r;
}

// The place within the triangle p q s. One that is nearly a segment is left to its edges.
FN TactSimplex tact_simplex_face(TactSimplex best, TactDifference p, TactDifference q, TactDifference s)
{
    TactVec e = tact_less(q.at, p.at);
    TactVec f = tact_less(s.at, p.at);
    TactVec n = tact_cross_vec(e, f);
    float n2 = tact_dot_vec(n, n);
    PRECISE float flat_below = 1e-8f * tact_dot_vec(e, e) * tact_dot_vec(f, f);
    TactSimplex r = best;
    if (n2 > flat_below && n2 > TACT_CONTACT_LEAST4) {
        float u = tact_dot_vec(tact_cross_vec(f, p.at), n);
        float v = tact_dot_vec(tact_cross_vec(p.at, e), n);
        PRECISE float sum = u + v;
        PRECISE float begins = n2 * 5.96046448e-8f;
        if (u > begins && v > begins && sum < n2) {
            TactVec near = tact_times(n, tact_div(tact_dot_vec(p.at, n), n2));
            float near2 = tact_dot_vec(near, near);
            if (near2 < best.near2) {
                r.p0 = p;
                r.p1 = q;
                r.p2 = s;
                r.w1 = tact_div(u, n2);
                r.w2 = tact_div(v, n2);
                PRECISE float rest = 1.0f - (r.w1 + r.w2);
                r.w0 = rest;
                r.count = 3u;
                r.near = near;
                r.near2 = near2;
                r.state = TACT_SIMPLEX_CLOSER;
            }
        }
    }
    return r;
}

// Whether the origin is on the same side of the plane through p, q and s as `inner`, away from the plane.
FN bool tact_simplex_within(TactDifference p, TactDifference q, TactDifference s, TactDifference inner)
{
    TactVec n = tact_cross_vec(tact_less(q.at, p.at), tact_less(s.at, p.at));
    float origin = -tact_dot_vec(n, p.at);
    float other = tact_dot_vec(n, tact_less(inner.at, p.at));
    return (origin > 0.0f && other > 0.0f) || (origin < 0.0f && other < 0.0f);
}

FN TactSimplex tact_simplex_of(TactDifference p)
{
    TactSimplex s;
    s.p0 = p;
    s.p1 = p;
    s.p2 = p;
    s.w0 = 1.0f;
    s.w1 = 0.0f;
    s.w2 = 0.0f;
    s.count = 1u;
    s.near = p.at;
    s.near2 = tact_dot_vec(p.at, p.at);
    s.state = TACT_SIMPLEX_CLOSER;
    return s;
}

// What is closest to the origin of a simplex and a new point p. Squares of lengths are certain to `slack`: a place that
// seems farther by less may be closer, and turns the normal to where it belongs.
FN TactSimplex tact_simplex_step(TactSimplex s, TactDifference p, float slack)
{
    TactSimplex best = s;
    best.state = TACT_SIMPLEX_NO_CLOSER;
    PRECISE float about = s.near2 + slack;
    best.near2 = about;
    TactSimplex alone = tact_simplex_of(p);
    if (alone.near2 < best.near2) best = alone;
    best = tact_simplex_edge(best, p, s.p0);
    if (s.count > 1u) {
        best = tact_simplex_edge(best, p, s.p1);
        best = tact_simplex_face(best, p, s.p0, s.p1);
    }
    if (s.count > 2u) {
        best = tact_simplex_edge(best, p, s.p2);
        best = tact_simplex_face(best, p, s.p0, s.p2);
        best = tact_simplex_face(best, p, s.p1, s.p2);
        // The origin lies over the face p0 p1 p2, on the side of p.
        if (tact_simplex_within(p, s.p0, s.p1, s.p2) && tact_simplex_within(p, s.p1, s.p2, s.p0) &&
            tact_simplex_within(p, s.p2, s.p0, s.p1) && tact_simplex_within(s.p0, s.p1, s.p2, p)) {
            best.state = TACT_SIMPLEX_INSIDE;
        }
    }
    return best;
}

FN TactDifference tact_difference(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, uint ia, uint ib)
{
    TactDifference d;
    d.at = tact_less(tact_core_point(TACT_SHAPES_WITH a, ia), tact_other_point(TACT_SHAPES_WITH b, placed, ib));
    d.a = ia;
    d.b = ib;
    return d;
}

STRUCT(TactDistance)
{
    TactSimplex simplex;
    TactVec way;     // of unit length, from A to B: along it the cores are the farthest apart
    float distance;  // between the cores; 0: they overlap or are too close to tell
    float along;     // the separation along `way`
    bool farther;    // than `reach`, by a plane between them
};

FN TactDistance tact_no_distance(void)
{
    TactDifference p;
    p.at = tact_vec(0.0f, 0.0f, 0.0f);
    p.a = 0u;
    p.b = 0u;
    TactDistance r;
    r.simplex = tact_simplex_of(p);
    r.way = p.at;
    r.distance = 0.0f;
    r.along = -3.40282347e38f;
    r.farther = false;
    return r;
}

// The distance of two cores. `noise`: what coordinates are certain to.
FN TactDistance tact_core_distance(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, float reach, float noise)
{
    TactDistance r = tact_no_distance();
    PRECISE float least2 = noise * noise;
    // The first step looks along the line between the positions, which often tells all.
    TactSimplex now = r.simplex;
    now.near = tact_times(placed.t, -1.0f);
    now.near2 = tact_dot_vec(now.near, now.near);
    if (now.near2 <= least2) {
        now.near = tact_vec(1.0f, 0.0f, 0.0f);
        now.near2 = 1.0f;
    }
    // Of all places the closest counts, and of their directions the one that separates the cores the most: two that are
    // as close, as far as rounding shows, may separate less by many times that.
    bool more = true;
    bool apart = true;
    for (uint step = 0u; more && step <= to_uint(TACT_CONTACT_STEPS); ++step) {
        TactVec v = now.near;
        TactFarthest of_a = tact_core_farthest(TACT_SHAPES_WITH a, tact_times(v, -1.0f));
        TactFarthest of_b = tact_core_farthest(TACT_SHAPES_WITH b, tact_placed_back(placed, v));
        TactDifference p = tact_difference(TACT_SHAPES_WITH a, b, placed, of_a.i, of_b.i);
        float length = tact_sqrt(now.near2);
        float low = tact_div(tact_dot_vec(v, p.at), length);
        if (low > r.along) {
            r.along = low;
            r.way = tact_times(v, tact_div(-1.0f, length));
        }
        r.farther = low > reach;
        if (step == 0u) {
            now = tact_simplex_of(p);
            r.simplex = now;
            apart = now.near2 > least2;
            more = apart && !r.farther;
        } else {
            PRECISE float gap = length - low;
            PRECISE float slack = noise * length;
            more = !r.farther && gap > noise && !tact_same_difference(p, now.p0) &&
                   !(now.count > 1u && tact_same_difference(p, now.p1)) &&
                   !(now.count > 2u && tact_same_difference(p, now.p2));
            if (more) {
                now = tact_simplex_step(now, p, slack);
                if (now.near2 < r.simplex.near2 && now.state == TACT_SIMPLEX_CLOSER) r.simplex = now;
                more = now.state == TACT_SIMPLEX_CLOSER && now.near2 > least2;
                apart = now.state == TACT_SIMPLEX_NO_CLOSER || more;
            }
        }
    }
    // A separation below noise shows nothing.
    r.distance = apart || r.along > noise ? tact_sqrt(r.simplex.near2) : 0.0f;
    return r;
}

// Whether two cores are farther apart than `reach` along one of a few directions: the next mirrors the last one at the
// difference of the points that are farthest along it (Chung, Wang: Quick collision detection of polytopes in virtual
// environments, 1996).
FN bool tact_are_far(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, float reach, float noise)
{
    bool far = false;
    PRECISE float least2 = noise * noise;
    PRECISE float enough = reach + noise;
    float t2 = tact_dot_vec(placed.t, placed.t);
    bool more = t2 > least2;
    TactVec way = tact_times(placed.t, tact_div(1.0f, tact_sqrt(more ? t2 : 1.0f)));
    for (uint step = 0u; more && step < to_uint(TACT_CONTACT_MIRRORS); ++step) {
        TactFarthest of_a = tact_core_farthest(TACT_SHAPES_WITH a, way);
        TactFarthest of_b = tact_core_farthest(TACT_SHAPES_WITH b, tact_times(tact_placed_back(placed, way), -1.0f));
        TactVec d = tact_difference(TACT_SHAPES_WITH a, b, placed, of_a.i, of_b.i).at;
        float d2 = tact_dot_vec(d, d);
        float inside = tact_dot_vec(d, way);
        far = -inside > enough;
        more = inside > 0.0f && d2 > least2;
        if (more) {
            PRECISE float times = tact_div(inside, d2) * -2.0f;
            way = tact_more(way, d, times);
        }
    }
    return far;
}

// The place of a simplex on a core, by the numbers that its points have there; in the core's frame.
FN TactVec tact_simplex_place(TACT_SHAPES_FROM TactCore c, TactSimplex s, uint i, uint j, uint k)
{
    TactVec p = tact_times(tact_core_point(TACT_SHAPES_WITH c, i), s.w0);
    if (s.count > 1u) p = tact_more(p, tact_core_point(TACT_SHAPES_WITH c, j), s.w1);
    if (s.count > 2u) p = tact_more(p, tact_core_point(TACT_SHAPES_WITH c, k), s.w2);
    return p;
}

FN TactVec tact_simplex_on_a(TACT_SHAPES_FROM TactCore a, TactSimplex s)
{
    return tact_simplex_place(TACT_SHAPES_WITH a, s, s.p0.a, s.p1.a, s.p2.a);
}

FN TactVec tact_simplex_on_b(TACT_SHAPES_FROM TactCore b, TactSimplex s)
{
    return tact_simplex_place(TACT_SHAPES_WITH b, s, s.p0.b, s.p1.b, s.p2.b);
}

#endif
