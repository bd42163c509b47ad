// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/geometry/moving_internal.h"

/// The middle of the part of the box that is farthest against the direction n.
static dvec box_support(const double low[3], const double high[3], dvec n)
{
    double x[3];
    for (int i = 0; i < 3; ++i) {
        const double c = d_at(n, i);
        x[i] = c > 0.0 ? low[i] : c < 0.0 ? high[i] : 0.5 * (low[i] + high[i]);
    }
    return d_make(x[0], x[1], x[2]);
}

tact_moving_hit tact_moving_aabb_plane(tact_aabb box, tact_vec3 motion, tact_plane plane)
{
    const dvec n = d_from(plane.normal), m = d_from(motion), lower = d_from(box.lower), upper = d_from(box.upper);
    const double length = d_length(n), d = (double)plane.distance;
    if (!aabb_valid(box) || !d_finite(m) || !d_finite(n) || !isfinite(d) || !(length > 0.0)) return moving_miss();
    const double low[3] = {lower.x, lower.y, lower.z}, high[3] = {upper.x, upper.y, upper.z};
    const dvec bottom = box_support(low, high, n), top = box_support(low, high, d_scale(n, -1.0));
    const double under = d_dot(n, bottom) - d, over = d_dot(n, top) - d;
    if (under <= 0.0 && over >= 0.0) {
        const dvec center = d_scale(d_add(lower, upper), 0.5);
        const double h = d_dot(n, center) - d;
        const double side = h < 0.0 ? -1.0 : h > 0.0 ? 1.0 : 0.0;
        return moving_hit(0.0, d_along(center, -(h / length / length), n), d_scale(n, side / length));
    }
    const double side = under > 0.0 ? 1.0 : -1.0, gap = under > 0.0 ? under : -over;
    const double speed = -side * d_dot(n, m);
    if (!(gap <= speed)) return moving_miss();
    const double t = gap / speed;
    return moving_hit(t, d_along(under > 0.0 ? bottom : top, t, m), d_scale(n, side / length));
}

/// Two intervals on one axis, the first moving by `speed`.
typedef struct shadow {
    double low_a, high_a, low_b, high_b, speed;
} shadow;

/// The part of 0 to 1 in which all shadows so far overlap.
typedef struct overlap_times {
    moving_time enter, leave;
    int axis;  // that entered last; -1: none, they overlap at time 0
    double sign;
} overlap_times;

static bool add_shadow(overlap_times* o, const shadow* s, int axis)
{
    const double before = s->low_b - s->high_a, after = s->low_a - s->high_b;
    if (s->speed == 0.0) return before <= 0.0 && after <= 0.0;
    const double den = fabs(s->speed);
    const moving_time enter = {s->speed > 0.0 ? before : after, den};
    const moving_time leave = {s->speed > 0.0 ? -after : -before, den};
    if (moving_later(enter, o->enter)) {
        o->enter = enter;
        o->axis = axis;
        o->sign = s->speed > 0.0 ? -1.0 : 1.0;
    }
    if (moving_later(o->leave, leave)) o->leave = leave;
    return !moving_later(o->enter, o->leave);
}

/// The axis on which they overlap least at time 0.
static void least_depth(overlap_times* o, const shadow shadows[3])
{
    double least = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        const double before = shadows[i].high_a - shadows[i].low_b, after = shadows[i].high_b - shadows[i].low_a;
        if (!(fmin(before, after) < least)) continue;
        least = fmin(before, after);
        o->axis = i;
        o->sign = before < after ? -1.0 : 1.0;
    }
}

tact_moving_hit tact_moving_aabb_aabb(tact_aabb a, tact_vec3 motion_a, tact_aabb b, tact_vec3 motion_b)
{
    if (!aabb_valid(a) || !aabb_valid(b) || !v_finite(motion_a) || !v_finite(motion_b)) return moving_miss();
    const dvec la = d_from(a.lower), ua = d_from(a.upper), lb = d_from(b.lower), ub = d_from(b.upper);
    const dvec ma = d_from(motion_a), mb = d_from(motion_b);
    overlap_times o = {{0.0, 1.0}, {1.0, 1.0}, -1, 0.0};
    shadow shadows[3];
    for (int i = 0; i < 3; ++i) {
        const shadow s = {d_at(la, i), d_at(ua, i), d_at(lb, i), d_at(ub, i), d_at(ma, i) - d_at(mb, i)};
        shadows[i] = s;
        if (!add_shadow(&o, &s, i)) return moving_miss();
    }
    const double t = o.enter.num / o.enter.den;
    if (o.axis < 0) least_depth(&o, shadows);
    double x[3], n[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        const double at_a = t * d_at(ma, i), at_b = t * d_at(mb, i);
        x[i] = 0.5 * (fmax(shadows[i].low_a + at_a, shadows[i].low_b + at_b) +
                      fmin(shadows[i].high_a + at_a, shadows[i].high_b + at_b));
    }
    n[o.axis] = o.sign;
    return moving_hit(t, d_make(x[0], x[1], x[2]), d_make(n[0], n[1], n[2]));
}

tact_moving_interval tact_moving_halving(const tact_moving_pair* pair, double t0, double t1, double resolution)
{
    enum { DEPTH = 48 };
    const tact_moving_interval none = {false, 0.0, 0.0};
    if (!(t0 <= t1) || !isfinite(t0) || !isfinite(t1) || !isfinite(resolution)) return none;
    const double fine = fmax(resolution, 0x1p-40 * (t1 - t0));
    double end[DEPTH], end_distance[DEPTH];  // of the intervals that are still to do, the next on top
    int top = 0;
    double t = t0, distance = pair->distance(t0, pair->user);
    end[0] = t1;
    end_distance[0] = pair->distance(t1, pair->user);
    while (top >= 0) {
        if (distance <= 0.0) return (tact_moving_interval){true, t, t};
        const double movement = pair->movement(t, end[top], pair->user);
        if (distance <= movement && end_distance[top] <= movement) {
            const double middle = t + 0.5 * (end[top] - t);
            if (end[top] - t <= fine || top + 1 == DEPTH) return (tact_moving_interval){true, t, end[top]};
            ++top;
            end[top] = middle;
            end_distance[top] = pair->distance(middle, pair->user);
            continue;
        }
        t = end[top];
        distance = end_distance[top];
        --top;
    }
    if (distance <= 0.0) return (tact_moving_interval){true, t, t};
    return none;
}
