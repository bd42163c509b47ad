// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bonds: making, listing and taking away. They are records of contacts, in the host's copy of the state.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_env.h"
#include "core/particles/particles.h"
#include "core/particles/spread.h"
#include "tact/particle_bonds.h"

_Static_assert(TACT_BOND_KINDS_MAX == TACT_BOND_KINDS, "kinds of the kernels");

/// By the sum of radii: nearer than this two grains are not bonded, since a beam of no length has no stiffness.
#define SHORTEST 0.125f

static tact_result check_law(tact_env* env, const tact_bond_law* law)
{
    const struct {
        const char* name;
        float value, least, most;
    } numbers[] = {
        {"Young's modulus", law->young, 1e-20f, 1e20f},
        {"shear modulus", law->shear, 0.0f, 1e20f},
        {"radius", law->radius, 0.01f, 1.0f},
        {"damping", law->damping, 0.0f, 1e3f},
        {"tensile strength", law->tensile_strength, 0.0f, INFINITY},
        {"shear strength", law->shear_strength, 0.0f, INFINITY},
    };
    tact_result result = TACT_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && result == TACT_OK; ++i)
        result = tact_grains_check_number(env, "a bond", numbers[i].name, numbers[i].value, numbers[i].least,
                                          numbers[i].most);
    return result;
}

/// The steepest that a bond is, as tact_grains_stable_step() counts contacts.
static float slope_of(const tact_particles* p, const tact_grain_record* r)
{
    const tact_particle_state* m = &p->mirror;
    const TactBond bond = tact_grain_bond_of(r);
    const float r1 = m->position[tact_particle_state_find(m, r->a)][3],
                r2 = m->position[tact_particle_state_find(m, r->b)][3];
    const TactBeam beam = tact_bond_beam(p->bond_rules[(size_t)bond.kind - 1], bond.rest, r1, r2);
    const float across = 3.5f * beam.across;
    return beam.along > across ? beam.along : across;
}

static bool is_bond(const tact_grain_record* r)
{
    return tact_grain_bond_of(r).kind > 0.0f;
}

/// What follows from the bonds that there are.
static void note_bonds(tact_particles* p)
{
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    p->bond_slope = 0.0f;
    p->model.bonded = false;
    for (size_t k = 0; k < p->mirror.record_count; ++k) {
        if (!is_bond(&p->mirror.records[k])) continue;
        p->model.bonded = true;
        p->bond_slope = fmaxf(p->bond_slope, slope_of(p, &p->mirror.records[k]));
    }
    tact_float_env_leave(&float_env);
    ++p->model.rules_version;
    tact_particles_changed(p);
}

tact_result tact_particles_set_bond_law(tact_particles* p, uint8_t kind, const tact_bond_law* law)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    if (!law) return tact_null(env, "law");
    tact_result result = tact_particles_check_turns(p);
    if (result == TACT_OK && kind >= TACT_BOND_KINDS)
        result = tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no kind of bonds %u", (unsigned)kind);
    if (result == TACT_OK) result = check_law(env, law);
    // What bonds there are is in the state.
    if (result == TACT_OK) result = tact_particles_recall(p);
    if (result != TACT_OK) return result;
    p->bond_rules[kind] = (TactBondRule){.young = law->young,
                                         .shear = law->shear,
                                         .part = law->radius,
                                         .damping = 2.0f * law->damping,
                                         .tensile = law->tensile_strength,
                                         .slide = law->shear_strength};
    note_bonds(p);
    return TACT_OK;
}

static tact_result check_kind(const tact_particles* p, uint8_t kind)
{
    const tact_result result = tact_particles_check_turns(p);
    if (result != TACT_OK || (kind < TACT_BOND_KINDS && p->bond_rules[kind].young > 0.0f)) return result;
    return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "the bonds of kind %u have no law", (unsigned)kind);
}

