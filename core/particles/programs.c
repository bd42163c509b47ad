// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Force programs and force functions of a system: setting them, saving programs, calling functions.

#include "core/particles/programs.h"
#include "core/particles/spread.h"

#include <math.h>
#include <string.h>

#include "kernels/particle_program.h"

// ---- Programs ----

/// The longest text that is allowed, or one byte more.
static size_t length_of(const char* text)
{
    size_t length = 0;
    while (length <= TACT_PROGRAM_TEXT && text[length])
        ++length;
    return length;
}

static tact_result take_parameters(tact_env* env, const tact_program_parameter* parameters, size_t count,
                                   struct tact_program_settings* s)
{
    if (count > TACT_PROGRAM_PARAMETERS) return tact_fail(env, TACT_ERROR_LIMIT, "%zu parameters", count);
    for (size_t i = 0; i < count; ++i) {
        const tact_program_parameter* p = &parameters[i];
        if (!p->name || !tact_program_name_is_free(p->name)) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "parameter %zu: \"%.40s\" is no name for a parameter", i,
                             p->name ? p->name : "");
        }
        for (uint32_t k = 0; k < s->count; ++k) {
            if (strcmp(s->names[k], p->name) == 0)
                return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "parameter %s is there twice", p->name);
        }
        if (!isfinite(p->value)) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "parameter %s is %g", p->name, (double)p->value);
        }
        strcpy(s->names[s->count], p->name);
        s->values[s->count++] = p->value;
    }
    return TACT_OK;
}

/// The program in use is no more; a new one, or none, is.
static void take_program(tact_particles* p, struct tact_program_settings* s)
{
    tact_release(&p->context->env, p->program);
    p->program = s;
    p->model.program = s ? &s->program : NULL;
    p->model.program_values = s ? s->values : NULL;
    p->model.program_value_count = s ? s->count : 0;
    ++p->model.program_version;
    ++p->model.program_values_version;
    tact_particles_changed(p);
}

tact_result tact_particles_set_program(tact_particles* p, const char* text, const tact_program_parameter* parameters,
                                       size_t count)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    if (!text) {
        take_program(p, NULL);
        return TACT_OK;
    }
    if (count > 0 && !parameters) return tact_null(env, "parameters");
    const size_t length = length_of(text);
    if (length > TACT_PROGRAM_TEXT) {
        return tact_fail(env, TACT_ERROR_LIMIT, "a program of more than %d bytes", (int)TACT_PROGRAM_TEXT);
    }
    struct tact_program_settings* s = tact_allocate_zeroed(env, 1, sizeof *s);
    if (!s) return TACT_ERROR_OUT_OF_MEMORY;
    memcpy(s->text, text, length);
    tact_result result = take_parameters(env, parameters, count, s);
    if (result == TACT_OK) {
        result = tact_program_compile(env, s->text, (const tact_program_names*)&s->names, s->count, p->mirror.turns,
                                      &s->program);
    }
    if (result != TACT_OK) {
        tact_release(env, s);
        return result;
    }
    take_program(p, s);
    return TACT_OK;
}

tact_result tact_particles_set_program_parameter(tact_particles* p, const char* name, float value)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    if (!name) return tact_null(env, "name");
    struct tact_program_settings* s = p->program;
    uint32_t k = 0;
    while (s && k < s->count && strcmp(s->names[k], name) != 0)
        ++k;
    if (!s || k == s->count) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no parameter \"%.40s\"", name);
    if (!isfinite(value)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "parameter %s is %g", s->names[k], (double)value);
    }
    s->values[k] = value;
    ++p->model.program_values_version;
    tact_particles_changed(p);
    return TACT_OK;
}

tact_result tact_particles_get_program(const tact_particles* p, char* text, size_t capacity, size_t* size)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    if (!size) return tact_null(env, "size");
    if (capacity > 0 && !text) return tact_null(env, "text");
    *size = p->program ? strlen(p->program->text) + 1 : 0;
    if (*size > capacity) return TACT_INCOMPLETE;
    if (*size > 0) memcpy(text, p->program->text, *size);
    return TACT_OK;
}

