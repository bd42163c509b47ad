// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/torus.h"

#include "base/asserts.h"
#include "cpu_ref/geometry/closest_point_internal.h"
#include "cpu_ref/geometry/obb_internal.h"
#include "cpu_ref/geometry/ray_internal.h"
#include "cpu_ref/geometry/round_internal.h"

/// Of unit axis.
typedef struct dtorus {
    dvec center, axis;
    double major, minor;
} dtorus;

/// False for what is no torus.
static bool torus_from(const tact_torus* torus, dtorus* t)
{
    const dvec axis = d_from(torus->axis);
    *t = (dtorus){d_from(torus->center), d_unit_by_two(axis), (double)torus->major, (double)torus->minor};
    return d_finite(t->center) && d_finite(axis) && d_largest(axis) > 0.0 && t->major >= 0.0 && t->minor >= 0.0 &&
           isfinite(t->major) && isfinite(t->minor);
}

/// Where a point is about the centre: along the axis, and across it.
typedef struct torus_place {
    double along, far;
    dvec across;  ///< `far` long
} torus_place;

static torus_place place_of(const dtorus* t, dvec from_center)
{
    torus_place p;
    p.along = d_dot(from_center, t->axis);
    p.across = d_along(from_center, -p.along, t->axis);
    p.far = d_length(p.across);
    return p;
}

/// From the circle.
static double distance_of(const dtorus* t, const torus_place* p)
{
    const double out = p->far - t->major;
    return sqrt(out * out + p->along * p->along);
}

/// From the nearest point of the circle; of a point on the axis, along it.
static dvec away_from_circle(const dtorus* t, const torus_place* p)
{
    const dvec along = d_scale(t->axis, p->along);
    return p->far > 0.0 ? d_along(along, 1.0 - t->major / p->far, p->across) : along;
}

bool tact_torus_contains_point(const tact_torus* torus, tact_vec3 point)
{
    dtorus t;
    if (!torus_from(torus, &t) || !v_finite(point)) return false;
    const torus_place p = place_of(&t, d_sub(d_from(point), t.center));
    return distance_of(&t, &p) <= t.minor;
}

bool tact_torus_overlaps_sphere(const tact_torus* torus, tact_sphere sphere)
{
    dtorus t;
    if (!torus_from(torus, &t) || !v_finite(sphere.center)) return false;
    if (!(sphere.radius >= 0.0f) || !isfinite(sphere.radius)) return false;
    const torus_place p = place_of(&t, d_sub(d_from(sphere.center), t.center));
    return distance_of(&t, &p) <= t.minor + (double)sphere.radius;
}

tact_closest tact_closest_on_torus(tact_vec3 p, const tact_torus* torus)
{
    dtorus t;
    if (!torus_from(torus, &t) || !v_finite(p)) return near_nowhere;
    const dvec q = d_from(p);
    const torus_place at = place_of(&t, d_sub(q, t.center));
    const dvec out = at.far > 0.0 ? d_scale(at.across, 1.0 / at.far) : d_perpendicular(t.axis);
    const double distance = distance_of(&t, &at);
    const near_point core = {d_along(t.center, t.major, out), distance * distance, {0.0, 0.0, 0.0}};
    return near_shell(q, &core, t.minor);
}

tact_aabb tact_aabb_from_torus(const tact_torus* torus)
{
    dtorus t;
    tact_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (!torus_from(torus, &t)) return box;
    const dvec n = t.axis;
    // Wider by more than what is rounded here.
    const double more = 1.0 + 0x1p-48;
    const dvec half = d_make((t.major * sqrt(n.y * n.y + n.z * n.z) + t.minor) * more,
                             (t.major * sqrt(n.z * n.z + n.x * n.x) + t.minor) * more,
                             (t.major * sqrt(n.x * n.x + n.y * n.y) + t.minor) * more);
    box.lower.x = d_sum_down(d_sum(t.center.x, -half.x));
    box.lower.y = d_sum_down(d_sum(t.center.y, -half.y));
    box.lower.z = d_sum_down(d_sum(t.center.z, -half.z));
    box.upper.x = d_sum_up(d_sum(t.center.x, half.x));
    box.upper.y = d_sum_up(d_sum(t.center.y, half.y));
    box.upper.z = d_sum_up(d_sum(t.center.z, half.z));
    return box;
}

