// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Surfaces that move without the caller, have a servo or wear.

#include "core/particles/drives.h"

/// Whether a surface has a servo or wears, which loads of all particles decide.
bool tact_surfaces_measure(const tact_particles* particles);

/// Makes them. False when out of memory.
bool tact_surfaces_make(tact_particles* particles);

/// Whether it is a good servo. INVALID_ARGUMENT with the reason as detail.
tact_result tact_surfaces_check_servo(tact_env* env, const tact_servo* servo);

/// Whether there is anything to be kept of one.
bool tact_surfaces_is_used(const tact_particles* particles, uint32_t surface);

/// Whether progress is such as steps make.
bool tact_surfaces_is_good(const tact_particles* particles, uint32_t surface);

/// Notes that the caller has put one elsewhere.
void tact_surfaces_put(tact_particles* particles, uint32_t surface);

/// Puts all to where their progress has them.
void tact_surfaces_place(tact_particles* particles);

/// Goes back to where they were noted.
void tact_surfaces_roll_back(tact_particles* particles);

/// The start of a step: servos and wear. LIMIT: one would move too far.
tact_result tact_surfaces_begin(tact_particles* particles, float dt);
/// Goes back to there.
void tact_surfaces_take_back(tact_particles* particles);

/// The substeps of a step, and motion after each.
tact_result tact_surfaces_step(tact_particles* particles, tact_particle_engine* engine, uint32_t substeps);

/// Sums what the host's copy of the state exerts, as at the start of a substep of `dt` seconds. Each may be NULL.
void tact_surfaces_sum_loads(const tact_particles* particles, float dt, tact_surface_load* walls,
                             tact_surface_load* colliders, tact_surface_load* bodies);
