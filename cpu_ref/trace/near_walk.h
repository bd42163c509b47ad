// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A query's way through the trees of a scene when it is asked in the world's frame: closest points, sphere casts. The
/// boxes of an instance's tree are moved into the world by the operations that move its vertices. Those are monotone,
/// rounding included, so a moved box contains the moved vertices without any allowance (kernels/overlap_box.h).
///
/// A query gives each box a *key*: no triangle in the box can matter when the key is above the walk's limit. A box that
/// contains another must not have the greater key.

#include "base/simd.h"
#include "cpu_ref/trace/scene.h"
#include "kernels/pose.h"

typedef struct tact_near_walk tact_near_walk;

/// Boxes side by side: axis, box.
typedef struct tact_near_boxes {
    float lower[3][TACT_BVH8_WIDTH];
    float upper[3][TACT_BVH8_WIDTH];
} tact_near_boxes;

/// Writes the keys of all eight boxes; INFINITY for one that is of no interest. Those of absent boxes are not looked
/// at.
typedef void tact_near_key_fn(const tact_near_walk* walk, const tact_near_boxes* boxes, float keys[TACT_BVH8_WIDTH]);

/// Tries a triangle of an instance, its corners in the world. May lower the limit. `gate` is the key of the instance's
/// box.
typedef void tact_near_take_fn(tact_near_walk* walk, const tact_trace_instance* instance, float gate,
                               uint32_t primitive, const float a[3], const float b[3], const float c[3]);

/// The same for a sphere, box or capsule, in its own frame.
typedef void tact_near_take_shape_fn(tact_near_walk* walk, const tact_trace_instance* instance, float gate,
                                     const tact_trace_shape* shape);

struct tact_near_walk {
    const tact_trace_scene* scene;
    float limit;
    tact_near_take_shape_fn* take_shape;  ///< NULL: for scenes without shapes
};

typedef struct tact_near_aside {
    uint32_t child, kind;
    float key;
} tact_near_aside;

static inline void tact_near_move(const float m[12], const float p[3], float moved[3])
{
    for (int k = 0; k < 3; ++k) {
        const float* row = m + 4 * k;
        moved[k] = tact_pose_apply(row[0], row[1], row[2], row[3], p[0], p[1], p[2]);
    }
}

/// Eight bytes times `scale` from `origin` on, as tact_bvh8_side() computes them.
LANES_TARGET static inline void tact_near_sides(const uint8_t bytes[TACT_BVH8_WIDTH], float origin, float scale,
                                                float sides[TACT_BVH8_WIDTH])
{
    f8_store(sides, f8_add(f8_set(origin), f8_mul(f8_bytes(bytes), f8_set(scale))));
}

static inline void tact_near_unpack(const tact_bvh8_node* n, tact_near_boxes* boxes)
{
    for (int axis = 0; axis < 3; ++axis) {
        const float scale = as_float((uint32_t)n->exponent[axis] << 23);
        tact_near_sides(n->box[axis][0], n->origin[axis], scale, boxes->lower[axis]);
        tact_near_sides(n->box[axis][1], n->origin[axis], scale, boxes->upper[axis]);
    }
}

/// The boxes that hold what the matrix makes of all points of the given ones.
static inline void tact_near_move_boxes(const float m[12], const tact_near_boxes* from, tact_near_boxes* to)
{
    for (int k = 0; k < 3; ++k) {
        const float* row = m + 4 * k;
        // A row's product with a coordinate is least at the lower side where the entry is positive, else at the upper.
        const float* lx = row[0] >= 0.0f ? from->lower[0] : from->upper[0];
        const float* hx = row[0] >= 0.0f ? from->upper[0] : from->lower[0];
        const float* ly = row[1] >= 0.0f ? from->lower[1] : from->upper[1];
        const float* hy = row[1] >= 0.0f ? from->upper[1] : from->lower[1];
        const float* lz = row[2] >= 0.0f ? from->lower[2] : from->upper[2];
        const float* hz = row[2] >= 0.0f ? from->upper[2] : from->lower[2];
        for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
            to->lower[k][i] = tact_pose_apply(row[0], row[1], row[2], row[3], lx[i], ly[i], lz[i]);
            to->upper[k][i] = tact_pose_apply(row[0], row[1], row[2], row[3], hx[i], hy[i], hz[i]);
        }
    }
}

