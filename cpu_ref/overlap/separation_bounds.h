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
/// - the floats of a box: 2^-22 H of A. Of B, whose axes are turned in single precision, 10 * 2^-24 K H < 2^-20 K H,
///   since a matrix stretches by at most sqrt(3) K;
/// - B's vertices are moved in single precision, four roundings each: 4 * 2^-24 sqrt(3) (K R + T) < 2^-21 (K R + T),
///   and as much again for the centre of B's box, moved in double;
/// - numbers that are not normal: 18 of them, 2^-149 each, over a way that is at least 2^-30 long: 2^-110;
/// - tact_separation_square() may be 2^-46 of the largest coordinate too near, which is at most R of A or K R + T, and
///   the difference of the centres as inexact: 2^-40 R of A.
///
/// The gaps are found in single precision. Each of seven dot products and the sum of six of them have errors of at most
/// 4 * 2^-24 of `size`, the sum of all lengths involved or more, and the square root 2^-22 of the gap: less than
/// 2^-18 size together. Where that is so large that something may overflow, nothing is said.

#include <string.h>

#include "cpu_ref/geometry/vec.h"
#include "cpu_ref/overlap/separation_lanes.h"
#include "cpu_ref/overlap/separation_volumes.h"

/// A box in A's frame.
typedef struct tact_separation_box {
    dvec center;
    float axis[3][3];
    double size;  ///< at least the sum of all coordinates of the axes
    double slack;
} tact_separation_box;

typedef struct tact_separation_motion {
    dvec row[3], shift;
    float matrix[3][3];
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
        for (int i = 0; i < 3; ++i)
            m.matrix[k][i] = p[i];
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

/// A box of A, where it is. A length times sqrt(3) is at least the sum of its coordinates.
static inline void tact_separation_still(const tact_separation_volume* v, tact_separation_box* b)
{
    b->center = tact_separation_vector(v->center);
    memcpy(b->axis, v->axis, sizeof b->axis);
    b->size = 1.75 * (double)v->spread;
    b->slack = 0x1p-22 * (double)v->spread + 0x1p-40 * (double)v->reach + 0x1p-110;
}

/// A box of B.
static inline void tact_separation_moved(const tact_separation_volume* v, const tact_separation_motion* m,
                                         tact_separation_box* b)
{
    b->center = d_add(tact_separation_turn(m, tact_separation_vector(v->center)), m->shift);
    for (int i = 0; i < 3; ++i) {
        const float* e = v->axis[i];
        for (int k = 0; k < 3; ++k)
            b->axis[i][k] = (m->matrix[k][0] * e[0] + m->matrix[k][1] * e[1]) + m->matrix[k][2] * e[2];
    }
    b->size = 3.0 * m->stretch * (double)v->spread;
    b->slack = 0x1p-20 * m->stretch * (double)v->spread + 0x1p-20 * (m->stretch * (double)v->reach + m->far) + 0x1p-110;
}

/// Distances of four pairs of boxes. `along` is a unit vector in which the answer may lie, or 0.
static inline void tact_separation_beyond(const tact_separation_box* const a[TACT_SEPARATION_PAIRS],
                                          const tact_separation_box* const b[TACT_SEPARATION_PAIRS], dvec along,
                                          double beyond[TACT_SEPARATION_PAIRS])
{
    double size = 0x1p-100;
    tact_separation_rows rows;
    for (int l = 0; l < TACT_SEPARATION_PAIRS; ++l) {
        const dvec between = d_sub(b[l]->center, a[l]->center);
        const double sum = tact_separation_sum(between) + (a[l]->size + b[l]->size);
        size = sum > size ? sum : size;
        rows.between[0][l] = (float)between.x;
        rows.between[1][l] = (float)between.y;
        rows.between[2][l] = (float)between.z;
        for (int i = 0; i < 9; ++i) {
            rows.axis[i / 3][i % 3][l] = a[l]->axis[i / 3][i % 3];
            rows.axis[3 + i / 3][i % 3][l] = b[l]->axis[i / 3][i % 3];
        }
    }
    const float common[3] = {(float)along.x, (float)along.y, (float)along.z};
    tact_separation_gaps gaps;
    tact_separation_find_gaps(&rows, common, (float)(1.0 / size), &gaps);
    for (int l = 0; l < TACT_SEPARATION_PAIRS; ++l) {
        double gap = (double)gaps.along[l] > 0.0 ? (double)gaps.along[l] : 0.0;
        // A way that is very short has lost its digits.
        if (gaps.way[l] > 0.0f && gaps.square[l] > 0x1p-60f) {
            const double own = (double)gaps.way[l] / sqrt((double)gaps.square[l]);
            gap = own > gap ? own : gap;
        }
        beyond[l] = size < 0x1p62 ? gap - 0x1p-18 * size - (a[l]->slack + b[l]->slack) : 0.0;
    }
}
