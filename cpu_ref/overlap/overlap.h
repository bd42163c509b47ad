// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Exact overlap of two meshes on the CPU: the definition, and the engine that must agree with it.

#include "base/env.h"
#include "cpu_ref/overlap/overlap_mesh.h"
#include "kernels/pose.h"
#include "tact/geometry/triangle_triangle.h"
#include "tact/mesh_overlap.h"

/// A query. A mesh against itself is a == b with `self`: a pair once, the smaller triangle first, and none with a
/// vertex at one place.
typedef struct tact_overlap_job {
    const tact_overlap_mesh *a, *b;
    const float (*poses)[12];  ///< of b, all finite
    size_t pose_count;         ///< below 2^32
    bool self;
    int threads;
    tact_progress_fn* progress;
    void* progress_user;
} tact_overlap_job;

/// Pairs sorted by (pose, a, b). Begins as zeroes.
typedef struct tact_overlap_list {
    tact_mesh_pair* pairs;
    size_t count, capacity;
} tact_overlap_list;

void tact_overlap_list_free(tact_env* env, tact_overlap_list* list);

/// Errors of all: OUT_OF_MEMORY, CANCELLED.
tact_result tact_overlap_pairs_reference(tact_env* env, const tact_overlap_job* job, tact_overlap_list* list);
tact_result tact_overlap_pairs_cpu(tact_env* env, const tact_overlap_job* job, tact_overlap_list* list);

/// A tact_mesh_relation for each pose.
///
/// With `solid`, for which both meshes must be connected (tact_overlap_mesh_connect()), where no triangles overlap:
/// A_INSIDE if b is closed and the first vertex of some connected part of A is inside b; else B_INSIDE if a is closed
/// and the first vertex of some part of B, moved, is inside a. In a pose that moves a triangle of B out of range
/// neither is looked at.
tact_result tact_overlap_relations_reference(tact_env* env, const tact_overlap_job* job, bool solid,
                                             uint8_t* relations);
tact_result tact_overlap_relations_cpu(tact_env* env, const tact_overlap_job* job, bool solid, uint8_t* relations);

/// Where a mesh keeps the vertices of triangle i. Any i below its triangle_count.
static inline tact_triangle tact_overlap_triangle(const tact_overlap_mesh* m, size_t i)
{
    tact_vec3 p[3];
    for (int k = 0; k < 3; ++k) {
        const float* v = m->positions + 3 * (size_t)m->indices[3 * i + (size_t)k];
        p[k] = (tact_vec3){v[0], v[1], v[2]};
    }
    return (tact_triangle){p[0], p[1], p[2]};
}

static inline tact_vec3 tact_overlap_move_point(const float m[12], tact_vec3 p)
{
    return (tact_vec3){tact_pose_apply(m[0], m[1], m[2], m[3], p.x, p.y, p.z),
                       tact_pose_apply(m[4], m[5], m[6], m[7], p.x, p.y, p.z),
                       tact_pose_apply(m[8], m[9], m[10], m[11], p.x, p.y, p.z)};
}

static inline tact_triangle tact_overlap_move(const float m[12], const tact_triangle* t)
{
    return (tact_triangle){tact_overlap_move_point(m, t->a), tact_overlap_move_point(m, t->b),
                           tact_overlap_move_point(m, t->c)};
}

/// False for NaN.
static inline bool tact_overlap_in_range(tact_vec3 p)
{
    return fabsf(p.x) <= TACT_MAX_COORDINATE && fabsf(p.y) <= TACT_MAX_COORDINATE && fabsf(p.z) <= TACT_MAX_COORDINATE;
}

static inline bool tact_overlap_triangle_there(const tact_triangle* t)
{
    return tact_overlap_in_range(t->a) && tact_overlap_in_range(t->b) && tact_overlap_in_range(t->c);
}

static inline bool tact_overlap_one_place(tact_vec3 p, tact_vec3 q)
{
    return p.x == q.x && p.y == q.y && p.z == q.z;
}

/// Whether a vertex of one triangle is at the place of one of the other's. Files repeat vertices where normals differ
/// and at seams, so that indices would not tell.
static inline bool tact_overlap_share_place(const tact_triangle* a, const tact_triangle* b)
{
    const tact_vec3 p[3] = {a->a, a->b, a->c};
    for (int i = 0; i < 3; ++i) {
        if (tact_overlap_one_place(p[i], b->a) || tact_overlap_one_place(p[i], b->b) ||
            tact_overlap_one_place(p[i], b->c))
            return true;
    }
    return false;
}
