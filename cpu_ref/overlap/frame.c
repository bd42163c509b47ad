// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "cpu_ref/overlap/engine.h"

TACT_LANE_CHOICE(tact_overlap_lanes, TACT_LANE_TABLES_TO_AVX2(tact_overlap_lanes), tact_overlap_lanes_best)

// ---- Poses ----

/// The largest coordinate along an axis; 0 for an empty mesh.
static double largest(const tact_overlap_mesh* m, int k)
{
    if (m->tree.triangle_count == 0) return 0.0;
    return fmax(fabs((double)m->lower[k]), fabs((double)m->upper[k]));
}

static void make_wild(tact_overlap_frame* f)
{
    memset(f->box, 0, sizeof f->box);
    memset(f->size, 0, sizeof f->size);
    memset(f->axis, 0, sizeof f->axis);
    for (int k = 0; k < 3; ++k) {
        f->along[k] = 0.0f;
        f->slack[k] = INFINITY;
        f->lo[k] = -INFINITY;
        f->hi[k] = INFINITY;
    }
}

/// The axis across the faces j of B's boxes.
static void make_axis(int j, const double a_most[3], const double b_most[3], tact_overlap_frame* f)
{
    const int p = (j + 1) % 3, q = (j + 2) % 3;
    double n[3], length = 0.0, across[3], reach = 0.0, stray = 0.0, shift = 0.0;
    for (int i = 0; i < 3; ++i) {
        const int y = (i + 1) % 3, z = (i + 2) % 3;
        n[i] = (double)f->m[4 * y + p] * (double)f->m[4 * z + q] - (double)f->m[4 * z + p] * (double)f->m[4 * y + q];
        length += n[i] * n[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; ++i)
        f->axis[j][i] = length > 0.0 ? (float)(n[i] / length) : 0.0f;
    for (int k = 0; k < 3; ++k) {
        across[k] = 0.0;
        for (int i = 0; i < 3; ++i)
            across[k] += (double)f->axis[j][i] * (double)f->m[4 * i + k];
    }
    if (across[j] < 0.0) {
        for (int i = 0; i < 3; ++i) {
            f->axis[j][i] = -f->axis[j][i];
            across[i] = -across[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        const double part = fabs((double)f->axis[j][i]), moved = fabs((double)f->m[4 * i + 3]);
        reach += part * (a_most[i] + moved);
        stray += part * (double)f->slack[i];
        shift += (double)f->axis[j][i] * (double)f->m[4 * i + 3];
        if (i != j) stray += fabs(across[i]) * b_most[i];
    }
    f->along[j] = (float)across[j];
    TACT_ASSERT(across[j] >= 0.0);
    reach += across[j] * b_most[j];
    const double slack = 1.0001 * (0x1p-19 * reach + stray) + 0x1p-100;
    f->lo[j] = (float)(shift - slack);
    f->hi[j] = (float)(shift + slack);
    TACT_ASSERT(!(f->lo[j] > f->hi[j]));
}

void tact_overlap_frame_make(const float pose[12], const tact_overlap_mesh* a, const tact_overlap_mesh* b,
                             tact_overlap_frame* f)
{
    memcpy(f->m, pose, sizeof f->m);
    memcpy(f->box, pose, sizeof f->box);
    double a_most[3], b_most[3];
    bool wild = false;
    for (int k = 0; k < 3; ++k) {
        a_most[k] = largest(a, k);
        b_most[k] = largest(b, k);
    }
    for (int i = 0; i < 3; ++i) {
        double size = fabs((double)pose[4 * i + 3]);
        for (int k = 0; k < 3; ++k) {
            const double part = fabs((double)pose[4 * i + k]);
            size += part * b_most[k];
            f->size[3 * i + k] = (float)part;
            wild = wild || part > 0x1p60;
        }
        wild = wild || size > 0x1p100;
        f->slack[i] = (float)(0x1p-19 * size + 0x1p-100);
    }
    if (wild) {
        make_wild(f);
        return;
    }
    for (int j = 0; j < 3; ++j)
        make_axis(j, a_most, b_most, f);
}