tact_result tact_programs_look(tact_particles* p, tact_particle_model* with)
{
    *with = p->model;
    if (!p->model.program || p->mirror.count == 0) return TACT_OK;
    tact_particle_counters unused = {0};
    tact_particle_model now = p->model;
    now.id_end = p->id_end;
    now.step_begin = p->clock.time;
    now.first_substep = 0;
    return tact_program_act(&p->context->env, &p->program_room, &now, 0, p->mirror.count, tact_program_look_at_state,
                            &p->mirror, with, &unused);
}

// ---- In files ----

static void visit_bytes(tact_archive* a, char* bytes, uint32_t most)
{
    uint32_t length = a->reads ? 0 : (uint32_t)strlen(bytes);
    tact_archive_below(a, &length, most + 1);
    for (uint32_t i = 0; i < length; ++i) {
        uint8_t byte = (uint8_t)bytes[i];
        tact_archive_byte(a, &byte);
        if (byte == 0) a->failed = true;
        bytes[i] = (char)byte;
    }
}

tact_result tact_archive_program(tact_archive* a, tact_particles* p)
{
    tact_env* env = &p->context->env;
    tact_archive_begin(a, "the force program");
    struct tact_program_settings* s = a->reads ? tact_allocate_zeroed(env, 1, sizeof *s) : p->program;
    if (!s) return TACT_ERROR_OUT_OF_MEMORY;
    tact_program_parameter parameters[TACT_PROGRAM_PARAMETERS];
    visit_bytes(a, s->text, TACT_PROGRAM_TEXT);
    tact_archive_below(a, &s->count, TACT_PROGRAM_PARAMETERS + 1);
    for (uint32_t i = 0; i < s->count; ++i) {
        visit_bytes(a, s->names[i], TACT_PROGRAM_NAME);
        tact_archive_float(a, &s->values[i]);
        parameters[i] = (tact_program_parameter){s->names[i], s->values[i]};
    }
    if (!a->reads) return TACT_OK;
    const tact_result result = a->failed ? TACT_OK : tact_particles_set_program(p, s->text, parameters, s->count);
    tact_release(env, s);
    return result;
}

// ---- Functions ----

tact_result tact_particles_set_force_function(tact_particles* p, tact_force_function* function, void* user)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "force functions");
    if (alone != TACT_OK) return alone;
    p->calls.function = function;
    p->calls.user = user;
    tact_particles_changed(p);
    return TACT_OK;
}

/// Room for what the function gets, and for what it gives by id.
static bool make_room(tact_particles* p)
{
    tact_env* env = &p->context->env;
    tact_force_calls* c = &p->calls;
    const bool turns = p->mirror.turns;
    float** const rows[] = {&c->positions, &c->velocities, &c->forces, turns ? &c->spins : NULL,
                            turns ? &c->torques : NULL};
    if (p->count > c->capacity || !c->ids) {
        const size_t room = p->count + p->count / 8;
        c->capacity = 0;
        tact_release(env, c->ids);
        tact_release(env, c->radii);
        tact_release(env, c->masses);
        c->ids = tact_allocate(env, room, sizeof *c->ids);
        c->radii = tact_allocate(env, room, sizeof *c->radii);
        c->masses = tact_allocate(env, room, sizeof *c->masses);
        bool good = c->ids && c->radii && c->masses;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
            if (!rows[k]) continue;
            tact_release(env, *rows[k]);
            *rows[k] = tact_allocate(env, room, 3 * sizeof **rows[k]);
            good = good && *rows[k];
        }
        if (!good) return false;
        c->capacity = room;
    }
    return tact_particle_state_reserve(env, &c->state, p->count) &&
           tact_reserve(env, (void**)&c->by_id, &c->by_id_capacity, 0, p->id_end, sizeof *c->by_id) &&
           (!turns ||
            tact_reserve(env, (void**)&c->torques_by_id, &c->torques_capacity, 0, p->id_end, sizeof *c->torques_by_id));
}

