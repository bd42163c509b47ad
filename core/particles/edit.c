// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles in and out: adding, removing, reading, writing, forces.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_env.h"
#include "core/particles/clump_table.h"
#include "core/particles/spread.h"

static const double pi = 3.14159265358979323846;

tact_result tact_particles_take_ids(tact_particles* p, size_t count, uint32_t* ids)
{
    return tact_particles_take_ids_of(p, count, 0, count, ids);
}

tact_result tact_particles_take_ids_of(tact_particles* p, size_t all, size_t first, size_t count, uint32_t* ids)
{
    tact_env* env = &p->context->env;
    if (all > TACT_MAX_PARTICLES - p->count) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu more particles than the %zu there are; at most %u fit", all,
                         p->count, (unsigned)TACT_MAX_PARTICLES);
    }
    // At worst all of them lie beyond the present end.
    const size_t words = ((size_t)p->id_end + all + 63) / 64;
    const size_t before = ((size_t)p->id_end + 63) / 64;
    const size_t had = p->used_capacity;
    if (!tact_reserve(env, (void**)&p->used, &p->used_capacity, before, words, sizeof *p->used)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    if (p->used_capacity > had) memset(p->used + before, 0, (p->used_capacity - before) * sizeof *p->used);
    uint32_t id = p->free_from;
    for (size_t i = 0; i < all; ++i, ++id) {
        while (id < p->id_end && (p->used[id / 64] >> (id % 64) & 1u))
            ++id;
        p->used[id / 64] |= UINT64_C(1) << (id % 64);
        if (id >= p->id_end) p->id_end = id + 1;
        if (i >= first && i - first < count) ids[i - first] = id;
    }
    TACT_ASSERT(id <= p->id_end && p->id_end <= p->used_capacity * 64);
    p->free_from = id;
    p->count += all;
    TACT_ASSERT(p->count <= p->id_end);
    return TACT_OK;
}

void tact_particles_return_ids(tact_particles* p, const uint32_t* ids, size_t count)
{
    TACT_ASSERT(count <= p->count);
    for (size_t i = 0; i < count; ++i) {
        p->used[ids[i] / 64] &= ~(UINT64_C(1) << (ids[i] % 64));
        if (ids[i] < p->free_from) p->free_from = ids[i];
    }
    p->count -= count;
}

void tact_particles_note_mass(tact_particles* p, float inverse)
{
    TACT_ASSERT(inverse >= 0.0f);
    const float mass = inverse > 0.0f ? 1.0f / inverse : 0.0f;
    if (mass > 0.0f && (p->least_mass == 0.0f || mass < p->least_mass)) p->least_mass = mass;
}

tact_result tact_particles_fit_grid(tact_particles* p, float smallest, float largest)
{
    TACT_ASSERT(smallest > 0.0f && smallest <= largest);
    const float least = p->min_radius == 0.0f || smallest < p->min_radius ? smallest : p->min_radius;
    const float most = p->desc.max_radius == 0.0f && largest > p->max_radius ? largest : p->max_radius;
    if (least == p->min_radius && most == p->max_radius) return TACT_OK;
    return tact_particles_set_grid(p, most, least);
}

/// The grid for the radii there are with these.
static tact_result fit_grid(tact_particles* p, const tact_particle_state* s)
{
    float least = INFINITY, most = 0.0f;
    for (size_t i = 0; i < s->count; ++i) {
        const float r = s->position[i][3];
        most = r > most ? r : most;
        least = r < least ? r : least;
    }
    return s->count > 0 ? tact_particles_fit_grid(p, least, most) : TACT_OK;
}

tact_result tact_particles_insert(tact_particles* p, const tact_particle_state* extra)
{
    tact_result result = tact_particles_edit(p);
    // All that can fail comes before what changes anything.
    if (result == TACT_OK &&
        !tact_particle_state_reserve(&p->context->env, &p->mirror, p->mirror.count + extra->count)) {
        result = TACT_ERROR_OUT_OF_MEMORY;
    }
    if (result == TACT_OK) result = fit_grid(p, extra);
    if (result != TACT_OK) return result;
    tact_particle_state_merge(&p->mirror, extra);
    for (size_t i = 0; i < extra->count; ++i)
        tact_particles_note_mass(p, extra->velocity[i][3]);
    TACT_VALIDATE(tact_particles_are_valid(p));
    return TACT_OK;
}

