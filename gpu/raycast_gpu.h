// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Ray casts on a device: uploads the scene, casts in chunks.

#include "cpu_ref/raycast.h"
#include "gpu/device.h"

/// What a device keeps for a scene between casts.
typedef struct tact_gpu_scene tact_gpu_scene;

/// Casts job->rays. *resident is NULL the first time; it is made, brought up to date with the scene, and kept. Fills in
/// the report's times and memory.
tact_result tact_gpu_raycast(tact_device* device, tact_gpu_scene** resident, const tact_trace_job* job,
                             tact_query_report* report);

/// Releases a tact_gpu_scene.
void tact_gpu_scene_release(void* resident);