static void unpack(tact_force_calls* c)
{
    const tact_particle_state* s = &c->state;
    for (size_t i = 0; i < s->count; ++i) {
        c->ids[i] = s->tag[i][0];
        memcpy(c->positions + 3 * i, s->position[i], 3 * sizeof *c->positions);
        memcpy(c->velocities + 3 * i, s->velocity[i], 3 * sizeof *c->velocities);
        c->radii[i] = s->position[i][3];
        c->masses[i] = s->velocity[i][3] > 0.0f ? 1.0f / s->velocity[i][3] : INFINITY;
        if (s->turns) memcpy(c->spins + 3 * i, s->spin[i], 3 * sizeof *c->spins);
    }
    memset(c->forces, 0, s->count * 3 * sizeof *c->forces);
    if (s->turns) memset(c->torques, 0, s->count * 3 * sizeof *c->torques);
}

/// Puts what the function gave, with what was set, by id.
static tact_result collect(tact_particles* p, const float (*set)[3], size_t set_count, const float* given,
                           const char* what, float (*by_id)[3])
{
    static const float none[3] = {0.0f, 0.0f, 0.0f};
    const tact_force_calls* c = &p->calls;
    for (size_t i = 0; i < c->state.count; ++i) {
        const uint32_t id = c->state.tag[i][0];
        const float *own = given + 3 * i, *before = id < set_count ? set[id] : none;
        for (int k = 0; k < 3; ++k)
            by_id[id][k] = tact_program_both(before[k], own[k]);
        if (tact_program_finite(by_id[id][0], by_id[id][1], by_id[id][2])) continue;
        return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT,
                         "the force function gave particle %u a %s of %g %g %g", (unsigned)id, what, (double)own[0],
                         (double)own[1], (double)own[2]);
    }
    return TACT_OK;
}

static bool call(tact_particles* p, double time)
{
    tact_force_calls* c = &p->calls;
    const tact_force_call frame = {.count = c->state.count,
                                   .time = time,
                                   .dt = p->model.motion.dt,
                                   .ids = c->ids,
                                   .positions = c->positions,
                                   .velocities = c->velocities,
                                   .radii = c->radii,
                                   .masses = c->masses,
                                   .spins = c->state.turns ? c->spins : NULL,
                                   .forces = c->forces,
                                   .torques = c->state.turns ? c->torques : NULL};
    const tact_context* before = tact_context_close(p->context);
    const bool good = c->function(&frame, c->user);
    tact_context_close(before);
    return good;
}

tact_result tact_programs_call(tact_particles* p, tact_particle_engine* engine)
{
    tact_force_calls* c = &p->calls;
    tact_particle_model* m = &p->model;
    if (!c->function) return TACT_OK;
    c->state.turns = p->mirror.turns;
    if (!make_room(p)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = engine->type->store(engine, &c->state);
    if (result != TACT_OK) return result;
    unpack(c);
    if (!call(p, m->step_begin + (double)m->first_substep * m->substep_time)) {
        return tact_fail(&p->context->env, TACT_ERROR_CANCELLED, "the force function ended step %llu",
                         (unsigned long long)p->clock.steps + 1);
    }
    TACT_ASSERT(!p->forces_away);
    result = collect(p, (const float(*)[3])p->forces, c->set_count, c->forces, "force", c->by_id);
    if (result == TACT_OK && c->state.turns) result = collect(p, NULL, 0, c->torques, "torque", c->torques_by_id);
    if (result != TACT_OK) return result;
    m->forces = (const float(*)[3])c->by_id;
    m->force_count = p->id_end;
    if (c->state.turns) {
        m->torques = (const float(*)[3])c->torques_by_id;
        m->torque_count = p->id_end;
    }
    ++m->forces_version;
    return TACT_OK;
}

tact_result tact_programs_begin(tact_particles* p)
{
    if (!p->calls.function) return TACT_OK;
    tact_result result = tact_particles_fetch(p);
    if (result == TACT_OK) result = tact_particles_fetch_forces(p);
    p->calls.set_count = p->model.force_count;
    return result;
}

void tact_programs_end(tact_particles* p)
{
    if (!p->calls.function) return;
    p->model.forces = (const float(*)[3])p->forces;
    p->model.force_count = p->calls.set_count;
    p->model.torques = NULL;
    p->model.torque_count = 0;
    ++p->model.forces_version;
}