// ---- Rays ----

/// A line by its distance s from its point nearest to the centre.
typedef struct torus_line {
    const dtorus* torus;
    dvec foot, along;   ///< that point, from the centre, and the unit direction
    double quartic[5];  ///< by power of s: above 0 outside, below 0 inside but for what the tube covers twice
    double slack;       ///< what distances from the circle may be off by
} torus_line;

static double outside_by(const torus_line* line, double s)
{
    const torus_place p = place_of(line->torus, d_along(line->foot, s, line->along));
    return distance_of(line->torus, &p) - line->torus->minor;
}

/// With G = x^2 + major^2 - minor^2 the torus is G^2 <= 4 major^2 far^2.
static void make_quartic(torus_line* line)
{
    const dtorus* t = line->torus;
    const double foot2 = d_dot(line->foot, line->foot), z = d_dot(line->foot, t->axis),
                 dz = d_dot(line->along, t->axis);
    const double g = foot2 + (t->major - t->minor) * (t->major + t->minor), four = 4.0 * t->major * t->major;
    line->quartic[0] = g * g - four * (foot2 - z * z);
    line->quartic[1] = 2.0 * four * z * dz;
    line->quartic[2] = 2.0 * g - four * (1.0 - dz * dz);
    line->quartic[3] = 0.0;
    line->quartic[4] = 1.0;
}

static double value_of(const double* poly, int degree, double x, double* slope)
{
    double value = poly[degree], by = 0.0;
    for (int i = degree - 1; i >= 0; --i) {
        by = by * x + value;
        value = value * x + poly[i];
    }
    *slope = by;
    return value;
}

/// The root between a place at which a polynomial is above 0 and one at which it is below, in either order; one of the
/// two where rounding has left none. Newton's method, halving where that goes astray.
static double root_between(const double* poly, int degree, double above, double below)
{
    const double enough = 0x1p-54 * fabs(above - below);
    double x = 0.5 * (above + below), before = fabs(above - below);
    for (int i = 0; i < 200; ++i) {
        double slope;
        const double value = value_of(poly, degree, x, &slope);
        if (value == 0.0) return x;
        if (value > 0.0) {
            above = x;
        } else {
            below = x;
        }
        const double step = value / slope;
        double next = x - step;
        const bool within = next > fmin(above, below) && next < fmax(above, below);
        if (!within || fabs(step) > 0.5 * before) next = 0.5 * (above + below);
        if (fabs(next - x) <= enough) return next;
        before = fabs(next - x);
        x = next;
    }
    return x;
}

/// Places between -reach and reach, both included, between any two of which the polynomial rises or falls: the roots of
/// its derivative, found the same way. Returns how many, at most `degree` + 1.
static int turns_of(const double* poly, int degree, double reach, double* turns)
{
    double slope[5], outer[6];
    int count = 0;
    turns[count++] = -reach;
    if (degree > 1) {
        for (int i = 0; i < degree; ++i)
            slope[i] = (i + 1) * poly[i + 1];
        const int between = turns_of(slope, degree - 1, reach, outer);
        for (int i = 0; i + 1 < between; ++i) {
            double ignored;
            const double a = value_of(slope, degree - 1, outer[i], &ignored);
            const double b = value_of(slope, degree - 1, outer[i + 1], &ignored);
            if ((a > 0.0) == (b > 0.0)) continue;
            const double above = a > 0.0 ? outer[i] : outer[i + 1], below = a > 0.0 ? outer[i + 1] : outer[i];
            turns[count++] = root_between(slope, degree - 1, above, below);
        }
    }
    turns[count++] = reach;
    return count;
}

static dvec normal_at(const torus_line* line, double s, double against)
{
    const torus_place p = place_of(line->torus, d_along(line->foot, s, line->along));
    const dvec n = away_from_circle(line->torus, &p);
    // A circle has no normals but the ray's own direction.
    return line->torus->minor > 0.0 && d_largest(n) > 0.0 ? n : d_scale(line->along, against);
}

