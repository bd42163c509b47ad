// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Exact point location by a tree: a ray towards +x passes the same triangles, whoever finds them.

#include <math.h>

#include "cpu_ref/overlap/engine.h"
#include "tact/geometry/containment.h"

/// What has been found out about a point so far.
typedef struct location {
    tact_vec3 point;
    const tact_overlap_frame* frame;
    bool odd, on;
} location;

/// Whether the ray from the point towards +x can meet a box, moved where there is a frame.
static bool ray_meets(const location* l, const float low[3], const float high[3])
{
    const float p[3] = {l->point.x, l->point.y, l->point.z};
    for (int k = 0; k < 3; ++k) {
        float from = low[k], to = high[k];
        if (l->frame) {
            const float *m = l->frame->box + 4 * k, *size = l->frame->size + 3 * k;
            float centre = m[3], reach = l->frame->slack[k];
            for (int i = 0; i < 3; ++i) {
                centre += m[i] * (0.5f * (low[i] + high[i]));
                reach += size[i] * (0.5f * (high[i] - low[i]));
            }
            from = centre - reach;
            to = centre + reach;
        }
        if (p[k] > to || (k > 0 && p[k] < from)) return false;
    }
    return true;
}

/// Parity is a sum, so that of a few triangles is that of each group added up.
static void locate_in_group(location* l, const tact_wide_group* g)
{
    TACT_ASSERT(g->count <= TACT_WIDE);
    static const uint32_t indices[3 * TACT_WIDE] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                                    12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
    tact_vec3 p[3 * TACT_WIDE];
    for (uint32_t i = 0; i < g->count; ++i) {
        for (uint32_t v = 0; v < 3; ++v) {
            const float(*c)[TACT_WIDE] = g->corner + (size_t)3 * v;
            p[3 * i + v] = (tact_vec3){c[0][i], c[1][i], c[2][i]};
            if (l->frame) p[3 * i + v] = tact_overlap_move_point(l->frame->m, p[3 * i + v]);
        }
    }
    const tact_location here = tact_mesh_locate(p, indices, g->count, l->point, NULL);
    l->odd = l->odd != (here == TACT_POINT_INSIDE);
    l->on = l->on || here == TACT_POINT_ON_BOUNDARY;
}

bool tact_overlap_inside(const tact_overlap_mesh* mesh, const tact_overlap_frame* frame, tact_vec3 point)
{
    location l = {point, frame, false, false};
    uint32_t stack[TACT_WIDE * (TACT_BVH_MAX_DEPTH + 1)];
    size_t depth = 0;
    if (mesh->tree.triangle_count > 0) stack[depth++] = 0;
    while (depth > 0 && !l.on) {
        const tact_wide_node* n = &mesh->wide.nodes[stack[--depth]];
        TACT_ASSERT(n->count <= TACT_WIDE);
        for (uint32_t i = 0; i < n->count; ++i) {
            const float low[3] = {n->lower[0][i], n->lower[1][i], n->lower[2][i]};
            const float high[3] = {n->upper[0][i], n->upper[1][i], n->upper[2][i]};
            if (!ray_meets(&l, low, high)) continue;
            const uint32_t child = n->child[i];
            if (child & (uint32_t)TACT_BVH_LEAF_BIT) {
                locate_in_group(&l, &mesh->wide.groups[child & ~(uint32_t)TACT_BVH_LEAF_BIT]);
            } else {
                TACT_ASSERT(depth < TACT_WIDE * (TACT_BVH_MAX_DEPTH + 1));
                stack[depth++] = child;
            }
        }
    }
    return l.odd && !l.on;
}
