// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/fit_internal.h"

enum { DIRECTIONS = 13, EXTREMES = 2 * DIRECTIONS };

static const signed char directions[DIRECTIONS][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 1},  {1, 1, -1},
                                                      {1, -1, 1}, {-1, 1, 1}, {1, 1, 0}, {1, -1, 0}, {1, 0, 1},
                                                      {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

/// Extreme points relative to the first point, the least and the greatest along each direction.
static void extreme_points(const tact_vec3* points, size_t count, dvec extreme[EXTREMES])
{
    double low[DIRECTIONS], high[DIRECTIONS];
    const dvec origin = d_from(points[0]);
    for (int k = 0; k < DIRECTIONS; ++k) {
        low[k] = HUGE_VAL;
        high[k] = -HUGE_VAL;
    }
    for (size_t i = 0; i < count; ++i) {
        const dvec p = d_sub(d_from(points[i]), origin);
        for (int k = 0; k < DIRECTIONS; ++k) {
            const double x = (directions[k][0] * p.x + directions[k][1] * p.y) + directions[k][2] * p.z;
            if (x < low[k]) {
                low[k] = x;
                extreme[2 * k] = p;
            }
            if (x > high[k]) {
                high[k] = x;
                extreme[2 * k + 1] = p;
            }
        }
    }
}

typedef struct dito {
    dvec extreme[EXTREMES + 1], axis[3];  // the last one is the farthest from the line of two others
    size_t count;                         // of extremes
    tact_obb_measure measure;
    double least;
} dito;

static void dito_try(dito* d, const dvec axis[3])
{
    extents e = d_no_extents();
    for (size_t i = 0; i < d->count; ++i)
        d_extend(&e, axis, d->extreme[i]);
    const double measure = d_box_measure(d->measure, &e);
    if (!(measure < d->least)) return;
    d->least = measure;
    for (int i = 0; i < 3; ++i)
        d->axis[i] = axis[i];
}

/// A box along each edge, with the triangle's plane. A triangle that is a segment or a point leaves frames that are
/// partly arbitrary, which does no harm.
static void dito_triangle(dito* d, dvec a, dvec b, dvec c)
{
    const dvec corner[3] = {a, b, c};
    for (int i = 0; i < 3; ++i) {
        const dvec from = corner[i], to = corner[(i + 1) % 3], other = corner[(i + 2) % 3];
        dvec axis[3];
        d_frame(d_sub(to, from), d_sub(other, from), axis);
        dito_try(d, axis);
    }
}

/// The pair of a direction that is farthest apart, and the point farthest from their line. That is one of all points:
/// the extremes of a long cloud may be its two ends alone, which leave the plane of a flat one open.
static void base_triangle(dito* d, const tact_vec3* points, size_t count, dvec corner[3])
{
    const dvec origin = d_from(points[0]);
    double most = -1.0;
    for (int k = 0; k < DIRECTIONS; ++k) {
        const dvec between = d_sub(d->extreme[2 * k + 1], d->extreme[2 * k]);
        if (!(d_dot(between, between) > most)) continue;
        most = d_dot(between, between);
        corner[0] = d->extreme[2 * k];
        corner[1] = d->extreme[2 * k + 1];
    }
    const dvec along = d_sub(corner[1], corner[0]);
    most = -1.0;
    for (size_t i = 0; i < count; ++i) {
        const dvec p = d_sub(d_from(points[i]), origin), off = d_cross(d_sub(p, corner[0]), along);
        if (!(d_dot(off, off) > most)) continue;
        most = d_dot(off, off);
        corner[2] = p;
    }
    d->extreme[d->count++] = corner[2];
}

static void dito_search(dito* d, const tact_vec3* points, size_t count)
{
    dvec t[3];
    base_triangle(d, points, count, t);
    dito_triangle(d, t[0], t[1], t[2]);
    const dvec normal = d_cross(d_sub(t[1], t[0]), d_sub(t[2], t[0]));
    dvec top[2] = {t[0], t[0]};
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < d->count; ++i) {
        const double height = d_dot(d->extreme[i], normal);
        if (height < low) {
            low = height;
            top[0] = d->extreme[i];
        }
        if (height > high) {
            high = height;
            top[1] = d->extreme[i];
        }
    }
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 3; ++i)
            dito_triangle(d, t[i], t[(i + 1) % 3], top[k]);
    }
}

static const dvec unit_axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/// The frame of least measure over all points.
static void dito_axes(const tact_vec3* points, size_t count, tact_obb_measure measure, dvec axis[3])
{
    dito d = {.count = EXTREMES, .measure = measure, .least = HUGE_VAL};
    extreme_points(points, count, d.extreme);
    dito_try(&d, unit_axes);  // the extreme points have all of the AABB
    const double aligned = d.least;
    dito_search(&d, points, count);
    const bool better = d.least < aligned && d_measure_along(points, count, measure, d.axis) < aligned;
    for (int i = 0; i < 3; ++i)
        axis[i] = better ? d.axis[i] : unit_axes[i];
}

static tact_result check_measure(tact_obb_measure measure)
{
    if (measure == TACT_OBB_VOLUME || measure == TACT_OBB_AREA) return TACT_OK;
    return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "no tact_obb_measure %d", (int)measure);
}

