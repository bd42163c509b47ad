// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Ray casts on a device: uploads the scene, casts in chunks.

#include "cpu_ref/trace/raycast_all.h"
#include "gpu/device.h"
#include "tact/volumes.h"

/// What a device keeps for a scene between casts.
typedef struct tact_gpu_scene tact_gpu_scene;

/// Bytes of a scene that must go to the device before it can answer: 0 where all is there. `resident` may be NULL.
uint64_t tact_gpu_scene_missing(const tact_gpu_scene* resident, const tact_trace_scene* scene);

/// Casts job->rays. *resident is NULL the first time; it is made, brought up to date with the scene, and kept. Fills in
/// the report's times and memory.
tact_result tact_gpu_raycast(tact_device* device, tact_gpu_scene** resident, const tact_trace_job* job,
                             tact_query_report* report);

/// Every hit along job->rays, into arrays that do not grow; as tact_trace_all(), which says more. LIMIT: a ray has more
/// hits than a buffer of the device can hold.
tact_result tact_gpu_raycast_all(tact_device* device, tact_gpu_scene** resident, const tact_trace_all_job* job,
                                 tact_trace_hits* out, tact_query_report* report);

/// A cast that is on its way.
typedef struct tact_gpu_cast tact_gpu_cast;

typedef struct tact_gpu_cast_job {
    const tact_trace_scene* scene;
    tact_ray_mode mode;
    size_t count;  ///< at least 1
    const tact_ray* rays;
    tact_hit* hits;
    const tact_device_array *ray_array, *hit_array;  ///< instead of `rays`, of `hits`; NULL: those
    tact_ray_sort sort;
} tact_gpu_cast_job;

/// Starts a cast and does not wait for it. Nothing of the job need live on but `hits`, or the caller's buffer.
tact_result tact_gpu_cast_submit(tact_device* device, tact_gpu_scene** resident, const tact_gpu_cast_job* job,
                                 tact_query_report* report, tact_gpu_cast** cast);
tact_result tact_gpu_cast_poll(tact_gpu_cast* cast, bool* done);
/// Waits for it, writes the hits and releases it, whatever the result.
tact_result tact_gpu_cast_collect(tact_gpu_cast* cast, tact_query_report* report);
/// Releases it. Before the scene.
void tact_gpu_cast_forget(tact_gpu_cast* cast);

/// Releases a tact_gpu_scene.
void tact_gpu_scene_release(void* resident);
