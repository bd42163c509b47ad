// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/convex_internal.h"

enum { MAX_ADVANCES = 64 };

static tact_convex_hit miss(void)
{
    const tact_convex_hit none = {false, INFINITY, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
    return none;
}

static tact_convex_hit hit_at(double t, tact_vec3 point, tact_vec3 normal)
{
    const tact_convex_hit hit = {true, (float)t, point, normal};
    return hit;
}

/// Puts A at time t: the simplex' differences go along, its corners stay.
static void shift(convex_pair* pair, convex_simplex* s, dvec origin, double t, dvec motion)
{
    const dvec offset = d_along(origin, t, motion);
    pair->offset = offset;
    for (int i = 0; i < s->count; ++i) {
        s->p[i].y = d_add(offset, d_sub(s->p[i].a, s->p[i].b));
    }
}

tact_convex_hit tact_convex_cast(tact_convex a, tact_vec3 motion, tact_convex b)
{
    convex_pair pair;
    if (!v_finite(motion) || !tact_convex_pair_make(&pair, a, b)) return miss();
    const tact_convex_contact first = tact_convex_penetration(a, b);
    if (first.distance <= 0.0f) return hit_at(0.0, first.a, first.normal);
    const dvec m = d_from(motion), origin = pair.offset;
    double t = 0.0;
    convex_simplex s;
    tact_convex_simplex_start(&pair, &s, NULL);
    dvec normal = d_from(first.normal), at_a = d_make(0.0, 0.0, 0.0), at_b = at_a;
    for (int step = 0; step < MAX_ADVANCES; ++step) {
        const gjk_verdict verdict = tact_convex_gjk(&pair, &s, false);
        if (!pair.a.valid || !pair.b.valid) return miss();
        tact_convex_witnesses(&s, &at_a, &at_b);
        if (verdict == GJK_TOUCHING) break;
        const double length = sqrt(s.vv);
        normal = d_scale(s.v, -1.0 / length);
        const double gap = length - pair.radius, speed = d_dot(m, normal);
        double extent = d_length(pair.offset);
        for (int i = 0; i < s.count; ++i) {
            extent = fmax(extent, d_length(d_sub(s.p[i].a, s.p[i].b)));
        }
        const double slack = 1e-9 * fmax(d_length(m), extent);
        if (gap <= slack) break;
        // Once parted by a plane that A does not move toward, they stay apart. Beyond the motion's end nothing counts.
        if (!(speed > 0.0) || gap > speed * (1.0 - t) + slack) return miss();
        t = fmin(t + gap / speed, 1.0);
        shift(&pair, &s, origin, t, m);
        tact_convex_simplex_solve(&s);
    }
    const dvec point = d_add(pair.b.origin, d_along(at_b, -pair.b.radius, normal));
    return hit_at(t, d_round(point), d_round(normal));
}
