// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a shape of spheres amounts to: volume and moments of their union, along lines.

#include "core/particles/clump_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/particles/particles.h"

enum { LINES = 256 };

/// Where a line is inside a sphere.
typedef struct span {
    double low, high;
} span;

static int compare_spans(const void* a, const void* b)
{
    const span *s = a, *t = b;
    if (s->low != t->low) return s->low < t->low ? -1 : 1;
    return s->high < t->high ? -1 : s->high > t->high;
}

/// Integrals over the union: of 1; x y z; xx yy zz xy xz yz.
typedef struct moments {
    double volume, first[3], second[6];
} moments;

static void add_span(moments* m, double x, double y, double low, double high, double area)
{
    const double length = area * (high - low), middle = 0.5 * (low + high);
    const double z = length * middle, zz = area * (high * high * high - low * low * low) / 3.0;
    m->volume += length;
    m->first[0] += length * x;
    m->first[1] += length * y;
    m->first[2] += z;
    m->second[0] += length * x * x;
    m->second[1] += length * y * y;
    m->second[2] += zz;
    m->second[3] += length * x * y;
    m->second[4] += z * x;
    m->second[5] += z * y;
}

/// A sphere's centre along an axis, from the first's, so that little is lost where the shape is far from its frame's
/// origin.
static double at(const tact_clump_shape* s, size_t i, size_t axis)
{
    return (double)s->positions[3 * i + axis] - (double)s->positions[axis];
}

/// The line along z through (x, y).
static void add_line(moments* m, const tact_clump_shape* s, span* spans, double x, double y, double area)
{
    size_t count = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        const double dx = x - at(s, i, 0), dy = y - at(s, i, 1), z = at(s, i, 2), r = (double)s->radii[i];
        const double square = r * r - dx * dx - dy * dy;
        if (!(square > 0.0)) continue;
        const double half = sqrt(square);
        spans[count++] = (span){z - half, z + half};
    }
    if (count > 1) qsort(spans, count, sizeof *spans, compare_spans);
    for (size_t i = 0; i < count;) {
        double high = spans[i].high;
        size_t k = i + 1;
        for (; k < count && spans[k].low <= high; ++k)
            high = spans[k].high > high ? spans[k].high : high;
        add_span(m, x, y, spans[i].low, high, area);
        i = k;
    }
}

static moments integrate(const tact_clump_shape* s, span* spans)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < s->count; ++i) {
        for (size_t k = 0; k < 2; ++k) {
            const double c = at(s, i, k), r = (double)s->radii[i];
            low[k] = fmin(low[k], c - r);
            high[k] = fmax(high[k], c + r);
        }
    }
    const double step[2] = {(high[0] - low[0]) / LINES, (high[1] - low[1]) / LINES};
    moments m = {0};
    for (int j = 0; j < LINES; ++j) {
        for (int i = 0; i < LINES; ++i)
            add_line(&m, s, spans, low[0] + (i + 0.5) * step[0], low[1] + (j + 0.5) * step[1], step[0] * step[1]);
    }
    return m;
}

static tact_result bad(tact_env* env, const char* what, double value)
{
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a clump's %s %g", what, value);
}

static tact_result check_shape(tact_env* env, const tact_clump_shape* s)
{
    if (s->count == 0 || s->count > TACT_CLUMP_SPHERES)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a clump of %u spheres, of 1 to %d", (unsigned)s->count,
                         TACT_CLUMP_SPHERES);
    if (!s->positions || !s->radii) return tact_null(env, s->positions ? "radii" : "positions");
    for (size_t i = 0; i < 3 * (size_t)s->count; ++i) {
        if (!(fabsf(s->positions[i]) <= TACT_MAX_COORDINATE)) return bad(env, "position", (double)s->positions[i]);
    }
    for (size_t i = 0; i < s->count; ++i) {
        if (!(s->radii[i] > 0.0f && s->radii[i] <= TACT_LARGEST_RADIUS)) return bad(env, "radius", (double)s->radii[i]);
    }
    for (int k = 0; k < 3 && s->center; ++k) {
        if (!(fabsf(s->center[k]) <= TACT_MAX_COORDINATE)) return bad(env, "centre of mass", (double)s->center[k]);
    }
    for (int k = 0; k < 6 && s->inertia; ++k) {
        if (!(fabsf(s->inertia[k]) <= 1e30f)) return bad(env, "inertia", (double)s->inertia[k]);
    }
    if (!(s->density >= 0.0f && s->density <= 1e30f)) return bad(env, "density", (double)s->density);
    if (!(s->mass >= 0.0f && s->mass <= 1e30f)) return bad(env, "mass", (double)s->mass);
    return TACT_OK;
}

/// Whether a tensor of inertia is positive definite (Sylvester's criterion).
static bool is_inertia(const double i[6])
{
    const double xy = i[0] * i[1] - i[3] * i[3];
    const double determinant =
        i[0] * (i[1] * i[2] - i[5] * i[5]) - i[3] * (i[3] * i[2] - i[5] * i[4]) + i[4] * (i[3] * i[5] - i[1] * i[4]);
    return i[0] > 0.0 && xy > 0.0 && determinant > 0.0 && isfinite(determinant);
}

tact_result tact_clump_shape_measure(tact_env* env, const tact_clump_shape* s, tact_clump_measures* out)
{
    tact_result result = check_shape(env, s);
    if (result != TACT_OK) return result;
    span* spans = tact_allocate(env, s->count, sizeof *spans);
    if (!spans) return TACT_ERROR_OUT_OF_MEMORY;
    const moments m = integrate(s, spans);
    tact_release(env, spans);
    tact_clump_measures r = {.volume = m.volume};
    if (!(m.volume > 0.0 && isfinite(m.volume))) return bad(env, "volume", m.volume);
    r.mass = s->mass > 0.0f ? (double)s->mass : m.volume * (s->density > 0.0f ? (double)s->density : 1000.0);
    double c[3];
    for (int k = 0; k < 3; ++k) {
        c[k] = s->center ? (double)s->center[k] - (double)s->positions[k] : m.first[k] / m.volume;
        r.center[k] = s->center ? (double)s->center[k] : (double)s->positions[k] + c[k];
    }
    // Second moments by the volume, about the centre of mass.
    double about[6];
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
        const double fi = m.first[row[k]] / m.volume, fj = m.first[column[k]] / m.volume;
        const double ci = c[row[k]], cj = c[column[k]];
        about[k] = m.second[k] / m.volume - ci * fj - cj * fi + ci * cj;
    }
    const double of_union[6] = {about[1] + about[2], about[0] + about[2], about[0] + about[1],
                                -about[3],           -about[4],           -about[5]};
    for (int k = 0; k < 6; ++k)
        r.inertia[k] = s->inertia ? (double)s->inertia[k] : r.mass * of_union[k];
    if (!is_inertia(r.inertia)) return bad(env, "tensor of inertia that no body has, with xx", r.inertia[0]);
    for (size_t i = 0; i < s->count; ++i) {
        double square = 0.0;
        for (size_t k = 0; k < 3; ++k) {
            const double d = (double)s->positions[3 * i + k] - r.center[k];
            square += d * d;
        }
        r.reach = fmax(r.reach, sqrt(square));
    }
    *out = r;
    return TACT_OK;
}
