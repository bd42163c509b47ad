// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles from and to the caller's device buffers.

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/context/callers_array.h"
#include "core/particles/particles.h"
#include "core/particles/spread.h"

/// Rows of four, as they lie in the caller's buffers, taken apart.
typedef struct device_rows {
    float *rows, *positions, *velocities, *radii, *masses;
} device_rows;

static bool make_room(tact_env* env, size_t count, device_rows* r)
{
    r->rows = tact_allocate(env, count, 4 * sizeof *r->rows);
    r->positions = tact_allocate(env, count, 3 * sizeof *r->positions);
    r->velocities = tact_allocate(env, count, 3 * sizeof *r->velocities);
    r->radii = tact_allocate(env, count, sizeof *r->radii);
    r->masses = tact_allocate(env, count, sizeof *r->masses);
    return r->rows && r->positions && r->velocities && r->radii && r->masses;
}

static void free_rows(tact_env* env, device_rows* r)
{
    tact_release(env, r->rows);
    tact_release(env, r->positions);
    tact_release(env, r->velocities);
    tact_release(env, r->radii);
    tact_release(env, r->masses);
}

static tact_result read_rows(tact_context* context, const tact_device_array* array, size_t count, float* rows,
                             float* three, float* fourth)
{
    const tact_result result = tact_callers_array_read(context, array, rows, count * 4 * sizeof *rows);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        memcpy(three + 3 * i, rows + 4 * i, 3 * sizeof *three);
        fourth[i] = rows[4 * i + 3];
    }
    return result;
}

/// Adding by way of the host.
static tact_result add_by_host(tact_particles* p, const tact_particle_device_rows* rows, tact_particle_arrays arrays,
                               uint32_t* ids)
{
    tact_context* context = p->context;
    device_rows r = {0};
    tact_result result = TACT_OK;
    if (!make_room(&context->env, rows->count, &r)) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = read_rows(context, rows->positions, rows->count, r.rows, r.positions, r.radii);
    if (result == TACT_OK && rows->velocities)
        result = read_rows(context, rows->velocities, rows->count, r.rows, r.velocities, r.masses);
    arrays.positions = r.positions;
    arrays.radii = r.radii;
    arrays.velocities = rows->velocities ? r.velocities : NULL;
    arrays.masses = rows->velocities ? r.masses : NULL;
    if (result == TACT_OK) result = tact_particles_add(p, &arrays, rows->count, ids);
    free_rows(&context->env, &r);
    return result;
}

/// The engine that has the state, or of an empty system is to have it, if all of the arrays (or NULL) are on its
/// device.
static tact_particle_engine* engine_beside(tact_particles* p, const tact_device_array* a, const tact_device_array* b)
{
    const tact_backend backend = p->engine_fresh ? p->home : p->desc.backend;
    if ((a && a->backend != backend) || (b && b->backend != backend)) return NULL;
    const int device = tact_context_find(p->context, backend);
    tact_particle_engine* e = NULL;
    if (device < 0 || (!p->engine_fresh && p->count > 0)) return NULL;
    return tact_particles_engine(p, backend, (uint32_t)device, &e) == TACT_OK ? e : NULL;
}

/// One particle that a device has seen, checked and made as on the host.
static tact_result check_row(tact_particles* p, float row[2][4], size_t number, tact_particle_arrays arrays,
                             float* inverse)
{
    float position[1][4], velocity[1][4];
    uint32_t tag[1][2];
    tact_particle_state one = {.position = position, .velocity = velocity, .tag = tag};
    // Where there are masses there are velocities.
    if (arrays.masses) {
        arrays.velocities = row[1];
        arrays.masses = &row[1][3];
    }
    arrays.positions = row[0];
    arrays.radii = &row[0][3];
    const tact_result result = tact_particles_fill(p, &arrays, 0, number, &one);
    if (result == TACT_OK) *inverse = velocity[0][3];
    return result;
}

/// Takes over particles that have been checked. What fails on the device leaves the system as it was, to be tried
/// otherwise.
static tact_result adopt(tact_particles* p, tact_particle_engine* e, const tact_particle_device_rows* rows,
                         const tact_particle_facts* facts, uint32_t* taken, bool* done)
{
    const uint32_t id_end = p->id_end;
    const TactGrid grid = p->model.grid;
    const float max_radius = p->max_radius, min_radius = p->min_radius;
    *done = true;
    tact_result result = tact_particles_take_ids(p, rows->count, taken);
    if (result != TACT_OK) return result;
    result = tact_particles_fit_grid(p, facts->lower[3], facts->upper[3]);
    if (result == TACT_OK && e->type->adopt(e, &p->model, rows, facts, taken) != TACT_OK) *done = false;
    if (result == TACT_OK && *done) return TACT_OK;
    p->model.grid = grid;
    p->max_radius = max_radius;
    p->min_radius = min_radius;
    tact_particles_return_ids(p, taken, rows->count);
    p->id_end = id_end;
    return result;
}