tact_result tact_obb_fit_dito(const tact_vec3* points, size_t count, tact_obb_measure measure, tact_obb* box)
{
    tact_result wrong = obb_check_points(points, count);
    if (wrong == TACT_OK) wrong = check_measure(measure);
    if (wrong != TACT_OK) return wrong;
    dvec axis[3];
    dito_axes(points, count, measure, axis);
    return d_fit_along(points, count, axis, box);
}

typedef struct search {
    const tact_vec3* points;
    size_t count;
    tact_obb_search* options;
    dvec axis[3], extreme[6];
    double least;
} search;

/// As d_extend, keeping the points.
static void extend_with(extents* e, const dvec axis[3], dvec p, dvec extreme[6])
{
    for (int k = 0; k < 3; ++k) {
        const double x = d_dot(p, axis[k]);
        if (x < e->low[k]) {
            e->low[k] = x;
            extreme[2 * k] = p;
        }
        if (x > e->high[k]) {
            e->high[k] = x;
            extreme[2 * k + 1] = p;
        }
    }
}

static bool given_up(search* s, const extents* e)
{
    if (d_box_measure(s->options->measure, e) < s->least) return false;
    ++s->options->early;
    return true;
}

static void search_try(search* s, const dvec axis[3])
{
    extents e = d_no_extents();
    ++s->options->candidates;
    for (int i = 0; i < 6; ++i)
        d_extend(&e, axis, s->extreme[i]);
    if (given_up(s, &e)) return;
    const dvec origin = d_from(s->points[0]);
    dvec extreme[6];
    e = d_no_extents();
    for (size_t i = 0; i < s->count; ++i) {
        extend_with(&e, axis, d_sub(d_from(s->points[i]), origin), extreme);
        if (i % 16 == 15 && given_up(s, &e)) return;
    }
    const double measure = d_box_measure(s->options->measure, &e);
    if (!(measure < s->least)) return;
    s->least = measure;
    for (int i = 0; i < 3; ++i)
        s->axis[i] = axis[i];
    for (int i = 0; i < 6; ++i)
        s->extreme[i] = extreme[i];
}

/// The frame turned by the rotation whose axis times the tangent of half its angle is r.
static void turn(const dvec axis[3], double x, double y, double z, dvec out[3])
{
    const double n = 1.0 / (1.0 + (x * x + y * y + z * z));
    const double m[3][3] = {
        {1.0 + (x * x - y * y - z * z), 2.0 * (x * y - z), 2.0 * (x * z + y)},
        {2.0 * (x * y + z), 1.0 + (y * y - x * x - z * z), 2.0 * (y * z - x)},
        {2.0 * (x * z - y), 2.0 * (y * z + x), 1.0 + (z * z - x * x - y * y)},
    };
    for (int i = 0; i < 3; ++i) {
        out[i] = d_scale(axis[0], n * m[0][i]);
        out[i] = d_along(out[i], n * m[1][i], axis[1]);
        out[i] = d_along(out[i], n * m[2][i], axis[2]);
    }
}

static void search_level(search* s, double reach)
{
    const uint32_t steps = s->options->steps;
    const double spacing = 2.0 * reach / (double)(steps - 1);
    const dvec base[3] = {s->axis[0], s->axis[1], s->axis[2]};
    for (uint32_t i = 0; i < steps; ++i) {
        for (uint32_t j = 0; j < steps; ++j) {
            for (uint32_t k = 0; k < steps; ++k) {
                dvec axis[3];
                turn(base, spacing * (double)i - reach, spacing * (double)j - reach, spacing * (double)k - reach, axis);
                search_try(s, axis);
            }
        }
    }
}

/// Fills in the defaults.
static tact_result search_options(tact_obb_search* options)
{
    if (options->steps == 0) options->steps = 9;
    if (options->levels == 0) options->levels = 8;
    options->candidates = options->early = 0;
    if (options->steps < 4 || options->steps > 100) {
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "%u steps; from 4 to 100", (unsigned)options->steps);
    }
    if (options->levels > 30) {
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "%u levels; at most 30", (unsigned)options->levels);
    }
    return check_measure(options->measure);
}

tact_result tact_obb_fit_search(const tact_vec3* points, size_t count, tact_obb_search* options, tact_obb* box)
{
    tact_obb_search own = {.measure = TACT_OBB_VOLUME};
    if (!options) options = &own;
    tact_result wrong = obb_check_points(points, count);
    if (wrong == TACT_OK) wrong = search_options(options);
    if (wrong != TACT_OK) return wrong;
    search s = {.points = points, .count = count, .options = options, .least = HUGE_VAL};
    dvec axis[3];
    search_try(&s, unit_axes);
    d_principal_frame(points, count, axis);
    search_try(&s, axis);
    dito_axes(points, count, options->measure, axis);
    search_try(&s, axis);
    double reach = 0.41421356237309505;  // the tangent of an eighth of the half circle
    for (uint32_t level = 0; level < options->levels; ++level) {
        search_level(&s, reach);
        reach = 2.0 * reach / (double)(options->steps - 1);
    }
    return d_fit_along(points, count, s.axis, box);
}
