// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Saving what particles that turn have besides others.

#include <math.h>

#include "core/particles/archive.h"

/// GRAINS: the rules of contacts, as they are.
static void visit_grain_rules(tact_archive* a, tact_particles* p)
{
    tact_archive_begin(a, "the laws of contacts");
    for (uint32_t i = 0; i < p->material_count * p->material_count; ++i) {
        TactGrainRule* r = &p->grain_rules[i / p->material_count * TACT_PARTICLE_MATERIALS + i % p->material_count];
        float* const numbers[] = {&r->stiffness, &r->shear,   &r->normal_damping, &r->tangential_damping,
                                  &r->friction,  &r->rolling, &r->twisting,       &r->adhesion};
        uint32_t hertz = r->hertz ? 1 : 0;
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
            tact_archive_float(a, numbers[k]);
            if (!tact_archive_within(*numbers[k], 0.0f, 1e30f)) a->failed = true;
        }
        if (!(r->stiffness > 0.0f)) a->failed = true;
        tact_archive_below(a, &hertz, 2);
        r->hertz = hertz == 1;
    }
}

static TactGrainRule* rule_at(tact_particles* p, uint32_t i)
{
    return &p->grain_rules[i / p->material_count * TACT_PARTICLE_MATERIALS + i % p->material_count];
}

bool tact_archive_has_cohesion(const tact_particles* p)
{
    bool any = false;
    for (uint32_t i = 0; i < p->material_count * p->material_count; ++i)
        any = any || rule_at((tact_particles*)(uintptr_t)p, i)->cohesion > 0.0f;
    return any;
}

void tact_archive_cohesion(tact_archive* a, tact_particles* p)
{
    tact_archive_begin(a, "the cohesion of contacts");
    for (uint32_t i = 0; i < p->material_count * p->material_count; ++i) {
        float* cohesion = &rule_at(p, i)->cohesion;
        tact_archive_float(a, cohesion);
        if (!tact_archive_within(*cohesion, 0.0f, 1e30f)) a->failed = true;
    }
}

/// GRAINS: the laws of bonds, and how stiff the stiffest is, which worked out again might have other bits.
static void visit_bond_rules(tact_archive* a, tact_particles* p)
{
    tact_archive_begin(a, "the laws of bonds");
    tact_archive_float(a, &p->bond_slope);
    if (!tact_archive_within(p->bond_slope, 0.0f, INFINITY)) a->failed = true;
    for (uint32_t i = 0; i < TACT_BOND_KINDS; ++i) {
        TactBondRule* r = &p->bond_rules[i];
        float* const numbers[] = {&r->young, &r->shear, &r->part, &r->damping, &r->tensile, &r->slide};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
            tact_archive_float(a, numbers[k]);
            if (!tact_archive_within(*numbers[k], 0.0f, INFINITY)) a->failed = true;
        }
        if (!(r->young <= 1e20f && r->shear <= 1e20f && r->part <= 1.0f && r->damping <= 2e3f)) a->failed = true;
    }
}

/// Whether what a record of two particles has in the place of a normal is a bond, or none.
static bool is_good_bond(const tact_particles* p, const float bond[3])
{
    const float kind = bond[1];
    if (kind == 0.0f) return bond[0] == 0.0f && bond[2] == 0.0f;
    if (!(kind > 0.0f && kind <= (float)TACT_BOND_KINDS) || kind != floorf(kind) || bond[2] != 0.0f) return false;
    return bond[0] > 0.0f && p->bond_rules[(size_t)kind - 1].young > 0.0f;
}

static bool is_good_turning(const tact_particle_state* m, size_t i)
{
    const float *spin = m->spin[i], *q = m->turn[i];
    for (int k = 0; k < 3; ++k) {
        if (!(fabsf(spin[k]) <= TACT_SPEED_RANGE)) return false;
    }
    const float square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return spin[3] == 0.0f && square >= 0.99f && square <= 1.01f;
}

/// Whether a record is of a contact that there may be, and follows the one before.
static bool is_good_record(const tact_particles* p, const tact_grain_record* r, const tact_grain_record* before)
{
    const uint32_t ends[] = {p->id_end, 6, p->model.solid_count, p->model.body_count};
    const float* numbers[] = {r->normal, &r->spring.sx};
    const int counts[] = {3, 7};
    if (r->with > TACT_CONTACT_BODY || !tact_particles_has(p, r->a) || r->b >= ends[r->with]) return false;
    if (r->with == TACT_CONTACT_PARTICLE && (!tact_particles_has(p, r->b) || r->b <= r->a)) return false;
    if (r->with == TACT_CONTACT_PARTICLE && !is_good_bond(p, r->normal)) return false;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < counts[k]; ++i) {
            if (!isfinite(numbers[k][i])) return false;
        }
    }
    if (!before || r->a != before->a) return !before || r->a > before->a;
    if (r->with != before->with) return r->with > before->with;
    return r->with == TACT_CONTACT_BODY ? r->b >= before->b : r->b > before->b;
}

/// GRAINS: how particles turn, and what their contacts remember.
static tact_result visit_turning(tact_archive* a, tact_particles* p)
{
    enum { RECORD_WORDS = 13 };
    tact_env* env = &p->context->env;
    tact_particle_state* m = &p->mirror;
    tact_archive_begin(a, "how particles turn");
    tact_archive_words(a, m->spin, 4 * m->count);
    tact_archive_words(a, m->turn, 4 * m->count);
    for (size_t i = 0; i < m->count && a->in && !a->failed; ++i)
        a->failed = !is_good_turning(m, i);
    tact_archive_begin(a, "what contacts remember");
    const size_t count = (size_t)tact_archive_count(a, m->record_count, UINT64_MAX, (size_t)4 * RECORD_WORDS);
    if (a->in && a->failed) return TACT_OK;
    if (a->in && !tact_particle_state_reserve_records(env, m, count)) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        tact_grain_record* r = &m->records[i];
        tact_archive_words(a, &r->a, 3);
        tact_archive_words(a, r->normal, 3);
        tact_archive_words(a, &r->spring, 7);
        if (a->in && !is_good_record(p, r, i > 0 ? r - 1 : NULL)) a->failed = true;
        if (a->in && tact_grain_bond_of(r).kind > 0.0f) p->model.bonded = true;
    }
    m->record_count = count;
    return TACT_OK;
}

tact_result tact_archive_grains(tact_archive* a, tact_particles* p)
{
    visit_grain_rules(a, p);
    if (!(a->in && a->failed)) visit_bond_rules(a, p);
    return a->in && a->failed ? TACT_OK : visit_turning(a, p);
}
