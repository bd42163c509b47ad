// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Culling on a device: volumes go in in chunks, ids and, where they are wanted, classes come back.

#include "cpu_ref/cull/cull.h"
#include "gpu/device.h"

/// What a device keeps for a culler between calls.
typedef struct tact_gpu_culler tact_gpu_culler;

/// Where the ids go: an array that grows.
typedef struct tact_gpu_cull_answer {
    uint32_t** ids;
    size_t* capacity;
    size_t kept;
    size_t volume_size;  ///< bytes of one volume
    /// Not 0: volumes that stay the same as long as this number does. Those that fit one launch are kept on the device,
    /// and job->work->volumes may be NULL while tact_gpu_culler_holds() them.
    uint64_t version;
} tact_gpu_cull_answer;

/// Whether the device still holds `count` volumes of a version, so that they need not be brought. NULL: no.
bool tact_gpu_culler_holds(const tact_gpu_culler* resident, uint64_t version, size_t count);

/// Culls; job->classes is written if job->classify. *resident is NULL the first time; it is made and kept. Fills in the
/// report's times and memory.
tact_result tact_gpu_cull(tact_device* device, tact_gpu_culler** resident, const tact_cull_job* job,
                          tact_gpu_cull_answer* answer, tact_query_report* report);

/// Releases a tact_gpu_culler.
void tact_gpu_culler_release(void* resident);