static tact_result bad(tact_particles* p, size_t i, const char* what, double value)
{
    return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "particle %zu of those given: %s %g", i, what,
                     value);
}

tact_result tact_particles_check_place(tact_particles* p, size_t i, const float x[3])
{
    const float* lower = &p->desc.domain.lower.x;
    const float* upper = &p->desc.domain.upper.x;
    for (int axis = 0; axis < 3; ++axis) {
        if (!(fabsf(x[axis]) <= TACT_MAX_COORDINATE)) return bad(p, i, "position", (double)x[axis]);
        if (p->desc.boundary[axis] == TACT_BOUNDARY_OPEN) continue;
        if (x[axis] < lower[axis] || x[axis] > upper[axis]) {
            return bad(p, i, "position outside the domain:", (double)x[axis]);
        }
    }
    return TACT_OK;
}

static tact_result check_speed(tact_particles* p, size_t i, const float v[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        if (!(fabsf(v[axis]) <= TACT_SPEED_RANGE)) return bad(p, i, "velocity", (double)v[axis]);
    }
    return TACT_OK;
}

void tact_particles_put_place(const tact_particles* p, float to[3], const float x[3])
{
    to[0] = x[0];
    to[1] = x[1];
    to[2] = x[2];
    // The two faces of a periodic axis are one place.
    const float* lower = &p->desc.domain.lower.x;
    const float* upper = &p->desc.domain.upper.x;
    for (int axis = 0; axis < 3; ++axis) {
        if (p->desc.boundary[axis] != TACT_BOUNDARY_PERIODIC) continue;
        if (to[axis] >= lower[axis] + (upper[axis] - lower[axis])) to[axis] = lower[axis];
    }
}

tact_result tact_particles_fill(tact_particles* p, const tact_particle_arrays* a, size_t i, size_t number,
                                tact_particle_state* s)
{
    const float rest[3] = {0};
    const float* x = a->positions + 3 * i;
    const float* v = a->velocities ? a->velocities + 3 * i : rest;
    const float radius = a->radii ? a->radii[i] : a->radius != 0.0f ? a->radius : 0.5f;
    const uint32_t material = a->materials ? a->materials[i] : a->material;
    const uint32_t group = a->groups ? a->groups[i] : a->group;
    tact_result result = tact_particles_check_place(p, number, x);
    if (result == TACT_OK) result = check_speed(p, number, v);
    if (result != TACT_OK) return result;
    if (!(radius > 0.0f && radius <= TACT_LARGEST_RADIUS)) return bad(p, number, "radius", (double)radius);
    if (p->desc.max_radius > 0.0f && radius > p->desc.max_radius) {
        return bad(p, number, "radius above max_radius:", (double)radius);
    }
    const double density = a->density != 0.0f ? (double)a->density : 1000.0;
    const double r = (double)radius;
    const double mass = a->masses ? (double)a->masses[i] : density * (4.0 / 3.0 * pi) * r * r * r;
    const float inverse = isinf(mass) ? 0.0f : (float)(1.0 / mass);
    if (!(mass > 0.0) || !isfinite(inverse)) return bad(p, number, "mass", mass);
    if (!isinf(mass) && inverse == 0.0f) return bad(p, number, "mass too large (INFINITY is allowed):", mass);
    if (material >= p->material_count) return bad(p, number, "material", (double)material);
    if (group >= TACT_PARTICLE_GROUPS) return bad(p, number, "group", (double)group);
    tact_particles_put_place(p, s->position[i], x);
    s->position[i][3] = radius;
    memcpy(s->velocity[i], v, 3 * sizeof *v);
    s->velocity[i][3] = inverse;
    s->tag[i][1] = material | group << 8;
    tact_particle_state_still(s, i);
    return TACT_OK;
}

bool tact_particles_radii_fit(float least, float most)
{
    return least * TACT_MAX_RADIUS_RATIO * 1.000001f >= most;
}

static tact_result check_radii(tact_particles* p, const tact_particle_state* s)
{
    float least = p->min_radius, most = p->max_radius;
    size_t smallest = 0;
    for (size_t i = 0; i < s->count; ++i) {
        const float r = s->position[i][3];
        most = r > most ? r : most;
        if (least == 0.0f || r < least) {
            least = r;
            smallest = i;
        }
    }
    if (tact_particles_radii_fit(least, most)) return TACT_OK;
    return tact_fail(
        &p->context->env, TACT_ERROR_INVALID_ARGUMENT,
        "radii from %g (particle %zu of those given, or one before) to %g: the largest may be %g times the "
        "smallest",
        (double)least, smallest, (double)most, (double)TACT_MAX_RADIUS_RATIO);
}

