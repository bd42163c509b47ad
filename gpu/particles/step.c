// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Substeps of a particle system on a device, each a handful of launches. With SPRING: sort, sum the forces of partners,
// finish. With POSITION: predict, sort, as many iterations as asked for of summing shifts and applying them, settle.

#include "gpu/particles/internal.h"

enum {
    MOST_WINDOW = 1 << 30,
    // Launches of a walk that are given without asking how long the longest is. One with nothing to do takes a few
    // microseconds, fewer than to ask; on llvmpipe it takes more.
    UNASKED = 16,
    UNASKED_LIMITED = 2
};

uint32_t tact_gpu_walk_window(const tact_gpu_particles* e, uint32_t items)
{
    if (tact_gpu_walks_limited(e)) return TACT_WALK_WINDOW;
    const uint64_t window = (UINT64_C(1) << TACT_WALK_LOG_PAIRS) / (items + 1u);
    if (window < TACT_WALK_LEAST) return TACT_WALK_LEAST;
    return window < MOST_WINDOW ? (uint32_t)window : MOST_WINDOW;
}

tact_result tact_gpu_particles_walk_part(tact_gpu_particles* e, uint32_t items, const tact_gpu_walk* w, uint64_t first,
                                         uint64_t longest)
{
    const uint32_t window = tact_gpu_walk_window(e, items);
    *w->window = window;
    do {
        *w->first = (uint32_t)first;
        tact_device_launch_items(e->device, w->kernel, items, w->args, w->size);
        first += window;
    } while (first < longest);
    return tact_device_result(e->device);
}

/// No walk is longer.
static uint64_t longest_walk(const tact_gpu_particles* e)
{
    return (uint64_t)e->count * e->visits;
}

bool tact_gpu_particles_walk_begin(tact_gpu_particles* e, uint32_t items, const tact_gpu_walk* w)
{
    const bool longer = longest_walk(e) > tact_gpu_walk_window(e, items);
    if (longer) tact_buffer_fill(w->progress, w->progress_at * 4, 4, 0);
    tact_gpu_particles_walk_part(e, items, w, 0, 0);
    return longer;
}

tact_result tact_gpu_particles_walk(tact_gpu_particles* e, uint32_t items, const tact_gpu_walk* w)
{
    const uint32_t window = tact_gpu_walk_window(e, items);
    uint64_t longest = longest_walk(e);
    if (!tact_gpu_particles_walk_begin(e, items, w)) return tact_device_result(e->device);
    if (longest > (uint64_t)window * (tact_gpu_walks_limited(e) ? UNASKED_LIMITED : UNASKED)) {
        uint32_t found = 0;
        tact_buffer_read(w->progress, w->progress_at * 4, &found, sizeof found);
        longest = found;
    }
    return longest > window ? tact_gpu_particles_walk_part(e, items, w, window, longest)
                            : tact_device_result(e->device);
}

/// Whether this is to look at bodies: on the way, or where particles are.
static bool meets_bodies(uint32_t parts)
{
    return (parts & TACT_PART_BODIES) != 0;
}

tact_result tact_gpu_particles_finish(tact_gpu_particles* e, tact_buffer* sums, uint32_t parts, uint32_t go)
{
    const uint32_t count = (uint32_t)e->count;
    if (meets_bodies(parts)) {
        return TACT_LAUNCH_ITEMS(e->device, particles_finish_bodies, count, .position = e->set.position,
                                 .velocity = e->set.velocity, .tag = e->set.tag, .model = e->model, .forces = e->acting,
                                 .sums = sums, .counters = e->counters, .bodies = e->bodies.buffer, .count = count,
                                 .parts = parts, .go = go);
    }
    return TACT_LAUNCH_ITEMS(e->device, particles_finish, count, .position = e->set.position,
                             .velocity = e->set.velocity, .tag = e->set.tag, .model = e->model, .forces = e->acting,
                             .sums = sums, .counters = e->counters, .count = count, .parts = parts, .go = go);
}

static tact_result finish(tact_gpu_particles* e, tact_buffer* sums, uint32_t parts)
{
    return tact_gpu_particles_finish(e, sums, parts, TACT_COUNTER_GO);
}

