// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The forces that --force describes.

#include <string.h>

#include "apps/particles/particles.h"
#include "tact/particle_programs.h"

typedef char parameter_name[TACT_PROGRAM_NAME + 1];

/// NAME=VALUE.
static bool read_parameter(const char* text, parameter_name name, float* value, tact_problem* problem)
{
    const char* sign = strchr(text, '=');
    const size_t length = sign ? (size_t)(sign - text) : 0;
    if (length == 0 || length > TACT_PROGRAM_NAME) {
        return tact_problem_set(problem, "--set %s: must be NAME=VALUE", text);
    }
    memcpy(name, text, length);
    name[length] = '\0';
    return tact_floats_parse("set", sign + 1, 1, value, problem);
}

bool tact_particle_program_set(const tact_particle_choices* c, tact_particles* particles, tact_context* context,
                               tact_problem* problem)
{
    parameter_name names[TACT_PROGRAM_PARAMETERS];
    tact_program_parameter parameters[TACT_PROGRAM_PARAMETERS];
    if (c->parameters.count > TACT_PROGRAM_PARAMETERS) {
        return tact_problem_set(problem, "--set: %zu numbers; at most %d", c->parameters.count,
                                (int)TACT_PROGRAM_PARAMETERS);
    }
    for (size_t i = 0; i < c->parameters.count; ++i) {
        const char* text = c->parameters.items[i];
        float value = 0.0f;
        if (!read_parameter(text, names[i], &value, problem)) return false;
        parameters[i] = (tact_program_parameter){names[i], value};
        if (c->force) continue;
        // Of a resumed run's program.
        const tact_result result = tact_particles_set_program_parameter(particles, names[i], value);
        if (result != TACT_OK) return tact_problem_from_result(problem, result, context, "--set");
    }
    if (!c->force) return true;
    const tact_result result = tact_particles_set_program(particles, c->force, parameters, c->parameters.count);
    // A text may have lines, which a reason may not.
    return result == TACT_OK || tact_problem_from_result(problem, result, context, "--force");
}
