// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The engine of particle systems on a device: its state to the host and back, and its functions for all.

#include "gpu/particles/particles.h"

#include <string.h>

#include "gpu/particles/internal.h"

static tact_result make_scratch(tact_gpu_particles* e)
{
    if (!e->scan) tact_scan_create(e->device, 0, &e->scan);
    if (!e->reduce) tact_reduce_create(e->device, 0, &e->reduce);
    tact_gpu_particles_need(e, &e->counters, (uint64_t)TACT_COUNTER_WORDS * 4, "counters");
    tact_buffer_fill(e->counters, 0, (size_t)TACT_COUNTER_WORDS * 4, 0);
    return tact_buffer_fill(e->counters, (size_t)TACT_COUNTER_GO * 4, 4, 1);
}

static tact_result upload(tact_gpu_particles* e, const tact_particle_state* state)
{
    const size_t n = state->count;
    tact_gpu_particles_room_anew(e, n);
    make_scratch(e);
    if (n > 0) tact_buffer_write(e->set.position, 0, state->position, n * 16);
    if (n > 0) tact_buffer_write(e->set.velocity, 0, state->velocity, n * 16);
    if (n > 0) tact_buffer_write(e->set.tag, 0, state->tag, n * 8);
    if (tact_device_result(e->device) != TACT_OK) return tact_device_result(e->device);
    memset(e->radius_bins, 0, sizeof e->radius_bins);
    e->count = 0;
    tact_gpu_particles_note_extent(e, state);
    e->count = n;
    e->ranked_rows.numbered = false;
    tact_gpu_particles_forget(e);
    return e->turning ? e->turning->upload(e, state) : TACT_OK;
}

static tact_result gpu_load(tact_particle_engine* engine, const tact_particle_state* state, int threads)
{
    (void)threads;
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = upload(e, state);
    tact_device_leave(e->device);
    return result;
}

/// The order of ids: rank[k] becomes the slot of the k-th smallest. Least significant byte first.
static void order_ids(const uint32_t (*tag)[2], size_t count, uint32_t* rank, uint32_t* scratch)
{
    for (size_t i = 0; i < count; ++i)
        rank[i] = (uint32_t)i;
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < count; ++i)
            ++starts[(tag[rank[i]][0] >> shift & 255u) + 1];
        for (size_t digit = 0; digit < 256; ++digit)
            starts[digit + 1] += starts[digit];
        for (size_t i = 0; i < count; ++i)
            scratch[starts[tag[rank[i]][0] >> shift & 255u]++] = rank[i];
        uint32_t* swapped = rank;
        rank = scratch;
        scratch = swapped;
    }
}

static tact_result read_set(tact_gpu_particles* e, tact_particle_state* staging)
{
    const size_t n = e->count;
    if (n == 0) return TACT_OK;
    tact_buffer_read(e->set.position, 0, staging->position, n * 16);
    tact_buffer_read(e->set.velocity, 0, staging->velocity, n * 16);
    return tact_buffer_read(e->set.tag, 0, staging->tag, n * 8);
}

/// `ranks`: slots in order of id.
static void place_sorted(const tact_particle_state* staging, size_t n, const uint32_t* ranks,
                         tact_particle_state* state)
{
    for (size_t i = 0; i < n; ++i) {
        const size_t slot = ranks[i];
        memcpy(state->position[i], staging->position[slot], sizeof state->position[i]);
        memcpy(state->velocity[i], staging->velocity[slot], sizeof state->velocity[i]);
        memcpy(state->tag[i], staging->tag[slot], sizeof state->tag[i]);
        if (!state->turns) continue;
        memcpy(state->spin[i], staging->spin[slot], sizeof state->spin[i]);
        memcpy(state->turn[i], staging->turn[slot], sizeof state->turn[i]);
    }
    state->count = n;
}

static tact_result gpu_store(tact_particle_engine* engine, tact_particle_state* state)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    tact_env* env = engine->env;
    tact_particle_state staging = {.turns = e->grains != NULL};
    uint32_t* ranks = tact_allocate(env, 2 * e->count + 1, sizeof *ranks);
    tact_result result = TACT_OK;
    if (!ranks || !tact_particle_state_reserve(env, &staging, e->count)) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = tact_device_enter(e->device);
    if (result == TACT_OK) {
        read_set(e, &staging);
        order_ids((const uint32_t(*)[2])staging.tag, e->count, ranks, ranks + e->count);
        if (e->turning) e->turning->read(e, &staging, ranks);
        if (e->counters) tact_gpu_particles_collect(e, NULL, NULL);
        result = tact_device_result(e->device);
        tact_device_leave(e->device);
    }
    if (result == TACT_OK && e->grains &&
        (!tact_particle_state_reserve_records(env, state, staging.record_count + 1) ||
         !tact_particle_state_reserve_clumps(env, state, staging.clump_count))) {
        result = TACT_ERROR_OUT_OF_MEMORY;
    }
    // Only now: when the device fails, what `state` has is all that is left.
    if (result == TACT_OK) place_sorted(&staging, e->count, ranks, state);
    if (result == TACT_OK && e->grains) {
        if (staging.record_count > 0)
            memcpy(state->records, staging.records, staging.record_count * sizeof *state->records);
        state->record_count = staging.record_count;
        tact_particle_state_copy_clumps(state, &staging);
    }
    tact_particle_state_free(env, &staging);
    tact_release(env, ranks);
    return result;
}

