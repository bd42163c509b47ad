// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The force of every contact.

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/particles/forces.h"
#include "core/particles/spread.h"
#include "core/particles/spread_engine.h"

static void put(float to[3], TactVec from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

/// What a number counts for in the sum of all on a grain: NaN is 0.
static float counted(float x, float unit)
{
    const TactExact nothing = {0, 0};
    return tact_exact_value(tact_exact_add(nothing, x, tact_div(1.0f, unit)), unit);
}

static void put_counted(float to[3], TactVec from, float unit)
{
    put(to, tact_vec(counted(from.x, unit), counted(from.y, unit), counted(from.z, unit)));
}

/// A force that friction limits is another one without a limit.
static void spring_force(const tact_particle_meeting* m, tact_contact_force* to)
{
    const float* own = m->state->velocity[m->row];
    const float v[3] = {m->velocity.x - own[0], m->velocity.y - own[1], m->velocity.z - own[2]};
    TactContactRule rule = *m->rule;
    const TactVec force = tact_spring_force(m->touch, v[0], v[1], v[2], m->inverse_mass, rule);
    rule.friction = INFINITY;
    const TactVec unlimited = tact_spring_force(m->touch, v[0], v[1], v[2], m->inverse_mass, rule);
    put(to->force, force);
    if (memcmp(&force, &unlimited, sizeof force) != 0) to->limits = TACT_CONTACT_SLIDES;
}

/// Which of the limits show: the torques against rolling and twisting come in one vector.
static uint32_t limits_of(const tact_particles* p, const tact_particle_meeting* m, TactGrainPush push)
{
    static const uint32_t bits[3] = {TACT_CONTACT_SLIDES, TACT_CONTACT_ROLLS, TACT_CONTACT_TWISTS};
    uint32_t limits = 0;
    // A bond has none: it breaks.
    if (m->bond.kind > 0.0f) return 0;
    for (int k = 0; k < 3; ++k) {
        TactGrainRule rule = *m->grain.rule;
        float* const coefficients[3] = {&rule.friction, &rule.rolling, &rule.twisting};
        // Without a coefficient there is no spring that it could limit.
        if (k > 0 && !(*coefficients[k] > 0.0f)) continue;
        *coefficients[k] = INFINITY;
        tact_particle_meeting free = *m;
        TactGrainMemory after;
        free.grain.rule = &rule;
        const TactGrainPush other = tact_particle_met(p, &free, &after);
        if (memcmp(&push, &other, sizeof push) != 0) limits |= bits[k];
    }
    return limits;
}

static void grain_force(const tact_particles* p, const tact_particle_meeting* m, tact_contact_force* to)
{
    TactGrainMemory after;
    const TactGrainPush push = tact_particle_met(p, m, &after);
    put_counted(to->force, push.force, p->model.force_unit);
    put_counted(to->torque, tact_grain_torque(push.arm, m->grain.arm, push.turn), p->model.torque_unit);
    if (m->other < m->state->count) {
        const TactVec turn = tact_vec(-push.turn.x, -push.turn.y, -push.turn.z);
        put_counted(to->other_torque, tact_grain_torque(push.arm, m->grain.other, turn), p->model.torque_unit);
    }
    put(to->slid, tact_vec(after.sx, after.sy, after.sz));
    put(to->rolled, tact_vec(after.rx, after.ry, after.rz));
    to->twisted = after.twist;
    to->limits = limits_of(p, m, push);
}

tact_contact_force tact_particle_force_of(const tact_particles* p, const tact_particle_meeting* m)
{
    const tact_particle_state* s = m->state;
    tact_contact_force to = {.contact = m->contact};
    to.arm = tact_grain_arm(s->position[m->row][3], m->contact.depth);
    if (m->other < s->count) to.other_arm = tact_grain_arm(s->position[m->other][3], m->contact.depth);
    if (m->acts && p->model.response == TACT_RESPONSE_GRAINS) grain_force(p, m, &to);
    if (m->acts && p->model.response == TACT_RESPONSE_SPRING) spring_force(m, &to);
    return to;
}

/// What is written of all forces.
typedef struct force_list {
    tact_contact_force* forces;
    size_t capacity, count;
} force_list;

static void list_force(const tact_particles* p, const tact_particle_meeting* m, void* user)
{
    force_list* list = user;
    if (list->count < list->capacity) list->forces[list->count++] = tact_particle_force_of(p, m);
}

/// This rank's particles of a spread system and their ghosts, to be freed, also after a failure. Collective.
static tact_result find_surroundings(tact_particles* p, tact_particle_state* state)
{
    const tact_backend with = p->desc.backend == TACT_BACKEND_REFERENCE ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU;
    tact_particle_engine* engine = NULL;
    *state = (tact_particle_state){.turns = p->mirror.turns};
    p->model.threads = p->context->threads;
    // What is lost is so on all ranks.
    if (p->spread->lost) return tact_particles_recall(p);
    tact_result result = tact_particles_engine(p, p->engine_fresh ? p->home : with, 0, &engine);
    result = tact_spread_engine_meet(engine, p->spread->ranks, result);
    if (result != TACT_OK) return result;
    const uint64_t placed = p->spread->info.placed;
    result = tact_spread_engine_surroundings(engine, &p->model, state);
    tact_spread_note_places(p, placed);
    return result;
}

/// Those of this rank. `*more`: there is no room for all of them on some rank.
static tact_result list_spread(tact_particles* p, force_list* list, size_t* count, bool* more)
{
    tact_ranks* ranks = p->spread->ranks;
    tact_meeting_fn* const f = list->capacity > 0 ? list_force : NULL;
    tact_particle_state around;
    tact_result result = find_surroundings(p, &around);
    if (result == TACT_OK) result = tact_ranks_agree(ranks, tact_particles_each_meeting(p, &around, f, list, count));
    tact_particle_state_free(&p->context->env, &around);
    // Ranks without room may be beside others that have some.
    uint64_t lacking = *count > list->capacity;
    if (result == TACT_OK) result = tact_ranks_combine(ranks, TACT_RANKS_MAX, &lacking, 1);
    *more = lacking != 0;
    return result;
}

tact_result tact_particles_contact_forces(tact_particles* p, tact_contact_force* forces, size_t capacity, size_t* count)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    if (!count) return tact_null(env, "count");
    if (capacity > 0 && !forces) return tact_null(env, "forces");
    *count = 0;
    if (!tact_particles_have_forces(p))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "contacts of this response have no forces");
    tact_result result = p->spread ? TACT_OK : tact_particles_recall(p);
    if (result != TACT_OK) return result;
    force_list list = {.forces = forces, .capacity = capacity};
    bool more = false;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    if (p->spread) {
        result = list_spread(p, &list, count, &more);
    } else {
        result = tact_particles_each_meeting(p, &p->mirror, capacity > 0 ? list_force : NULL, &list, count);
        more = *count > capacity;
    }
    tact_float_env_leave(&float_env);
    return result == TACT_OK && more ? TACT_INCOMPLETE : result;
}
