// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Closest points on the CPU: the brute force that defines every result, and the walk that gives the same bytes faster.

#include "cpu_ref/trace/batch.h"
#include "cpu_ref/trace/scene.h"
#include "tact/closest.h"
#include "tact/spherecast.h"

typedef struct tact_closest_job {
    const tact_trace_scene* scene;
    const tact_closest_query* queries;
    tact_closest_hit* hits;
    tact_batch batch;
} tact_closest_job;

/// The definition: every point against every triangle of every instance, in order of id. CANCELLED.
tact_result tact_closest_reference(tact_env* env, const tact_closest_job* job);

/// By the trees. The same bytes.
tact_result tact_closest_cpu(tact_env* env, const tact_closest_job* job);

/// The squared distance between a query's point and a triangle or shape that can be its answer; the answer's distance
/// is the root. The scene must have its vertices.
float tact_closest_square(const tact_trace_scene* scene, const tact_closest_query* query, uint32_t instance,
                          uint32_t primitive);

// Sphere casts on the CPU: the brute force that defines every result, and the walk that gives the same bytes faster.

typedef struct tact_sphere_job {
    const tact_trace_scene* scene;
    const tact_sphere_cast* casts;
    tact_sphere_hit* hits;
    tact_batch batch;
} tact_sphere_job;

/// The definition: every sphere against every triangle and shape of every instance, in order of id. CANCELLED.
tact_result tact_sphere_casts_reference(tact_env* env, const tact_sphere_job* job);

/// By the trees. The same bytes.
tact_result tact_sphere_casts_cpu(tact_env* env, const tact_sphere_job* job);