/// Adding without the host, when particles live, or are to live, where the buffers are. `done` becomes false when it is
/// for add_by_host() to do it, or to say what is wrong.
static tact_result add_straight(tact_particles* p, tact_particle_device_rows* rows, const tact_particle_arrays* arrays,
                                uint32_t* ids, bool* done)
{
    tact_env* env = &p->context->env;
    *done = false;
    tact_particle_engine* e = engine_beside(p, rows->positions, rows->velocities);
    if (!e || !e->type->adopt) return TACT_OK;
    // Nothing is copied, but what the host has is then the present state, whatever becomes of the engine's.
    if ((p->count == 0 || p->mirror_fresh) && tact_particles_fetch(p) != TACT_OK) return TACT_OK;
    tact_particle_facts facts;
    if (e->type->examine(e, &p->model, rows, &facts) != TACT_OK) {
        if (p->mirror_fresh) p->engine_fresh = false;
        return TACT_OK;
    }
    float inverse = 0.0f;
    tact_result result = check_row(p, facts.first, 0, *arrays, &rows->inverse_mass);
    if (result == TACT_OK && facts.bad != TACT_NONE) result = check_row(p, facts.refused, facts.bad, *arrays, &inverse);
    *done = result != TACT_OK;
    if (result != TACT_OK || facts.bad != TACT_NONE) return result;
    const float least = p->min_radius > 0.0f && p->min_radius < facts.lower[3] ? p->min_radius : facts.lower[3];
    const float most = p->max_radius > facts.upper[3] ? p->max_radius : facts.upper[3];
    // Which one is too small, only the host can tell. Masses of different radii are worked out in double precision.
    if (!tact_particles_radii_fit(least, most)) return TACT_OK;
    if (!rows->velocities && facts.lower[3] != facts.upper[3]) return TACT_OK;
    uint32_t* taken = tact_allocate(env, rows->count, sizeof *taken);
    if (!taken) return TACT_ERROR_OUT_OF_MEMORY;
    result = adopt(p, e, rows, &facts, taken, done);
    if (!*done && p->mirror_fresh) p->engine_fresh = false;
    if (*done && result == TACT_OK) {
        tact_particles_note_mass(p, rows->velocities ? (float)(1.0 / (double)facts.least_mass) : rows->inverse_mass);
        // What the host has from now on is no state from which steps could be taken again.
        p->mirror_fresh = false;
        p->journal.broken = true;
        tact_particles_forget_user_data(p, taken, rows->count);
        if (ids) memcpy(ids, taken, rows->count * sizeof *ids);
    }
    tact_release(env, taken);
    return result;
}

tact_result tact_particles_add_device(tact_particles* p, const tact_particle_device_arrays* given, size_t count,
                                      uint32_t* ids)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_context* context = p->context;
    tact_env* env = &context->env;
    if (!given) return tact_null(env, "arrays");
    const tact_device_array *positions = given->positions, *velocities = given->velocities;
    if (!positions) return tact_null(env, "positions");
    if (count > TACT_MAX_PARTICLES) return tact_fail(env, TACT_ERROR_LIMIT, "%zu particles", count);
    // Before anything is allocated for a count that the buffers cannot hold.
    tact_result result = tact_callers_array_check(context, positions, (uint64_t)count * 16);
    if (result == TACT_OK && velocities) result = tact_callers_array_check(context, velocities, (uint64_t)count * 16);
    if (result != TACT_OK || count == 0) return result;
    const float most = p->desc.max_radius;
    static const float some_mass = 1.0f;
    tact_particle_arrays arrays = {.masses = velocities ? &some_mass : NULL,
                                   .density = given->density,
                                   .material = given->material,
                                   .group = given->group};
    tact_particle_device_rows rows = {.positions = positions,
                                      .velocities = velocities,
                                      .count = count,
                                      .kind = given->material | (uint32_t)given->group << 8,
                                      .largest = most > 0.0f ? most : TACT_LARGEST_RADIUS};
    bool done = false;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    result = add_straight(p, &rows, &arrays, ids, &done);
    tact_float_env_leave(&float_env);
    return done || result != TACT_OK ? result : add_by_host(p, &rows, arrays, ids);
}