/// Puts the children with a key up to the limit aside, the least last. `matrix` NULL: boxes are in the world already.
static inline int tact_near_open(const tact_near_walk* w, const tact_bvh8_node* node, const float* matrix,
                                 tact_near_key_fn* key, tact_near_aside* stack, int top)
{
    tact_near_boxes own, moved;
    float keys[TACT_BVH8_WIDTH];
    tact_near_unpack(node, &own);
    if (matrix) tact_near_move_boxes(matrix, &own, &moved);
    key(w, matrix ? &moved : &own, keys);
    const int first = top;
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
        const uint32_t kind = tact_bvh8_kind(node, i);
        if (kind == 0) break;
        if (!(keys[i] <= w->limit && keys[i] < INFINITY)) continue;
        int at = top++;
        for (; at > first && stack[at - 1].key < keys[i]; --at)
            stack[at] = stack[at - 1];
        stack[at] = (tact_near_aside){tact_bvh8_child(node, i), kind, keys[i]};
    }
    return top;
}

/// All triangles or shapes of an instance that may matter.
static inline void tact_near_mesh(tact_near_walk* w, const tact_trace_instance* instance, float gate,
                                  tact_near_key_fn* key, tact_near_take_fn* take)
{
    const tact_trace_scene* scene = w->scene;
    const float* m = scene->matrices[instance->id];
    tact_near_aside stack[TACT_BVH8_STACK];
    int top = tact_near_open(w, &scene->wide[instance->wide_root], m, key, stack, 0);
    while (top > 0) {
        const tact_near_aside next = stack[--top];
        if (next.key > w->limit) continue;
        if (next.kind == TACT_BVH8_INNER) {
            top = tact_near_open(w, &scene->wide[next.child], m, key, stack, top);
            continue;
        }
        for (uint32_t slot = next.child; slot < next.child + next.kind; ++slot) {
            float p[3][3], q[3][3];
            if (instance->kind != TACT_KIND_TRIANGLES) {
                w->take_shape(w, instance, gate, &scene->shapes[slot]);
                continue;
            }
            const uint32_t primitive = tact_trace_slot(scene, slot, p[0], p[1], p[2]);
            for (int c = 0; c < 3; ++c)
                tact_near_move(m, p[c], q[c]);
            take(w, instance, gate, primitive, q[0], q[1], q[2]);
        }
    }
}

static inline float tact_near_gate(const tact_near_walk* w, const tact_trace_instance* instance, tact_near_key_fn* key)
{
    tact_near_boxes box;
    float keys[TACT_BVH8_WIDTH];
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
            box.lower[axis][i] = instance->lower[axis];
            box.upper[axis][i] = instance->upper[axis];
        }
    }
    key(w, &box, keys);
    return keys[0];
}

/// All triangles of the scene that may matter, what has a small key sooner.
static inline void tact_near_walk_scene(tact_near_walk* w, tact_near_key_fn* key, tact_near_take_fn* take)
{
    const tact_trace_scene* scene = w->scene;
    tact_near_aside stack[TACT_BVH8_TOP_STACK];
    int top = tact_near_open(w, &scene->wide_top[0], NULL, key, stack, 0);
    while (top > 0) {
        const tact_near_aside next = stack[--top];
        if (next.key > w->limit) continue;
        if (next.kind == TACT_BVH8_INNER) {
            top = tact_near_open(w, &scene->wide_top[next.child], NULL, key, stack, top);
            continue;
        }
        for (uint32_t k = next.child; k < next.child + next.kind; ++k) {
            const tact_trace_instance* instance = &scene->instances[k];
            const float gate = tact_near_gate(w, instance, key);
            if (gate <= w->limit && gate < INFINITY) tact_near_mesh(w, instance, gate, key, take);
        }
    }
}

/// The definition: every triangle and shape of every instance, in order of id.
static inline void tact_near_walk_every(tact_near_walk* w, tact_near_key_fn* key, tact_near_take_fn* take)
{
    const tact_trace_scene* scene = w->scene;
    for (size_t i = 0; i < scene->by_id_count; ++i) {
        const tact_trace_instance* instance = &scene->by_id[i];
        if (instance->mesh == TACT_NONE) continue;
        const tact_trace_mesh* mesh = &scene->meshes[instance->mesh];
        const float gate = tact_near_gate(w, instance, key);
        for (size_t k = 0; k < mesh->shape_count; ++k) {
            if (tact_shape_in_range(tact_trace_shape_of(&mesh->shapes[k]), mesh->kind)) {
                w->take_shape(w, instance, gate, &mesh->shapes[k]);
            }
        }
        for (size_t k = 0; k < mesh->triangle_count; ++k) {
            float q[3][3];
            bool good = true;
            for (size_t c = 0; c < 3; ++c) {
                const float* p = mesh->positions + (size_t)mesh->indices[3 * k + c] * 3;
                good = good && tact_in_range(p[0], p[1], p[2]);
                tact_near_move(scene->matrices[i], p, q[c]);
            }
            if (good) take(w, instance, gate, (uint32_t)k, q[0], q[1], q[2]);
        }
    }
}
