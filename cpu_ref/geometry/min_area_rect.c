// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/min_area_rect.h"

#include "cpu_ref/geometry/fit_internal.h"
#include "cpu_ref/geometry/obb_internal.h"

static dvec2 at(const ring* r, size_t i)
{
    if (r->precise) return r->precise[i];
    const dvec2 p = {(double)r->single[i].x, (double)r->single[i].y};
    return p;
}

static size_t next(const ring* r, size_t i)
{
    return i + 1 == r->count ? 0 : i + 1;
}

static dvec2 minus(dvec2 a, dvec2 b)
{
    const dvec2 d = {a.x - b.x, a.y - b.y};
    return d;
}

static dvec2 turned(dvec2 a)
{
    const dvec2 t = {-a.y, a.x};
    return t;
}

static double dot(dvec2 a, dvec2 b)
{
    return a.x * b.x + a.y * b.y;
}

/// From i on along the ring as long as that leads no lower in a direction, once round at most.
static size_t climb(const ring* r, size_t i, dvec2 direction)
{
    for (size_t steps = 0; steps < r->count; ++steps) {
        const size_t j = next(r, i);
        if (!(dot(minus(at(r, j), at(r, i)), direction) >= 0.0)) break;
        i = j;
    }
    return i;
}

/// The calipers: the vertices farthest along an edge, to its left, and against it.
typedef struct calipers {
    size_t along, left, against;
} calipers;

static double turn_to_edge(const ring* r, size_t edge, dvec2 e, calipers* c, bool first)
{
    if (first) c->along = next(r, edge);
    c->along = climb(r, c->along, e);
    if (first) c->left = c->along;
    c->left = climb(r, c->left, turned(e));
    if (first) c->against = c->left;
    const dvec2 back = {-e.x, -e.y};
    c->against = climb(r, c->against, back);
    const double width = dot(minus(at(r, c->along), at(r, c->against)), e);
    const double height = dot(minus(at(r, c->left), at(r, edge)), turned(e));
    return width / dot(e, e) * height;
}

/// An edge as a direction of about unit size: nothing under- or overflows.
static bool edge_direction(const ring* r, size_t i, dvec2* e)
{
    *e = minus(at(r, next(r, i)), at(r, i));
    const double size = fmax(fabs(e->x), fabs(e->y));
    if (!(size > 0.0)) return false;
    e->x /= size;
    e->y /= size;
    return true;
}

dvec2 tact_least_rect_direction(ring polygon)
{
    dvec2 best = {1.0, 0.0}, e;
    double least = HUGE_VAL;
    calipers c = {0, 0, 0};
    bool first = true;
    for (size_t i = 0; i < polygon.count; ++i) {
        if (!edge_direction(&polygon, i, &e)) continue;
        const double area = turn_to_edge(&polygon, i, e, &c, first);
        first = false;
        if (!(area < least)) continue;
        least = area;
        best = e;
    }
    return best;
}

static dvec2 least_direction_quadratic(const ring* r)
{
    dvec2 best = {1.0, 0.0}, e;
    double least = HUGE_VAL;
    for (size_t i = 0; i < r->count; ++i) {
        if (!edge_direction(r, i, &e)) continue;
        double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
        for (size_t k = 0; k < r->count; ++k) {
            const dvec2 d = minus(at(r, k), at(r, i));
            const double p[2] = {dot(d, e), dot(d, turned(e))};
            for (int j = 0; j < 2; ++j) {
                low[j] = fmin(low[j], p[j]);
                high[j] = fmax(high[j], p[j]);
            }
        }
        const double area = (high[0] - low[0]) * (high[1] - low[1]) / dot(e, e);
        if (!(area < least)) continue;
        least = area;
        best = e;
    }
    return best;
}

static bool axis_aligned(dvec2 axis)
{
    return axis.x == 0.0 || axis.y == 0.0;
}

/// The rectangle along a direction, its axis rounded first and its halves last.
static bool finish(const ring* r, dvec2 direction, tact_rect* rect)
{
    const dvec unit = d_unit(d_make(direction.x, direction.y, 0.0));
    rect->axis.x = (float)unit.x;
    rect->axis.y = (float)unit.y;
    const dvec2 axis = {(double)rect->axis.x, (double)rect->axis.y}, origin = at(r, 0);
    const double scale = 1.0 / dot(axis, axis);
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; k < r->count; ++k) {
        const dvec2 d = minus(at(r, k), origin);
        const double p[2] = {dot(d, axis) * scale, dot(d, turned(axis)) * scale};
        for (int j = 0; j < 2; ++j) {
            low[j] = fmin(low[j], p[j]);
            high[j] = fmax(high[j], p[j]);
        }
    }
    const double x = 0.5 * (low[0] + high[0]), y = 0.5 * (low[1] + high[1]);
    rect->center.x = (float)(origin.x + x * axis.x - y * axis.y);
    rect->center.y = (float)(origin.y + x * axis.y + y * axis.x);
    if (!isfinite(rect->center.x) || !isfinite(rect->center.y)) return false;
    const dvec2 center = {(double)rect->center.x, (double)rect->center.y}, moved = minus(center, origin);
    const double c[2] = {dot(moved, axis) * scale, dot(moved, turned(axis)) * scale};
    double half[2];
    for (int j = 0; j < 2; ++j) {
        half[j] = fmax(high[j] - c[j], c[j] - low[j]);
        if (!axis_aligned(axis)) half[j] += 0x1p-46 * (high[0] - low[0] + high[1] - low[1] + fabs(c[0]) + fabs(c[1]));
    }
    rect->half.x = d_round_up(half[0]);
    rect->half.y = d_round_up(half[1]);
    return isfinite(rect->half.x) && isfinite(rect->half.y);
}

static bool all_finite(const tact_vec2* polygon, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(polygon[i].x) || !isfinite(polygon[i].y)) return false;
    }
    return count > 0;
}

bool tact_min_area_rect(const tact_vec2* polygon, size_t count, tact_rect* rect)
{
    const ring r = {polygon, NULL, count};
    return all_finite(polygon, count) && finish(&r, tact_least_rect_direction(r), rect);
}

bool tact_min_area_rect_quadratic(const tact_vec2* polygon, size_t count, tact_rect* rect)
{
    const ring r = {polygon, NULL, count};
    return all_finite(polygon, count) && finish(&r, least_direction_quadratic(&r), rect);
}

double tact_rect_area(const tact_rect* rect)
{
    return 4.0 * (double)rect->half.x * (double)rect->half.y;
}
