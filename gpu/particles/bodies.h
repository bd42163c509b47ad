// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Meshes and height fields on a device: the buffer `bodies` of kernels/particle_bodies.h.

#include "cpu_ref/particles/particles.h"
#include "gpu/device.h"

/// All bits zero: nothing there yet.
typedef struct tact_gpu_bodies {
    tact_buffer* buffer;
    uint64_t bodies_version, poses_version;
    uint32_t* rows;  ///< the host's copy of the table before the trees
} tact_gpu_bodies;

/// Brings the buffer up to date: all of it when there are other bodies, the table when some have moved. Without bodies
/// it says so, and can be bound. Errors: OUT_OF_MEMORY, LIMIT (too large for the device), the device's.
tact_result tact_gpu_bodies_upload(tact_gpu_bodies* bodies, tact_device* device, const tact_particle_model* model);
void tact_gpu_bodies_free(tact_gpu_bodies* bodies, tact_env* env);
