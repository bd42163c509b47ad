// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Distances that two subtrees' triangles are certainly beyond.
///
/// Any unit vector w gives one: what B's box reaches least along w, less what A's reaches most. Two are tried: the way
/// of the nearest triangles so far, and one from box to box. Let R be a subtree's reach and H its spread
/// (separation_volumes.h), K the largest sum of the matrix's absolute values in a row and T the largest absolute value
/// of its last column. Rounding is paid for by `slack`:
///
/// - the floats of a box: 2^-22 H of A, and of B 2^-21 K H, since a matrix stretches by at most sqrt(3) K;
/// - B's vertices are moved in single precision, four roundings each: 4 * 2^-24 sqrt(3) (K R + T) < 2^-21 (K R + T),
///   and as much again for B's box, moved in double;
/// - numbers that are not normal: 2^-140;
/// - tact_separation_square() may be 2^-46 of the largest coordinate too near, which is at most R of A or K R + T, and
///   the difference of the centres as inexact: 2^-40 R of A.
///
/// What then is in single precision is scaled so that `between` and all axes sum to at most 1. Each of seven dot
/// products and the sum of six of them have errors of at most 4 * 2^-24 of that, the square root 2^-22 of the gap: less
/// than 2^-18 together.

#include "cpu_ref/geometry/vec.h"
#include "cpu_ref/overlap/separation_lanes.h"
#include "cpu_ref/overlap/separation_volumes.h"

/// A box in A's frame.
typedef struct tact_separation_box {
    dvec center, axis[3];
    double inverse[3];  ///< of the axes' squares
    double size;        ///< sum of all coordinates of the axes
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

static inline double tact_separation_sum(dvec v)
{
    return (fabs(v.x) + fabs(v.y)) + fabs(v.z);
}

static inline void tact_separation_measure(tact_separation_box* b)
{
    b->size = 0.0;
    for (int i = 0; i < 3; ++i) {
        b->inverse[i] = 1.0 / d_dot(b->axis[i], b->axis[i]);
        b->size += tact_separation_sum(b->axis[i]);
    }
}

/// A box of A, where it is.
static inline void tact_separation_still(const tact_separation_volume* v, tact_separation_box* b)
{
    b->center = tact_separation_vector(v->center);
    b->axis[0] = tact_separation_vector(v->axis[0]);
    b->axis[1] = tact_separation_vector(v->axis[1]);
    b->axis[2] = d_scale(tact_separation_vector(v->normal), (double)v->thickness);
    tact_separation_measure(b);
    b->slack = 0x1p-22 * (double)v->spread + 0x1p-40 * (double)v->reach + 0x1p-140;
}

/// A box of B.
static inline void tact_separation_moved(const tact_separation_volume* v, const tact_separation_motion* m,
                                         tact_separation_box* b)
{
    b->center = d_add(tact_separation_turn(m, tact_separation_vector(v->center)), m->shift);
    b->axis[0] = tact_separation_turn(m, tact_separation_vector(v->axis[0]));
    b->axis[1] = tact_separation_turn(m, tact_separation_vector(v->axis[1]));
    b->axis[2] = d_scale(tact_separation_turn(m, tact_separation_vector(v->normal)), (double)v->thickness);
    tact_separation_measure(b);
    b->slack = 0x1p-21 * m->stretch * (double)v->spread + 0x1p-20 * (m->stretch * (double)v->reach + m->far) + 0x1p-140;
}

static inline void tact_separation_put(float rows[3][TACT_SEPARATION_PAIRS], int lane, dvec v, double scale)
{
    rows[0][lane] = (float)(v.x * scale);
    rows[1][lane] = (float)(v.y * scale);
    rows[2][lane] = (float)(v.z * scale);
}

/// An axis of next to no length has no say in which way to take.
static inline float tact_separation_inverse(double inverse, double square)
{
    const double scaled = inverse * square;
    return scaled < 0x1p80 ? (float)scaled : 0.0f;
}

static inline void tact_separation_put_box(const tact_separation_box* box, int lane, double scale, double square,
                                           float axes[3][3][TACT_SEPARATION_PAIRS],
                                           float inverse[3][TACT_SEPARATION_PAIRS])
{
    for (int i = 0; i < 3; ++i) {
        tact_separation_put(axes[i], lane, box->axis[i], scale);
        inverse[i][lane] = tact_separation_inverse(box->inverse[i], square);
    }
}

/// Distances of box a[l / 2] and b[l % 2], for l from 0 to 3. `along` is a unit vector in which the answer may lie, or
/// 0.
static inline void tact_separation_beyond(const tact_separation_box a[2], const tact_separation_box b[2], dvec along,
                                          double beyond[TACT_SEPARATION_PAIRS])
{
    dvec between[TACT_SEPARATION_PAIRS];
    double size = 0x1p-400;
    for (int l = 0; l < TACT_SEPARATION_PAIRS; ++l) {
        between[l] = d_sub(b[l % 2].center, a[l / 2].center);
        const double sum = tact_separation_sum(between[l]) + (a[l / 2].size + b[l % 2].size);
        size = sum > size ? sum : size;
    }
    const double scale = 1.0 / size, square = size * size;
    tact_separation_rows rows;
    for (int l = 0; l < TACT_SEPARATION_PAIRS; ++l) {
        tact_separation_put(rows.between, l, between[l], scale);
        tact_separation_put_box(&a[l / 2], l, scale, square, rows.a, rows.inverse_a);
        tact_separation_put_box(&b[l % 2], l, scale, square, rows.b, rows.inverse_b);
    }
    const float common[3] = {(float)along.x, (float)along.y, (float)along.z};
    tact_separation_gaps gaps;
    tact_separation_find_gaps(&rows, common, &gaps);
    for (int l = 0; l < TACT_SEPARATION_PAIRS; ++l) {
        double gap = (double)gaps.along[l] > 0.0 ? (double)gaps.along[l] : 0.0;
        // A way that is very short has lost its digits.
        if (gaps.way[l] > 0.0f && gaps.square[l] > 0x1p-60f) {
            const double own = (double)gaps.way[l] / sqrt((double)gaps.square[l]);
            gap = own > gap ? own : gap;
        }
        beyond[l] = (gap - 0x1p-18) * size - (a[l / 2].slack + b[l % 2].slack);
    }
}