/// Adds what all ranks give to a spread system; `result`: whether this one's is good. Ids go to `taken`.
static tact_result add_over_ranks(tact_particles* p, tact_particle_state* extra, uint32_t* taken, tact_result result)
{
    tact_ranks* ranks = p->spread->ranks;
    // Of all ranks: the largest radius, the smallest, and the greatest reciprocal of a mass. Floats from 0 on are in
    // the order of their bits.
    uint64_t most[3] = {0, 0, 0};
    for (size_t i = 0; i < extra->count && result == TACT_OK; ++i) {
        const uint64_t each[3] = {tact_float_bits(extra->position[i][3]),
                                  UINT32_MAX - tact_float_bits(extra->position[i][3]),
                                  tact_float_bits(extra->velocity[i][3])};
        for (int k = 0; k < 3; ++k)
            most[k] = each[k] > most[k] ? each[k] : most[k];
    }
    if (result == TACT_OK) result = tact_particles_edit(p);
    if (result == TACT_OK &&
        !tact_particle_state_reserve(&p->context->env, &p->mirror, p->mirror.count + extra->count)) {
        result = TACT_ERROR_OUT_OF_MEMORY;
    }
    result = tact_ranks_agree(ranks, result);
    uint64_t before = 0, all = 0;
    if (result == TACT_OK) result = tact_ranks_combine(ranks, TACT_RANKS_MAX, most, 3);
    if (result == TACT_OK) result = tact_ranks_before(ranks, extra->count, &before, &all);
    if (result != TACT_OK || all == 0) return result;
    const float radii[2] = {tact_bits_float(UINT32_MAX - most[1]), tact_bits_float(most[0])};
    const float least = p->min_radius > 0.0f ? fminf(p->min_radius, radii[0]) : radii[0];
    if (!tact_particles_radii_fit(least, fmaxf(p->max_radius, radii[1]))) {
        return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT,
                         "radii from %g to %g, on all ranks: the largest may be %g times the smallest", (double)least,
                         (double)fmaxf(p->max_radius, radii[1]), (double)TACT_MAX_RADIUS_RATIO);
    }
    result = tact_particles_fit_grid(p, radii[0], radii[1]);
    if (result == TACT_OK) result = tact_particles_take_ids_of(p, (size_t)all, (size_t)before, extra->count, taken);
    if (result != TACT_OK) return result;
    for (size_t i = 0; i < extra->count; ++i)
        extra->tag[i][0] = taken[i];
    tact_particle_state_merge(&p->mirror, extra);
    tact_particles_note_mass(p, tact_bits_float(most[2]));
    return TACT_OK;
}

static tact_result check_given(tact_env* env, const tact_particle_arrays* arrays, size_t count)
{
    if (!arrays) return tact_null(env, "arrays");
    if (count > 0 && !arrays->positions) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "positions is NULL");
    if (count > TACT_MAX_PARTICLES) return tact_fail(env, TACT_ERROR_LIMIT, "%zu particles", count);
    return TACT_OK;
}

tact_result tact_particles_add(tact_particles* p, const tact_particle_arrays* arrays, size_t count, uint32_t* ids)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    tact_particle_state extra = {.turns = p->mirror.turns};
    const tact_result given = check_given(env, arrays, count);
    if (!p->spread && (given != TACT_OK || count == 0)) return given;
    // The other ranks wait for this one.
    if (given != TACT_OK) return add_over_ranks(p, &extra, NULL, given);
    uint32_t* taken = tact_allocate(env, count, sizeof *taken);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (taken && tact_particle_state_reserve(env, &extra, count)) result = TACT_OK;
    // Masses and cells do not depend on how the caller rounds.
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        result = tact_particles_fill(p, arrays, i, i, &extra);
    extra.count = count;
    if (result == TACT_OK) result = check_radii(p, &extra);
    if (result == TACT_OK) result = tact_particles_recall(p);
    const uint32_t id_end = p->id_end;
    if (p->spread) {
        result = add_over_ranks(p, &extra, taken, result);
    } else if (result == TACT_OK) {
        result = tact_particles_take_ids(p, count, taken);
    }
    if (result == TACT_OK && !p->spread) {
        for (size_t i = 0; i < count; ++i)
            extra.tag[i][0] = taken[i];
        result = tact_particles_insert(p, &extra);
        if (result != TACT_OK) {
            tact_particles_return_ids(p, taken, count);
            p->id_end = id_end;
        }
    }
    tact_float_env_leave(&float_env);
    if (result == TACT_OK) tact_particles_forget_user_data(p, taken, count);
    if (result == TACT_OK && ids) memcpy(ids, taken, count * sizeof *ids);
    tact_particle_state_free(env, &extra);
    tact_release(env, taken);
    return result;
}

