// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Substeps of a particle system on a device, each a handful of launches. With SPRING: sort, sum the forces of partners,
// finish. With POSITION: predict, sort, as many iterations as asked for of summing shifts and applying them, settle.

#include <string.h>

#include "gpu/particles/internal.h"

enum {
    WALK_GROUP = 64,
    BODIES_GROUP = 64,
    GROUP = 128,
    // Candidates of a launch on llvmpipe, which adds up the iterations of up to 16 neighbouring items. The rows of a
    // walk take 13,000 at most: see kernels/particle_walk.h.
    WINDOW = 3000,
    PART_STATIC = 1,
    PART_MOVE = 2,
    PART_WAY = 4,
    PART_NO_SUMS = 8,
    PART_DRY = 16,
    PART_BODIES = 32,  // for the host: what kernels are launched
    WAY_ARGS = 10
};

_Static_assert(16 * WINDOW + 13000 < 65535, "llvmpipe would cut walks short");

/// A walk over partners, in as many launches as the longest walk asks for. args[first_at] and the next are the first
/// candidate and the window, which are set here; word `progress_at` of `progress` is where the kernel notes the
/// longest.
static tact_result walk(tact_gpu_particles* e, tact_kernel_id kernel, tact_arg* args, size_t count, size_t first_at,
                        tact_buffer* progress, size_t progress_at)
{
    const uint32_t groups = tact_gpu_particle_groups(e->count, WALK_GROUP);
    const bool limited = e->software && e->base.type->backend == TACT_BACKEND_GL;
    args[first_at] = tact_arg_uint(0);
    args[first_at + 1] = tact_arg_uint(limited ? WINDOW : UINT32_MAX);
    if (!limited) return tact_device_launch(e->device, kernel, groups, args, count);
    uint32_t longest = 0;
    tact_result result = tact_buffer_fill(progress, progress_at * 4, 4, 0);
    if (result == TACT_OK) result = tact_device_launch(e->device, kernel, groups, args, count);
    if (result == TACT_OK) result = tact_buffer_read(progress, progress_at * 4, &longest, sizeof longest);
    for (uint64_t first = WINDOW; first < longest && result == TACT_OK; first += WINDOW) {
        args[first_at] = tact_arg_uint((uint32_t)first);
        result = tact_device_launch(e->device, kernel, groups, args, count);
    }
    return result;
}

/// Whether this is to look at bodies: on the way, or where particles are.
static bool meets_bodies(uint32_t parts)
{
    return (parts & PART_BODIES) != 0;
}

/// Launches one of the two kernels that particle_way_kernel.h makes of one: buffers, with bodies theirs, count, parts.
static tact_result launch_way(tact_gpu_particles* e, tact_kernel_id kernel, const tact_arg* buffers,
                              size_t buffer_count, uint32_t parts)
{
    tact_arg args[WAY_ARGS];
    memcpy(args, buffers, buffer_count * sizeof *buffers);
    if (meets_bodies(parts)) args[buffer_count++] = tact_arg_buffer(e->bodies.buffer);
    args[buffer_count++] = tact_arg_uint((uint32_t)e->count);
    args[buffer_count++] = tact_arg_uint(parts);
    return tact_device_launch(e->device, kernel, tact_gpu_particle_groups(e->count, GROUP), args, buffer_count);
}

static tact_result finish(tact_gpu_particles* e, tact_buffer* sums, uint32_t parts)
{
    const tact_arg buffers[] = {
        tact_arg_buffer(e->set.position), tact_arg_buffer(e->set.velocity), tact_arg_buffer(e->set.tag),
        tact_arg_buffer(e->model),        tact_arg_buffer(e->forces),       tact_arg_buffer(sums),
        tact_arg_buffer(e->counters),
    };
    return launch_way(e, meets_bodies(parts) ? TACT_KERNEL_particles_finish_bodies : TACT_KERNEL_particles_finish,
                      buffers, sizeof buffers / sizeof buffers[0], parts);
}