/// Rows of velocities with masses.
static tact_result write_velocities(tact_particles* p, const tact_device_array* velocities)
{
    tact_env* env = &p->context->env;
    float(*rows)[4] = tact_allocate(env, p->count, sizeof *rows);
    if (!rows) return TACT_ERROR_OUT_OF_MEMORY;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    for (size_t i = 0; i < p->count; ++i) {
        memcpy(rows[i], p->mirror.velocity[i], sizeof *rows);
        rows[i][3] = rows[i][3] > 0.0f ? 1.0f / rows[i][3] : INFINITY;
    }
    tact_float_env_leave(&float_env);
    const tact_result result = tact_callers_array_write(p->context, velocities, rows, p->count * sizeof *rows);
    tact_release(env, rows);
    return result;
}

tact_result tact_particles_read_device(tact_particles* p, const tact_device_array* positions,
                                       const tact_device_array* velocities)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "reading to device buffers");
    if (alone != TACT_OK) return alone;
    tact_context* context = p->context;
    const size_t bytes = p->count * sizeof *p->mirror.position;
    tact_result result = TACT_OK;
    // Both, before either is written.
    if (positions) result = tact_callers_array_check(context, positions, bytes);
    if (result == TACT_OK && velocities) result = tact_callers_array_check(context, velocities, bytes);
    if (result != TACT_OK || p->count == 0 || (!positions && !velocities)) return result;
    tact_particle_engine* e = p->engine_fresh ? engine_beside(p, positions, velocities) : NULL;
    // Where that fails, for want of room say, the host may yet do.
    if (e && e->type->give && e->type->give(e, positions, velocities, p->id_end == p->count) == TACT_OK) return TACT_OK;
    result = tact_particles_recall(p);
    if (result == TACT_OK && positions)
        result = tact_callers_array_write(context, positions, p->mirror.position, bytes);
    return result == TACT_OK && velocities ? write_velocities(p, velocities) : result;
}

static tact_result forces_by_host(tact_particles* p, const tact_device_array* forces, size_t count)
{
    tact_context* context = p->context;
    float* rows = tact_allocate(&context->env, count, 4 * sizeof *rows);
    if (!rows) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = tact_callers_array_read(context, forces, rows, count * 4 * sizeof *rows);
    for (size_t i = 1; i < count && result == TACT_OK; ++i)
        memmove(rows + 3 * i, rows + 4 * i, 3 * sizeof *rows);
    if (result == TACT_OK) result = tact_particles_set_forces(p, rows, count);
    tact_release(&context->env, rows);
    return result;
}

tact_result tact_particles_set_forces_device(tact_particles* p, const tact_device_array* forces, size_t count)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!forces || count == 0) return tact_particles_set_forces(p, NULL, 0);
    tact_env* env = &p->context->env;
    if (count > TACT_MAX_PARTICLES) return tact_fail(env, TACT_ERROR_LIMIT, "%zu forces", count);
    tact_result result = tact_callers_array_check(p->context, forces, (uint64_t)count * 16);
    if (result != TACT_OK) return result;
    tact_particle_engine* e = engine_beside(p, forces, NULL);
    const uint64_t version = p->model.forces_version + 1;
    uint32_t bad = TACT_NONE;
    // The host does what the device cannot, and says what is wrong.
    if (!e || !e->type->take_forces || e->type->take_forces(e, forces, count, version, &bad) != TACT_OK ||
        bad != TACT_NONE) {
        return forces_by_host(p, forces, count);
    }
    p->forces_away = e;
    p->model.forces = NULL;
    p->model.force_count = count;
    p->model.forces_version = version;
    tact_particles_changed(p);
    return TACT_OK;
}

tact_result tact_particles_device_buffers(tact_particles* p, tact_particle_buffers* buffers)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "device buffers");
    if (alone != TACT_OK) return alone;
    if (!buffers) return tact_null(&p->context->env, "buffers");
    tact_env* env = &p->context->env;
    const tact_backend backend = p->engine_fresh ? p->home : p->desc.backend;
    const int device = tact_context_find(p->context, backend);
    if (device <= 0) {
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "the particles do not live on a device");
    }
    tact_particle_engine* e = NULL;
    const tact_result result = tact_particles_engine(p, backend, (uint32_t)device, &e);
    if (result != TACT_OK) return result;
    if (!e->type->buffers) return tact_fail(env, TACT_ERROR_UNSUPPORTED, "the backend has no buffers");
    return e->type->buffers(e, buffers);
}
