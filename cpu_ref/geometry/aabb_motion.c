// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/round_internal.h"
#include "tact/geometry/aabb.h"

tact_aabb tact_aabb_swept(tact_aabb box, tact_vec3 motion)
{
    const tact_aabb moved = tact_aabb_translate(box, motion);
    return aabb_valid(box) && !tact_aabb_is_empty(moved) ? tact_aabb_union(box, moved) : tact_aabb_empty();
}

/// A coordinate at the time t, which is an angle: middle + cosine cos t + sine sin t + slope t.
typedef struct wave {
    double middle, cosine, sine, slope;
} wave;

static const double circle = 6.28318530717958647692;

static void include(double x, double* low, double* high)
{
    if (x < *low) *low = x;
    if (x > *high) *high = x;
}

static double wave_at(const wave* w, double t)
{
    return (w->middle + w->slope * t) + (w->cosine * cos(t) + w->sine * sin(t));
}

/// The first time from `from` on that is a whole number of turns from t.
static double turned_to(double t, double from)
{
    return t + ceil((from - t) / circle) * circle;
}

/// Least and greatest values for t from 0 to `end`. From turn to turn the same place of the wave goes one way only, so
/// the first and the last turn do.
static void wave_range(const wave* w, double end, double* low, double* high)
{
    const double reach = hypot(w->cosine, w->sine), phase = atan2(w->sine, w->cosine);
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    include(wave_at(w, 0.0), low, high);
    include(wave_at(w, end), low, high);
    if (end > 0x1p20) {
        // So many turns that times are no longer exact: whole circles all along.
        include(w->middle + fmin(0.0, w->slope * end) - reach, low, high);
        include(w->middle + fmax(0.0, w->slope * end) + reach, low, high);
    }
    if (!(reach > fabs(w->slope))) return;
    // reach sin(t - phase) = slope
    const double rise = asin(w->slope / reach), root[2] = {phase + rise, phase + circle / 2.0 - rise};
    for (int k = 0; k < 2; ++k) {
        const double first = turned_to(root[k], 0.0), last = turned_to(root[k], end - circle);
        if (first <= end) include(wave_at(w, first), low, high);
        if (last >= 0.0 && last <= end) include(wave_at(w, last), low, high);
    }
}

tact_aabb tact_aabb_from_screw(const tact_vec3* points, size_t count, size_t stride, const tact_screw* screw)
{
    const dvec axis = d_unit(d_from(screw->axis)), line = d_from(screw->point);
    const double end = fabs((double)screw->angle), advance = (double)screw->advance;
    tact_aabb box = tact_aabb_empty();
    if (!v_finite(screw->axis) || !v_finite(screw->point) || !isfinite(end) || !isfinite(advance) ||
        !(d_dot(axis, axis) > 0.0)) {
        return box;
    }
    const double hand = screw->angle < 0.0f ? -1.0 : 1.0;
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 given = point_at(points, stride, i);
        const dvec p = d_sub(d_from(given), line), along = d_scale(axis, d_dot(p, axis));
        const dvec out = d_sub(p, along), across = d_scale(d_cross(axis, out), hand);
        if (!v_finite(given)) return tact_aabb_empty();
        for (int k = 0; k < 3; ++k) {
            const double way = advance * d_at(axis, k);
            // Without a turn the slope has no angle to go along.
            const wave w = {d_at(line, k) + d_at(along, k), d_at(out, k), d_at(across, k), end > 0.0 ? way / end : 0.0};
            double low, high;
            wave_range(&w, end, &low, &high);
            if (!(end > 0.0)) include(wave_at(&w, 0.0) + way, &low, &high);
            const double off = 0x1p-40 * ((fabs(d_at(line, k)) + d_length(p)) + fabs(way)) + 0x1p-149;
            float* lower = k == 0 ? &box.lower.x : k == 1 ? &box.lower.y : &box.lower.z;
            float* upper = k == 0 ? &box.upper.x : k == 1 ? &box.upper.y : &box.upper.z;
            *lower = fminf(*lower, d_bound_down((dbound){low, 0.0, off}));
            *upper = fmaxf(*upper, d_bound_up((dbound){high, 0.0, off}));
        }
    }
    return box;
}