/// Adds what bodies do to particles at `at` to `sums`: forces, or shifts.
static tact_result add_bodies(tact_gpu_particles* e, tact_buffer* at, tact_buffer* sums, bool shifts)
{
    const tact_arg args[] = {
        tact_arg_buffer(e->set.position),
        tact_arg_buffer(at),
        tact_arg_buffer(e->set.velocity),
        tact_arg_buffer(e->set.tag),
        tact_arg_buffer(e->model),
        tact_arg_buffer(e->bodies.buffer),
        tact_arg_buffer(sums),
        tact_arg_buffer(e->counters),
        tact_arg_uint((uint32_t)e->count),
        tact_arg_uint(shifts),
    };
    return tact_device_launch(e->device, TACT_KERNEL_particles_bodies, tact_gpu_particle_groups(e->count, BODIES_GROUP),
                              args, sizeof args / sizeof args[0]);
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
    tact_result result =
        walk(e, TACT_KERNEL_particles_spring, args, sizeof args / sizeof args[0], 8, e->counters, TACT_COUNTER_WALK);
    if (result != TACT_OK || !meets_bodies(way)) {
        return result == TACT_OK ? finish(e, sums, PART_STATIC | PART_MOVE | way) : result;
    }
    result = finish(e, sums, PART_STATIC);
    if (result == TACT_OK) result = add_bodies(e, e->set.position, sums, false);
    if (result == TACT_OK) result = finish(e, sums, PART_MOVE | way);
    return result;
}

static tact_result predict(tact_gpu_particles* e, uint32_t parts)
{
    const tact_arg buffers[] = {
        tact_arg_buffer(e->set.position), tact_arg_buffer(e->set.velocity), tact_arg_buffer(e->set.tag),
        tact_arg_buffer(e->model),        tact_arg_buffer(e->forces),       tact_arg_buffer(e->other.position),
        tact_arg_buffer(e->counters),     tact_arg_buffer(e->other.tag),
    };
    const size_t count = sizeof buffers / sizeof buffers[0];
    if (!meets_bodies(parts)) return launch_way(e, TACT_KERNEL_particles_predict, buffers, count, parts);
    // The last of a kernel's eight buffers is then that of the bodies.
    tact_result result = launch_way(e, TACT_KERNEL_particles_predict_bodies, buffers, count - 1, parts);
    if (result != TACT_OK || (parts & PART_DRY)) return result;
    const tact_arg args[] = {
        tact_arg_buffer(e->other.position),
        tact_arg_buffer(e->model),
        tact_arg_buffer(e->other.tag),
        tact_arg_uint((uint32_t)e->count),
    };
    return tact_device_launch(e->device, TACT_KERNEL_particles_places, tact_gpu_particle_groups(e->count, GROUP), args,
                              sizeof args / sizeof args[0]);
}

static tact_result settle(tact_gpu_particles* e, tact_buffer* moved, uint32_t way)
{
    const tact_arg buffers[] = {
        tact_arg_buffer(e->set.position), tact_arg_buffer(e->set.velocity), tact_arg_buffer(e->set.tag),
        tact_arg_buffer(e->model),        tact_arg_buffer(moved),           tact_arg_buffer(e->counters),
    };
    return launch_way(e, meets_bodies(way) ? TACT_KERNEL_particles_settle_bodies : TACT_KERNEL_particles_settle,
                      buffers, sizeof buffers / sizeof buffers[0], way);
}

/// Shifts of walls and colliders on top of those in `to`, or moves by what is there, or both.
static tact_result shift(tact_gpu_particles* e, tact_buffer* from, tact_buffer* to, uint32_t parts)
{
    const tact_arg args[] = {
        tact_arg_buffer(e->set.position),  tact_arg_buffer(from),     tact_arg_buffer(e->set.velocity),
        tact_arg_buffer(e->set.tag),       tact_arg_buffer(e->model), tact_arg_buffer(to),
        tact_arg_uint((uint32_t)e->count), tact_arg_uint(parts),
    };
    return tact_device_launch(e->device, TACT_KERNEL_particles_shift, tact_gpu_particle_groups(e->count, GROUP), args,
                              sizeof args / sizeof args[0]);
}

