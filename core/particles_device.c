// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles from and to the caller's device buffers.

#include <math.h>
#include <string.h>

#include "core/callers_array.h"
#include "core/particles.h"

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

tact_result tact_particles_add_device(tact_particles* p, const tact_device_array* positions,
                                      const tact_device_array* velocities, float density, uint8_t material,
                                      uint8_t group, size_t count, uint32_t* ids)
{
    if (!p || !positions) return TACT_ERROR_INVALID_ARGUMENT;
    tact_context* context = p->context;
    tact_env* env = &context->env;
    if (count > TACT_MAX_PARTICLES) return tact_fail(env, TACT_ERROR_LIMIT, "%zu particles", count);
    // Before anything is allocated for a count that the buffers cannot hold.
    tact_result result = tact_callers_array_check(context, positions, (uint64_t)count * 16);
    if (result == TACT_OK && velocities) result = tact_callers_array_check(context, velocities, (uint64_t)count * 16);
    if (result != TACT_OK || count == 0) return result;
    device_rows r = {0};
    if (!make_room(env, count, &r)) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = read_rows(context, positions, count, r.rows, r.positions, r.radii);
    if (result == TACT_OK && velocities) result = read_rows(context, velocities, count, r.rows, r.velocities, r.masses);
    const tact_particle_arrays arrays = {.positions = r.positions,
                                         .velocities = velocities ? r.velocities : NULL,
                                         .radii = r.radii,
                                         .masses = velocities ? r.masses : NULL,
                                         .density = density,
                                         .material = material,
                                         .group = group};
    if (result == TACT_OK) result = tact_particles_add(p, &arrays, count, ids);
    free_rows(env, &r);
    return result;
}

tact_result tact_particles_read_device(tact_particles* p, const tact_device_array* positions,
                                       const tact_device_array* velocities)
{
    if (!p) return TACT_ERROR_INVALID_ARGUMENT;
    tact_context* context = p->context;
    tact_result result = tact_particles_fetch(p);
    const size_t bytes = p->count * sizeof *p->mirror.position;
    // Both, before either is written.
    if (result == TACT_OK && positions) result = tact_callers_array_check(context, positions, bytes);
    if (result == TACT_OK && velocities) result = tact_callers_array_check(context, velocities, bytes);
    if (result != TACT_OK || p->count == 0) return result;
    if (positions) result = tact_callers_array_write(context, positions, p->mirror.position, bytes);
    if (result != TACT_OK || !velocities) return result;
    float(*rows)[4] = tact_allocate(&context->env, p->count, sizeof *rows);
    if (!rows) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < p->count; ++i) {
        memcpy(rows[i], p->mirror.velocity[i], sizeof *rows);
        rows[i][3] = rows[i][3] > 0.0f ? 1.0f / rows[i][3] : INFINITY;
    }
    result = tact_callers_array_write(context, velocities, rows, bytes);
    tact_release(&context->env, rows);
    return result;
}

tact_result tact_particles_device_buffers(tact_particles* p, tact_particle_buffers* buffers)
{
    if (!p || !buffers) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    const tact_backend backend = p->engine_fresh ? p->home : p->desc.backend;
    const int device = tact_context_find(p->context, backend);
    if ((backend != TACT_BACKEND_GL && backend != TACT_BACKEND_CL) || device < 0) {
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "the particles do not live on a device");
    }
    tact_particle_engine* e = NULL;
    const tact_result result = tact_particles_engine(p, backend, (uint32_t)device, &e);
    if (result != TACT_OK) return result;
    if (!e->type->buffers) return tact_fail(env, TACT_ERROR_UNSUPPORTED, "the backend has no buffers");
    return e->type->buffers(e, buffers);
}
