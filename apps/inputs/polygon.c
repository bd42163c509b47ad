// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-FileCopyrightText: 1993 Sun Microsystems, Inc.
// SPDX-License-Identifier: MIT AND LicenseRef-SunPro
#include "apps/inputs/polygon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tact/geometry/polygon.h"
#include "tact/geometry/predicates.h"

/// Turns a triangle whose first corner is the first of the triangle before it, so that no reader of such lists takes
/// both for a fan.
static void put_triangle(tact_polygon_cutter* cutter, uint32_t* t, uint32_t a, uint32_t b, uint32_t c)
{
    const bool turn = a + 1 == cutter->last;
    t[0] = turn ? c : a;
    t[1] = turn ? a : b;
    t[2] = turn ? b : c;
    cutter->last = t[0] + 1;
}

/// The vector from `from` to `to`, of length one unless it has none.
static void direction(const float* from, const float* to, float out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = to[k] - from[k];
    const float length = sqrtf(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    if (length == 0.0f) return;
    const float inverse = 1.0f / length;
    for (int k = 0; k < 3; ++k)
        out[k] *= inverse;
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The arc cosine as the C libraries of Linux have had it, bit for bit, for the sake of quadrilaterals with a straight
/// corner: how a sum of two such arcs is rounded decides how those are cut, and that must not depend on the machine.
/// From FreeBSD's e_acosf.c, of which this is said:
///
///     Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
///     Developed at SunPro, a Sun Microsystems, Inc. business.
///     Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is
///     preserved.
static float arc_cosine(float x)
{
    const float half_pi = 1.5707962513e+00f, rest = 7.5497894159e-08f, pi = 3.1415925026e+00f;
    if (!(x >= -1.0f && x <= 1.0f)) return NAN;
    if (x == 1.0f) return 0.0f;
    if (x == -1.0f) return pi + 2.0f * rest;
    const float size = fabsf(x);
    if (size <= 0x1p-26f) return half_pi + rest;
    const float z = size < 0.5f ? x * x : (1.0f - size) * 0.5f;
    const float p =
        z *
        (1.6666667163e-01f +
         z * (-3.2556581497e-01f +
              z * (2.0121252537e-01f + z * (-4.0055535734e-02f + z * (7.9153501429e-04f + z * 3.4793309169e-05f)))));
    const float q =
        1.0f + z * (-2.4033949375e+00f + z * (2.0209457874e+00f + z * (-6.8828397989e-01f + z * 7.7038154006e-02f)));
    const float r = p / q;
    if (size < 0.5f) return half_pi - (x - (rest - x * r));
    const float s = sqrtf(z);
    if (x < 0.0f) return pi - 2.0f * (s + (r * s - rest));
    uint32_t bits = 0;
    memcpy(&bits, &s, sizeof bits);
    bits &= 0xfffff000u;
    float high = 0.0f;
    memcpy(&high, &bits, sizeof high);
    const float low = (z - high * high) / (s + high);
    return 2.0f * (high + (r * s + low));
}

/// Whether the angles between a corner's diagonal and both edges exceed a straight one together, given their cosines.
static bool is_reflex(float left, float right)
{
    const float angle = arc_cosine(left) + arc_cosine(right);
    return angle > 3.14159274f;
}

/// A quadrilateral is a fan from its reflex corner, or else from its first.
static void cut_quad(tact_polygon_cutter* cutter, const float* positions, const uint32_t* c, uint32_t* triangles)
{
    unsigned start = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const float* v = positions + 3 * (size_t)c[i];
        float left[3], middle[3], right[3];
        direction(v, positions + 3 * (size_t)c[(i + 3) % 4], left);
        direction(v, positions + 3 * (size_t)c[(i + 2) % 4], middle);
        direction(v, positions + 3 * (size_t)c[(i + 1) % 4], right);
        if (is_reflex(dot(left, middle), dot(right, middle))) {
            start = i;
            break;
        }
    }
    const uint32_t fan[4] = {c[start], c[(start + 1) % 4], c[(start + 2) % 4], c[(start + 3) % 4]};
    const uint32_t both[6] = {fan[0], fan[1], fan[2], fan[0], fan[2], fan[3]};
    // The same two triangles, as a fan from the opposite corner, where this one would look like more of the fan before.
    const uint32_t turned[6] = {fan[2], fan[0], fan[1], fan[2], fan[3], fan[0]};
    memcpy(triangles, fan[0] + 1 == cutter->last ? turned : both, sizeof both);
    cutter->last = triangles[0] + 1;
}

static bool make_room(tact_polygon_cutter* cutter, size_t count)
{
    if (count <= cutter->room) return true;
    if (count > SIZE_MAX / 4 / sizeof(float)) return false;
    const size_t room = 2 * count;
    float* flat = realloc(cutter->flat, room * 2 * sizeof *flat);
    if (flat) cutter->flat = flat;
    bool* done = flat ? realloc(cutter->done, room * sizeof *done) : NULL;
    if (!done) return false;
    cutter->done = done;
    cutter->room = room;
    return true;
}

/// Leaves out the coordinate along which the polygon's normal (Newell's) is largest, and mirrors what is left so that
/// it runs counterclockwise.
static void flatten(tact_polygon_cutter* cutter, const float* positions, const uint32_t* corners, size_t count)
{
    float xy = 0.0f, yz = 0.0f, zx = 0.0f;
    for (size_t i = 0; i < count; ++i) {
        const float* low = positions + 3 * (size_t)corners[i];
        const float* at = positions + 3 * (size_t)corners[(i + 1) % count];
        const float* high = positions + 3 * (size_t)corners[(i + 2) % count];
        xy += at[0] * (high[1] - low[1]);
        yz += at[1] * (high[2] - low[2]);
        zx += at[2] * (high[0] - low[0]);
    }
    const float ax = yz > 0.0f ? yz : -yz, ay = zx > 0.0f ? zx : -zx, az = xy > 0.0f ? xy : -xy;
    int first = 0, second = 1;
    float along = xy;
    if (ax > ay) {
        if (ax > az) first = 1, second = 2, along = yz;
    } else if (ay > az) {
        first = 2, second = 0, along = zx;
    }
    const bool swap = along < 0.0f;
    for (size_t i = 0; i < count; ++i) {
        const float* p = positions + 3 * (size_t)corners[i];
        cutter->flat[2 * i] = p[swap ? second : first];
        cutter->flat[2 * i + 1] = p[swap ? first : second];
        cutter->done[i] = false;
    }
}

static double area(const float* a, const float* b, const float* c)
{
    const double ax = (double)a[0], ay = (double)a[1], bx = (double)b[0], by = (double)b[1], cx = (double)c[0],
                 cy = (double)c[1];
    return 0.5 * (ax * (cy - by) + bx * (ay - cy) + cx * (by - ay));
}

static bool is_inside(const float* a, const float* b, const float* c, const float* p)
{
    const float u[2] = {b[0] - a[0], b[1] - a[1]}, v[2] = {c[0] - a[0], c[1] - a[1]}, w[2] = {p[0] - a[0], p[1] - a[1]};
    const double uu = (double)(u[0] * u[0] + u[1] * u[1]), vv = (double)(v[0] * v[0] + v[1] * v[1]),
                 uv = (double)(u[0] * v[0] + u[1] * v[1]), uw = (double)(u[0] * w[0] + u[1] * w[1]),
                 vw = (double)(v[0] * w[0] + v[1] * w[1]);
    const double scale = uu * vv - uv * uv;
    if (scale == 0.0) return false;
    const double inverse = 1.0 / scale;
    const double s = (vv * uw - uv * vw) * inverse, t = (uu * vw - uv * uw) * inverse;
    return s > 0 && t > 0 && s + t < 1;
}

static bool same(const float* a, const float* b)
{
    return a[0] == b[0] && a[1] == b[1];
}

/// Whether the corner between its neighbours can be cut off: no other corner lies in that triangle.
static bool is_ear(tact_polygon_cutter* cutter, size_t prev, size_t ear, size_t next, size_t count)
{
    const float *a = cutter->flat + 2 * prev, *b = cutter->flat + 2 * ear, *c = cutter->flat + 2 * next;
    if (area(a, b, c) > 0) return false;
    size_t i = 0;
    for (; i < count; ++i) {
        const float* p = cutter->flat + 2 * i;
        if (!same(p, b) && !same(p, c) && !same(p, a) && is_inside(a, b, c, p)) break;
    }
    cutter->work -= i < cutter->work ? i : cutter->work;
    return i == count;
}

static size_t next_left(tact_polygon_cutter* cutter, size_t from, size_t count)
{
    do {
        from = from + 1 < count ? from + 1 : 0;
        cutter->work -= cutter->work > 0;
    } while (cutter->done[from]);
    return from;
}

/// Finds the next ear from `*next` on, going round at most twice.
static bool find_ear(tact_polygon_cutter* cutter, size_t* prev, size_t* ear, size_t* next, size_t count)
{
    int rounds = 0;
    for (*ear = *next;; *prev = *ear, *ear = *next) {
        *next = next_left(cutter, *ear, count);
        if (*next < *ear && ++rounds == 2) return false;
        if (is_ear(cutter, *prev, *ear, *next, count)) return true;
        if (cutter->work == 0) return false;
    }
}

/// Cuts off an ear, by places in the polygon, which runs counterclockwise.
static void cut_ear(tact_polygon_cutter* cutter, const uint32_t* corners, const size_t places[3], uint32_t* triangle)
{
    const tact_vec2* flat = (const tact_vec2*)cutter->flat;
    cutter->overlap |= tact_orient2d(flat[places[0]], flat[places[1]], flat[places[2]]) < 0;
    put_triangle(cutter, triangle, corners[places[0]], corners[places[1]], corners[places[2]]);
}

static tact_polygon_result cut_ears(tact_polygon_cutter* cutter, const uint32_t* corners, size_t count,
                                    uint32_t* triangles, size_t* made)
{
    size_t prev = count - 1, ear = 0, next = 0, left = count;
    for (; left > 3; --left) {
        if (!find_ear(cutter, &prev, &ear, &next, count)) {
            return cutter->work == 0 ? TACT_POLYGON_TOO_MUCH : TACT_POLYGON_NOT_SIMPLE;
        }
        cut_ear(cutter, corners, (const size_t[3]){prev, ear, next}, triangles + 3 * (*made)++);
        cutter->done[ear] = true;
    }
    size_t rest[3];
    rest[0] = next_left(cutter, count - 1, count);
    rest[1] = next_left(cutter, rest[0], count);
    rest[2] = next_left(cutter, rest[1], count);
    cut_ear(cutter, corners, rest, triangles + 3 * (*made)++);
    return TACT_POLYGON_CUT;
}

/// Cuts a polygon whose edges do not cross, whatever its ears are like; false where they do, and nothing is changed.
static bool cut_exactly(tact_polygon_cutter* cutter, const uint32_t* corners, size_t count, uint32_t* triangles,
                        size_t* made)
{
    const tact_polygon_view view = {.vertices = (const tact_vec2*)cutter->flat, .vertex_count = count};
    tact_polygon_parts parts;
    if (tact_polygon_triangulate(&view, TACT_POLYGON_EVEN_ODD, NULL, &parts) < 0) return false;
    const bool good = parts.point_count == count && parts.part_count > 0 && parts.part_count <= count - 2;
    for (size_t i = 0; good && i < parts.part_count; ++i) {
        const uint32_t* c = parts.corners + parts.start[i];
        put_triangle(cutter, triangles + 3 * i, corners[c[0]], corners[c[1]], corners[c[2]]);
    }
    if (good) *made = parts.part_count;
    cutter->recut += good;
    tact_polygon_parts_free(&parts);
    return good;
}

tact_polygon_result tact_polygon_cut(tact_polygon_cutter* cutter, const float* positions, const uint32_t* corners,
                                     size_t count, uint32_t* triangles, size_t* made)
{
    *made = 0;
    if (count == 3) {
        put_triangle(cutter, triangles, corners[0], corners[1], corners[2]);
        *made = 1;
        return TACT_POLYGON_CUT;
    }
    if (count == 4) {
        cut_quad(cutter, positions, corners, triangles);
        *made = 2;
        return TACT_POLYGON_CUT;
    }
    if (!make_room(cutter, count)) return TACT_POLYGON_NO_MEMORY;
    flatten(cutter, positions, corners, count);
    const uint32_t last = cutter->last;
    cutter->overlap = false;
    const tact_polygon_result result = cut_ears(cutter, corners, count, triangles, made);
    if (result == TACT_POLYGON_TOO_MUCH || (result == TACT_POLYGON_CUT && !cutter->overlap)) return result;
    const uint32_t ears = cutter->last;
    cutter->last = last;
    if (cut_exactly(cutter, corners, count, triangles, made)) return TACT_POLYGON_CUT;
    cutter->last = ears;
    return result;
}

void tact_polygon_free(tact_polygon_cutter* cutter)
{
    free(cutter->flat);
    free(cutter->done);
    *cutter = (tact_polygon_cutter){0};
}