/// Adds what bodies do to particles at `at` to `sums`: forces, or shifts.
static tact_result add_bodies(tact_gpu_particles* e, tact_buffer* at, tact_buffer* sums, bool shifts)
{
    return TACT_LAUNCH_ITEMS(e->device, particles_bodies, e->count, .from = e->set.position, .at = at,
                             .velocity = e->set.velocity, .tag = e->set.tag, .model = e->model,
                             .bodies = e->bodies.buffer, .sums = sums, .counters = e->counters,
                             .count = (uint32_t)e->count, .shifts = shifts);
}

static tact_result spring_substep(tact_gpu_particles* e, uint32_t way)
{
    tact_buffer* sums = e->other.position;
    tact_particles_spring_args args = {
        .position = e->set.position,
        .velocity = e->set.velocity,
        .tag = e->set.tag,
        .starts = e->starts,
        .model = e->model,
        .sums = sums,
        .counters = e->counters,
        .count = (uint32_t)e->count,
        .checked = e->checked,
    };
    const tact_gpu_walk walk = {TACT_KERNEL_particles_spring,
                                &args,
                                sizeof args,
                                &args.walk_first,
                                &args.walk_window,
                                e->counters,
                                TACT_COUNTER_WALK};
    tact_gpu_particles_walk(e, args.count, &walk);
    if (!meets_bodies(way)) return finish(e, sums, TACT_PART_STATIC | TACT_PART_MOVE | way);
    finish(e, sums, TACT_PART_STATIC);
    add_bodies(e, e->set.position, sums, false);
    return finish(e, sums, TACT_PART_MOVE | way);
}

static tact_result predict(tact_gpu_particles* e, uint32_t parts)
{
    const uint32_t count = (uint32_t)e->count;
    if (!meets_bodies(parts)) {
        return TACT_LAUNCH_ITEMS(e->device, particles_predict, count, .position = e->set.position,
                                 .velocity = e->set.velocity, .tag = e->set.tag, .model = e->model, .forces = e->acting,
                                 .moved = e->other.position, .counters = e->counters, .cells = e->other.tag,
                                 .count = count, .parts = parts);
    }
    // The last of a kernel's eight buffers is then that of the bodies.
    const tact_result result = TACT_LAUNCH_ITEMS(
        e->device, particles_predict_bodies, count, .position = e->set.position, .velocity = e->set.velocity,
        .tag = e->set.tag, .model = e->model, .forces = e->acting, .moved = e->other.position, .counters = e->counters,
        .bodies = e->bodies.buffer, .count = count, .parts = parts);
    if (parts & TACT_PART_DRY) return result;
    return TACT_LAUNCH_ITEMS(e->device, particles_places, count, .moved = e->other.position, .model = e->model,
                             .cells = e->other.tag, .count = count);
}

static tact_result settle(tact_gpu_particles* e, tact_buffer* moved, uint32_t way)
{
    const uint32_t count = (uint32_t)e->count;
    if (meets_bodies(way)) {
        return TACT_LAUNCH_ITEMS(e->device, particles_settle_bodies, count, .position = e->set.position,
                                 .velocity = e->set.velocity, .tag = e->set.tag, .model = e->model, .moved = moved,
                                 .counters = e->counters, .bodies = e->bodies.buffer, .count = count, .parts = way);
    }
    return TACT_LAUNCH_ITEMS(e->device, particles_settle, count, .position = e->set.position,
                             .velocity = e->set.velocity, .tag = e->set.tag, .model = e->model, .moved = moved,
                             .counters = e->counters, .count = count, .parts = way);
}

/// Shifts of walls and colliders on top of those in `to`, or moves by what is there, or both.
static tact_result shift(tact_gpu_particles* e, tact_buffer* from, tact_buffer* to, uint32_t parts)
{
    return TACT_LAUNCH_ITEMS(e->device, particles_shift, e->count, .position = e->set.position, .moved = from,
                             .velocity = e->set.velocity, .tag = e->set.tag, .model = e->model, .sums = to,
                             .count = (uint32_t)e->count, .parts = parts);
}

