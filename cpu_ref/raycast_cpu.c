// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/raycast.h"

/// One ray on its way through one tree after the other.
typedef struct walk {
    const tact_trace_scene* scene;
    tact_ray_mode mode;
    const tact_ray* ray;
    tact_hit best;
    uint32_t count;
    bool done;
} walk;

static TactInterval child_interval(const TactRayFrame* frame, const tact_bvh_child* child, float slack)
{
    const TactBox box = {child->lower[0], child->lower[1], child->lower[2],
                         child->upper[0], child->upper[1], child->upper[2]};
    return tact_box_interval(*frame, box, slack);
}

/// Whether a box with this interval may hold a hit that matters. best.t is tmax until there is one, and stays there
/// when all hits are counted.
static bool reaches(const walk* w, TactInterval i)
{
    return i.enter <= i.leave && i.enter <= w->best.t && i.leave >= w->ray->tmin;
}

static void test_triangles(walk* w, const TactRayFrame* frame, TactInterval gate, uint32_t instance, uint32_t first,
                           uint32_t count)
{
    for (uint32_t k = first; k < first + count; ++k) {
        const tact_trace_triangle* t = &w->scene->triangles[k];
        const TactTriangleHit h = tact_ray_triangle(*frame, t->a[0], t->a[1], t->a[2], t->b[0], t->b[1], t->b[2],
                                                    t->c[0], t->c[1], t->c[2], gate, w->ray->tmin, w->best.t);
        if (!h.hit) continue;
        ++w->count;
        if (w->mode == TACT_RAY_CLOSEST) {
            if (tact_trace_closer(h.t, instance, t->primitive, &w->best)) {
                w->best = (tact_hit){instance, t->primitive, h.t, h.u, h.v};
            }
        } else if (w->mode == TACT_RAY_ANY) {
            w->done = true;
            return;
        }
    }
}

typedef void leaf_fn(walk* w, const TactRayFrame* frame, const void* context, uint32_t first, uint32_t count);

/// Depth first, the child that is entered earlier first. `leaf` is called for each leaf that is reached.
static inline void descend(walk* w, const TactRayFrame* frame, const tact_bvh_node* nodes, uint32_t root, float slack,
                           leaf_fn* leaf, const void* context)
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
            const TactInterval i0 = child_interval(frame, &c[0], slack);
            const TactInterval i1 = child_interval(frame, &c[1], slack);
            const bool r0 = reaches(w, i0), r1 = reaches(w, i1);
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
        } while (stack[top].enter > w->best.t);
        child = stack[top].child;
        count = stack[top].count;
    }
}

typedef struct mesh_visit {
    TactInterval gate;
    uint32_t instance;
} mesh_visit;

static void mesh_leaf(walk* w, const TactRayFrame* frame, const void* context, uint32_t first, uint32_t count)
{
    const mesh_visit* visit = context;
    test_triangles(w, frame, visit->gate, visit->instance, first, count);
}

static void top_leaf(walk* w, const TactRayFrame* world, const void* context, uint32_t first, uint32_t count)
{
    (void)context;
    const tact_ray* ray = w->ray;
    for (uint32_t k = first; k < first + count && !w->done; ++k) {
        const tact_trace_instance* instance = &w->scene->instances[k];
        const TactBox box = {instance->lower[0], instance->lower[1], instance->lower[2],
                             instance->upper[0], instance->upper[1], instance->upper[2]};
        const mesh_visit visit = {tact_box_interval(*world, box, TACT_INSTANCE_SLACK), instance->id};
        if (!reaches(w, visit.gate)) continue;
        const TactRayFrame frame = tact_trace_enter(instance, ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
        if (frame.valid) descend(w, &frame, w->scene->nodes, instance->root, TACT_SLACK, mesh_leaf, &visit);
    }
}

static void cast_piece(const tact_trace_job* job, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        const tact_ray* ray = &job->rays[i];
        walk w = {.scene = job->scene, .mode = job->mode, .ray = ray};
        tact_trace_miss(ray, &w.best);
        const TactRayFrame world = tact_ray_frame(ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
        if (world.valid && tact_trace_interval_valid(ray)) {
            descend(&w, &world, job->scene->top, 0, TACT_INSTANCE_SLACK, top_leaf, NULL);
        }
        switch (job->mode) {
            case TACT_RAY_CLOSEST:
                job->hits[i] = w.best;
                break;
            case TACT_RAY_ANY:
                job->hits[i] = w.done ? (tact_hit){0} : w.best;
                break;
            case TACT_RAY_COUNT:
                job->hits[i] = (tact_hit){.primitive = w.count};
                break;
        }
    }
}

tact_result tact_raycast_cpu(tact_env* env, const tact_trace_job* job)
{
    return tact_trace_batch(env, job, cast_piece, (size_t)1 << 18, 256);
}
