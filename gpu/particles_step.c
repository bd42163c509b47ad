// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Substeps of a particle system on a device, each a handful of launches. With SPRING: sort, sum the forces of partners,
// finish. With POSITION: sort, predict, as many iterations as asked for of summing shifts and applying them, settle.

#include "gpu/particles_internal.h"

enum {
    WALK_GROUP = 64,
    GROUP = 128,
    // Candidates of a launch on llvmpipe, which adds up the iterations of up to 16 neighbouring items. The rows of a
    // walk take 13,000 at most: see kernels/particle_walk.h.
    WINDOW = 3000,
    PART_STATIC = 1,
    PART_MOVE = 2,
    PART_WAY = 4,
    PART_NO_SUMS = 8
};

_Static_assert(16 * WINDOW + 13000 < 65535, "llvmpipe would cut walks short");

/// A walk over partners, in as many launches as the longest walk asks for. `args` end with the count, the first
/// candidate and the window, of which the latter two are set here, and `checked` if the kernel takes it.
static tact_result walk(tact_gpu_particles* e, tact_kernel_id kernel, tact_arg* args, size_t count, size_t first_at)
{
    const uint32_t groups = tact_gpu_particle_groups(e->count, WALK_GROUP);
    const bool limited = e->software && e->base.type->backend == TACT_BACKEND_GL;
    args[first_at] = tact_arg_uint(0);
    args[first_at + 1] = tact_arg_uint(limited ? WINDOW : UINT32_MAX);
    if (!limited) return tact_device_launch(e->device, kernel, groups, args, count);
    uint32_t longest = 0;
    tact_result result = tact_buffer_fill(e->counters, (size_t)TACT_COUNTER_WALK * 4, 4, 0);
    if (result == TACT_OK) result = tact_device_launch(e->device, kernel, groups, args, count);
    if (result == TACT_OK)
        result = tact_buffer_read(e->counters, (size_t)TACT_COUNTER_WALK * 4, &longest, sizeof longest);
    for (uint64_t first = WINDOW; first < longest && result == TACT_OK; first += WINDOW) {
        args[first_at] = tact_arg_uint((uint32_t)first);
        result = tact_device_launch(e->device, kernel, groups, args, count);
    }
    return result;
}

static tact_result finish(tact_gpu_particles* e, tact_buffer* sums, uint32_t parts)
{
    const tact_arg args[] = {
        tact_arg_buffer(e->set.position), tact_arg_buffer(e->set.velocity),  tact_arg_buffer(e->set.tag),
        tact_arg_buffer(e->model),        tact_arg_buffer(e->forces),        tact_arg_buffer(sums),
        tact_arg_buffer(e->counters),     tact_arg_uint((uint32_t)e->count), tact_arg_uint(parts),
    };
    return tact_device_launch(e->device, TACT_KERNEL_particles_finish, tact_gpu_particle_groups(e->count, GROUP), args,
                              sizeof args / sizeof args[0]);
}

static tact_result spring_substep(tact_gpu_particles* e, uint32_t way)
{
    tact_buffer* sums = e->other.position;
    tact_arg args[] = {
        tact_arg_buffer(e->set.position),
        tact_arg_buffer(e->set.velocity),
        tact_arg_buffer(e->set.tag),
        tact_arg_buffer(e->starts),
        tact_arg_buffer(e->model),
        tact_arg_buffer(sums),
        tact_arg_buffer(e->counters),
        tact_arg_uint((uint32_t)e->count),
        tact_arg_uint(0),
        tact_arg_uint(0),
        tact_arg_uint(e->checked),
    };
    tact_result result = walk(e, TACT_KERNEL_particles_spring, args, sizeof args / sizeof args[0], 8);
    // Meshes and height fields: their forces go to `sums` here, between the two parts of the finish.
    if (result == TACT_OK) result = finish(e, sums, PART_STATIC | PART_MOVE | way);
    return result;
}

static tact_result predict(tact_gpu_particles* e, uint32_t way)
{
    const tact_arg args[] = {
        tact_arg_buffer(e->set.position), tact_arg_buffer(e->set.velocity),  tact_arg_buffer(e->set.tag),
        tact_arg_buffer(e->model),        tact_arg_buffer(e->forces),        tact_arg_buffer(e->other.position),
        tact_arg_buffer(e->counters),     tact_arg_uint((uint32_t)e->count), tact_arg_uint(way),
    };
    return tact_device_launch(e->device, TACT_KERNEL_particles_predict, tact_gpu_particle_groups(e->count, GROUP), args,
                              sizeof args / sizeof args[0]);
}

