// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/overlap/separation_volumes.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/geometry/fit_internal.h"

typedef struct making {
    const tact_triangle_tree* tree;
    const tact_vec3* corners;  ///< three for each triangle of the tree, in its order
    tact_separation_volume* volumes;
} making;

/// The triangles of a subtree, which are consecutive: children are cut from their parent's range, the first one first.
static void range_of(const tact_triangle_tree* tree, const tact_bvh_child* child, size_t* begin, size_t* count)
{
    const tact_bvh_child *first = child, *last = child;
    while (!(first->child & (uint32_t)TACT_BVH_LEAF_BIT))
        first = &tree->nodes[first->child].children[0];
    while (!(last->child & (uint32_t)TACT_BVH_LEAF_BIT))
        last = &tree->nodes[last->child].children[1];
    *begin = first->child & ~(uint32_t)TACT_BVH_LEAF_BIT;
    TACT_ASSERT((last->child & ~(uint32_t)TACT_BVH_LEAF_BIT) >= *begin);
    *count = (last->child & ~(uint32_t)TACT_BVH_LEAF_BIT) + last->count - *begin;
}

/// How far the points reach along the axes, from a place in their middle.
static void extents_along(const tact_vec3* points, size_t count, const dvec axis[3], double low[3], double high[3])
{
    TACT_ASSERT(count >= 1);
    const dvec origin = d_from(points[0]);
    for (int k = 0; k < 3; ++k)
        low[k] = high[k] = 0.0;
    for (size_t i = 1; i < count; ++i) {
        const dvec v = d_sub(d_from(points[i]), origin);
        for (int k = 0; k < 3; ++k) {
            const double x = d_dot(v, axis[k]);
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
}

/// Widths along the rounded centre's differences to the points, so that the rounding of the centre costs nothing.
static void fit(const tact_vec3* points, size_t count, tact_separation_volume* v)
{
    dvec axis[3];
    double low[3], high[3], half[3] = {0.0, 0.0, 0.0}, reach = 0.0;
    d_principal_frame(points, count, axis);
    extents_along(points, count, axis, low, high);
    dvec middle = d_from(points[0]);
    for (int k = 0; k < 3; ++k)
        middle = d_along(middle, 0.5 * (low[k] + high[k]), axis[k]);
    const tact_vec3 center = d_round(middle);
    for (size_t i = 0; i < count; ++i) {
        const dvec p = d_from(points[i]), d = d_sub(p, d_from(center));
        for (int k = 0; k < 3; ++k)
            half[k] = fmax(half[k], fabs(d_dot(d, axis[k])));
        reach = fmax(reach, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    const double spread = half[0] + half[1] + half[2];
    TACT_ASSERT(spread >= 0.0);
    *v = (tact_separation_volume){
        .center = {center.x, center.y, center.z}, .reach = d_round_up(reach + spread), .spread = d_round_up(spread)};
    for (int k = 0; k < 3; ++k) {
        const tact_vec3 e = d_round(d_scale(axis[k], half[k]));
        memcpy(v->axis[k], &e, sizeof e);
    }
}

static void make_piece(size_t begin, size_t end, int worker, void* user)
{
    const making* m = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const tact_bvh_child* child = &m->tree->nodes[i / 2].children[i % 2];
        size_t first, count;
        range_of(m->tree, child, &first, &count);
        TACT_ASSERT(first + count <= m->tree->triangle_count);
        m->volumes[i] = (tact_separation_volume){0};
        if (count > 0) fit(m->corners + 3 * first, 3 * count, &m->volumes[i]);
    }
}

tact_result tact_separation_volumes_make(tact_env* env, int threads, const tact_triangle_tree* tree,
                                         tact_separation_volumes* volumes)
{
    enum { GRAIN = 16 };
    *volumes = (tact_separation_volumes){.count = 2 * tree->node_count};
    volumes->volumes = tact_allocate(env, volumes->count, sizeof *volumes->volumes);
    tact_vec3* corners = tact_allocate(env, tree->triangle_count, 3 * sizeof *corners);
    if (!volumes->volumes || !corners) {
        tact_release(env, corners);
        tact_separation_volumes_free(env, volumes);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < tree->triangle_count; ++i) {
        const tact_leaf_triangle* t = &tree->triangles[i];
        corners[3 * i] = (tact_vec3){t->a[0], t->a[1], t->a[2]};
        corners[3 * i + 1] = (tact_vec3){t->b[0], t->b[1], t->b[2]};
        corners[3 * i + 2] = (tact_vec3){t->c[0], t->c[1], t->c[2]};
    }
    making m = {tree, corners, volumes->volumes};
    tact_parallel_for(threads, volumes->count, GRAIN, make_piece, &m);
    tact_release(env, corners);
    return TACT_OK;
}

void tact_separation_volumes_free(tact_env* env, tact_separation_volumes* volumes)
{
    tact_release(env, volumes->volumes);
    *volumes = (tact_separation_volumes){0};
}
