// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Distances that two subtrees' triangles are certainly beyond.
///
/// Any unit vector w gives one: what B's box reaches least along w, less what A's reaches most. Let R be a subtree's
/// reach and H its spread (separation_volumes.h), K the largest sum of the matrix's absolute values in a row and T the
/// largest absolute value of its last column. Rounding is paid for by `slack`:
///
/// - the floats of a box: 2^-22 H of A, and of B 2^-21 K H, since a matrix stretches by at most sqrt(3) K;
/// - B's vertices are moved in single precision, four roundings each: 4 * 2^-24 sqrt(3) (K R + T) < 2^-21 (K R + T),
///   and as much again for B's box, moved in double, and for all sums here;
/// - numbers that are not normal: 2^-140;
/// - tact_separation_square() may be 2^-46 of the largest coordinate too near, which is at most R of A or K R + T, and
///   the gap found here as inexact: 2^-40 R of A.

#include "cpu_ref/geometry/vec.h"
#include "cpu_ref/overlap/separation_volumes.h"

/// A box in A's frame. `around` are the half widths of the axis-aligned box around it.
typedef struct tact_separation_box {
    dvec center, axis[3], normal, around;
    double slack;
} tact_separation_box;

typedef struct tact_separation_motion {
    dvec row[3], shift;
    double stretch, far;  ///< K and T
} tact_separation_motion;

static inline double tact_separation_largest(dvec v)
{
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

static inline tact_separation_motion tact_separation_motion_of(const float pose[12])
{
    tact_separation_motion m = {.stretch = 0.0};
    for (int k = 0; k < 3; ++k) {
        const float* p = pose + 4 * k;
        m.row[k] = d_make((double)p[0], (double)p[1], (double)p[2]);
        m.stretch = fmax(m.stretch, (fabs(m.row[k].x) + fabs(m.row[k].y)) + fabs(m.row[k].z));
    }
    m.shift = d_make((double)pose[3], (double)pose[7], (double)pose[11]);
    m.far = tact_separation_largest(m.shift);
    return m;
}

static inline dvec tact_separation_turn(const tact_separation_motion* m, dvec v)
{
    return d_make(d_dot(m->row[0], v), d_dot(m->row[1], v), d_dot(m->row[2], v));
}

static inline dvec tact_separation_vector(const float v[3])
{
    return d_make((double)v[0], (double)v[1], (double)v[2]);
}

static inline void tact_separation_around(tact_separation_box* b)
{
    b->around = d_make((fabs(b->axis[0].x) + fabs(b->axis[1].x)) + fabs(b->axis[2].x),
                       (fabs(b->axis[0].y) + fabs(b->axis[1].y)) + fabs(b->axis[2].y),
                       (fabs(b->axis[0].z) + fabs(b->axis[1].z)) + fabs(b->axis[2].z));
}

/// A box of A, where it is.
static inline tact_separation_box tact_separation_still(const tact_separation_volume* v)
{
    tact_separation_box b = {.center = tact_separation_vector(v->center),
                             .axis = {tact_separation_vector(v->axis[0]), tact_separation_vector(v->axis[1])},
                             .normal = tact_separation_vector(v->normal)};
    b.axis[2] = d_scale(b.normal, (double)v->thickness);
    tact_separation_around(&b);
    b.slack = 0x1p-22 * (double)v->spread + 0x1p-40 * (double)v->reach + 0x1p-140;
    return b;
}

/// A box of B.
static inline tact_separation_box tact_separation_moved(const tact_separation_volume* v,
                                                        const tact_separation_motion* m)
{
    tact_separation_box b = {.center = d_add(tact_separation_turn(m, tact_separation_vector(v->center)), m->shift),
                             .axis = {tact_separation_turn(m, tact_separation_vector(v->axis[0])),
                                      tact_separation_turn(m, tact_separation_vector(v->axis[1]))},
                             .normal = tact_separation_turn(m, tact_separation_vector(v->normal))};
    b.axis[2] = d_scale(b.normal, (double)v->thickness);
    tact_separation_around(&b);
    b.slack = 0x1p-21 * m->stretch * (double)v->spread + 0x1p-20 * (m->stretch * (double)v->reach + m->far) + 0x1p-140;
    return b;
}

static inline double tact_separation_radius(const tact_separation_box* b, dvec w)
{
    return (fabs(d_dot(b->axis[0], w)) + fabs(d_dot(b->axis[1], w))) + fabs(d_dot(b->axis[2], w));
}

/// The gap along w, of any length, either way; less than nothing where there is none.
static inline double tact_separation_gap(const tact_separation_box* a, const tact_separation_box* b, dvec between,
                                         dvec w, double square)
{
    const double gap = fabs(d_dot(between, w)) - (tact_separation_radius(a, w) + tact_separation_radius(b, w));
    return gap > 0.0 && square > 0.0 ? gap / sqrt(square) : 0.0;
}

static inline double tact_separation_positive(double x)
{
    return x > 0.0 ? x : 0.0;
}

/// Looks for a distance beyond `enough`, in order of cost; the largest one found otherwise. `along` is a unit vector in
/// which the answer may lie, or 0.
static inline double tact_separation_beyond(const tact_separation_box* a, const tact_separation_box* b, dvec along,
                                            double enough)
{
    const dvec between = d_sub(b->center, a->center);
    const double slack = a->slack + b->slack;
    enough += slack;
    double best = fabs(d_dot(between, along)) - (tact_separation_radius(a, along) + tact_separation_radius(b, along));
    if (best > enough) return best - slack;
    const dvec g = d_make(tact_separation_positive(fabs(between.x) - (a->around.x + b->around.x)),
                          tact_separation_positive(fabs(between.y) - (a->around.y + b->around.y)),
                          tact_separation_positive(fabs(between.z) - (a->around.z + b->around.z)));
    best = fmax(best, d_length(g));
    if (best > enough) return best - slack;
    best = fmax(best, tact_separation_gap(a, b, between, a->normal, d_dot(a->normal, a->normal)));
    if (best > enough) return best - slack;
    best = fmax(best, tact_separation_gap(a, b, between, b->normal, d_dot(b->normal, b->normal)));
    return best - slack;
}
