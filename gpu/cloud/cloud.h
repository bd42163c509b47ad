// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Searches in clouds on a device: nearest points, points within a distance. Queries that take longer than a launch may
/// are answered by the CPU in the end.

#include "cpu_ref/cloud/search.h"
#include "gpu/device.h"

/// What a device keeps for a cloud: its tree, and room for queries.
typedef struct tact_gpu_cloud tact_gpu_cloud;

typedef struct tact_gpu_cloud_job {
    tact_cloud_job cloud;
    uint64_t version;  ///< of the points, from 1 on
} tact_gpu_cloud_job;

/// Bytes of the tree that the device lacks; `resident` may be NULL.
uint64_t tact_gpu_cloud_missing(const tact_gpu_cloud* resident, const tact_cloud_tree* tree, uint64_t version);

/// *resident is NULL the first time; it is made, brought up to date, and kept. Fill in the report's times and memory.
tact_result tact_gpu_cloud_nearest(tact_device* device, tact_gpu_cloud** resident, const tact_gpu_cloud_job* job,
                                   uint32_t nearest, tact_cloud_neighbour* neighbours, tact_query_report* report);
tact_result tact_gpu_cloud_any(tact_device* device, tact_gpu_cloud** resident, const tact_gpu_cloud_job* job,
                               uint8_t* touched, tact_query_report* report);
tact_result tact_gpu_cloud_list(tact_device* device, tact_gpu_cloud** resident, const tact_gpu_cloud_job* job,
                                const tact_cloud_lists* lists, tact_query_report* report);

/// Releases a tact_gpu_cloud.
void tact_gpu_cloud_release(void* resident);
