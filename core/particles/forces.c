// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The force of every contact.

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/particles/forces.h"
#include "core/particles/spread.h"

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
static void spring_force(const tact_particles* p, const tact_particle_meeting* m, tact_contact_force* to)
{
    const float* own = p->mirror.velocity[m->row];
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
    if (m->other < p->mirror.count) {
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
    const tact_particle_state* s = &p->mirror;
    tact_contact_force to = {.contact = m->contact};
    to.arm = tact_grain_arm(s->position[m->row][3], m->contact.depth);
    if (m->other < s->count) to.other_arm = tact_grain_arm(s->position[m->other][3], m->contact.depth);
    if (m->acts && p->model.response == TACT_RESPONSE_GRAINS) grain_force(p, m, &to);
    if (m->acts && p->model.response == TACT_RESPONSE_SPRING) spring_force(p, m, &to);
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

tact_result tact_particles_contact_forces(tact_particles* p, tact_contact_force* forces, size_t capacity, size_t* count)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "forces of contacts");
    if (alone != TACT_OK) return alone;
    tact_env* env = &p->context->env;
    if (!count) return tact_null(env, "count");
    if (capacity > 0 && !forces) return tact_null(env, "forces");
    *count = 0;
    if (!tact_particles_have_forces(p))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "contacts of this response have no forces");
    tact_result result = tact_particles_recall(p);
    if (result != TACT_OK) return result;
    force_list list = {.forces = forces, .capacity = capacity};
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    result = tact_particles_each_meeting(p, capacity > 0 ? list_force : NULL, &list, count);
    tact_float_env_leave(&float_env);
    return result == TACT_OK && *count > capacity ? TACT_INCOMPLETE : result;
}
