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

/// One moment of the motion.
typedef struct moment {
    double t, gap, speed, slack;
    dvec normal, point;  ///< the point lies on B, relative to its origin
} moment;

/// Puts A at time t: the simplex' differences go along, its corners stay.
static void shift(convex_pair* pair, convex_simplex* s, dvec origin, double t, dvec motion)
{
    pair->offset = d_along(origin, t, motion);
    for (int i = 0; i < s->count; ++i) {
        s->p[i].y = d_add(pair->offset, d_sub(s->p[i].a, s->p[i].b));
    }
    tact_convex_simplex_solve(s);
}

/// Measures what the plane across the normal proves: a distance that is not proven may be too large.
static void measure(convex_pair* pair, dvec motion, moment* now)
{
    const convex_vertex p = tact_convex_pair_support(pair, now->normal);
    const double extent = d_length(pair->offset) + d_length(p.a) + d_length(p.b);
    now->gap = -d_dot(now->normal, p.y) - pair->radius;
    now->speed = d_dot(motion, now->normal);
    now->slack = 1e-9 * fmax(d_length(motion), extent);
}

/// Finds the plane between the shapes and how fast A comes nearer to it. At a touch that is the last plane still, or
/// else the one of the penetration.
static void look(convex_pair* pair, convex_simplex* s, dvec motion, moment* now)
{
    const gjk_verdict verdict = tact_convex_gjk(pair, s, false);
    if (!pair->a.valid || !pair->b.valid) return;
    dvec at_a;
    tact_convex_witnesses(s, &at_a, &now->point);
    if (verdict == GJK_APART || verdict == GJK_UNPROVEN) now->normal = d_scale(s->v, -1.0 / sqrt(s->vv));
    measure(pair, motion, now);
    convex_contact c;
    if (now->gap < -now->slack && tact_convex_contact_find(pair, true, NULL, &c)) {
        now->normal = c.normal;
        now->point = c.b;
        now->gap = c.distance - pair->radius;
        now->speed = d_dot(motion, now->normal);
    }
    now->point = d_along(now->point, -pair->b.radius, now->normal);
}

tact_convex_hit tact_convex_cast(tact_convex a, tact_vec3 motion, tact_convex b)
{
    convex_pair pair;
    if (!v_finite(motion) || !tact_convex_pair_make(&pair, a, b)) return miss();
    const tact_convex_contact first = tact_convex_penetration(a, b);
    if (first.distance <= 0.0f) return hit_at(0.0, first.a, first.normal);
    const dvec m = d_from(motion), origin = pair.offset;
    moment now = {.normal = d_from(first.normal)};
    convex_simplex s;
    tact_convex_simplex_start(&pair, &s, NULL);
    for (int step = 0; step < MAX_ADVANCES; ++step) {
        look(&pair, &s, m, &now);
        if (!pair.a.valid || !pair.b.valid) return miss();
        if (now.gap <= now.slack) break;
        // The plane parts them up to the motion's end, or ever if A does not move toward it.
        if (now.gap > now.speed * (1.0 - now.t) + now.slack) return miss();
        now.t = fmin(now.t + now.gap / now.speed, 1.0);
        shift(&pair, &s, origin, now.t, m);
    }
    return hit_at(now.t, d_round(d_add(pair.b.origin, now.point)), d_round(now.normal));
}
