// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the oriented boxes and their fits share: boxes in double precision, frames, and the builder that makes every
/// box of this library from a frame and points.

#include "cpu_ref/geometry/vec.h"

/// A box as the set it is: any three independent axes, so that axes that are orthonormal only to the precision of a
/// float give exact answers. `face` are the cross products of the other two axes, `det` the axes' determinant.
typedef struct dbox {
    dvec center, axis[3], face[3];
    double half[3], det;
} dbox;

typedef enum obb_quick { OBB_APART, OBB_OVERLAP, OBB_UNSURE } obb_quick;

/// Whether two boxes share a point, by all axes or by the face normals alone, in single precision; not sure where that
/// is a matter of its rounding, of boxes whose axes are not nearly orthonormal, and of those that are no set.
obb_quick tact_obb_quick(const tact_obb* a, const tact_obb* b, bool faces_only);

/// The smallest float that is not less.
static inline float d_round_up(double x)
{
    const float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

static inline float d_round_down(double x)
{
    return -d_round_up(-x);
}

static inline void dbox_faces(const dvec axis[3], dvec face[3], double* det)
{
    for (int i = 0; i < 3; ++i)
        face[i] = d_cross(axis[(i + 1) % 3], axis[(i + 2) % 3]);
    *det = d_dot(axis[0], face[0]);
}

/// False for a box that is no set: NaN, infinite, negative, or axes without volume.
static inline bool dbox_from(const tact_obb* box, dbox* b)
{
    b->center = d_from(box->center);
    b->half[0] = (double)box->half.x;
    b->half[1] = (double)box->half.y;
    b->half[2] = (double)box->half.z;
    bool valid = d_finite(b->center);
    for (int i = 0; i < 3; ++i) {
        b->axis[i] = d_from(box->axis[i]);
        valid = valid && d_finite(b->axis[i]) && b->half[i] >= 0.0 && isfinite(b->half[i]);
    }
    if (!valid) return false;
    dbox_faces(b->axis, b->face, &b->det);
    return b->det != 0.0;
}

/// A unit vector perpendicular to a unit vector.
static inline dvec d_perpendicular(dvec u)
{
    const double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z);
    const dvec other = x <= y && x <= z ? d_make(1, 0, 0) : y <= z ? d_make(0, 1, 0) : d_make(0, 0, 1);
    return d_unit(d_cross(u, other));
}

/// The right-handed orthonormal frame whose first axis is along u and whose second is in the plane of u and v. What
/// cannot be told from u and v (0, parallel) is chosen.
static inline void d_frame(dvec u, dvec v, dvec axis[3])
{
    u = d_unit(u);
    if (d_dot(u, u) == 0.0) u = d_make(1, 0, 0);
    v = d_unit(v);
    const dvec across = d_along(v, -d_dot(u, v), u);
    if (d_dot(across, across) <= 0x1p-80) {
        v = d_perpendicular(u);
    } else {
        v = d_unit(across);
        v = d_unit(d_along(v, -d_dot(u, v), u));
    }
    axis[0] = u;
    axis[1] = v;
    axis[2] = d_cross(u, v);
}

static inline void d_jacobi_rotate(double a[3][3], dvec axis[3], int p, int q)
{
    const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(1.0 + theta * theta));
    const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    for (int k = 0; k < 3; ++k) {
        const double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        const double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
    const dvec u = axis[p], v = axis[q];
    axis[p] = d_along(d_scale(u, c), -s, v);
    axis[q] = d_along(d_scale(v, c), s, u);
    a[p][q] = a[q][p] = 0.0;
}

/// Eigenvectors of a symmetric matrix as a right-handed frame, largest eigenvalue first. Cyclic Jacobi rotations; an
/// entry is dropped when it is `drop` of the trace of absolute values, so that no unit of length is built in. a is used
/// up.
static inline void d_principal_axes_about(double a[3][3], double drop, dvec axis[3])
{
    axis[0] = d_make(1, 0, 0);
    axis[1] = d_make(0, 1, 0);
    axis[2] = d_make(0, 0, 1);
    for (int sweep = 0; sweep < 50; ++sweep) {
        const double small = drop * (fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]));
        bool done = true;
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                if (!(fabs(a[p][q]) > small)) continue;
                d_jacobi_rotate(a, axis, p, q);
                done = false;
            }
        }
        if (done) break;
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2 - i; ++j) {
            if (a[order[j]][order[j]] >= a[order[j + 1]][order[j + 1]]) continue;
            const int swap = order[j];
            order[j] = order[j + 1];
            order[j + 1] = swap;
        }
    }
    const dvec u = axis[order[0]], v = axis[order[1]];
    d_frame(u, v, axis);
}

/// The same as exactly as can be.
static inline void d_principal_axes(double a[3][3], dvec axis[3])
{
    d_principal_axes_about(a, 0x1p-60, axis);
}

/// Collects points in a frame and ends in a box that contains them all, after rounding.
typedef struct obb_builder {
    tact_vec3 rounded[3];
    dvec axis[3], face[3], origin;
    double det, low[3], high[3];
    bool aligned;  // the axes are coordinate axes: nothing is rounded
} obb_builder;

static inline obb_builder obb_begin(const dvec axis[3], dvec origin)
{
    obb_builder b = {.origin = origin, .aligned = true};
    for (int i = 0; i < 3; ++i) {
        b.rounded[i] = d_round(axis[i]);
        b.axis[i] = d_from(b.rounded[i]);
        b.low[i] = HUGE_VAL;
        b.high[i] = -HUGE_VAL;
        b.aligned = b.aligned && (b.axis[i].x == 0.0) + (b.axis[i].y == 0.0) + (b.axis[i].z == 0.0) == 2;
    }
    dbox_faces(b.axis, b.face, &b.det);
    return b;
}

static inline void obb_add(obb_builder* b, dvec p)
{
    const dvec d = d_sub(p, b->origin);
    for (int i = 0; i < 3; ++i) {
        const double r = d_dot(d, b->face[i]) / b->det;
        if (r < b->low[i]) b->low[i] = r;
        if (r > b->high[i]) b->high[i] = r;
    }
}

/// False when the box does not fit into floats.
static inline bool obb_finish(const obb_builder* b, tact_obb* box)
{
    dvec center = b->origin;
    double diagonal = 0.0;
    for (int i = 0; i < 3; ++i) {
        center = d_along(center, 0.5 * (b->low[i] + b->high[i]), b->axis[i]);
        diagonal += b->high[i] - b->low[i];
    }
    box->center = d_round(center);
    if (!v_finite(box->center)) return false;
    const dvec d = d_sub(d_from(box->center), b->origin);
    double half[3];
    for (int i = 0; i < 3; ++i) {
        const double r = d_dot(d, b->face[i]) / b->det;
        half[i] = fmax(b->high[i] - r, r - b->low[i]);
        if (!b->aligned) half[i] += 0x1p-46 * (diagonal + d_length(d));
        box->axis[i] = b->rounded[i];
    }
    box->half.x = d_round_up(half[0]);
    box->half.y = d_round_up(half[1]);
    box->half.z = d_round_up(half[2]);
    return v_finite(box->half);
}

static inline double obb_extent(const obb_builder* b, int i)
{
    return b->high[i] - b->low[i];
}
