// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/particles_gpu.h"

tact_result tact_particle_gpu_create(tact_device* device, tact_backend backend, tact_particle_engine** engine)
{
    (void)backend;
    (void)engine;
    return tact_fail(tact_device_env(device), TACT_ERROR_UNSUPPORTED, "particles do not run on devices yet");
}
