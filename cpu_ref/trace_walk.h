// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// One ray's way through the trees of a scene: down the tree of instances, and from its leaves down the trees of their
/// meshes. What becomes of the hits is up to who walks.

#include "cpu_ref/raycast.h"

typedef struct tact_trace_walk tact_trace_walk;

/// Takes a hit. It may lower the walk's limit, or end the walk.
typedef void tact_trace_take_fn(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h);

struct tact_trace_walk {
    const tact_trace_scene* scene;
    const tact_ray* ray;
    float limit;  ///< hits beyond it do not matter; at first tmax
    bool done;
    tact_trace_take_fn* take;
};

static inline TactInterval tact_trace_child_interval(const TactRayFrame* frame, const tact_bvh_child* child,
                                                     float slack)
{
    const TactBox box = {child->lower[0], child->lower[1], child->lower[2],
                         child->upper[0], child->upper[1], child->upper[2]};
    return tact_box_interval(*frame, box, slack);
}

/// Whether a box with this interval may hold a hit that matters.
static inline bool tact_trace_reaches(const tact_trace_walk* w, TactInterval i)
{
    return i.enter <= i.leave && i.enter <= w->limit && i.leave >= w->ray->tmin;
}

static inline void tact_trace_test_triangles(tact_trace_walk* w, const TactRayFrame* frame, TactInterval gate,
                                             uint32_t instance, uint32_t first, uint32_t count)
{
    for (uint32_t k = first; k < first + count; ++k) {
        const tact_trace_triangle* t = &w->scene->triangles[k];
        const TactTriangleHit h = tact_ray_triangle(*frame, t->a[0], t->a[1], t->a[2], t->b[0], t->b[1], t->b[2],
                                                    t->c[0], t->c[1], t->c[2], gate, w->ray->tmin, w->limit);
        if (!h.hit) continue;
        w->take(w, instance, t->primitive, &h);
        if (w->done) return;
    }
}

typedef void tact_trace_leaf_fn(tact_trace_walk* w, const TactRayFrame* frame, const void* context, uint32_t first,
                                uint32_t count);

/// Depth first, the child that is entered earlier first. `leaf` is called for each leaf that is reached.
static inline void tact_trace_descend(tact_trace_walk* w, const TactRayFrame* frame, const tact_bvh_node* nodes,
                                      uint32_t root, float slack, tact_trace_leaf_fn* leaf, const void* context)
{
    struct {
        uint32_t child, count;
        float enter;
    } stack[TACT_BVH_MAX_DEPTH + 4];
    int top = 0;
    uint32_t child = root, count = 0;
    for (;;) {
        if (child & (uint32_t)TACT_BVH_LEAF_BIT) {
            leaf(w, frame, context, child & ~(uint32_t)TACT_BVH_LEAF_BIT, count);
            if (w->done) return;
        } else {
            const tact_bvh_child* c = nodes[child].children;
            const TactInterval i0 = tact_trace_child_interval(frame, &c[0], slack);
            const TactInterval i1 = tact_trace_child_interval(frame, &c[1], slack);
            const bool r0 = tact_trace_reaches(w, i0), r1 = tact_trace_reaches(w, i1);
            if (r0 && r1) {
                const int near = i1.enter < i0.enter;
                const tact_bvh_child* far = &c[1 - near];
                stack[top].child = far->child;
                stack[top].count = far->count;
                stack[top++].enter = near ? i0.enter : i1.enter;
                child = c[near].child;
                count = c[near].count;
                continue;
            }
            if (r0 || r1) {
                const tact_bvh_child* only = &c[r0 ? 0 : 1];
                child = only->child;
                count = only->count;
                continue;
            }
        }
        // A closer hit may have been found since the child was put aside.
        do {
            if (top == 0) return;
            --top;
        } while (stack[top].enter > w->limit);
        child = stack[top].child;
        count = stack[top].count;
    }
}

typedef struct tact_trace_mesh_visit {
    TactInterval gate;
    uint32_t instance;
} tact_trace_mesh_visit;

static inline void tact_trace_mesh_leaf(tact_trace_walk* w, const TactRayFrame* frame, const void* context,
                                        uint32_t first, uint32_t count)
{
    const tact_trace_mesh_visit* visit = context;
    tact_trace_test_triangles(w, frame, visit->gate, visit->instance, first, count);
}

static inline void tact_trace_top_leaf(tact_trace_walk* w, const TactRayFrame* world, const void* context,
                                       uint32_t first, uint32_t count)
{
    (void)context;
    const tact_ray* ray = w->ray;
    for (uint32_t k = first; k < first + count && !w->done; ++k) {
        const tact_trace_instance* instance = &w->scene->instances[k];
        const TactBox box = {instance->lower[0], instance->lower[1], instance->lower[2],
                             instance->upper[0], instance->upper[1], instance->upper[2]};
        const tact_trace_mesh_visit visit = {tact_box_interval(*world, box, TACT_INSTANCE_SLACK), instance->id};
        if (!tact_trace_reaches(w, visit.gate)) continue;
        const TactRayFrame frame = tact_trace_enter(instance, ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
        if (frame.valid)
            tact_trace_descend(w, &frame, w->scene->nodes, instance->root, TACT_SLACK, tact_trace_mesh_leaf, &visit);
    }
}

/// Takes a ray's hits in no particular order; none when the ray is not valid.
static inline void tact_trace_walk_all(tact_trace_walk* w)
{
    const tact_ray* ray = w->ray;
    const TactRayFrame world = tact_ray_frame(ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
    if (world.valid && tact_trace_interval_valid(ray)) {
        tact_trace_descend(w, &world, w->scene->top, 0, TACT_INSTANCE_SLACK, tact_trace_top_leaf, NULL);
    }
}

/// The definition: the same hits by trying every triangle of every instance, in order of id. The limit does not count.
void tact_trace_walk_every(tact_trace_walk* walk);
