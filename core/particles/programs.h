// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Force programs of a system, and its force function.

#include "core/particles/archive.h"
#include "core/particles/program_text.h"

/// What a system has of forces that are worked out in substeps.
struct tact_program_settings {
    tact_force_program program;  ///< of `text`
    char text[TACT_PROGRAM_TEXT + 1];
    tact_program_names names;
    float values[TACT_PROGRAM_PARAMETERS];
    uint32_t count;
};

/// The forces and torques on the host's copy of the state, those of the program among them, for figures about it:
/// in `with`, of which else nothing counts. Errors: OUT_OF_MEMORY.
tact_result tact_programs_look(tact_particles* particles, tact_particle_model* with);

/// At the start of a step with a force function: brings state and forces to the host. Errors: the device's.
tact_result tact_programs_begin(tact_particles* particles);
/// Before a substep: calls the function, whose forces are then the model's. Errors: CANCELLED, INVALID_ARGUMENT, the
/// device's, OUT_OF_MEMORY.
tact_result tact_programs_call(tact_particles* particles, tact_particle_engine* engine);
/// At the step's end, however it went: the model's forces are those that were set.
void tact_programs_end(tact_particles* particles);

/// In a file: the text and the parameters. Errors: OUT_OF_MEMORY, those of a text.
tact_result tact_archive_program(tact_archive* a, tact_particles* particles);