/// The distance between the particles in two rows, the shorter way round.
static float distance_of(const tact_particles* p, size_t i, size_t k)
{
    const TactGrid* g = &p->model.grid;
    const float *x = p->mirror.position[i], *y = p->mirror.position[k];
    return tact_length3(tact_grid_shorter(g->x, y[0] - x[0]), tact_grid_shorter(g->y, y[1] - x[1]),
                        tact_grid_shorter(g->z, y[2] - x[2]));
}

/// Whether the particles in two rows can be bonded: an error without a detail where `env` is NULL.
static tact_result check_pair(const tact_particles* p, size_t i, size_t k, tact_env* env)
{
    const tact_particle_state* m = &p->mirror;
    const float reach = m->position[i][3] + m->position[k][3], distance = distance_of(p, i, k);
    const unsigned a = m->tag[i][0], b = m->tag[k][0];
    const bool meet = tact_groups_meet(p->model.masks, tact_tag_group(m->tag[i][1]), tact_tag_group(m->tag[k][1])) &&
                      !tact_clump_joins(p->model.clumps, a, b);
    const bool good = distance >= SHORTEST * reach && distance <= TACT_BOND_LONGEST * reach;
    if (meet && good) return TACT_OK;
    if (!env) return TACT_ERROR_INVALID_ARGUMENT;
    if (!meet) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "particles %u and %u do not collide", a, b);
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "particles %u and %u are %g apart, which must be from %g to %g",
                     a, b, (double)distance, (double)(SHORTEST * reach), (double)(TACT_BOND_LONGEST * reach));
}

static tact_grain_record record_of(const tact_particles* p, uint8_t kind, size_t i, size_t k)
{
    const uint32_t a = p->mirror.tag[i][0], b = p->mirror.tag[k][0];
    const tact_grain_record r = {.a = a < b ? a : b,
                                 .with = TACT_CONTACT_PARTICLE,
                                 .b = a < b ? b : a,
                                 .normal = {distance_of(p, i, k), (float)(kind + 1)},
                                 .spring = tact_grain_forgotten()};
    return r;
}

static int compare(const tact_grain_record* r, const tact_grain_record* s)
{
    if (r->a != s->a) return r->a < s->a ? -1 : 1;
    if (r->with != s->with) return r->with < s->with ? -1 : 1;
    return r->b < s->b ? -1 : r->b > s->b;
}

static int compare_records(const void* a, const void* b)
{
    return compare(a, b);
}

/// The records there are, with new ones, which are sorted, in the place of those of the same pairs.
static tact_result merge(tact_particles* p, const tact_grain_record* fresh, size_t count)
{
    tact_env* env = &p->context->env;
    tact_particle_state* m = &p->mirror;
    const size_t capacity = m->record_count + count;
    tact_grain_record* records = tact_allocate(env, capacity + 1, sizeof *records);
    if (!records) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = tact_particles_edit(p);
    if (result != TACT_OK) {
        tact_release(env, records);
        return result;
    }
    size_t total = 0, k = 0;
    for (size_t i = 0; i < m->record_count; ++i) {
        while (k < count && compare(&fresh[k], &m->records[i]) < 0)
            records[total++] = fresh[k++];
        if (k < count && compare(&fresh[k], &m->records[i]) == 0) continue;
        records[total++] = m->records[i];
    }
    while (k < count)
        records[total++] = fresh[k++];
    TACT_ASSERT(total <= capacity);
    tact_release(env, m->records);
    m->records = records;
    m->record_count = total;
    m->record_capacity = capacity + 1;
    note_bonds(p);
    return TACT_OK;
}

