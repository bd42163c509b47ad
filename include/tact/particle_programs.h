// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file particle_programs.h
/// Forces on particles in every substep: as a text says, which the CPU and devices run alike, to the same bytes, or as
/// a function of the caller's does. docs/particles.md has the language of texts.

#include "tact/particles.h"

enum {
    TACT_PROGRAM_TEXT = 4096,      ///< bytes of a text at most
    TACT_PROGRAM_PARAMETERS = 32,  ///< of a program at most
    TACT_PROGRAM_NAME = 31,        ///< bytes of a name at most
};

/// A number that a text has a name for.
typedef struct tact_program_parameter {
    const char* name;  ///< a letter, then letters, digits and _; none of the language's own
    float value;       ///< finite
} tact_program_parameter;

/// Sets the program that gives forces, and torques of GRAINS, to all particles at the start of each substep, on top of
/// gravity, contacts and tact_particles_set_forces(). `text` is terminated and, like the parameters, copied; NULL takes
/// the program off. A device builds it at the next step. Where what a program gives a particle, with what was set for
/// it, is NaN or infinite, the program counts as nothing for it in that substep; tact_particles_info::unforced counts
/// these. Errors: INVALID_ARGUMENT (the detail names the column of the text, from 1 on, and what is expected there; or
/// the parameter), LIMIT (a longer text, more parameters, 1024 operations, 64 brackets deep), OUT_OF_MEMORY; the
/// program is then as before.
TACT_API tact_result tact_particles_set_program(tact_particles* particles, const char* text,
                                                const tact_program_parameter* parameters, size_t count);

/// Changes a parameter of the program, from the next step on; nothing is built anew. Errors: INVALID_ARGUMENT (no such
/// parameter, NaN, infinite).
TACT_API tact_result tact_particles_set_program_parameter(tact_particles* particles, const char* name, float value);

/// Gets the text of the program, terminated, and a parameter's value. `text` has room for `capacity` bytes and may be
/// NULL if that is 0; `*size` is how many bytes there are, with the end, 0 without a program. TACT_INCOMPLETE: there
/// was too little room, and nothing is written.
TACT_API tact_result tact_particles_get_program(const tact_particles* particles, char* text, size_t capacity,
                                                size_t* size);

/// The particles at the start of a substep, in ascending order of id, for a tact_force_function. Nothing of it is valid
/// after the function returns.
typedef struct tact_force_call {
    size_t count;             ///< of particles
    double time;              ///< at the start of the substep, seconds
    float dt;                 ///< length of the substep, seconds
    const uint32_t* ids;      ///< of each
    const float* positions;   ///< x y z
    const float* velocities;  ///< x y z
    const float* radii;       ///< of each
    const float* masses;      ///< of each; may be INFINITY; of a clump's sphere the clump's
    const float* spins;       ///< x y z, radians/s; NULL unless they are grains
    float* forces;            ///< x y z, N; zeros to begin with
    float* torques;           ///< x y z, N m; zeros to begin with; NULL unless they are grains
    uint64_t reserved[4];     ///< zeros: room for fields to come
} tact_force_call;

/// Fills forces and torques. Returns false to end the step: it is then not taken, and CANCELLED. Called on the thread
/// that takes the steps, in the default floating-point environment. It must give the same for the same particles and
/// time, since steps lost with a device are taken again. It may call nothing that has to do with the context: such
/// calls are INVALID_ARGUMENT, or do nothing where they return none.
typedef bool tact_force_function(const tact_force_call* call, void* user);

/// Sets a function that gives forces before each substep, on top of all others; NULL: none. Whatever backend takes the
/// steps, particles are copied to the host for each substep, and forces back: on a device that takes longer than the
/// substep. A step begins with a copy of its own, so that no more than one is lost with a device, or with a force that
/// is NaN or infinite: that step is INVALID_ARGUMENT, and not taken. A function is neither saved nor recorded.
TACT_API tact_result tact_particles_set_force_function(tact_particles* particles, tact_force_function* function,
                                                       void* user);
