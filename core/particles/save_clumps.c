// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Saving clumps: what they are made of, and how they move.

#include <math.h>
#include <string.h>

#include "core/particles/archive.h"
#include "core/particles/clump_table.h"
#include "tact/particle_clumps.h"

enum { BODY_WORDS = 8, MEMBER_WORDS = 5, MOTION_WORDS = 16 };
_Static_assert(sizeof(TactClumpBody) == 4 * BODY_WORDS && sizeof(tact_clump_member) == 4 * MEMBER_WORDS &&
                   sizeof(tact_clump_motion) == 4 * MOTION_WORDS,
               "saved as they lie");

static bool are_within(const float* numbers, size_t count, float most)
{
    for (size_t k = 0; k < count; ++k) {
        if (!(fabsf(numbers[k]) <= most)) return false;
    }
    return true;
}

static bool is_good_body(const TactClumpBody* b)
{
    return b->inverse_mass > 0.0f && isfinite(b->inverse_mass) && tact_archive_within(b->reach, 0.0f, 1e30f) &&
           are_within(&b->xx, 6, 1e30f);
}

static bool is_good_motion(const tact_particles* p, const tact_clump_motion* m)
{
    const float* lower = &p->desc.domain.lower.x;
    const float* upper = &p->desc.domain.upper.x;
    for (int k = 0; k < 3; ++k) {
        if (p->desc.boundary[k] == TACT_BOUNDARY_OPEN) continue;
        if (!tact_archive_within(m->place[k], lower[k], upper[k])) return false;
    }
    const float* q = m->turn;
    return are_within(m->place, 3, TACT_FARTHEST) && are_within(m->velocity, 3, TACT_SPEED_RANGE) &&
           are_within(m->momentum, 3, 1e30f) && m->place[3] == 0.0f && m->velocity[3] == 0.0f &&
           m->momentum[3] == 0.0f &&
           tact_archive_within(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 0.99f, 1.01f);
}

/// Whether a clump's spheres are there, in order, of its mass, and its first follows that of the clump before. Of
/// spheres that are not in the part that is read, another rank sees to their mass.
static bool are_good_members(const tact_archive* a, const tact_particles* p, const tact_clump_table* t, size_t k)
{
    const size_t begin = t->begins[k], end = t->begins[k + 1];
    if (k > 0 && t->members[begin].id <= t->members[t->begins[k - 1]].id) return false;
    for (size_t n = begin; n < end; ++n) {
        const tact_clump_member* m = &t->members[n];
        const size_t row = tact_particle_state_find(&p->mirror, m->id);
        const bool here = row < p->mirror.count;
        if (!(here || (a->ranks > 0 && tact_particles_has(p, m->id))) || (n > begin && m->id <= m[-1].id)) return false;
        if (here && p->mirror.velocity[row][3] != t->bodies[k].inverse_mass) return false;
        if (!are_within(m->offset, 3, 1e30f) || !(m->mass >= 0.0f && isfinite(m->mass))) return false;
    }
    return true;
}

/// Whether no particle is of two clumps, and nothing remembers a contact within one.
static bool are_apart(const tact_particles* p, const tact_clump_table* t)
{
    for (size_t i = 0; i < p->mirror.record_count; ++i) {
        const tact_grain_record* r = &p->mirror.records[i];
        if (r->with == TACT_CONTACT_PARTICLE && tact_clump_joins(t, r->a, r->b)) return false;
    }
    for (size_t k = 0; k < t->count; ++k) {
        for (size_t n = t->begins[k]; n < t->begins[k + 1]; ++n) {
            if (t->of[t->members[n].id][0] != k) return false;
        }
    }
    return true;
}

static void visit_clump(tact_archive* a, tact_particles* p, tact_clump_table* t, size_t k, size_t members)
{
    uint32_t count = a->reads ? 0 : (uint32_t)(t->begins[k + 1] - t->begins[k]);
    tact_archive_below(a, &count, TACT_CLUMP_SPHERES + 1);
    if (a->reads && (count == 0 || count > members - t->begins[k])) a->failed = true;
    if (a->reads && a->failed) return;
    if (a->reads) t->begins[k + 1] = t->begins[k] + count;
    tact_archive_words(a, &t->bodies[k], BODY_WORDS);
    tact_archive_words(a, &t->members[t->begins[k]], (size_t)count * MEMBER_WORDS);
    tact_archive_words(a, &p->mirror.clumps[k], MOTION_WORDS);
    if (!a->reads || a->failed) return;
    if (!is_good_body(&t->bodies[k]) || !is_good_motion(p, &p->mirror.clumps[k]) || !are_good_members(a, p, t, k))
        a->failed = true;
}

tact_result tact_archive_clumps(tact_archive* a, tact_particles* p)
{
    tact_env* env = &p->context->env;
    tact_clump_table read = {0}, *t = a->reads ? &read : &p->clumps;
    tact_archive_begin(a, "the clumps");
    const uint64_t clumps = tact_archive_count(a, t->count, p->count, (size_t)4 * (BODY_WORDS + MOTION_WORDS + 1));
    uint64_t members = t->count > 0 ? t->begins[t->count] : 0;
    members = tact_archive_count(a, members, p->count, (size_t)4 * MEMBER_WORDS);
    if (a->reads && (clumps == 0 || p->model.response != TACT_RESPONSE_GRAINS)) a->failed = true;
    if (a->reads && a->failed) return TACT_OK;
    if (a->reads && (!tact_clump_table_make(env, t, (size_t)clumps, (size_t)members, p->id_end) ||
                     !tact_particle_state_reserve_clumps(env, &p->mirror, (size_t)clumps))) {
        tact_clump_table_free(env, t);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t k = 0; k < clumps && !(a->reads && a->failed); ++k)
        visit_clump(a, p, t, k, (size_t)members);
    if (!a->reads) return TACT_OK;
    t->count = (size_t)clumps;
    if (!a->failed && t->begins[clumps] != members) a->failed = true;
    if (!a->failed) {
        tact_clump_table_index(t);
        a->failed = !are_apart(p, t);
    }
    if (a->failed) {
        tact_clump_table_free(env, t);
        return TACT_OK;
    }
    p->mirror.clump_count = (size_t)clumps;
    tact_clumps_take(p, t);
    return TACT_OK;
}