/// Checks the pairs, and makes them records, sorted.
static tact_result make_fresh(const tact_particles* p, uint8_t kind, const uint32_t* pairs, size_t count,
                              tact_grain_record* fresh)
{
    tact_env* env = &p->context->env;
    for (size_t i = 0; i < count; ++i) {
        size_t rows[2];
        for (int k = 0; k < 2; ++k) {
            const uint32_t id = pairs[2 * i + (size_t)k];
            rows[k] = tact_particle_state_find(&p->mirror, id);
            if (rows[k] == p->mirror.count)
                return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "particle %u is not in the system", (unsigned)id);
        }
        if (rows[0] == rows[1])
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "particle %u with itself", (unsigned)pairs[2 * i]);
        const tact_result result = check_pair(p, rows[0], rows[1], env);
        if (result != TACT_OK) return result;
        fresh[i] = record_of(p, kind, rows[0], rows[1]);
    }
    if (count > 1) qsort(fresh, count, sizeof *fresh, compare_records);
    for (size_t i = 1; i < count; ++i) {
        if (compare(&fresh[i - 1], &fresh[i]) == 0)
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "particles %u and %u twice", (unsigned)fresh[i].a,
                             (unsigned)fresh[i].b);
    }
    return TACT_OK;
}

tact_result tact_particles_bond(tact_particles* p, uint8_t kind, const uint32_t* pairs, size_t count)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "bonds");
    if (alone != TACT_OK) return alone;
    tact_env* env = &p->context->env;
    if (count > 0 && !pairs) return tact_null(env, "pairs");
    if (count > TACT_MAX_PARTICLES) return tact_fail(env, TACT_ERROR_LIMIT, "%zu bonds", count);
    tact_result result = check_kind(p, kind);
    if (result == TACT_OK) result = tact_particles_recall(p);
    if (result != TACT_OK || count == 0) return result;
    tact_grain_record* fresh = tact_allocate(env, count, sizeof *fresh);
    if (!fresh) return TACT_ERROR_OUT_OF_MEMORY;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    result = make_fresh(p, kind, pairs, count, fresh);
    tact_float_env_leave(&float_env);
    if (result == TACT_OK) result = merge(p, fresh, count);
    tact_release(env, fresh);
    return result;
}

/// The record of a pair of ids, or NULL.
static tact_grain_record* find_record(const tact_particles* p, uint32_t a, uint32_t b)
{
    const tact_grain_record sought = {.a = a < b ? a : b, .with = TACT_CONTACT_PARTICLE, .b = a < b ? b : a};
    tact_grain_record* records = p->mirror.records;
    if (p->mirror.record_count == 0) return NULL;
    return bsearch(&sought, records, p->mirror.record_count, sizeof *records, compare_records);
}

/// Pairs to be bonded.
typedef struct fresh_list {
    tact_grain_record* records;
    size_t count, capacity;
} fresh_list;

/// Adds the pairs of lists of neighbours that are to be bonded.
static bool gather(const tact_particles* p, const tact_neighbour_lists* lists, uint8_t kind, float gap, fresh_list* to)
{
    tact_env* env = &p->context->env;
    const tact_particle_state* m = &p->mirror;
    for (size_t slot = 0; slot < lists->slots; ++slot) {
        const size_t i = tact_particle_state_find(m, lists->ids[slot]);
        for (uint64_t n = lists->offsets[slot]; n < lists->offsets[slot + 1]; ++n) {
            const size_t k = tact_particle_state_find(m, lists->ids[lists->neighbours[n]]);
            const float reach = m->position[i][3] + m->position[k][3];
            if (!(distance_of(p, i, k) - reach <= gap) || check_pair(p, i, k, NULL) != TACT_OK) continue;
            const tact_grain_record* there = find_record(p, m->tag[i][0], m->tag[k][0]);
            if (there && is_bond(there)) continue;
            if (!tact_reserve(env, (void**)&to->records, &to->capacity, to->count, to->count + 1, sizeof *to->records))
                return false;
            to->records[to->count++] = record_of(p, kind, i, k);
        }
    }
    return true;
}

