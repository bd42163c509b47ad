// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What searches in clouds on devices share.

#include "gpu/chunks.h"
#include "gpu/cloud/cloud.h"

enum {
    TACT_GPU_CLOUD_CHUNK = 1 << 20  ///< queries of one launch
};

struct tact_gpu_cloud {
    tact_device* device;
    uint64_t version;  ///< of the tree that is there; 0: none is
    tact_buffer *nodes, *blocks, *table;
    tact_buffer *queries, *answers;  ///< of one chunk
    tact_buffer *places, *ids;       ///< of lists
};

/// Makes *resident where there is none, enters the device, builds the kernel and brings the tree. Unless it fails the
/// caller leaves the device.
tact_result tact_gpu_cloud_begin(tact_device* device, tact_gpu_cloud** resident, const tact_gpu_cloud_job* job,
                                 tact_kernel_id kernel, tact_query_report* report);

/// Rows of a chunk, `bytes` of answers each, and room for them.
size_t tact_gpu_cloud_hold(tact_gpu_cloud* g, const tact_gpu_cloud_job* job, size_t bytes);

/// Steps of a query in one launch: `software` of a device whose loops are cut short.
uint32_t tact_gpu_cloud_steps(const tact_gpu_cloud* g, uint32_t software);

uint64_t tact_gpu_cloud_bytes(const tact_gpu_cloud* g);

/// The queries that are left to the host, as a job for the CPU.
typedef struct tact_gpu_cloud_rest {
    tact_cloud_job job;
    tact_closest_query* queries;
    size_t* places;  ///< of each among all
} tact_gpu_cloud_rest;

/// Collects the queries for which is_left() is true. Errors: OUT_OF_MEMORY, nothing is left to release then.
tact_result tact_gpu_cloud_rest_make(tact_env* env, const tact_gpu_cloud_job* job,
                                     bool (*is_left)(const void* user, size_t query), const void* user,
                                     tact_gpu_cloud_rest* rest);
void tact_gpu_cloud_rest_release(tact_env* env, tact_gpu_cloud_rest* rest);
