// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Force programs on a device: a kernel is put together at run time, in which each operation is a call of a function of
/// kernels/particle_program.h.

#include "cpu_ref/particles/program.h"
#include "gpu/device.h"

/// Zeros at first.
typedef struct tact_gpu_program {
    tact_special* kernel;
    uint64_t version, values_version;  ///< of the model's that are here; 0: none
    tact_buffer* values;
    tact_buffer* forces;  ///< by id: those of the program and of the caller; then torques, if it gives any
} tact_gpu_program;

/// What a program and torques work on.
typedef struct tact_gpu_program_call {
    tact_device* device;
    tact_buffer *position, *velocity, *tag, *counters, *model;
    tact_buffer* spin;   ///< of grains, or NULL
    tact_buffer* given;  ///< forces of the caller by id, torques behind them
    uint32_t count;
    uint32_t go;  ///< a word of the counters
} tact_gpu_program_call;

/// Makes the program the model's. Errors: OUT_OF_MEMORY, the device's.
tact_result tact_gpu_program_update(tact_gpu_program* program, tact_device* device, const tact_particle_model* model);
/// Works out the forces of a substep.
tact_result tact_gpu_program_act(const tact_gpu_program* program, const tact_particle_model* model, uint32_t substep,
                                 const tact_gpu_program_call* call);
/// GRAINS: what torques do to spins. `grain_row`: of the model.
tact_result tact_gpu_torques_act(const tact_gpu_program* program, const tact_particle_model* model, uint32_t grain_row,
                                 const tact_gpu_program_call* call);
/// Where torques begin in the buffer with the forces of a substep, in words, and of how many ids they are.
uint32_t tact_gpu_torques_at(const tact_particle_model* model, uint32_t* count);
/// Of how many ids forces are.
size_t tact_gpu_program_force_count(const tact_particle_model* model);
uint64_t tact_gpu_program_bytes(const tact_gpu_program* program);
void tact_gpu_program_free(tact_gpu_program* program);
