// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Queries in the world's frame on a device: closest points and sphere casts. Answers in chunks, over the nodes and
/// triangles that ray casts keep there.

#include "cpu_ref/trace/batch.h"
#include "cpu_ref/trace/scene.h"
#include "gpu/trace/raycast.h"

/// What a device keeps for a scene between such queries.
typedef struct tact_gpu_near tact_gpu_near;

/// Winding numbers of the points of a batch, beside what its kernel finds.
typedef struct tact_gpu_windings {
    const uint32_t* mirrored;  ///< a bit for each instance, by id
    size_t mirrored_words;
    const void* edges;  ///< of the boundary, blocks as of kernels/winding.kernel
    size_t edge_count;
    uint32_t (*sums)[4];  ///< of each point: 64 bits in 2^-32, the low word first; whether the host must find it; 0
} tact_gpu_windings;

/// A batch for one of the kernels made of kernels/closest_points.kernel.
typedef struct tact_gpu_near_job {
    tact_kernel_id kernel;
    const char* what;  ///< "points"
    const tact_trace_scene* scene;
    const void* queries;
    void* hits;
    size_t query_bytes, hit_bytes;      ///< of one
    tact_batch batch;                   ///< the threads do not matter
    const tact_gpu_windings* windings;  ///< NULL: they are not asked for
} tact_gpu_near_job;

/// *resident, and *scene, which ray casts share, are NULL the first time; they are made, brought up to date with the
/// scene, and kept. Fills in the report's times and memory.
tact_result tact_gpu_near_run(tact_device* device, tact_gpu_near** resident, tact_gpu_scene** scene,
                              const tact_gpu_near_job* job, tact_query_report* report);

/// Releases a tact_gpu_near.
void tact_gpu_near_release(void* resident);
