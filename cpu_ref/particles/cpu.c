// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The CPU's engine: its memory, and how a substep goes. What the definition says is in reference.c.

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "cpu_ref/particles/cpu_engine.h"

enum { GRAIN = 4096 };

/// A pass over all particles.
typedef struct pass {
    tact_particle_cpu* engine;
    const tact_particle_model* model;
    const tact_particle_walk* walk;
    const tact_particle_lanes* lanes;
    tact_cpu_tally* tallies;
} pass;

static void finish_range(size_t begin, size_t end, int worker, void* user)
{
    const pass* s = user;
    tact_particle_cpu* e = s->engine;
    tact_particle_counters* counters = &s->tallies[worker].counters;
    if (s->model->response != TACT_RESPONSE_SPRING) memset(e->sums + begin, 0, (end - begin) * sizeof *e->sums);
    s->lanes->finish(s->walk, begin, end, counters);
}

static void over_all(const pass* s, tact_parallel_fn* range)
{
    const size_t count = s->engine->count;
    const int threads = s->model->threads;
    tact_parallel_for(threads, count, tact_cpu_grain(count, threads, GRAIN), range, (void*)(uintptr_t)s);
}

static tact_result force_substep(pass* s, tact_particle_walk* walk)
{
    tact_particle_cpu* e = s->engine;
    tact_result result = TACT_OK;
    if (s->model->response == TACT_RESPONSE_SPRING) {
        result = tact_cpu_sort(e, s->model);
        if (result == TACT_OK) result = tact_cpu_cut(e, s->model);
        walk->motion = (const float(*)[4])e->now.velocity;
        if (result == TACT_OK) result = tact_cpu_walk(e, walk);
    } else {
        result = tact_cpu_walk_begin(e, walk);
    }
    if (result == TACT_OK) over_all(s, finish_range);
    return result;
}

static tact_result cpu_step(tact_particle_engine* engine, const tact_particle_model* model, uint32_t substeps,
                            tact_particle_counters* counters)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    const size_t threads = model->threads > 1 ? (size_t)model->threads : 1;
    if (e->count == 0) return TACT_OK;
    if (!tact_reserve(engine->env, &e->tallies, &e->tally_capacity, 0, threads, sizeof(tact_cpu_tally)))
        return TACT_ERROR_OUT_OF_MEMORY;
    memset(e->tallies, 0, threads * sizeof(tact_cpu_tally));
    tact_particle_walk walk = {.model = model};
    pass s = {e, model, &walk, tact_particle_lanes_best(), e->tallies};
    tact_result result = tact_cpu_clear_begin(e, model);
    for (uint32_t k = 0; k < substeps && result == TACT_OK; ++k) {
        const bool position = model->response == TACT_RESPONSE_POSITION;
        result = position ? tact_cpu_position_substep(e, &walk) : force_substep(&s, &walk);
    }
    for (size_t k = 0; k < threads; ++k) {
        counters->slowed += s.tallies[k].counters.slowed;
        counters->stopped += s.tallies[k].counters.stopped;
    }
    return result;
}

static void free_slots(tact_env* env, tact_particle_slots* s)
{
    tact_release(env, s->x);
    tact_release(env, s->y);
    tact_release(env, s->z);
    tact_release(env, s->radius);
    tact_release(env, s->velocity);
    tact_release(env, s->from);
    tact_release(env, s->clear);
    tact_release(env, s->tag);
    *s = (tact_particle_slots){0};
}

static bool make_slots(tact_env* env, tact_particle_slots* s, size_t room)
{
    s->x = tact_allocate_zeroed(env, room, sizeof *s->x);
    s->y = tact_allocate_zeroed(env, room, sizeof *s->y);
    s->z = tact_allocate_zeroed(env, room, sizeof *s->z);
    s->radius = tact_allocate_zeroed(env, room, sizeof *s->radius);
    s->velocity = tact_allocate_zeroed(env, room, sizeof *s->velocity);
    s->from = tact_allocate_zeroed(env, room, sizeof *s->from);
    s->tag = tact_allocate_zeroed(env, room, sizeof *s->tag);
    return s->x && s->y && s->z && s->radius && s->velocity && s->from && s->tag;
}

