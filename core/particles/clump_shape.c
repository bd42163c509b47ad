// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a shape of spheres amounts to: volume and moments of their union, along lines.

#include "core/particles/clump_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/particles/particles.h"
#include "core/particles/solid_moments.h"

/// Lines through a sphere, across and along: more of few.
enum { LINES = 128, LINES_OF_MANY = 64, MANY = 64 };

/// Where a line comes into another sphere, 1, or out of it, -1.
typedef struct crossing {
    double at;
    int by;
} crossing;

static int compare_crossings(const void* a, const void* b)
{
    const crossing *s = a, *t = b;
    if (s->at != t->at) return s->at < t->at ? -1 : 1;
    return s->by - t->by;
}

/// Memory for one sphere after the other.
typedef struct room {
    uint32_t* others;  ///< those that overlap it
    size_t count;
    crossing* crossings;
} room;

static void add_piece(tact_solid_moments* m, double x, double y, double low, double high, double area)
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

/// Half the length of the line along z through (x, y) in a sphere; 0: it passes by.
static double half_in(const tact_clump_shape* s, size_t i, double x, double y)
{
    const double dx = x - at(s, i, 0), dy = y - at(s, i, 1), r = (double)s->radii[i];
    const double square = r * r - dx * dx - dy * dy;
    return square > 0.0 ? sqrt(square) : 0.0;
}

/// The line along z through (x, y) in sphere i. What lies in several spheres counts in each for its share.
static void add_line(tact_solid_moments* m, const tact_clump_shape* s, const room* r, size_t i, double x, double y,
                     double area)
{
    const double half = half_in(s, i, x, y), low = at(s, i, 2) - half, high = at(s, i, 2) + half;
    size_t count = 0;
    if (half == 0.0) return;
    for (size_t k = 0; k < r->count; ++k) {
        const double other = half_in(s, r->others[k], x, y), middle = at(s, r->others[k], 2);
        const double begin = fmax(middle - other, low), end = fmin(middle + other, high);
        if (!(begin < end)) continue;
        r->crossings[count++] = (crossing){begin, 1};
        r->crossings[count++] = (crossing){end, -1};
    }
    if (count > 1) qsort(r->crossings, count, sizeof *r->crossings, compare_crossings);
    double from = low;
    int spheres = 1;
    for (size_t k = 0; k < count; ++k) {
        add_piece(m, x, y, from, r->crossings[k].at, area / spheres);
        from = r->crossings[k].at;
        spheres += r->crossings[k].by;
    }
    add_piece(m, x, y, from, high, area / spheres);
}

static void find_others(const tact_clump_shape* s, size_t i, room* r)
{
    r->count = 0;
    for (uint32_t k = 0; k < s->count; ++k) {
        double square = 0.0;
        const double reach = (double)s->radii[i] + (double)s->radii[k];
        for (size_t axis = 0; axis < 3; ++axis) {
            const double d = at(s, i, axis) - at(s, k, axis);
            square += d * d;
        }
        if (k != i && square < reach * reach) r->others[r->count++] = k;
    }
}

static tact_solid_moments integrate(const tact_clump_shape* s, room* r)
{
    const int lines = s->count > MANY ? LINES_OF_MANY : LINES;
    tact_solid_moments m = {0};
    for (size_t i = 0; i < s->count; ++i) {
        const double radius = (double)s->radii[i], step = 2.0 * radius / lines;
        find_others(s, i, r);
        for (int b = 0; b < lines; ++b) {
            for (int a = 0; a < lines; ++a)
                add_line(&m, s, r, i, at(s, i, 0) - radius + (a + 0.5) * step, at(s, i, 1) - radius + (b + 0.5) * step,
                         step * step);
        }
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

tact_result tact_clump_shape_measure(tact_env* env, const tact_clump_shape* s, tact_clump_measures* out)
{
    tact_result result = check_shape(env, s);
    if (result != TACT_OK) return result;
    room r = {.others = tact_allocate(env, s->count, sizeof *r.others),
              .crossings = tact_allocate(env, 2 * (size_t)s->count, sizeof *r.crossings)};
    const bool good = r.others && r.crossings;
    const tact_solid_moments m = good ? integrate(s, &r) : (tact_solid_moments){0};
    tact_release(env, r.others);
    tact_release(env, r.crossings);
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    tact_clump_measures measures = {.volume = m.volume};
    if (!(m.volume > 0.0 && isfinite(m.volume))) return bad(env, "volume", m.volume);
    measures.mass = s->mass > 0.0f ? (double)s->mass : m.volume * (s->density > 0.0f ? (double)s->density : 1000.0);
    double c[3];
    for (int k = 0; k < 3; ++k) {
        c[k] = s->center ? (double)s->center[k] - (double)s->positions[k] : m.first[k] / m.volume;
        measures.center[k] = s->center ? (double)s->center[k] : (double)s->positions[k] + c[k];
    }
    tact_solid_inertia(&m, c, measures.inertia);
    for (int k = 0; k < 6; ++k)
        measures.inertia[k] = s->inertia ? (double)s->inertia[k] : measures.mass * measures.inertia[k];
    if (!tact_solid_is_inertia(measures.inertia))
        return bad(env, "tensor of inertia that no body has, with xx", measures.inertia[0]);
    for (size_t i = 0; i < s->count; ++i) {
        double square = 0.0;
        for (size_t k = 0; k < 3; ++k) {
            const double d = (double)s->positions[3 * i + k] - measures.center[k];
            square += d * d;
        }
        measures.reach = fmax(measures.reach, sqrt(square));
    }
    *out = measures;
    return TACT_OK;
}
