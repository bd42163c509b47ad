// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A run of a particle system in a file: the system, and how the tool steps and draws it.

#include "apps/particles/plan.h"

typedef struct tact_particle_run_facts {
    float dt;
    uint32_t substeps;
    tact_particle_look look;
} tact_particle_run_facts;

/// Writes the run so that the file is always either as it was or complete, whenever the program is killed.
bool tact_particle_run_save(const char* path, const tact_particle_run_facts* facts, tact_particles* particles,
                            tact_context* context, tact_problem* problem);

/// Reads a run and makes its system, whose state is to live on `backend`.
bool tact_particle_run_load(const char* path, tact_context* context, tact_backend backend,
                            tact_particle_run_facts* facts, tact_particles** particles, tact_problem* problem);

/// The first part of that: what the file begins with. `*system` and `*system_size` are the library's bytes in it.
bool tact_particle_run_parse(const void* bytes, size_t size, const char* name, tact_particle_run_facts* facts,
                             const void** system, size_t* system_size, tact_problem* problem);
