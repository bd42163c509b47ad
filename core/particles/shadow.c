// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/particles/clump_table.h"

#include <string.h>

tact_result tact_particles_shadow_save(tact_particles* p, void** bytes, size_t* size)
{
    tact_env* env = &p->context->env;
    *bytes = NULL;
    tact_result result = tact_particles_save(p, NULL, 0, size);
    if (result != TACT_INCOMPLETE) return result;
    *bytes = tact_allocate(env, *size, 1);
    if (!*bytes) return TACT_ERROR_OUT_OF_MEMORY;
    result = tact_particles_save(p, *bytes, *size, size);
    if (result == TACT_OK) return result;
    tact_release(env, *bytes);
    *bytes = NULL;
    return result;
}

static bool same_particle(const tact_particle_state* a, const tact_particle_state* b, size_t i)
{
    return memcmp(a->position[i], b->position[i], sizeof a->position[i]) == 0 &&
           memcmp(a->velocity[i], b->velocity[i], sizeof a->velocity[i]) == 0 &&
           memcmp(a->tag[i], b->tag[i], sizeof a->tag[i]) == 0 &&
           (!a->turns || (memcmp(a->spin[i], b->spin[i], sizeof a->spin[i]) == 0 &&
                          memcmp(a->turn[i], b->turn[i], sizeof a->turn[i]) == 0));
}

static tact_result compare(tact_env* env, const tact_particle_state* got, const tact_particle_state* right)
{
    if (got->count != right->count) {
        return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH, "%zu particles, the reference has %zu", got->count,
                         right->count);
    }
    for (size_t i = 0; i < got->count; ++i) {
        if (same_particle(got, right, i)) continue;
        const float *x = got->position[i], *y = right->position[i];
        return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                         "particle %u differs from the reference's: at %a %a %a, the reference's %u at %a %a %a",
                         (unsigned)got->tag[i][0], (double)x[0], (double)x[1], (double)x[2], (unsigned)right->tag[i][0],
                         (double)y[0], (double)y[1], (double)y[2]);
    }
    if (got->record_count != right->record_count ||
        (got->record_count > 0 &&
         memcmp(got->records, right->records, got->record_count * sizeof *got->records) != 0)) {
        return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                         "contacts remember something else than the reference's: %zu of %zu", got->record_count,
                         right->record_count);
    }
    if (got->clump_count != right->clump_count ||
        (got->clump_count > 0 && memcmp(got->clumps, right->clumps, got->clump_count * sizeof *got->clumps) != 0)) {
        return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH, "clumps move otherwise than the reference's: %zu of %zu",
                         got->clump_count, right->clump_count);
    }
    return TACT_OK;
}

tact_result tact_particles_shadow_steps(tact_particles* p, const void* bytes, size_t size, float dt, uint32_t substeps,
                                        uint32_t steps, int threads)
{
    tact_particles* shadow = NULL;
    const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE, .threads = threads};
    tact_result result = tact_particles_restore(p->context, bytes, size, TACT_BACKEND_REFERENCE, &shadow);
    if (result == TACT_OK && p->calls.function)
        result = tact_particles_set_force_function(shadow, p->calls.function, p->calls.user);
    if (result == TACT_OK) result = tact_particles_step(shadow, dt, substeps, steps, &options, NULL);
    if (result == TACT_OK) result = tact_particles_fetch(shadow);
    if (result == TACT_OK) result = tact_particles_fetch(p);
    if (result == TACT_OK) result = compare(&p->context->env, &p->mirror, &shadow->mirror);
    tact_particles_destroy(shadow);
    return result;
}

tact_result tact_particles_shadow_contacts(tact_particles* p, const tact_particle_contact* contacts, size_t capacity,
                                           size_t count)
{
    tact_env* env = &p->context->env;
    tact_particle_engine* reference = NULL;
    size_t right = 0;
    const size_t room = count < capacity ? count : capacity;
    tact_particle_contact* expected = tact_allocate(env, room, sizeof *expected);
    tact_result result = expected ? tact_particles_fetch(p) : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = tact_particle_reference_create(env, p->mirror.turns, &reference);
    if (result == TACT_OK) result = reference->type->load(reference, &p->mirror, p->model.threads);
    if (result == TACT_OK) result = tact_particles_list_contacts(p, reference, expected, room, &right);
    // Nothing is compared of an empty list, whose array may be null.
    const bool same = right == count && (room == 0 || memcmp(expected, contacts, room * sizeof *expected) == 0);
    if (result == TACT_OK && !same) {
        result = tact_fail(env, TACT_ERROR_SHADOW_MISMATCH, "%zu contacts, the reference has %zu%s", count, right,
                           right == count ? " others" : "");
    }
    if (reference) reference->type->destroy(reference);
    tact_release(env, expected);
    return result;
}
