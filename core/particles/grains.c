// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles that turn: setting the laws of their contacts, and their spins and orientations in and out.

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/particles/clump_table.h"

tact_result tact_particles_check_turns(const tact_particles* p)
{
    if (p->model.response == TACT_RESPONSE_GRAINS) return TACT_OK;
    return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "the system's particles do not turn");
}

tact_result tact_particles_set_law(tact_particles* p, uint8_t a, uint8_t b, const tact_grain_law* law)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    if (!law) return tact_null(env, "law");
    tact_result result = tact_particles_check_turns(p);
    if (result == TACT_OK && (a >= p->material_count || b >= p->material_count))
        result = tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no materials %u and %u", (unsigned)a, (unsigned)b);
    if (result == TACT_OK) result = tact_grain_check_law(env, law);
    if (result != TACT_OK) return result;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    const TactGrainRule rule = tact_grain_rule_of_law(law);
    tact_float_env_leave(&float_env);
    p->grain_rules[a * TACT_PARTICLE_MATERIALS + b] = rule;
    p->grain_rules[b * TACT_PARTICLE_MATERIALS + a] = rule;
    ++p->model.rules_version;
    tact_particles_changed(p);
    return TACT_OK;
}

tact_result tact_particles_read_turning(tact_particles* p, float* spins, float* orientations)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_result result = tact_particles_check_turns(p);
    if (result == TACT_OK) result = tact_particles_recall(p);
    if (result != TACT_OK) return result;
    const tact_particle_state* m = &p->mirror;
    for (size_t i = 0; i < m->count; ++i) {
        if (spins) memcpy(spins + 3 * i, m->spin[i], 3 * sizeof *spins);
        if (orientations) memcpy(orientations + 4 * i, m->turn[i], sizeof m->turn[i]);
    }
    return TACT_OK;
}

tact_result tact_grains_check_orientation(tact_env* env, const char* of, size_t i, const float q[4])
{
    const double length = sqrt((double)q[0] * (double)q[0] + (double)q[1] * (double)q[1] + (double)q[2] * (double)q[2] +
                               (double)q[3] * (double)q[3]);
    if (fabs(length - 1.0) <= 0x1p-10) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                     "%s %zu of those given: an orientation of length %g, which must be 1", of, i, length);
}

/// The row of each of the ids, or all rows in turn, if the numbers given for them are good.
static tact_result check_turning(tact_particles* p, const uint32_t* ids, size_t count, const float* spins,
                                 const float* orientations)
{
    tact_env* env = &p->context->env;
    if (!ids && count != p->mirror.count)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu of %zu particles, and no ids", count, p->mirror.count);
    for (size_t i = 0; i < count; ++i) {
        if (ids && tact_particle_state_find(&p->mirror, ids[i]) == p->mirror.count)
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "particle %u is not in the system", (unsigned)ids[i]);
        const tact_result free = tact_clumps_check_free(p, ids ? ids[i] : p->mirror.tag[i][0]);
        if (free != TACT_OK) return free;
        for (size_t k = 0; k < 3 && spins; ++k) {
            if (fabsf(spins[3 * i + k]) <= TACT_SPEED_RANGE) continue;
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "particle %zu of those given: angular velocity %g", i,
                             (double)spins[3 * i + k]);
        }
        if (!orientations) continue;
        const tact_result turned = tact_grains_check_orientation(env, "particle", i, orientations + 4 * i);
        if (turned != TACT_OK) return turned;
    }
    return TACT_OK;
}

tact_result tact_particles_write_turning(tact_particles* p, const uint32_t* ids, size_t count, const float* spins,
                                         const float* orientations)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_result result = tact_particles_check_turns(p);
    if (result == TACT_OK && (count == 0 || (!spins && !orientations))) return TACT_OK;
    if (result == TACT_OK) result = tact_particles_recall(p);
    if (result == TACT_OK) result = check_turning(p, ids, count, spins, orientations);
    if (result == TACT_OK) result = tact_particles_edit(p);
    if (result != TACT_OK) return result;
    tact_particle_state* m = &p->mirror;
    for (size_t i = 0; i < count; ++i) {
        const size_t at = ids ? tact_particle_state_find(m, ids[i]) : i;
        if (spins) memcpy(m->spin[at], spins + 3 * i, 3 * sizeof *spins);
        if (orientations) memcpy(m->turn[at], orientations + 4 * i, sizeof m->turn[at]);
    }
    return TACT_OK;
}