tact_result tact_particles_bond_near(tact_particles* p, uint8_t kind, float gap, size_t* made)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "bonds");
    if (alone != TACT_OK) return alone;
    tact_env* env = &p->context->env;
    if (made) *made = 0;
    if (!(gap >= 0.0f && gap <= TACT_LARGEST_RADIUS))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a gap of %g", (double)gap);
    tact_result result = check_kind(p, kind);
    if (result == TACT_OK) result = tact_particles_recall(p);
    if (result != TACT_OK || p->count < 2) return result;
    // No bond is longer.
    const float most = 2.0f * p->max_radius * TACT_BOND_LONGEST, wanted = 2.0f * p->max_radius + gap;
    tact_neighbour_lists lists;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    result = tact_particles_neighbours(p, 1.0001f * (wanted < most ? wanted : most), TACT_NEIGHBOURS_ONCE, &lists,
                                       &options, NULL);
    if (result == TACT_OK) result = tact_particles_recall(p);
    if (result != TACT_OK) return result;
    fresh_list fresh = {0};
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    if (!gather(p, &lists, kind, gap, &fresh)) result = TACT_ERROR_OUT_OF_MEMORY;
    tact_float_env_leave(&float_env);
    if (result == TACT_OK && fresh.count > 1) qsort(fresh.records, fresh.count, sizeof *fresh.records, compare_records);
    if (result == TACT_OK && fresh.count > 0) result = merge(p, fresh.records, fresh.count);
    if (result == TACT_OK && made) *made = fresh.count;
    tact_release(env, fresh.records);
    return result;
}

static tact_bond bond_of(const tact_particles* p, const tact_grain_record* r)
{
    const size_t i = tact_particle_state_find(&p->mirror, r->a), k = tact_particle_state_find(&p->mirror, r->b);
    const TactBond bond = tact_grain_bond_of(r);
    const float r1 = p->mirror.position[i][3], r2 = p->mirror.position[k][3];
    const TactBondRule* rule = &p->bond_rules[(size_t)bond.kind - 1];
    const TactStress stress =
        tact_bond_stress(tact_bond_beam(*rule, bond.rest, r1, r2), distance_of(p, i, k) - bond.rest, r->spring);
    const tact_bond result = {.a = r->a,
                              .b = r->b,
                              .kind = (uint32_t)bond.kind - 1,
                              .length = bond.rest,
                              .tensile_stress = stress.tension,
                              .shear_stress = stress.shear};
    return result;
}

tact_result tact_particles_bonds(tact_particles* p, tact_bond* bonds, size_t capacity, size_t* count)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "bonds");
    if (alone != TACT_OK) return alone;
    tact_env* env = &p->context->env;
    if (!count) return tact_null(env, "count");
    if (capacity > 0 && !bonds) return tact_null(env, "bonds");
    *count = 0;
    tact_result result = tact_particles_check_turns(p);
    if (result == TACT_OK) result = tact_particles_recall(p);
    if (result != TACT_OK) return result;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    for (size_t k = 0; k < p->mirror.record_count; ++k) {
        const tact_grain_record* r = &p->mirror.records[k];
        if (!is_bond(r)) continue;
        if (*count < capacity) bonds[*count] = bond_of(p, r);
        ++*count;
    }
    tact_float_env_leave(&float_env);
    return *count > capacity ? TACT_INCOMPLETE : TACT_OK;
}

tact_result tact_particles_unbond(tact_particles* p, const uint32_t* pairs, size_t count)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "bonds");
    if (alone != TACT_OK) return alone;
    tact_result result = tact_particles_check_turns(p);
    if (result == TACT_OK) result = tact_particles_recall(p);
    if (result == TACT_OK) result = tact_particles_edit(p);
    if (result != TACT_OK) return result;
    tact_particle_state* m = &p->mirror;
    // Nothing is remembered of a bond: the contact, where there is one, is new.
    for (size_t i = 0; i < count && pairs; ++i) {
        tact_grain_record* r = find_record(p, pairs[2 * i], pairs[2 * i + 1]);
        if (r && is_bond(r)) r->normal[1] = -1.0f;
    }
    size_t kept = 0;
    for (size_t k = 0; k < m->record_count; ++k) {
        const tact_grain_record* r = &m->records[k];
        const bool gone = r->with == TACT_CONTACT_PARTICLE && (pairs ? r->normal[1] < 0.0f : is_bond(r));
        if (!gone) m->records[kept++] = *r;
    }
    m->record_count = kept;
    note_bonds(p);
    return TACT_OK;
}
