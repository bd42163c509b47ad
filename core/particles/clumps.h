// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Clumps of a system: what they are made of, and their rows in the host's copy of the state.

#include "core/particles/particles.h"
#include "tact/particle_clumps.h"

/// Checks a shape and measures it. The rounding must be to nearest. INVALID_ARGUMENT with the reason as detail.
tact_result tact_clump_shape_measure(tact_env* env, const tact_clump_shape* shape, tact_clump_measures* measures);

/// INVALID_ARGUMENT where a particle is of a clump.
tact_result tact_clumps_check_free(const tact_particles* particles, uint32_t id);

/// Room for a table of so many clumps, members and ids.
bool tact_clump_table_make(tact_env* env, tact_clump_table* table, size_t clumps, size_t members, size_t id_end);
void tact_clump_table_free(tact_env* env, tact_clump_table* table);
/// Works out `of` from the members.
void tact_clump_table_index(tact_clump_table* table);

/// The table is that of the system from now on.
void tact_clumps_take(tact_particles* particles, tact_clump_table* table);
/// The clumps whose spheres are still there are kept. Nothing that can fail.
void tact_clumps_drop_gone(tact_particles* particles);
