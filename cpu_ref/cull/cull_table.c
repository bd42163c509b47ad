// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The planes, made ready for tests in single precision: scaled, written as sums of k-DOP axes, and the bounds of what
// is behind all of them.

#include <float.h>
#include <math.h>

#include "cpu_ref/cull/cull.h"

static float round_up(double x)
{
    if (x >= (double)FLT_MAX) return INFINITY;
    if (x < -(double)FLT_MAX) return -FLT_MAX;
    const float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

static double magnitude(double x, double y, double z)
{
    return fmax(fmax(fabs(x), fabs(y)), fabs(z));
}

typedef enum plane_use { PLANE_TESTED, PLANE_EVERYTHING, PLANE_NOTHING } plane_use;

/// Scales by a power of two, which is exact, so that what is tested does not depend on the unit.
static plane_use prepare(const tact_plane* given, TactCullPlane* plane)
{
    const float n[3] = {given->normal.x, given->normal.y, given->normal.z};
    for (int i = 0; i < 3; ++i)
        if (!isfinite(n[i])) return PLANE_NOTHING;
    if (isnan(given->distance)) return PLANE_NOTHING;
    const double most = magnitude((double)n[0], (double)n[1], (double)n[2]);
    if (!(most > 0.0)) return given->distance >= 0.0f ? PLANE_EVERYTHING : PLANE_NOTHING;
    if (isinf(given->distance)) return given->distance > 0.0f ? PLANE_EVERYTHING : PLANE_NOTHING;
    int exponent;
    (void)frexp(most, &exponent);
    double scaled[3];
    for (int i = 0; i < 3; ++i) {
        scaled[i] = ldexp((double)n[i], 1 - exponent);
        if (scaled[i] != 0.0 && fabs(scaled[i]) < 0x1p-100) return PLANE_EVERYTHING;
    }
    const double length = sqrt(scaled[0] * scaled[0] + scaled[1] * scaled[1] + scaled[2] * scaled[2]);
    const float distance = round_up(ldexp((double)given->distance, 1 - exponent));
    if (isinf(distance)) return PLANE_EVERYTHING;
    *plane = (TactCullPlane){(float)scaled[0], (float)scaled[1], (float)scaled[2], distance,
                             round_up(length * (1.0 + 0x1p-50))};
    return PLANE_TESTED;
}

// ---- normals as sums of k-DOP axes ----

/// The axis with these signs in the row of thirteen, negated where its first component is negative.
typedef struct signed_axis {
    int index;
    double sign;
} signed_axis;

static signed_axis find_axis(int x, int y, int z)
{
    const tact_vec3* axes = tact_kdop_axes(26);
    for (int i = 0; i < 13; ++i) {
        const int ax = (int)axes[i].x, ay = (int)axes[i].y, az = (int)axes[i].z;
        if (ax == x && ay == y && az == z) return (signed_axis){i, 1.0};
        if (ax == -x && ay == -y && az == -z) return (signed_axis){i, -1.0};
    }
    return (signed_axis){0, 0.0};
}

/// The normal's components by size and where each belongs.
typedef struct sorted_normal {
    double most, middle, least;
    int order[3], sign[3];
} sorted_normal;

static sorted_normal sort_normal(const TactCullPlane* p)
{
    const double n[3] = {(double)p->nx, (double)p->ny, (double)p->nz};
    int o[3] = {0, 1, 2};
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 2; ++i) {
            if (fabs(n[o[i]]) >= fabs(n[o[i + 1]])) continue;
            const int swap = o[i];
            o[i] = o[i + 1];
            o[i + 1] = swap;
        }
    }
    sorted_normal s = {fabs(n[o[0]]), fabs(n[o[1]]), fabs(n[o[2]]), {o[0], o[1], o[2]}, {0, 0, 0}};
    for (int i = 0; i < 3; ++i)
        s.sign[i] = n[i] < 0.0 ? -1 : 1;
    return s;
}

/// A part of the normal: `weight`, never negative, times the axis with components a, b, c where the normal's largest,
/// middle and least ones are.
typedef struct part {
    int a, b, c;
    double weight;
} part;

static void put(const sorted_normal* s, uint32_t k, part p, int* index, float* weight)
{
    int at[3] = {0, 0, 0};
    at[s->order[0]] = p.a * s->sign[s->order[0]];
    at[s->order[1]] = p.b * s->sign[s->order[1]];
    at[s->order[2]] = p.c * s->sign[s->order[2]];
    const signed_axis axis = find_axis(at[0], at[1], at[2]);
    const int place = axis.index - tact_cull_kdop_first((int)k);
    TACT_ASSERT(place > -13 && place < 13 && p.weight >= 0.0);
    *index = place < 0 ? place + 13 : place;
    *weight = (float)(axis.sign * p.weight);
}

