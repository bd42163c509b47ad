// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Ray casts on the CPU: the brute force that defines every result, and the tracer that gives the same bytes faster.

#include "cpu_ref/trace/scene.h"
#include "tact/raycast.h"

/// Modes beside the caller's, in which each ray's number of hits is its answer, as that of TACT_RAY_COUNT, and the hits
/// go to pools: all of them, or of each ray the nearest `most`, whose number is its answer.
#define TACT_TRACE_LIST ((tact_ray_mode)3)
#define TACT_TRACE_NEAREST ((tact_ray_mode)4)

typedef struct tact_trace_record {
    uint32_t ray;  ///< number among the job's
    tact_hit hit;
} tact_trace_record;

/// Hits as a worker finds them.
typedef struct tact_trace_pool {
    tact_trace_record* records;
    size_t count, room;
    tact_hit* nearest;  ///< of TACT_TRACE_NEAREST: `most` for each ray of a stream
    uint32_t most;
} tact_trace_pool;

/// Keeps a hit, if there is room.
static inline void tact_trace_keep(tact_trace_pool* pool, uint32_t ray, const tact_hit* hit)
{
    if (pool->count < pool->room) pool->records[pool->count++] = (tact_trace_record){ray, *hit};
}

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
    tact_trace_pool* pools;       ///< one for each thread; NULL: the mode is a caller's
    uint8_t* occluded;            ///< in place of `hits` with TACT_RAY_ANY; NULL: these
} tact_trace_job;

/// The definition: every ray against every primitive of every instance, in order of id, no acceleration.
/// CANCELLED when the progress function says so.
tact_result tact_raycast_reference(tact_env* env, const tact_trace_job* job);

/// By the trees. The same bytes.
tact_result tact_raycast_cpu(tact_env* env, const tact_trace_job* job);

/// What threads work with that cast many rays.
typedef struct tact_trace_spaces tact_trace_spaces;

/// Makes it for at most so many threads, and rays at a time; NULL: there is no memory.
tact_trace_spaces* tact_trace_spaces_make(tact_env* env, int threads, size_t rays);
void tact_trace_spaces_free(tact_env* env, tact_trace_spaces* spaces);

/// Casts rays of a job from `begin` on by the trees, at most `most` of them, which is at most 2^21: as many as it
/// returns. hits[0] is of the first of them, as are numbers of records; NULL: `occluded` is asked for. The scene has
/// instances.
size_t tact_trace_round(tact_trace_spaces* spaces, const tact_trace_job* job, size_t begin, size_t most,
                        tact_hit* hits);

/// What both share: cuts the batch into pieces for the threads, and reports progress between slices of about
/// `slice` rays.
typedef void tact_trace_fn(const tact_trace_job* job, size_t begin, size_t end);
tact_result tact_trace_batch(tact_env* env, const tact_trace_job* job, tact_trace_fn* function, size_t slice,
                             size_t grain);

/// Writes a ray's answer.
static inline void tact_trace_answer(const tact_trace_job* job, size_t i, const tact_hit* hit)
{
    if (job->occluded) {
        job->occluded[i] = hit->instance != TACT_NONE;
    } else {
        job->hits[i] = *hit;
    }
}

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