static void free_particles(tact_particle_cpu* e)
{
    tact_env* env = e->base.env;
    free_slots(env, &e->now);
    free_slots(env, &e->next);
    tact_release(env, e->ids);
    tact_release(env, e->motion);
    tact_release(env, e->places);
    tact_release(env, e->keys);
    tact_release(env, e->parts);
    tact_release(env, e->list);
    e->list = NULL;
    e->list_capacity = 0;
    e->ids = NULL;
    e->motion = NULL;
    e->places = NULL;
    e->keys = NULL;
    e->parts = NULL;
    e->count = e->capacity = 0;
}

static bool make_room(tact_particle_cpu* e, size_t count)
{
    tact_env* env = e->base.env;
    if (count <= e->capacity && e->ids) return true;
    free_particles(e);
    const size_t capacity = count + count / 8;
    const size_t room = capacity + TACT_SLOT_PAD;
    e->ids = tact_allocate(env, room, sizeof *e->ids);
    e->motion = tact_allocate_zeroed(env, room, sizeof *e->motion);
    e->places = tact_allocate_zeroed(env, room, sizeof *e->places);
    e->keys = tact_allocate(env, room, sizeof *e->keys);
    e->parts = tact_allocate(env, room, sizeof *e->parts);
    const bool good = make_slots(env, &e->now, room) && make_slots(env, &e->next, room) && e->ids && e->motion &&
                      e->places && e->keys && e->parts;
    if (!good) {
        free_particles(e);
        return false;
    }
    e->capacity = capacity;
    return true;
}

static tact_result cpu_load(tact_particle_engine* engine, const tact_particle_state* state)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    if (!make_room(e, state->count)) return TACT_ERROR_OUT_OF_MEMORY;
    e->count = state->count;
    e->keeps_clear = false;
    e->list_share = 0;
    e->moved = 0.0625f;
    e->least_radius = INFINITY;
    e->materials = e->groups = 0;
    e->equal_radii = e->equal_masses = true;
    tact_particle_slots* s = &e->now;
    for (size_t i = 0; i < state->count; ++i) {
        const float* position = state->position[i];
        s->x[i] = position[0];
        s->y[i] = position[1];
        s->z[i] = position[2];
        s->radius[i] = position[3];
        memcpy(s->velocity[i], state->velocity[i], sizeof s->velocity[i]);
        e->ids[i] = state->tag[i][0];
        s->tag[i][0] = (uint32_t)i;
        s->tag[i][1] = state->tag[i][1];
        e->materials |= UINT32_C(1) << (tact_tag_material(state->tag[i][1]) & 15u);
        e->groups |= UINT32_C(1) << tact_tag_group(state->tag[i][1]);
        e->least_radius = fminf(e->least_radius, position[3]);
        e->equal_radii = e->equal_radii && position[3] == state->position[0][3];
        e->equal_masses = e->equal_masses && state->velocity[i][3] == state->velocity[0][3];
    }
    return TACT_OK;
}

static tact_result cpu_store(tact_particle_engine* engine, tact_particle_state* state)
{
    const tact_particle_cpu* e = (const tact_particle_cpu*)engine;
    const tact_particle_slots* s = &e->now;
    for (size_t i = 0; i < e->count; ++i) {
        const uint32_t rank = s->tag[i][0];
        const float position[4] = {s->x[i], s->y[i], s->z[i], s->radius[i]};
        memcpy(state->position[rank], position, sizeof position);
        memcpy(state->velocity[rank], s->velocity[i], sizeof s->velocity[i]);
        state->tag[rank][0] = e->ids[rank];
        state->tag[rank][1] = s->tag[i][1];
    }
    state->count = e->count;
    return TACT_OK;
}

