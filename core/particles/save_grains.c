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

/// The first of `count` records, which begin where the archive is, whose particle is not below an id.
static uint64_t first_record(tact_archive* a, uint64_t count, uint32_t id)
{
    const size_t begin = a->at;
    uint64_t low = 0, high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        uint32_t one = 0;
        a->at = begin + (size_t)middle * sizeof(tact_grain_record);
        tact_archive_words(a, &one, 1);
        if (one < id)
            low = middle + 1;
        else
            high = middle;
    }
    a->at = begin;
    return low;
}

/// Of `count` records those of a rank's particles.
static tact_archive_slice records_of(tact_archive* a, const tact_particles* p, uint64_t count, uint32_t ids[2])
{
    const tact_archive_slice* rows = &a->slice[TACT_ARRAY_PARTICLES];
    tact_archive_slice s = {0, count, count};
    const bool last = a->rank + 1 == a->ranks;
    const uint64_t numbers[2] = {rows->first, rows->first + rows->count};
    tact_particles_ids_at(p, numbers, 2, ids);
    if (a->rank == 0) ids[0] = 0;
    if (last) ids[1] = UINT32_MAX;
    if (a->rank > 0) s.first = first_record(a, count, ids[0]);
    const uint64_t end = last ? count : first_record(a, count, ids[1]);
    // What is not in order is refused, by this rank or another.
    s.count = end > s.first ? end - s.first : 0;
    return s;
}

static tact_result visit_records(tact_archive* a, tact_particles* p)
{
    enum { WORDS = 13 };
    _Static_assert(sizeof(tact_grain_record) == 4 * WORDS, "saved as they lie");
    tact_particle_state* m = &p->mirror;
    tact_archive_begin(a, "what contacts remember");
    tact_archive_slice* s = &a->slice[TACT_ARRAY_RECORDS];
    *s = tact_archive_slice_of(a, TACT_ARRAY_RECORDS, m->record_count);
    const uint64_t count = tact_archive_count(a, s->all, UINT64_MAX, sizeof(tact_grain_record));
    if (a->reads && a->failed) return TACT_OK;
    uint32_t ids[2] = {0, UINT32_MAX};
    if (a->reads) *s = a->ranks > 0 ? records_of(a, p, count, ids) : (tact_archive_slice){0, count, count};
    if (a->reads && !tact_particle_state_reserve_records(&p->context->env, m, (size_t)s->count))
        return TACT_ERROR_OUT_OF_MEMORY;
    tact_archive_rows(a, TACT_ARRAY_RECORDS, m->records, WORDS);
    if (!a->reads || a->failed) return TACT_OK;
    m->record_count = (size_t)s->count;
    for (size_t i = 0; i < m->record_count; ++i) {
        const tact_grain_record* r = &m->records[i];
        if (r->a < ids[0] || r->a >= ids[1] || !is_good_record(p, r, i > 0 ? r - 1 : NULL)) a->failed = true;
        if (tact_grain_bond_of(r).kind > 0.0f) p->model.bonded = true;
    }
    return TACT_OK;
}

/// GRAINS: how particles turn, and what their contacts remember.
static tact_result visit_turning(tact_archive* a, tact_particles* p)
{
    tact_particle_state* m = &p->mirror;
    tact_archive_begin(a, "how particles turn");
    tact_archive_rows(a, TACT_ARRAY_PARTICLES, m->spin, 4);
    tact_archive_rows(a, TACT_ARRAY_PARTICLES, m->turn, 4);
    for (size_t i = 0; i < m->count && a->reads && !a->failed; ++i)
        a->failed = !is_good_turning(m, i);
    return visit_records(a, p);
}

tact_result tact_archive_grains(tact_archive* a, tact_particles* p)
{
    visit_grain_rules(a, p);
    if (!(a->reads && a->failed)) visit_bond_rules(a, p);
    return a->reads && a->failed ? TACT_OK : visit_turning(a, p);
}