/// Drops what contacts with particles remember that are not there any more.
static void forget_records(tact_particles* p)
{
    tact_particle_state* m = &p->mirror;
    size_t kept = 0;
    for (size_t i = 0; i < m->record_count; ++i) {
        const tact_grain_record* r = &m->records[i];
        if (!tact_particles_has(p, r->a) || (r->with == TACT_CONTACT_PARTICLE && !tact_particles_has(p, r->b)))
            continue;
        m->records[kept++] = *r;
    }
    m->record_count = kept;
}

tact_result tact_particles_take_out(tact_particles* p, const uint32_t* ids, size_t count)
{
    tact_env* env = &p->context->env;
    // The bits tell: each id is taken off once, and put back when one is not there.
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = ids[i];
        if (tact_particles_has(p, id)) {
            p->used[id / 64] &= ~(UINT64_C(1) << (id % 64));
            continue;
        }
        for (size_t k = 0; k < i; ++k)
            p->used[ids[k] / 64] |= UINT64_C(1) << (ids[k] % 64);
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "particle %u is not in the system, or twice in the list",
                         (unsigned)id);
    }
    const tact_result result = tact_particles_edit(p);
    if (result != TACT_OK) {
        for (size_t i = 0; i < count; ++i)
            p->used[ids[i] / 64] |= UINT64_C(1) << (ids[i] % 64);
        return result;
    }
    tact_particle_state* m = &p->mirror;
    size_t kept = 0;
    for (size_t i = 0; i < m->count; ++i) {
        const uint32_t id = m->tag[i][0];
        if (!(p->used[id / 64] >> (id % 64) & 1u)) continue;
        tact_particle_state_move(m, kept++, m, i);
    }
    m->count = kept;
    forget_records(p);
    tact_clumps_drop_gone(p);
    tact_particles_return_ids(p, ids, count);
    TACT_VALIDATE(tact_particles_are_valid(p));
    return TACT_OK;
}

tact_result tact_particles_take_out_of_all(tact_particles* p, const uint32_t* ids, size_t count)
{
    tact_ranks* ranks = p->spread->ranks;
    void* all = NULL;
    uint64_t size = 0;
    tact_result result = tact_ranks_share(ranks, ids, count * sizeof *ids, &all, &size);
    if (result == TACT_OK && size > 0) {
        result = tact_ranks_agree(ranks, tact_particles_take_out(p, all, (size_t)(size / sizeof *ids)));
    }
    tact_release(&p->context->env, all);
    return result;
}

tact_result tact_particles_remove(tact_particles* p, const uint32_t* ids, size_t count)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    // First, since with a device ids may be lost too.
    tact_result result = count > 0 && !ids ? tact_null(&p->context->env, "ids") : tact_particles_recall(p);
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        result = tact_clumps_check_free(p, ids[i]);
    if (p->spread) {
        result = tact_ranks_agree(p->spread->ranks, result);
        return result == TACT_OK ? tact_particles_take_out_of_all(p, ids, count) : result;
    }
    return result == TACT_OK ? tact_particles_take_out(p, ids, count) : result;
}

void tact_particles_clear(tact_particles* p)
{
    if (!p || tact_context_is_closed(p->context)) return;
    p->mirror.count = p->mirror.record_count = p->mirror.clump_count = 0;
    tact_clumps_take(p, &(tact_clump_table){0});
    p->mirror_fresh = true;
    p->engine_fresh = false;
    p->mirror_clock = p->clock;
    memcpy(p->mirror_emitter_states, p->emitter_states, sizeof p->emitter_states);
    p->journal = (tact_particle_journal){0};
    p->id_end = p->free_from = 0;
    p->count = 0;
    if (p->used) memset(p->used, 0, p->used_capacity * sizeof *p->used);
}

size_t tact_particles_count(tact_particles* p)
{
    return p ? p->count : 0;
}