/// Puts the slots into another order: `order` holds the slot that each one's particle comes from.
static void reorder(tact_particle_cpu* e, const uint32_t* order)
{
    const tact_particle_slots *from = &e->now, *to = &e->next;
    for (size_t i = 0; i < e->count; ++i) {
        const size_t k = order[i];
        to->x[i] = from->x[k];
        to->y[i] = from->y[k];
        to->z[i] = from->z[k];
        to->radius[i] = from->radius[k];
        memcpy(to->velocity[i], from->velocity[k], sizeof to->velocity[i]);
        memcpy(to->tag[i], from->tag[k], sizeof to->tag[i]);
        if (e->keeps_clear) memcpy(to->clear[i], from->clear[k], sizeof to->clear[i]);
    }
    const tact_particle_slots swap = e->now;
    e->now = e->next;
    e->next = swap;
}

static tact_result cpu_neighbours(tact_particle_engine* engine, const tact_particle_model* model, float radius,
                                  tact_neighbour_lists* lists)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    const tact_particle_slots* s = &e->now;
    // The keys are free between steps.
    for (size_t i = 0; i < e->count; ++i)
        e->keys[i] = e->ids[s->tag[i][0]];
    tact_neighbour_job job = {.x = s->x,
                              .y = s->y,
                              .z = s->z,
                              .stride = 1,
                              .ids = e->keys,
                              .id_stride = 1,
                              .count = e->count,
                              .radius = radius};
    const tact_result result = tact_neighbours_find_for(engine->env, &e->finder, model, &job, lists);
    // The particles stay in the order found, so that a next search has less to move.
    if (result == TACT_OK && !tact_neighbours_stats(e->finder).sorted) reorder(e, tact_neighbours_order(e->finder));
    return result;
}

static uint64_t cpu_bytes(const tact_particle_engine* engine)
{
    const tact_particle_cpu* e = (const tact_particle_cpu*)engine;
    const uint64_t slot = 4 * sizeof(float) + sizeof *e->now.velocity + sizeof *e->now.from + sizeof *e->now.tag +
                          (e->now.clear ? sizeof *e->now.clear : 0);
    const uint64_t each =
        2 * slot + sizeof *e->ids + sizeof *e->motion + sizeof *e->places + sizeof *e->keys + sizeof *e->parts;
    const uint64_t finder = e->finder ? tact_neighbours_bytes(e->finder) : 0;
    return finder + (e->capacity + TACT_SLOT_PAD) * each + e->sums_capacity * sizeof *e->sums +
           e->starts_capacity * sizeof *e->table.starts + e->counts_capacity * sizeof *e->counts +
           e->cells_capacity * sizeof *e->cells + e->irregular_capacity + e->seam_capacity * sizeof *e->seam_list +
           e->worker_capacity * sizeof(tact_walk_worker) + e->list_capacity * sizeof *e->list +
           e->chunk_capacity * sizeof(tact_walk_chunk);
}

static void cpu_destroy(tact_particle_engine* engine)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    tact_env* env = engine->env;
    free_particles(e);
    tact_neighbour_finder_destroy(e->finder);
    void* const rest[] = {e->sums,   e->cells, e->irregular, e->seam_list, e->table.starts,
                          e->counts, e->boxes, e->chunks,    e->workers,   e->tallies};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i)
        tact_release(env, rest[i]);
    tact_release(env, e);
}

static const tact_particle_engine_class cpu_class = {
    .backend = TACT_BACKEND_CPU,
    .destroy = cpu_destroy,
    .load = cpu_load,
    .store = cpu_store,
    .step = cpu_step,
    .contacts = tact_cpu_contacts,
    .neighbours = cpu_neighbours,
    .bytes = cpu_bytes,
};

tact_result tact_particle_cpu_create(tact_env* env, tact_particle_engine** engine)
{
    tact_particle_cpu* e = tact_allocate_zeroed(env, 1, sizeof *e);
    if (!e) return TACT_ERROR_OUT_OF_MEMORY;
    e->base.type = &cpu_class;
    e->base.env = env;
    *engine = &e->base;
    return TACT_OK;
}
