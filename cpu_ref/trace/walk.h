// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// One ray's way through the trees of a scene: down the tree of instances, and from its leaves down the trees of their
/// meshes, by all rules that there are. What becomes of the hits is up to who walks.

#include "cpu_ref/trace/raycast.h"
#include "cpu_ref/trace/rules.h"

typedef struct tact_trace_walk tact_trace_walk;

/// Takes a hit. It may lower the walk's limit, or end the walk.
typedef void tact_trace_take_fn(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h);

struct tact_trace_walk {
    const tact_trace_scene* scene;
    const tact_ray* ray;
    float limit;  ///< hits beyond it do not matter; at first tmax
    bool done;
    tact_trace_take_fn* take;
    const tact_ray_rules* rules;  ///< NULL: none
    size_t index;                 ///< of the ray, for the rules' filter
    uint32_t mask;                ///< of the ray
    uint32_t faces;               ///< that it hits, TACT_FACE_
    bool picky;                   ///< hits must pass tact_trace_passes
};

static inline tact_trace_walk tact_trace_walk_begin(const tact_trace_scene* scene, const tact_ray_rules* rules,
                                                    const tact_ray* ray, size_t index, tact_trace_take_fn* take)
{
    return (tact_trace_walk){.scene = scene,
                             .ray = ray,
                             .limit = ray->tmax,
                             .take = take,
                             .rules = rules,
                             .index = index,
                             .mask = tact_trace_mask(rules, index),
                             .faces = tact_trace_faces(rules),
                             .picky = tact_trace_is_picky(scene, rules)};
}

/// Takes a primitive's hit, or none, if it passes.
static inline void tact_trace_offer(tact_trace_walk* w, uint32_t instance, uint32_t mesh, uint32_t primitive,
                                    const TactTriangleHit* h)
{
    if (((uint32_t)h->hit & w->faces) == 0) return;
    if (w->picky) {
        const tact_hit hit = {instance, primitive, h->t, h->u, h->v};
        if (!tact_trace_passes(&w->scene->meshes[mesh], w->rules, w->index, w->ray, &hit)) return;
    }
    w->take(w, instance, primitive, h);
}

static inline TactInterval tact_trace_child_interval(const TactRayFrame* frame, const tact_bvh8_node* node, int child,
                                                     float slack)
{
    const tact_bvh_box b = tact_bvh8_child_box(node, child);
    const TactBox box = {b.lower[0], b.lower[1], b.lower[2], b.upper[0], b.upper[1], b.upper[2]};
    return tact_box_interval(*frame, box, slack);
}

/// Whether a box with this interval may hold a hit that matters.
static inline bool tact_trace_reaches(const tact_trace_walk* w, TactInterval i)
{
    return i.enter <= i.leave && i.enter <= w->limit && i.leave >= w->ray->tmin;
}

/// A mesh that a ray goes through.
typedef struct tact_trace_mesh_visit {
    TactInterval gate;
    const tact_trace_instance* instance;
} tact_trace_mesh_visit;

static inline void tact_trace_test_triangles(tact_trace_walk* w, const TactRayFrame* frame,
                                             const tact_trace_mesh_visit* visit, uint32_t first, uint32_t count)
{
    for (uint32_t k = first; k < first + count; ++k) {
        float a[3], b[3], c[3];
        const uint32_t primitive = tact_trace_slot(w->scene, k, a, b, c);
        const TactTriangleHit h = tact_ray_triangle(*frame, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2],
                                                    visit->gate, w->ray->tmin, w->limit);
        if (!h.hit) continue;
        tact_trace_offer(w, visit->instance->id, visit->instance->mesh, primitive, &h);
        if (w->done) return;
    }
}

static inline void tact_trace_test_shapes(tact_trace_walk* w, const TactRayFrame* frame,
                                          const tact_trace_mesh_visit* visit, uint32_t first, uint32_t count)
{
    for (uint32_t k = first; k < first + count; ++k) {
        const tact_trace_shape* shape = &w->scene->shapes[k];
        const TactTriangleHit h = tact_ray_shape(*frame, tact_trace_shape_of(shape), visit->instance->kind, visit->gate,
                                                 w->ray->tmin, w->limit, w->faces);
        if (!h.hit) continue;
        tact_trace_offer(w, visit->instance->id, visit->instance->mesh, shape->primitive, &h);
        if (w->done) return;
    }
}