static tact_result settle(tact_gpu_particles* e, tact_buffer* moved, uint32_t way)
{
    const tact_arg args[] = {
        tact_arg_buffer(e->set.position),
        tact_arg_buffer(e->set.velocity),
        tact_arg_buffer(e->set.tag),
        tact_arg_buffer(e->model),
        tact_arg_buffer(moved),
        tact_arg_buffer(e->counters),
        tact_arg_uint((uint32_t)e->count),
        tact_arg_uint(way),
    };
    return tact_device_launch(e->device, TACT_KERNEL_particles_settle, tact_gpu_particle_groups(e->count, GROUP), args,
                              sizeof args / sizeof args[0]);
}

/// Moves particles from where `from` has them to where `to` then does.
static tact_result iterate(tact_gpu_particles* e, tact_buffer* from, tact_buffer* to)
{
    tact_arg args[] = {
        tact_arg_buffer(e->set.position),
        tact_arg_buffer(from),
        tact_arg_buffer(e->set.velocity),
        tact_arg_buffer(e->set.tag),
        tact_arg_buffer(e->starts),
        tact_arg_buffer(e->model),
        tact_arg_buffer(to),
        tact_arg_buffer(e->counters),
        tact_arg_uint((uint32_t)e->count),
        tact_arg_uint(0),
        tact_arg_uint(0),
    };
    const tact_arg shift_args[] = {
        tact_arg_buffer(e->set.position),  tact_arg_buffer(from),
        tact_arg_buffer(e->set.velocity),  tact_arg_buffer(e->set.tag),
        tact_arg_buffer(e->model),         tact_arg_buffer(to),
        tact_arg_uint((uint32_t)e->count), tact_arg_uint(PART_STATIC | PART_MOVE),
    };
    tact_result result = walk(e, TACT_KERNEL_particles_project, args, sizeof args / sizeof args[0], 9);
    // Meshes and height fields: their shifts go to `to` here, between the two parts of the shift.
    if (result == TACT_OK) {
        result = tact_device_launch(e->device, TACT_KERNEL_particles_shift, tact_gpu_particle_groups(e->count, GROUP),
                                    shift_args, sizeof shift_args / sizeof shift_args[0]);
    }
    return result;
}

static tact_result position_substep(tact_gpu_particles* e, uint32_t iterations, uint32_t way)
{
    tact_buffer* sides[2] = {e->other.position, e->other.velocity};
    tact_result result = predict(e, way);
    for (uint32_t k = 0; k < iterations && result == TACT_OK; ++k)
        result = iterate(e, sides[k % 2], sides[(k + 1) % 2]);
    if (result == TACT_OK) result = settle(e, sides[iterations % 2], way);
    return result;
}

static tact_result substep(tact_gpu_particles* e, const tact_particle_model* model)
{
    const uint32_t way = model->solid_count > 0 && model->response != TACT_RESPONSE_NONE ? PART_WAY : 0;
    if (model->response == TACT_RESPONSE_NONE) return finish(e, e->other.position, PART_MOVE | PART_NO_SUMS);
    tact_result result = tact_gpu_particles_look(e);
    if (result == TACT_OK) result = tact_gpu_particles_update(e, model);
    if (result == TACT_OK) result = tact_gpu_particles_sort(e);
    if (result != TACT_OK) return result;
    ++e->since_looked;
    if (model->response == TACT_RESPONSE_POSITION) return position_substep(e, model->iterations, way);
    return spring_substep(e, way);
}

tact_result tact_gpu_particles_step(tact_particle_engine* engine, const tact_particle_model* model, uint32_t substeps,
                                    tact_particle_counters* counters)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    if (model->body_count > 0) {
        return tact_fail(engine->env, TACT_ERROR_UNSUPPORTED, "meshes and height fields do not run on devices yet");
    }
    e->sink = counters;
    if (e->count == 0) return TACT_OK;
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = tact_gpu_particles_update(e, model);
    for (uint32_t k = 0; k < substeps && result == TACT_OK; ++k)
        result = substep(e, model);
    tact_device_leave(e->device);
    return result;
}