/// Moves particles from where `from` has them to where `to` then does.
static tact_result iterate(tact_gpu_particles* e, tact_buffer* from, tact_buffer* to, uint32_t way)
{
    tact_particles_project_args args = {
        .position = e->set.position,
        .moved = from,
        .velocity = e->set.velocity,
        .tag = e->set.tag,
        .starts = e->starts,
        .model = e->model,
        .sums = to,
        .cells = e->other.tag,
        .count = (uint32_t)e->count,
        .progress_at = e->cells + 1,
    };
    const tact_gpu_walk walk = {TACT_KERNEL_particles_project,
                                &args,
                                sizeof args,
                                &args.walk_first,
                                &args.walk_window,
                                e->starts,
                                args.progress_at};
    tact_gpu_particles_walk(e, args.count, &walk);
    if (!meets_bodies(way)) return shift(e, from, to, TACT_PART_STATIC | TACT_PART_MOVE);
    shift(e, from, to, TACT_PART_STATIC);
    add_bodies(e, from, to, true);
    return shift(e, from, to, TACT_PART_MOVE);
}

/// Cells are those that particles are predicted to come to, and the sort needs the scratch set: so the prediction is
/// made once for the sort and once more in the new order, which is cheaper than to carry it along.
static tact_result position_substep(tact_gpu_particles* e, const tact_particle_model* model, uint32_t way, bool look)
{
    const uint32_t iterations = model->iterations;
    // While there is room for that.
    if (model->halo) tact_gpu_rows_number(e);
    predict(e, way | TACT_PART_DRY);
    tact_gpu_particles_sort(e, e->other.position, &e->crowd, look);
    predict(e, way);
    tact_buffer* sides[2] = {e->other.position, e->other.velocity};
    for (uint32_t k = 0; k < iterations; ++k) {
        iterate(e, sides[k % 2], sides[(k + 1) % 2], way);
        if (!model->halo || k + 1 == iterations || tact_device_result(e->device) != TACT_OK) continue;
        e->ranked_rows.moved = sides[(k + 1) % 2];
        const tact_result result = model->halo->exchange(model->halo);
        e->ranked_rows.moved = NULL;
        if (result != TACT_OK) return tact_device_fail(e->device, result);
    }
    if (model->halo) tact_gpu_rows_pace(e, e->set.position, sides[iterations % 2], TACT_COUNTER_WAY);
    return settle(e, sides[iterations % 2], way);
}

uint32_t tact_gpu_particles_way(const tact_particle_model* model)
{
    if (model->body_count > 0) return TACT_PART_WAY | TACT_PART_BODIES;
    return model->solid_count > 0 ? TACT_PART_WAY : 0;
}

tact_gpu_program_call tact_gpu_program_call_of(const tact_gpu_particles* e, tact_buffer* spin, uint32_t go)
{
    return (tact_gpu_program_call){.device = e->device,
                                   .position = e->set.position,
                                   .velocity = e->set.velocity,
                                   .tag = e->set.tag,
                                   .counters = e->counters,
                                   .model = e->model,
                                   .spin = spin,
                                   .given = e->forces,
                                   .count = (uint32_t)e->count,
                                   .go = go};
}

static tact_result substep(tact_gpu_particles* e, const tact_particle_model* model, uint32_t number)
{
    const uint32_t way = tact_gpu_particles_way(model);
    tact_gpu_particles_look(e);
    const bool look = tact_gpu_particles_time_to_look(e);
    ++e->since_looked;
    const tact_gpu_program_call call = tact_gpu_program_call_of(e, NULL, TACT_COUNTER_GO);
    tact_gpu_program_act(&e->program, model, number, &call);
    if (model->response == TACT_RESPONSE_NONE) return finish(e, e->other.position, TACT_PART_MOVE | TACT_PART_NO_SUMS);
    if (tact_gpu_particles_update(e, model) != TACT_OK) return tact_device_result(e->device);
    if (model->response == TACT_RESPONSE_POSITION) {
        position_substep(e, model, way, look);
    } else {
        tact_gpu_particles_sort(e, e->set.position, &e->crowd, look);
        spring_substep(e, way);
    }
    return tact_device_result(e->device);
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
    return TACT_DEVICE_FAIL(e->device, TACT_ERROR_LIMIT,
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
    if (!e->grains) tact_gpu_particles_update(e, model);
    if (model->body_count > 0) tact_gpu_bodies_upload(&e->bodies, e->device, model);
    if (e->turning) e->turning->step(e, model, substeps);
    for (uint32_t k = 0; k < substeps && !e->grains && tact_device_result(e->device) == TACT_OK; ++k)
        substep(e, model, k);
    check_searches(e, model);
    result = tact_device_result(e->device);
    tact_device_leave(e->device);
    return result;
}