static TactCullMix mix(const sorted_normal* s, uint32_t k, part p, part q, part r)
{
    TactCullMix m;
    put(s, k, p, &m.i, &m.wi);
    put(s, k, q, &m.j, &m.wj);
    put(s, k, r, &m.k, &m.wk);
    return m;
}

/// Among the axes of a k, three whose cone the normal lies in: the best bound there is with few axes, and for the
/// second one, where the k has them, the faces, which is the test of the box.
static void make_mixes(const TactCullPlane* plane, TactCullMix mixes[TACT_CULL_KDOP_KINDS][2])
{
    static const uint32_t kinds[TACT_CULL_KDOP_KINDS] = {6, 8, 12, 14, 18, 20, 26};
    const sorted_normal s = sort_normal(plane);
    const double a = s.most, b = s.middle, c = s.least;
    // As it rounds here, no weight below is less than 0; a < b + c would let (a - b - c) / 2 be.
    const bool flat = a - b < c;
    for (int row = 0; row < TACT_CULL_KDOP_KINDS; ++row) {
        const uint32_t k = kinds[row];
        TactCullMix* m = mixes[row];
        switch (k) {
            case 8:
                m[0] = mix(&s, k, (part){1, 1, 1, (b + c) / 2}, (part){1, 1, -1, (a - c) / 2},
                           (part){1, -1, 1, (a - b) / 2});
                m[1] = mix(&s, k, (part){1, 1, 1, (a + c) / 2}, (part){1, 1, -1, (b - c) / 2},
                           (part){1, -1, -1, (a - b) / 2});
                continue;
            case 12:
                if (flat) {
                    m[0] = mix(&s, k, (part){1, 1, 0, (a + b - c) / 2}, (part){1, 0, 1, (a + c - b) / 2},
                               (part){0, 1, 1, (b + c - a) / 2});
                    m[1] = m[0];
                } else {
                    const double rest = (a - b - c) / 2;
                    m[0] = mix(&s, k, (part){1, 1, 0, b + rest}, (part){1, 0, 1, c}, (part){1, -1, 0, rest});
                    m[1] = mix(&s, k, (part){1, 1, 0, b}, (part){1, 0, 1, c + rest}, (part){1, 0, -1, rest});
                }
                continue;
            case 14:
                m[0] = mix(&s, k, (part){1, 1, 1, c}, (part){1, 0, 0, a - c}, (part){0, 1, 0, b - c});
                break;
            case 18:
                if (flat) {
                    m[0] = mix(&s, k, (part){1, 1, 0, (a + b - c) / 2}, (part){1, 0, 1, (a + c - b) / 2},
                               (part){0, 1, 1, (b + c - a) / 2});
                } else {
                    m[0] = mix(&s, k, (part){1, 1, 0, b}, (part){1, 0, 1, c}, (part){1, 0, 0, a - b - c});
                }
                break;
            case 20:
                m[0] = mix(&s, k, (part){1, 1, 1, c}, (part){1, 1, 0, (a + b) / 2 - c}, (part){1, -1, 0, (a - b) / 2});
                m[1] = m[0];
                continue;
            case 26:
                m[0] = mix(&s, k, (part){1, 1, 1, c}, (part){1, 1, 0, b - c}, (part){1, 0, 0, a - b});
                break;
            default:
                m[0] = mix(&s, k, (part){1, 0, 0, a}, (part){0, 1, 0, b}, (part){0, 0, 1, c});
                break;
        }
        m[1] = mix(&s, k, (part){1, 0, 0, a}, (part){0, 1, 0, b}, (part){0, 0, 1, c});
    }
}

// ---- the bounds of what the planes enclose ----

// For 12 planes these are 220 triples; 32 would be 4960, a millisecond.
enum { MOST_FOR_BOUNDS = 12 };

typedef struct triple {
    double inverse[3][3];  ///< row i gives the weight of plane i for a direction
    double d[3];
    double n[3][3];
} triple;

