// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/quadratic_program.h"

#include <float.h>

#include "base/asserts.h"
#include "cpu_ref/geometry/vec.h"

enum { HELD = 3, STEPS = 1000 };

/// Sine of an angle below which two normals are one, or a third is in the plane of two.
#define PARALLEL 0x1p-40

/// A half-space, relative to the point given: unit . x <= height.
typedef struct half_space {
    dvec unit;
    double height, length;
    size_t number;
} half_space;

/// The point closest to the origin on the borders of some half-spaces.
typedef struct held {
    half_space by[HELD];
    double pull[HELD];  ///< times the unit normals
    int count;
    dvec at;
    double square;  ///< of its distance
} held;

static half_space relative(const tact_plane* planes, size_t i, dvec point)
{
    const dvec n = d_from(planes[i].normal);
    const double length = d_length(n);
    const half_space h = {d_scale(n, 1.0 / length), ((double)planes[i].distance - d_dot(n, point)) / length, length, i};
    return h;
}

/// Finds the point and what pulls at it. False where the normals are dependent or a pull is negative.
static bool hold(held* s)
{
    dvec axis[HELD];
    double part[HELD][HELD], along[HELD];  // of the normals, and of the point, along the axes
    s->at = d_make(0.0, 0.0, 0.0);
    for (int i = 0; i < s->count; ++i) {
        dvec rest = s->by[i].unit;
        along[i] = s->by[i].height;
        for (int k = 0; k < i; ++k) {
            part[i][k] = d_dot(rest, axis[k]);
            rest = d_along(rest, -part[i][k], axis[k]);
        }
        // Once more, against what rounding has left.
        for (int k = 0; k < i; ++k) {
            const double more = d_dot(rest, axis[k]);
            part[i][k] += more;
            rest = d_along(rest, -more, axis[k]);
            along[i] -= part[i][k] * along[k];
        }
        part[i][i] = d_length(rest);
        if (!(part[i][i] > PARALLEL)) return false;
        axis[i] = d_scale(rest, 1.0 / part[i][i]);
        along[i] /= part[i][i];
        s->at = d_along(s->at, along[i], axis[i]);
    }
    s->square = d_dot(s->at, s->at);
    for (int i = s->count; i-- > 0;) {
        double sum = -along[i];
        for (int k = i + 1; k < s->count; ++k)
            sum -= s->pull[k] * part[k][i];
        s->pull[i] = sum / part[i][i];
        if (!(s->pull[i] >= 0.0)) return false;
    }
    return true;
}

/// Brings a half-space in: of the ways to hold a point by it and some of the others, the one that holds it farthest
/// away. False where none is farther than before.
static bool bring_in(held* s, const half_space* in)
{
    held best = {.square = s->square};
    bool found = false;
    for (unsigned others = 0; others < 1u << s->count; ++others) {
        held t = {.by = {*in}, .count = 1};
        int used = 0;
        for (int k = 0; k < s->count; ++k) {
            if (!(others >> k & 1u)) continue;
            if (++used < HELD) t.by[t.count++] = s->by[k];
        }
        if (used == HELD || !hold(&t) || !(t.square > best.square)) continue;
        best = t;
        found = true;
    }
    if (found) *s = best;
    return found;
}

/// The half-space that a point breaks by most, and by how much.
static double most_broken(const tact_plane* planes, size_t count, dvec point, dvec at, size_t* number)
{
    double most = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const dvec n = d_from(planes[i].normal);
        const double distance = (double)planes[i].distance - d_dot(n, point), over = d_dot(n, at) - distance;
        // As over / |n| > most, but without a root for most.
        if (!(over > 0.0) || !(over * over > most * most * d_dot(n, n))) continue;
        most = over / d_length(n);
        *number = i;
    }
    return most;
}

static bool all_finite(const tact_plane* planes, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!v_finite(planes[i].normal) || !isfinite(planes[i].distance)) return false;
    }
    return true;
}

/// Whether no point is in all half-spaces.
static bool none_common(const tact_plane* planes, size_t count)
{
    const tact_aabb all = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};
    return tact_lp_3d(planes, count, (tact_vec3){0, 0, 0}, all).status == TACT_LP_INFEASIBLE;
}

static void write_held(const held* s, dvec point, tact_qp_result* r)
{
    r->point = d_round(d_add(point, s->at));
    r->distance = (float)sqrt(s->square);
    r->tight_count = (uint32_t)s->count;
    for (int i = 0; i < s->count; ++i) {
        r->tight[i] = (uint32_t)s->by[i].number;
        r->pull[i] = s->pull[i] / s->by[i].length;
    }
}

tact_qp_result tact_half_spaces_closest(const tact_plane* half_spaces, size_t count, tact_vec3 point)
{
    tact_qp_result r = {.status = TACT_LP_INVALID, .point = {NAN, NAN, NAN}, .distance = INFINITY};
    if (!v_finite(point) || !all_finite(half_spaces, count)) return r;
    const dvec p = d_from(point);
    held s = {.count = 0};
    size_t in = 0;
    bool grown = true;
    for (int step = 0; step < STEPS && grown; ++step) {
        r.excess = most_broken(half_spaces, count, p, s.at, &in);
        if (!(r.excess > 0.0)) break;
        const half_space h = relative(half_spaces, in, p);
        // Broken by no more than what rounding may do to a point on its border.
        if (step > 0 && r.excess <= 0x1p-48 * (sqrt(s.square) + fabs(h.height) + d_length(p))) break;
        grown = isfinite(h.height) && bring_in(&s, &h);
    }
    r.status = TACT_LP_OPTIMUM;
    if (r.excess > 0.0 && !grown && none_common(half_spaces, count)) {
        r = (tact_qp_result){.status = TACT_LP_INFEASIBLE, .point = {NAN, NAN, NAN}, .distance = INFINITY};
        return r;
    }
    write_held(&s, p, &r);
    return r;
}