/// Moves particles from where `from` has them to where `to` then does.
static tact_result iterate(tact_gpu_particles* e, tact_buffer* from, tact_buffer* to, uint32_t way)
{
    tact_arg args[] = {
        tact_arg_buffer(e->set.position),
        tact_arg_buffer(from),
        tact_arg_buffer(e->set.velocity),
        tact_arg_buffer(e->set.tag),
        tact_arg_buffer(e->starts),
        tact_arg_buffer(e->model),
        tact_arg_buffer(to),
        tact_arg_buffer(e->other.tag),
        tact_arg_uint((uint32_t)e->count),
        tact_arg_uint(0),
        tact_arg_uint(0),
        tact_arg_uint(e->cells + 1),
    };
    tact_result result =
        walk(e, TACT_KERNEL_particles_project, args, sizeof args / sizeof args[0], 9, e->starts, e->cells + 1);
    if (result != TACT_OK || !meets_bodies(way)) {
        return result == TACT_OK ? shift(e, from, to, PART_STATIC | PART_MOVE) : result;
    }
    result = shift(e, from, to, PART_STATIC);
    if (result == TACT_OK) result = add_bodies(e, from, to, true);
    if (result == TACT_OK) result = shift(e, from, to, PART_MOVE);
    return result;
}

/// Cells are those that particles are predicted to come to, and the sort needs the scratch set: so the prediction is
/// made once for the sort and once more in the new order, which is cheaper than to carry it along.
static tact_result position_substep(tact_gpu_particles* e, uint32_t iterations, uint32_t way)
{
    tact_result result = predict(e, way | PART_DRY);
    if (result == TACT_OK) result = tact_gpu_particles_sort(e, e->other.position);
    if (result == TACT_OK) result = predict(e, way);
    tact_buffer* sides[2] = {e->other.position, e->other.velocity};
    for (uint32_t k = 0; k < iterations && result == TACT_OK; ++k)
        result = iterate(e, sides[k % 2], sides[(k + 1) % 2], way);
    if (result == TACT_OK) result = settle(e, sides[iterations % 2], way);
    return result;
}

static tact_result substep(tact_gpu_particles* e, const tact_particle_model* model)
{
    uint32_t way = 0;
    if (model->body_count > 0)
        way = PART_WAY | PART_BODIES;
    else if (model->solid_count > 0)
        way = PART_WAY;
    if (model->response == TACT_RESPONSE_NONE) return finish(e, e->other.position, PART_MOVE | PART_NO_SUMS);
    tact_result result = tact_gpu_particles_look(e);
    if (result == TACT_OK) result = tact_gpu_particles_update(e, model);
    if (result != TACT_OK) return result;
    if (model->response == TACT_RESPONSE_POSITION) {
        result = position_substep(e, model->iterations, way);
    } else {
        result = tact_gpu_particles_sort(e, e->set.position);
        if (result == TACT_OK) result = spring_substep(e, way);
    }
    ++e->since_looked;
    return result;
}

/// Whether a search among the triangles of bodies came across the limit that llvmpipe sets: see particle_bodies.h.
static tact_result check_searches(tact_gpu_particles* e, const tact_particle_model* model)
{
    uint32_t cut_short = 0;
    const bool limited = e->software && e->base.type->backend == TACT_BACKEND_GL;
    if (!limited || model->body_count == 0) return TACT_OK;
    const tact_result result =
        tact_buffer_read(e->counters, (size_t)TACT_COUNTER_SEARCH * 4, &cut_short, sizeof cut_short);
    if (result != TACT_OK || cut_short == 0) return result;
    return tact_fail(e->base.env, TACT_ERROR_LIMIT,
                     "more triangles about a particle than the driver's loops go round for");
}

tact_result tact_gpu_particles_step(tact_particle_engine* engine, const tact_particle_model* model, uint32_t substeps,
                                    tact_particle_counters* counters)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    e->tally = counters;
    if (e->count == 0) return TACT_OK;
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = tact_gpu_particles_update(e, model);
    if (result == TACT_OK && model->body_count > 0) result = tact_gpu_bodies_upload(&e->bodies, e->device, model);
    for (uint32_t k = 0; k < substeps && result == TACT_OK; ++k)
        result = substep(e, model);
    if (result == TACT_OK) result = check_searches(e, model);
    tact_device_leave(e->device);
    return result;
}
