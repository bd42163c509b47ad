// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Particle systems on a device: see cpu_ref/particles/particles.h for what an engine is.

#include "cpu_ref/particles/particles.h"
#include "gpu/device.h"

/// `backend` is the device's: GL or CL.
tact_result tact_particle_gpu_create(tact_device* device, tact_backend backend, tact_particle_engine** engine);
/// For GRAINS.
tact_result tact_particle_gpu_create_turning(tact_device* device, tact_backend backend, tact_particle_engine** engine);
