// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Ray casts on the CPU: the brute force that defines every result, and the tracer that gives the same bytes faster.

#include "cpu_ref/trace/scene.h"
#include "tact/raycast.h"

typedef struct tact_trace_job {
    const tact_trace_scene* scene;
    tact_ray_mode mode;
    const tact_ray* rays;
    tact_hit* hits;
    size_t count;
    int threads;
    tact_progress_fn* progress;  ///< may be NULL
    void* progress_user;
    const tact_ray_rules* rules;  ///< NULL: none
    tact_ray_sort sort;           ///< on devices
    size_t first;                 ///< number of the first of these rays in the caller's batch, for the rules' filter
} tact_trace_job;

/// The definition: every ray against every primitive of every instance, in order of id, no acceleration.
/// CANCELLED when the progress function says so.
tact_result tact_raycast_reference(tact_env* env, const tact_trace_job* job);

/// By the trees. The same bytes.
tact_result tact_raycast_cpu(tact_env* env, const tact_trace_job* job);

/// What both share: cuts the batch into pieces for the threads, and reports progress between slices of about
/// `slice` rays.
typedef void tact_trace_fn(const tact_trace_job* job, size_t begin, size_t end);
tact_result tact_trace_batch(tact_env* env, const tact_trace_job* job, tact_trace_fn* function, size_t slice,
                             size_t grain);

/// A miss, with the bits of tmax kept even when it is a NaN.
static inline void tact_trace_miss(const tact_ray* ray, tact_hit* hit)
{
    hit->instance = hit->primitive = TACT_NONE;
    memcpy(&hit->t, &ray->tmax, sizeof hit->t);
    hit->u = hit->v = 0.0f;
}

/// True when the ray's interval allows a hit; the rest of what makes a ray valid is in its frame.
static inline bool tact_trace_interval_valid(const tact_ray* ray)
{
    return ABS(ray->tmin) <= TACT_LARGEST && ray->tmin <= ray->tmax;
}

/// Whether a hit comes before the best so far.
static inline bool tact_trace_closer(float t, uint32_t instance, uint32_t primitive, const tact_hit* best)
{
    return t < best->t ||
           (t == best->t && (instance < best->instance || (instance == best->instance && primitive < best->primitive)));
}