typedef void tact_trace_leaf_fn(tact_trace_walk* w, const TactRayFrame* frame, const void* context, uint32_t first,
                                uint32_t count);

/// A child that is put aside.
typedef struct tact_trace_aside {
    uint32_t child, kind;
    float enter;
} tact_trace_aside;

/// Puts the children that the ray reaches aside, the one it enters last first. Returns how many then lie there.
static inline int tact_trace_open(const tact_trace_walk* w, const TactRayFrame* frame, const tact_bvh8_node* node,
                                  float slack, tact_trace_aside* stack, int top)
{
    const int first = top;
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
        const uint32_t kind = tact_bvh8_kind(node, i);
        if (kind == 0) break;
        const TactInterval interval = tact_trace_child_interval(frame, node, i, slack);
        if (!tact_trace_reaches(w, interval)) continue;
        int at = top++;
        for (; at > first && stack[at - 1].enter < interval.enter; --at)
            stack[at] = stack[at - 1];
        stack[at] = (tact_trace_aside){tact_bvh8_child(node, i), kind, interval.enter};
    }
    return top;
}

/// Depth first, the child that is entered earlier first. `leaf` is called for each leaf that is reached. `stack` has
/// TACT_BVH8_STACK or TACT_BVH8_TOP_STACK places.
static inline void tact_trace_descend(tact_trace_walk* w, const TactRayFrame* frame, const tact_bvh8_node* nodes,
                                      uint32_t root, float slack, tact_trace_aside* stack, tact_trace_leaf_fn* leaf,
                                      const void* context)
{
    int top = tact_trace_open(w, frame, &nodes[root], slack, stack, 0);
    while (top > 0) {
        const tact_trace_aside next = stack[--top];
        // A closer hit may have been found since the child was put aside.
        if (next.enter > w->limit) continue;
        if (next.kind == TACT_BVH8_INNER) {
            top = tact_trace_open(w, frame, &nodes[next.child], slack, stack, top);
        } else {
            leaf(w, frame, context, next.child, next.kind);
            if (w->done) return;
        }
    }
}

static inline void tact_trace_mesh_leaf(tact_trace_walk* w, const TactRayFrame* frame, const void* context,
                                        uint32_t first, uint32_t count)
{
    const tact_trace_mesh_visit* visit = context;
    if (visit->instance->kind == TACT_KIND_TRIANGLES) {
        tact_trace_test_triangles(w, frame, visit, first, count);
    } else {
        tact_trace_test_shapes(w, frame, visit, first, count);
    }
}

static inline void tact_trace_top_leaf(tact_trace_walk* w, const TactRayFrame* world, const void* context,
                                       uint32_t first, uint32_t count)
{
    (void)context;
    const tact_ray* ray = w->ray;
    for (uint32_t k = first; k < first + count && !w->done; ++k) {
        const tact_trace_instance* instance = &w->scene->instances[k];
        if ((instance->mask & w->mask) == 0) continue;
        const TactBox box = {instance->lower[0], instance->lower[1], instance->lower[2],
                             instance->upper[0], instance->upper[1], instance->upper[2]};
        const tact_trace_mesh_visit visit = {tact_box_interval(*world, box, TACT_INSTANCE_SLACK), instance};
        if (!tact_trace_reaches(w, visit.gate)) continue;
        const TactRayFrame frame = tact_trace_enter(instance, ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
        if (!frame.valid) continue;
        tact_trace_aside stack[TACT_BVH8_STACK];
        tact_trace_descend(w, &frame, w->scene->wide, instance->wide_root, TACT_SLACK, stack, tact_trace_mesh_leaf,
                           &visit);
    }
}

/// Takes a ray's hits in no particular order; none when the ray is not valid.
static inline void tact_trace_walk_all(tact_trace_walk* w)
{
    const tact_ray* ray = w->ray;
    const TactRayFrame world = tact_ray_frame(ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
    if (world.valid && tact_trace_interval_valid(ray)) {
        tact_trace_aside stack[TACT_BVH8_TOP_STACK];
        tact_trace_descend(w, &world, w->scene->wide_top, 0, TACT_INSTANCE_SLACK, stack, tact_trace_top_leaf, NULL);
    }
}

/// The definition: the same hits by trying every triangle of every instance, in order of id. The limit does not count.
void tact_trace_walk_every(tact_trace_walk* walk);
