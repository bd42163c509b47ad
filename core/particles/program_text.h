// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How the texts of force programs become lists of operations.

#include "base/env.h"
#include "cpu_ref/particles/program.h"
#include "tact/particle_programs.h"

/// A force program under construction. Equal operations are one.
typedef struct tact_program_builder {
    tact_force_program* program;
    bool full;  ///< there were more operations than there is room for
} tact_program_builder;

/// The number of an operation that takes the values of others; the same for the same.
uint16_t tact_program_put(tact_program_builder* builder, tact_program_code code, uint16_t a, uint16_t b, uint16_t c);
/// That of one that takes none.
uint16_t tact_program_put_leaf(tact_program_builder* builder, tact_program_code code, uint32_t what);
/// Leaves out what no output needs, and gives values their rows.
void tact_program_finish(tact_force_program* program);

/// Names of parameters, terminated.
typedef char tact_program_names[TACT_PROGRAM_PARAMETERS][TACT_PROGRAM_NAME + 1];

/// Turns a text into a program. `turns`: of GRAINS. Errors: as tact_particles_set_program().
tact_result tact_program_compile(tact_env* env, const char* text, const tact_program_names* names, uint32_t count,
                                 bool turns, tact_force_program* program);
/// Whether a name may be a parameter's.
bool tact_program_name_is_free(const char* name);