static bool invert(const TactCullPlane* p[3], triple* t)
{
    for (int i = 0; i < 3; ++i) {
        t->n[i][0] = (double)p[i]->nx;
        t->n[i][1] = (double)p[i]->ny;
        t->n[i][2] = (double)p[i]->nz;
        t->d[i] = (double)p[i]->d;
    }
    for (int i = 0; i < 3; ++i) {
        const double *u = t->n[(i + 1) % 3], *v = t->n[(i + 2) % 3];
        t->inverse[i][0] = u[1] * v[2] - u[2] * v[1];
        t->inverse[i][1] = u[2] * v[0] - u[0] * v[2];
        t->inverse[i][2] = u[0] * v[1] - u[1] * v[0];
    }
    const double det = t->n[0][0] * t->inverse[0][0] + t->n[0][1] * t->inverse[0][1] + t->n[0][2] * t->inverse[0][2];
    if (!(fabs(det) > 0x1p-30)) return false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            t->inverse[i][j] /= det;
    return true;
}

/// A bound of e . x over the points behind three planes, by duality: when e is a sum of their normals with weights that
/// are not negative, e . x is at most the same sum of their distances. Infinite when it is no such sum.
static double bound_by(const triple* t, const double e[3])
{
    double sum = 0.0, rest[3] = {e[0], e[1], e[2]};
    for (int i = 0; i < 3; ++i) {
        double w = t->inverse[i][0] * e[0] + t->inverse[i][1] * e[1] + t->inverse[i][2] * e[2];
        if (w < -0x1p-40) return HUGE_VAL;
        if (w < 0.0) w = 0.0;
        sum += w * t->d[i];
        for (int j = 0; j < 3; ++j)
            rest[j] -= w * t->n[i][j];
        if (!(w <= 0x1p12)) return HUGE_VAL;
    }
    // What is left over costs at most as much times the size of what is enclosed, for which the bounds are widened.
    return magnitude(rest[0], rest[1], rest[2]) < 0x1p-28 ? sum : HUGE_VAL;
}

static void find_bounds(tact_cull_table* table)
{
    const tact_vec3* axes = tact_kdop_axes(26);
    double low[13], high[13];
    for (int i = 0; i < 13; ++i) {
        low[i] = -HUGE_VAL;
        high[i] = HUGE_VAL;
    }
    for (uint32_t i = 0; i < table->count; ++i) {
        for (uint32_t j = i + 1; j < table->count; ++j) {
            for (uint32_t k = j + 1; k < table->count; ++k) {
                const TactCullPlane* p[3] = {&table->planes[i], &table->planes[j], &table->planes[k]};
                triple t;
                if (!invert(p, &t)) continue;
                for (int n = 0; n < 13; ++n) {
                    const double e[3] = {(double)axes[n].x, (double)axes[n].y, (double)axes[n].z};
                    const double f[3] = {-e[0], -e[1], -e[2]};
                    high[n] = fmin(high[n], bound_by(&t, e));
                    low[n] = fmax(low[n], -bound_by(&t, f));
                }
            }
        }
    }
    double size = 0.0, terms = 0.0;
    for (int n = 0; n < 3; ++n)
        size = fmax(size, fmax(fabs(low[n]), fabs(high[n])));
    for (uint32_t i = 0; i < table->count; ++i)
        terms = fmax(terms, fabs((double)table->planes[i].d));
    // Without bounds along all three axes the left-overs are not bounded either.
    if (!(size < (double)FLT_MAX)) return;
    table->bounded = true;
    const double wider = 0x1p-22 * size + 0x1p-36 * terms;
    for (int n = 0; n < 13; ++n) {
        table->upper[n] = round_up(high[n] + wider);
        table->lower[n] = -round_up(wider - low[n]);
    }
}

void tact_cull_table_make(tact_cull_table* table, const tact_plane* planes, uint32_t count, bool kdops)
{
    TACT_ASSERT(count <= TACT_CULL_PLANES_MAX);
    table->nothing = false;
    table->bounded = false;
    table->count = 0;
    for (int n = 0; n < 13; ++n) {
        table->lower[n] = -INFINITY;
        table->upper[n] = INFINITY;
    }
    for (uint32_t i = 0; i < count; ++i) {
        TactCullPlane* plane = &table->planes[table->count];
        const plane_use use = prepare(&planes[i], plane);
        table->nothing = table->nothing || use == PLANE_NOTHING;
        if (use != PLANE_TESTED) continue;
        if (kdops) make_mixes(plane, table->mixes[table->count]);
        ++table->count;
    }
    if (table->count <= MOST_FOR_BOUNDS) find_bounds(table);
}

TactCullBox tact_cull_table_box(const tact_cull_table* table)
{
    return (TactCullBox){table->lower[0], table->lower[1], table->lower[2],
                         table->upper[0], table->upper[1], table->upper[2]};
}