size_t tact_particles_id_end(const tact_particles* p)
{
    return p ? p->id_end : 0;
}

tact_result tact_particles_read(tact_particles* p, const tact_particle_output* out)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&p->context->env, "output");
    const tact_result result = tact_particles_recall(p);
    if (result != TACT_OK) return result;
    const tact_particle_state* m = &p->mirror;
    for (size_t i = 0; i < m->count; ++i) {
        if (out->ids) out->ids[i] = m->tag[i][0];
        if (out->positions) memcpy(out->positions + 3 * i, m->position[i], 3 * sizeof(float));
        if (out->velocities) memcpy(out->velocities + 3 * i, m->velocity[i], 3 * sizeof(float));
        if (out->radii) out->radii[i] = m->position[i][3];
        if (out->masses) out->masses[i] = (float)tact_particles_mass(p, i);
        if (out->materials) out->materials[i] = (uint8_t)tact_tag_material(m->tag[i][1]);
        if (out->groups) out->groups[i] = (uint8_t)tact_tag_group(m->tag[i][1]);
    }
    return TACT_OK;
}

static tact_result check_write(tact_particles* p, const uint32_t* ids, size_t count, const float* positions,
                               const float* velocities)
{
    tact_env* env = &p->context->env;
    const tact_particle_state* m = &p->mirror;
    tact_result result = TACT_OK;
    if (!ids && count != m->count)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu of %zu particles, and no ids", count, m->count);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        if (ids && tact_particle_state_find(m, ids[i]) == m->count) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "particle %u is not in the system%s", (unsigned)ids[i],
                             p->spread ? ", or not on this rank" : "");
        }
        result = tact_clumps_check_free(p, ids ? ids[i] : m->tag[i][0]);
        if (positions && result == TACT_OK) result = tact_particles_check_place(p, i, positions + 3 * i);
        if (velocities && result == TACT_OK) result = check_speed(p, i, velocities + 3 * i);
    }
    return result;
}

tact_result tact_particles_write(tact_particles* p, const uint32_t* ids, size_t count, const float* positions,
                                 const float* velocities)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!p->spread && (count == 0 || (!positions && !velocities))) return TACT_OK;
    tact_result result = tact_particles_recall(p);
    if (result == TACT_OK) result = check_write(p, ids, count, positions, velocities);
    if (result == TACT_OK) result = tact_particles_edit(p);
    if (p->spread) result = tact_ranks_agree(p->spread->ranks, result);
    if (result != TACT_OK) return result;
    tact_particle_state* m = &p->mirror;
    for (size_t i = 0; i < count; ++i) {
        const size_t at = ids ? tact_particle_state_find(m, ids[i]) : i;
        if (positions) tact_particles_put_place(p, m->position[at], positions + 3 * i);
        if (velocities) memcpy(m->velocity[at], velocities + 3 * i, 3 * sizeof(float));
    }
    return TACT_OK;
}

tact_result tact_particles_set_forces(tact_particles* p, const float* forces, size_t count)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    if (!forces) count = 0;
    if (count > TACT_MAX_PARTICLES) return tact_fail(env, TACT_ERROR_LIMIT, "%zu forces", count);
    for (size_t i = 0; i < 3 * count; ++i) {
        if (!isfinite(forces[i])) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the force on particle %zu is %g", i / 3,
                             (double)forces[i]);
        }
    }
    if (!tact_reserve(env, (void**)&p->forces, &p->force_capacity, 0, count, sizeof *p->forces)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    if (count > 0) memcpy(p->forces, forces, count * sizeof *p->forces);
    p->forces_away = NULL;
    p->model.forces = (const float(*)[3])p->forces;
    p->model.force_count = count;
    ++p->model.forces_version;
    tact_particles_changed(p);
    return TACT_OK;
}

#if defined(TACT_ASSERTS)

bool tact_particles_are_valid(const tact_particles* p)
{
    const tact_particle_state* m = &p->mirror;
    // Of a part that a rank has all ids are those of all.
    if (p->id_end > TACT_VALIDATE_MOST || p->spread) return true;
    if (m->count != p->count || m->count > m->capacity) return false;
    size_t at = 0;
    for (uint32_t id = 0; id < p->id_end; ++id) {
        const bool used = p->used[id / 64] >> (id % 64) & 1u;
        if (used != (at < m->count && m->tag[at][0] == id)) return false;
        if (!used && id < p->free_from) return false;
        at += used;
    }
    return at == m->count;
}

#endif