/// Where the line passes the surface between two turns.
static double surface_between(const torus_line* line, double outside, double inside)
{
    const dtorus* t = line->torus;
    const torus_place p = place_of(t, d_along(line->foot, inside, line->along));
    const double across = p.far + t->major;
    const bool twice = across * across + p.along * p.along < t->minor * t->minor;
    if (!twice) return root_between(line->quartic, 4, outside, inside);
    // The quartic falls to what the tube covers once, where rounding has left nothing of that, and rises again.
    for (int i = 0; i < 64; ++i) {
        const double middle = 0.5 * (outside + inside);
        if (outside_by(line, middle) > 0.0) {
            outside = middle;
        } else {
            inside = middle;
        }
    }
    return inside;
}

/// The parts of the line in the torus, by s. A place that is inside lies between two that are not.
static int parts_of(const torus_line* line, double reach, d_span parts[2])
{
    double turns[6], out[6];
    int found = 0;
    const int count = turns_of(line->quartic, 4, reach, turns);
    for (int i = 0; i < count; ++i)
        out[i] = i == 0 || i == count - 1 ? HUGE_VAL : outside_by(line, turns[i]);
    for (int i = 1; i + 1 < count; ++i) {
        if (out[i] <= 0.0) {
            TACT_ASSERT(found < 2);
            d_span* part = &parts[found++];
            part->enter = surface_between(line, turns[i - 1], turns[i]);
            while (out[i + 1] <= 0.0)
                ++i;
            part->leave = surface_between(line, turns[i + 1], turns[i]);
        } else if (out[i] <= line->slack && out[i] < out[i - 1] && out[i] <= out[i + 1]) {
            TACT_ASSERT(found < 2);
            parts[found].enter = parts[found].leave = turns[i];
            ++found;
        }
    }
    for (int i = 0; i < found; ++i) {
        parts[i].enter_normal = normal_at(line, parts[i].enter, -1.0);
        parts[i].leave_normal = normal_at(line, parts[i].leave, 1.0);
    }
    return found;
}

size_t tact_ray_torus(const tact_ray* ray, const tact_torus* torus, tact_ray_solid_hit parts[2])
{
    dtorus t;
    if (!torus_from(torus, &t) || !d_ray_valid(ray)) return 0;
    if (t.major == 0.0) {
        const tact_sphere ball = {torus->center, torus->minor};
        const tact_ray_solid_hit part = tact_ray_sphere(ray, &ball);
        if (part.hit) parts[0] = part;
        return part.hit;
    }
    const d_ray r = d_ray_about(ray, t.center);
    const double dd = d_dot(r.d, r.d), size = t.major + t.minor;
    if (dd == 0.0) {
        const torus_place p = place_of(&t, r.o);
        const d_span all = d_span_all();
        if (!(distance_of(&t, &p) <= t.minor)) return 0;
        parts[0] = d_solid_hit(&r, &all);
        return parts[0].hit;
    }
    const double length = sqrt(dd);
    torus_line line = {.torus = &t, .slack = 0x1p-46 * (d_length(r.o) + size)};
    line.foot = d_scale(d_cross(r.d, d_cross(r.o, r.d)), 1.0 / dd);
    line.along = d_scale(r.d, 1.0 / length);
    const double beside2 = d_dot(line.foot, line.foot), ball = size * (1.0 + 0x1p-20) + line.slack;
    if (!(beside2 <= ball * ball)) return 0;
    // At either end the line is outside for certain.
    const double reach = sqrt(ball * ball - beside2) + 0x1p-20 * size;
    const double height = d_dot(line.foot, t.axis), climb = fabs(d_dot(line.along, t.axis)) * reach;
    if (fabs(height) - climb > t.minor + line.slack) return 0;
    make_quartic(&line);
    d_span found[2];
    const int count = parts_of(&line, reach, found);
    const double first = -d_dot(r.o, r.d) / dd;
    size_t hits = 0;
    for (int i = 0; i < count; ++i) {
        found[i].enter = first + found[i].enter / length;
        found[i].leave = first + found[i].leave / length;
        const tact_ray_solid_hit hit = d_solid_hit(&r, &found[i]);
        if (hit.hit) parts[hits++] = hit;
    }
    return hits;
}
