// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What every search for closest points shares: the best triangle or shape so far, and the answer that is made of it.

#include "cpu_ref/trace/closest.h"
#include "cpu_ref/trace/near_walk.h"
#include "kernels/closest_shape.h"

/// Where a triangle or a shape lies.
typedef struct tact_closest_found {
    const tact_trace_instance* instance;  ///< NULL: none
    uint32_t slot, primitive;
} tact_closest_found;

/// Whether one that is as near as the one found comes before it.
static inline bool tact_closest_before(uint32_t instance, uint32_t primitive, const tact_closest_found* found)
{
    return !found->instance || instance < found->instance->id ||
           (instance == found->instance->id && primitive < found->primitive);
}

/// Whether a matrix leaves every point where it is.
static inline bool tact_closest_is_identity(const float m[12])
{
    for (int i = 0; i < 12; ++i)
        if (m[i] != (i % 5 == 0 ? 1.0f : 0.0f)) return false;
    return true;
}

/// The corners of the triangle in a slot, in the world.
static inline void tact_closest_corners(const tact_trace_scene* scene, const tact_trace_instance* in, uint32_t slot,
                                        float corners[3][3])
{
    float own[3][3];
    tact_trace_slot(scene, slot, own[0], own[1], own[2]);
    for (int c = 0; c < 3; ++c)
        tact_near_move(scene->matrices[in->id], own[c], corners[c]);
}

/// tact_triangle_closest() of a point and three corners.
static inline TactClosest tact_closest_to(const tact_closest_query* q, const float k[3][3], float gate2, float limit2)
{
    return tact_triangle_closest(q->x, q->y, q->z, k[0][0], k[0][1], k[0][2], k[1][0], k[1][1], k[1][2], k[2][0],
                                 k[2][1], k[2][2], gate2, limit2);
}

/// A row of an instance's matrix.
static inline TactRow tact_closest_row(const tact_trace_scene* scene, const tact_trace_instance* in, int row)
{
    const float* m = scene->matrices[in->id] + 4 * (size_t)row;
    return tact_row(m[0], m[1], m[2], m[3]);
}

/// tact_bent_closest() of a point and an instance's shape.
TactShapeClosest tact_closest_to_bent(const tact_trace_scene* scene, const tact_trace_instance* in,
                                      const tact_trace_shape* shape, const tact_closest_query* q, float gate2,
                                      float limit2);

/// The closest point of an instance's shape: in the shape's frame, or in the world if the instance is bent.
static inline TactShapeClosest tact_closest_to_shape(const tact_trace_scene* scene, const tact_trace_instance* in,
                                                     const tact_trace_shape* shape, const tact_closest_query* q,
                                                     float gate2, float limit2)
{
    if (in->bent) return tact_closest_to_bent(scene, in, shape, q, gate2, limit2);
    return tact_shape_closest(q->x, q->y, q->z, tact_trace_shape_of(shape), in->kind, tact_closest_row(scene, in, 0),
                              tact_closest_row(scene, in, 1), tact_closest_row(scene, in, 2), gate2, limit2);
}

/// The answer when nothing is found.
static inline void tact_closest_write_none(const tact_closest_query* q, tact_closest_hit* hit)
{
    memset(hit, 0, sizeof *hit);
    hit->instance = hit->primitive = TACT_NONE;
    memcpy(&hit->distance, &q->max_distance, sizeof hit->distance);  // a NaN keeps its bits
}

/// The same for a sphere that touches nothing.
static inline void tact_sphere_write_none(const tact_sphere_cast* q, tact_sphere_hit* hit)
{
    memset(hit, 0, sizeof *hit);
    hit->instance = hit->primitive = TACT_NONE;
    memcpy(&hit->t, &q->ray.tmax, sizeof hit->t);  // a NaN keeps its bits
}

/// The answer of a triangle.
static inline void tact_closest_write(uint32_t instance, uint32_t primitive, const TactClosest* r,
                                      const float corners[3][3], tact_closest_hit* hit)
{
    const float *a = corners[0], *b = corners[1], *c = corners[2];
    hit->instance = instance;
    hit->primitive = primitive;
    hit->distance = tact_sqrt(r->d2);
    hit->u = r->u;
    hit->v = r->v;
    hit->x = tact_closest_at(a[0], b[0], c[0], r->u, r->v);
    hit->y = tact_closest_at(a[1], b[1], c[1], r->u, r->v);
    hit->z = tact_closest_at(a[2], b[2], c[2], r->u, r->v);
}

/// The answer of a shape.
static inline void tact_closest_write_shape(const tact_trace_scene* scene, uint32_t instance, uint32_t primitive,
                                            const TactShapeClosest* r, tact_closest_hit* hit)
{
    const float at[3] = {r->x, r->y, r->z};
    float moved[3];
    memcpy(moved, at, sizeof moved);
    if (!scene->by_id[instance].bent) tact_near_move(scene->matrices[instance], at, moved);
    *hit = (tact_closest_hit){instance, primitive, tact_sqrt(r->d2), 0.0f, 0.0f, moved[0], moved[1], moved[2]};
}

/// The squared distance of what lies in a slot of an instance's tree; the answer too, unless `hit` is NULL.
static inline float tact_closest_in_slot(const tact_trace_scene* scene, const tact_closest_found* f,
                                         const tact_closest_query* q, float gate2, float limit2, tact_closest_hit* hit)
{
    if (f->instance->kind != TACT_KIND_TRIANGLES) {
        const TactShapeClosest r = tact_closest_to_shape(scene, f->instance, &scene->shapes[f->slot], q, gate2, limit2);
        if (hit) tact_closest_write_shape(scene, f->instance->id, f->primitive, &r, hit);
        return r.d2;
    }
    float corners[3][3];
    tact_closest_corners(scene, f->instance, f->slot, corners);
    const TactClosest r = tact_closest_to(q, (const float(*)[3])corners, gate2, limit2);
    if (hit) tact_closest_write(f->instance->id, f->primitive, &r, (const float(*)[3])corners, hit);
    return r.d2;
}
