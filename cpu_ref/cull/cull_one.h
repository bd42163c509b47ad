// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// One volume on the CPU: kernels/cull_volume.h applied in the order in which kernels/cull_kernel.h applies it.

#include <stddef.h>

#include "cpu_ref/cull/cull.h"

/// A volume as it was given, prepared.
typedef struct tact_cull_one {
    tact_cull_kind kind;
    bool live;
    TactCullBox outer;  ///< holds the volume
    union {
        TactCullSphere sphere;
        TactCullObb obb;
        TactCullKdop kdop;
    } as;
} tact_cull_one;

static inline TactCullObb tact_cull_load_obb(const tact_obb* b)
{
    TactCullObb o = {b->center.x,  b->center.y,  b->center.z,  b->axis[0].x, b->axis[0].y, b->axis[0].z,
                     b->axis[1].x, b->axis[1].y, b->axis[1].z, b->axis[2].x, b->axis[2].y, b->axis[2].z,
                     b->half.x,    b->half.y,    b->half.z,    0.0f};
    o.spread = tact_cull_obb_spread(o);
    return o;
}

static inline bool tact_cull_load_kdop(const tact_kdop* given, TactCullKdop* v)
{
    v->k = 0;
    v->size = 0.0f;
    if (given->k > 26 || !tact_cull_kdop_known((int)given->k)) return false;
    v->k = (int)given->k;
    bool live = true;
    for (int i = 0; i < 13; ++i) {
        v->lower[i] = 0.0f;
        v->upper[i] = 0.0f;
        if (2 * i >= v->k) continue;
        const float low = given->lower[i], high = given->upper[i];
        live = live && low <= high && tact_cull_is_finite(low) && tact_cull_is_finite(high);
        v->lower[i] = low;
        v->upper[i] = high;
        v->size = tact_cull_more(v->size, tact_cull_more(fabsf(low), fabsf(high)));
    }
    return live;
}

static inline void tact_cull_load(tact_cull_kind kind, const void* volumes, size_t i, tact_cull_one* one)
{
    one->kind = kind;
    if (kind == TACT_CULL_SPHERES) {
        const tact_sphere* s = (const tact_sphere*)volumes + i;
        one->live = tact_cull_sphere_live(s->center.x, s->center.y, s->center.z, s->radius);
        one->as.sphere = tact_cull_sphere(s->center.x, s->center.y, s->center.z, s->radius);
        one->outer = tact_cull_sphere_outer(one->as.sphere);
    } else if (kind == TACT_CULL_OBBS) {
        one->as.obb = tact_cull_load_obb((const tact_obb*)volumes + i);
        one->live = tact_cull_obb_live(one->as.obb);
        one->outer = tact_cull_obb_outer(one->as.obb);
    } else if (kind == TACT_CULL_KDOPS) {
        one->live = tact_cull_load_kdop((const tact_kdop*)volumes + i, &one->as.kdop);
        if (one->live) one->outer = tact_cull_kdop_outer(one->as.kdop);
    } else {
        const tact_aabb* b = (const tact_aabb*)volumes + i;
        one->outer = (TactCullBox){b->lower.x, b->lower.y, b->lower.z, b->upper.x, b->upper.y, b->upper.z};
        one->live = tact_cull_box_live(one->outer);
    }
}

/// Whether the volume, whose outer box meets `b`, may meet it. `slabs`: the box along the axes of k-DOPs.
static inline bool tact_cull_one_box(const tact_cull_one* one, TactCullBox b, const float* lower, const float* upper)
{
    if (one->kind == TACT_CULL_SPHERES) return tact_cull_sphere_box(one->as.sphere, b);
    if (one->kind == TACT_CULL_OBBS) return tact_cull_obb_box(one->as.obb, b);
    if (one->kind != TACT_CULL_KDOPS) return true;
    const TactCullKdop* v = &one->as.kdop;
    bool meet = true;
    for (int i = 0; 2 * i < v->k; ++i) {
        const int n = tact_cull_kdop_axis(v->k, i);
        meet = meet && lower[n] <= v->upper[i] && v->lower[i] <= upper[n];
    }
    return meet;
}

static inline int tact_cull_one_plane(const tact_cull_one* one, const tact_cull_table* table, uint32_t p)
{
    const TactCullPlane plane = table->planes[p];
    if (one->kind == TACT_CULL_SPHERES) return tact_cull_sphere_plane(one->as.sphere, plane);
    if (one->kind == TACT_CULL_OBBS) return tact_cull_obb_plane(one->as.obb, plane);
    if (one->kind == TACT_CULL_KDOPS) {
        const TactCullMix* mixes = table->mixes[p][tact_cull_kdop_row(one->as.kdop.k)];
        return tact_cull_kdop_plane(one->as.kdop, mixes[0], mixes[1], plane.d);
    }
    return tact_cull_box_plane(one->outer, plane);
}

/// Whether a volume that the planes leave undecided, and whose outer box meets their bounds, may be within those.
static inline bool tact_cull_one_bounds(const tact_cull_one* one, const tact_cull_table* table)
{
    return !table->bounded || tact_cull_one_box(one, tact_cull_table_box(table), table->lower, table->upper);
}

static inline int tact_cull_one_planes(const tact_cull_one* one, const tact_cull_table* table)
{
    if (table->nothing) return TACT_CULL_OUTSIDE;
    if (table->bounded && !tact_cull_boxes_meet(one->outer, tact_cull_table_box(table))) return TACT_CULL_OUTSIDE;
    int answer = TACT_CULL_INSIDE;
    for (uint32_t p = 0; p < table->count; ++p) {
        const int side = tact_cull_one_plane(one, table, p);
        if (side == TACT_CULL_OUTSIDE) return side;
        if (side == TACT_CULL_CROSSING) answer = side;
    }
    if (answer == TACT_CULL_CROSSING && !tact_cull_one_bounds(one, table)) return TACT_CULL_OUTSIDE;
    return answer;
}