static tact_result gpu_wait(tact_particle_engine* engine)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = tact_device_finish(e->device);
    tact_device_leave(e->device);
    return result;
}

static tact_device_array name_buffer(const tact_gpu_particles* e, const tact_buffer* buffer)
{
    tact_device_array array = {.backend = e->base.type->backend};
    tact_buffer_handle(buffer, &array.gl_buffer, &array.cl_mem);
    return array;
}

/// The sorted state. Whoever asks has left the device, so that all commands before have been handed over.
static tact_result gpu_buffers(tact_particle_engine* engine, tact_particle_buffers* buffers)
{
    const tact_gpu_particles* e = (const tact_gpu_particles*)engine;
    if (!tact_device_describe(e->device)->adopted) {
        return tact_fail(engine->env, TACT_ERROR_UNSUPPORTED, "the device's context is not the caller's");
    }
    buffers->positions = name_buffer(e, e->set.position);
    buffers->velocities = name_buffer(e, e->set.velocity);
    buffers->tags = name_buffer(e, e->set.tag);
    buffers->count = e->count;
    return TACT_OK;
}

static uint64_t gpu_bytes(const tact_particle_engine* engine)
{
    const tact_gpu_particles* e = (const tact_gpu_particles*)engine;
    const tact_buffer* all[] = {e->set.position, e->set.velocity, e->set.tag,  e->other.position, e->other.velocity,
                                e->other.tag,    e->keys,         e->order,    e->ranked,         e->starts,
                                e->model,        e->forces,       e->counters, e->sinks};
    uint64_t sum = tact_buffer_sizes(all, sizeof all / sizeof all[0]);
    sum += tact_buffer_size(e->bodies.buffer) + tact_gpu_program_bytes(&e->program);
    if (e->scan) sum += TACT_SCAN_SCRATCH_BYTES;
    if (e->reduce) sum += TACT_REDUCE_SCRATCH_BYTES;
    if (e->radix) sum += tact_radix_sort_scratch_bytes((uint32_t)e->count, 1, true);
    sum += tact_gpu_rows_bytes(e);
    return sum + tact_gpu_particle_lists_bytes(e) + (e->turning ? e->turning->bytes(e) : 0);
}

static void gpu_destroy(tact_particle_engine* engine)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(e->device) == TACT_OK;
    tact_gpu_particles_forget(e);
    tact_gpu_particles_drop_sets(e);
    tact_buffer_drop(&e->starts);
    tact_buffer_drop(&e->model);
    tact_buffer_drop(&e->forces);
    tact_buffer_drop(&e->counters);
    tact_buffer_drop(&e->sinks);
    tact_gpu_bodies_free(&e->bodies, engine->env);
    tact_gpu_program_free(&e->program);
    tact_gpu_rows_free(e);
    tact_scan_destroy(e->scan);
    tact_reduce_destroy(e->reduce);
    tact_radix_sort_destroy(e->radix);
    tact_gpu_particle_lists_destroy(e);
    if (e->turning) e->turning->destroy(e);
    if (entered) tact_device_leave(e->device);
    tact_release(engine->env, e->rows);
    tact_release(engine->env, e);
}

#define CLASS(which)                                                                                               \
    {                                                                                                              \
        .backend = which, .destroy = gpu_destroy, .load = gpu_load, .store = gpu_store,                            \
        .step = tact_gpu_particles_step, .contacts = tact_gpu_particles_contacts,                                  \
        .neighbours = tact_gpu_particles_neighbours, .bytes = gpu_bytes, .wait = gpu_wait, .buffers = gpu_buffers, \
        .examine = tact_gpu_particles_examine, .adopt = tact_gpu_particles_adopt, .give = tact_gpu_particles_give, \
        .take_forces = tact_gpu_particles_take_forces, .give_forces = tact_gpu_particles_give_forces,              \
        .append = tact_gpu_particles_append, .drain = tact_gpu_particles_drain,                                    \
        .read_rows = tact_gpu_particles_read_rows, .write_rows = tact_gpu_particles_write_rows,                    \
        .fastest = tact_gpu_particles_fastest,                                                                     \
    }
static const tact_particle_engine_class gl_class = CLASS(TACT_BACKEND_GL);
static const tact_particle_engine_class cl_class = CLASS(TACT_BACKEND_CL);

tact_result tact_particle_gpu_create(tact_device* device, tact_backend backend, tact_particle_engine** engine)
{
    tact_env* env = tact_device_env(device);
    tact_gpu_particles* e = tact_allocate_zeroed(env, 1, sizeof *e);
    if (!e) return TACT_ERROR_OUT_OF_MEMORY;
    e->base = (tact_particle_engine){backend == TACT_BACKEND_GL ? &gl_class : &cl_class, env};
    e->device = device;
    e->software = tact_device_describe(device)->software;
    *engine = &e->base;
    return TACT_OK;
}
