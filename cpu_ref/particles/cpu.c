// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The CPU's engine: its memory, and how a substep goes. What the definition says is in reference.c.

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_engine.h"
#include "cpu_ref/particles/cpu_grains.h"
#include "cpu_ref/particles/neighbours_internal.h"

TACT_LANE_CHOICE(tact_particle_lanes, TACT_LANE_TABLES(tact_particle_lanes), tact_particle_lanes_best)

enum { GRAIN = 4096, MOST_PARTS = 64 };

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
    TACT_ASSERT(end <= e->count && end <= e->sums_capacity);
    tact_particle_counters* counters = &s->tallies[worker].counters;
    if (s->model->response != TACT_RESPONSE_SPRING) memset(e->sums + begin, 0, (end - begin) * sizeof *e->sums);
    for (size_t i = begin, stop; i < end; i = stop) {
        stop = tact_cpu_own_run(e, &i, end);
        if (i < stop) s->lanes->finish(s->walk, i, stop, counters);
    }
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

/// An array whose first `count` elements are written before they are read; zeros follow, which may be read.
static void* make_array(tact_env* env, size_t room, size_t count, size_t size)
{
    TACT_ASSERT(count < room);
    char* array = tact_allocate(env, room, size);
    if (array) memset(array + count * size, 0, (room - count) * size);
    return array;
}

/// Room for what POSITION alone needs.
static bool make_position_room(tact_particle_cpu* e)
{
    const size_t room = e->capacity + TACT_SLOT_PAD;
    TACT_ASSERT(e->count <= e->capacity && e->count > 0);
    float(** const arrays[])[4] = {&e->motion, &e->now.from, &e->next.from};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        if (!*arrays[k]) *arrays[k] = make_array(e->base.env, room, e->count, sizeof **arrays[k]);
        if (!*arrays[k]) return false;
    }
    return true;
}

/// A tact_program_look of an engine's slots.
static void look_at_slots(const void* of, size_t begin, size_t count, tact_grain_self* selves)
{
    const tact_particle_cpu* e = of;
    for (size_t k = 0; k < count; ++k) {
        selves[k] = (tact_grain_self){.p = tact_cpu_self(e, begin + k)};
        if (e->grains) selves[k].spin = tact_cpu_grains_spin(e, begin + k);
    }
}

static tact_result cpu_step(tact_particle_engine* engine, const tact_particle_model* model, uint32_t substeps,
                            tact_particle_counters* counters)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    TACT_ASSERT(e->count <= e->capacity && model->motion.dt > 0.0f);
    const size_t threads = model->threads > 1 ? (size_t)model->threads : 1;
    e->threads = model->threads;
    if (e->count == 0) return TACT_OK;
    const bool position = model->response == TACT_RESPONSE_POSITION;
    if (position && !make_position_room(e)) return TACT_ERROR_OUT_OF_MEMORY;
    if (!tact_reserve(engine->env, &e->tallies, &e->tally_capacity, 0, threads, sizeof(tact_cpu_tally)))
        return TACT_ERROR_OUT_OF_MEMORY;
    memset(e->tallies, 0, threads * sizeof(tact_cpu_tally));
    tact_particle_model with = *model;
    tact_particle_walk walk = {.model = &with};
    pass s = {e, &with, &walk, tact_particle_lanes_best(), e->tallies};
    tact_result result = tact_cpu_clear_begin(e, model);
    for (uint32_t k = 0; k < substeps && result == TACT_OK; ++k) {
        if (model->program)
            result = tact_program_act(engine->env, &e->program, model, k, e->count, look_at_slots, e, &with, counters);
        if (result != TACT_OK) break;
        result = position    ? tact_cpu_position_substep(e, &walk)
                 : e->grains ? tact_cpu_grains_substep(e, &walk, s.lanes)
                             : force_substep(&s, &walk);
    }
    for (size_t k = 0; k < threads; ++k) {
        counters->slowed += s.tallies[k].counters.slowed;
        counters->stopped += s.tallies[k].counters.stopped;
        counters->capped += s.tallies[k].counters.capped;
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

static bool make_slots(tact_env* env, tact_particle_slots* s, size_t room, size_t count)
{
    TACT_ASSERT(!s->x && !s->tag && !s->clear);
    s->x = make_array(env, room, count, sizeof *s->x);
    s->y = make_array(env, room, count, sizeof *s->y);
    s->z = make_array(env, room, count, sizeof *s->z);
    s->radius = make_array(env, room, count, sizeof *s->radius);
    s->velocity = make_array(env, room, count, sizeof *s->velocity);
    s->tag = make_array(env, room, count, sizeof *s->tag);
    return s->x && s->y && s->z && s->radius && s->velocity && s->tag;
}

void tact_cpu_free_room(tact_particle_cpu* e)
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

bool tact_cpu_make_room(tact_particle_cpu* e, size_t count)
{
    tact_env* env = e->base.env;
    if (count <= e->capacity && e->ids) return true;
    tact_cpu_free_room(e);
    const size_t capacity = count + count / 8;
    const size_t room = capacity + TACT_SLOT_PAD;
    TACT_ASSERT(!e->ids && e->count == 0);
    e->ids = tact_allocate(env, room, sizeof *e->ids);
    e->places = make_array(env, room, count, sizeof *e->places);
    e->keys = tact_allocate(env, room, sizeof *e->keys);
    e->parts = tact_allocate(env, room, sizeof *e->parts);
    const bool good = make_slots(env, &e->now, room, count) && make_slots(env, &e->next, room, count) && e->ids &&
                      e->places && e->keys && e->parts;
    if (!good) {
        tact_cpu_free_room(e);
        return false;
    }
    e->capacity = capacity;
    return true;
}

static void put(tact_particle_slots* s, size_t i, const tact_particle_state* from, size_t k)
{
    TACT_ASSERT(k < from->count && tact_tag_material(from->tag[k][1]) < TACT_PARTICLE_MATERIALS);
    const float* position = from->position[k];
    s->x[i] = position[0];
    s->y[i] = position[1];
    s->z[i] = position[2];
    s->radius[i] = position[3];
    memcpy(s->velocity[i], from->velocity[k], sizeof s->velocity[i]);
    s->tag[i][1] = from->tag[k][1];
}

/// What all particles have in common.
typedef struct common {
    uint32_t materials, groups;  ///< a bit for each that there is
    bool has_ghosts;
    bool equal_radii, equal_masses;
    float least_radius;
} common;

static const common of_none = {.equal_radii = true, .equal_masses = true, .least_radius = INFINITY};

/// Adds a slot to what others have in common; all are compared with one that has the radius and the reciprocal mass.
static void note(common* c, const tact_particle_slots* s, size_t i, float radius, float inverse_mass)
{
    c->least_radius = s->radius[i] < c->least_radius ? s->radius[i] : c->least_radius;
    c->materials |= UINT32_C(1) << (tact_tag_material(s->tag[i][1]) & 15u);
    c->groups |= UINT32_C(1) << tact_tag_group(s->tag[i][1]);
    c->has_ghosts = c->has_ghosts || tact_tag_is_ghost(s->tag[i][1]);
    c->equal_radii = c->equal_radii && s->radius[i] == radius;
    c->equal_masses = c->equal_masses && s->velocity[i][3] == inverse_mass;
}

/// And some more slots.
static void join(tact_particle_cpu* e, const common* c)
{
    e->materials |= c->materials;
    e->groups |= c->groups;
    e->has_ghosts = e->has_ghosts || c->has_ghosts;
    e->equal_radii = e->equal_radii && c->equal_radii;
    e->equal_masses = e->equal_masses && c->equal_masses;
    e->least_radius = fminf(e->least_radius, c->least_radius);
}

static void start_common(tact_particle_cpu* e)
{
    e->materials = e->groups = 0;
    e->has_ghosts = false;
    e->equal_radii = e->equal_masses = true;
    e->least_radius = INFINITY;
}

void tact_cpu_put_last(tact_particle_cpu* e, const tact_particle_state* from, size_t k)
{
    const size_t i = e->count++;
    TACT_ASSERT(i < e->capacity);
    put(&e->now, i, from, k);
    if (i == 0) start_common(e);
    common c = of_none;
    note(&c, &e->now, i, e->now.radius[0], e->now.velocity[0][3]);
    join(e, &c);
}

/// Something that is done to all slots of a state.
typedef struct loading {
    tact_particle_cpu* engine;
    const tact_particle_state* state;
    size_t part_size;
    common parts[MOST_PARTS];
} loading;

static void load_range(size_t begin, size_t end, int worker, void* user)
{
    loading* l = user;
    const tact_particle_cpu* e = l->engine;
    const tact_particle_state* state = l->state;
    tact_particle_slots slots = e->now;
    uint32_t* ids = e->ids;
    const float radius = state->position[0][3], inverse_mass = state->velocity[0][3];
    common c = of_none;
    TACT_ASSERT(begin / l->part_size < MOST_PARTS && end <= e->capacity);
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        ids[i] = state->tag[i][0];
        TACT_ASSERT(i == 0 || state->tag[i - 1][0] < state->tag[i][0]);
        slots.tag[i][0] = (uint32_t)i;
        put(&slots, i, state, i);
        note(&c, &slots, i, radius, inverse_mass);
    }
    l->parts[begin / l->part_size] = c;
}

static tact_result cpu_load(tact_particle_engine* engine, const tact_particle_state* state, int threads)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    if (!tact_cpu_make_room(e, state->count)) return TACT_ERROR_OUT_OF_MEMORY;
    e->count = state->count;
    e->keeps_clear = e->slots_known = false;
    e->list_share = 0;
    e->moved = 0.0625f;
    loading l = {.engine = e, .state = state, .part_size = state->count / MOST_PARTS + 1};
    if (threads < 1) threads = 1;
    tact_parallel_for(threads, e->count, l.part_size, load_range, &l);
    start_common(e);
    for (size_t k = 0; k * l.part_size < e->count; ++k)
        join(e, &l.parts[k]);
    return e->grains ? tact_cpu_grains_load(e, state) : TACT_OK;
}

static tact_result cpu_store(tact_particle_engine* engine, tact_particle_state* state)
{
    TACT_ASSERT(((const tact_particle_cpu*)engine)->count <= state->capacity);
    const tact_particle_cpu* e = (const tact_particle_cpu*)engine;
    const tact_particle_slots* s = &e->now;
    // What can fail comes before what changes the state.
    const tact_result result = e->grains ? tact_cpu_grains_store((tact_particle_cpu*)engine, state) : TACT_OK;
    if (result != TACT_OK) return result;
    for (size_t i = 0; i < e->count; ++i) {
        const uint32_t rank = s->tag[i][0];
        TACT_ASSERT(rank < e->count);
        const float position[4] = {s->x[i], s->y[i], s->z[i], s->radius[i]};
        memcpy(state->position[rank], position, sizeof position);
        memcpy(state->velocity[rank], s->velocity[i], sizeof s->velocity[i]);
        state->tag[rank][0] = e->ids[rank];
        state->tag[rank][1] = s->tag[i][1];
    }
    TACT_VALIDATE(tact_cpu_is_valid(e));
    state->count = e->count;
    return TACT_OK;
}

/// Something that is done to all slots.
typedef struct ordering {
    tact_particle_cpu* engine;
    const uint32_t* order;   ///< the slot that each one's particle comes from
    const float* points[3];  ///< x, y and z in the new order
    const uint32_t* ranks;   ///< likewise, if all else in tags is equal; NULL: tags are fetched
} ordering;

static void ids_range(size_t begin, size_t end, int worker, void* user)
{
    tact_particle_cpu* e = user;
    TACT_ASSERT(end <= e->count);
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        e->keys[i] = e->ids[e->now.tag[i][0]];
}

static void reorder_range(size_t begin, size_t end, int worker, void* user)
{
    const ordering* o = user;
    const tact_particle_cpu* e = o->engine;
    const tact_particle_slots from = e->now, to = e->next;
    (void)worker;
    // What is copied from elsewhere goes to where it stays.
    memcpy(from.x + begin, o->points[0] + begin, (end - begin) * sizeof *from.x);
    memcpy(from.y + begin, o->points[1] + begin, (end - begin) * sizeof *from.y);
    memcpy(from.z + begin, o->points[2] + begin, (end - begin) * sizeof *from.z);
    for (size_t i = begin; i < end; ++i) {
        const size_t k = o->order[i];
        TACT_ASSERT(k < e->count);
        if (i + TACT_NEIGHBOUR_AHEAD < end) TACT_PREFETCH(from.velocity[o->order[i + TACT_NEIGHBOUR_AHEAD]]);
        memcpy(to.velocity[i], from.velocity[k], sizeof to.velocity[i]);
    }
    for (size_t i = begin; i < end && !e->equal_radii; ++i)
        to.radius[i] = from.radius[o->order[i]];
    if (o->ranks) {
        for (size_t i = begin; i < end; ++i)
            from.tag[i][0] = o->ranks[i];
    } else {
        for (size_t i = begin; i < end; ++i)
            memcpy(to.tag[i], from.tag[o->order[i]], sizeof to.tag[i]);
    }
    for (size_t i = begin; i < end && e->keeps_clear; ++i)
        memcpy(to.clear[i], from.clear[o->order[i]], sizeof to.clear[i]);
}

/// Puts the slots into the order in which the neighbour search has sorted them.
static void reorder(tact_particle_cpu* e, const uint32_t* ranks, int threads)
{
    const bool one_kind =
        !e->has_ghosts && (e->materials & (e->materials - 1)) == 0 && (e->groups & (e->groups - 1)) == 0;
    ordering o = {.engine = e, .order = tact_neighbours_order(e->finder), .ranks = one_kind ? ranks : NULL};
    tact_neighbours_points(e->finder, o.points);
    tact_parallel_for(threads, e->count, GRAIN, reorder_range, &o);
    const tact_particle_slots was = e->now;
    e->slots_known = false;
    e->now.velocity = e->next.velocity;
    e->next.velocity = was.velocity;
    if (!e->equal_radii) {
        e->now.radius = e->next.radius;
        e->next.radius = was.radius;
    }
    if (!o.ranks) {
        e->now.tag = e->next.tag;
        e->next.tag = was.tag;
    }
    e->now.clear = e->next.clear;
    e->next.clear = was.clear;
}

static tact_result cpu_neighbours(tact_particle_engine* engine, const tact_particle_model* model, float radius,
                                  tact_neighbour_kind kind, tact_neighbour_lists* lists)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    const tact_particle_slots* s = &e->now;
    tact_neighbour_job job = {.x = s->x,
                              .y = s->y,
                              .z = s->z,
                              .stride = 1,
                              .padded = true,
                              .ids = e->keys,
                              .id_stride = 1,
                              .count = e->count,
                              .radius = radius,
                              .kind = kind};
    const bool ranks = e->count > 0 && e->ids[e->count - 1] == e->count - 1;
    if (ranks) {
        // Ids ascend: these are the ranks.
        job.ids = s->tag[0];
        job.id_stride = 2;
    } else {
        // The keys are free between steps.
        tact_parallel_for(model->threads, e->count, GRAIN, ids_range, e);
    }
    const tact_result result = tact_neighbours_find_for(engine->env, &e->finder, model, &job, lists);
    // The particles stay in the order found, so that a next search has less to move.
    TACT_ASSERT(result != TACT_OK || lists->slots == e->count);
    if (result == TACT_OK && !tact_neighbours_stats(e->finder).sorted)
        reorder(e, ranks ? lists->ids : NULL, model->threads);
    return result;
}

static uint64_t cpu_bytes(const tact_particle_engine* engine)
{
    const tact_particle_cpu* e = (const tact_particle_cpu*)engine;
    const uint64_t slot = 4 * sizeof(float) + sizeof *e->now.velocity + sizeof *e->now.tag +
                          (e->now.from ? sizeof *e->now.from : 0) + (e->now.clear ? sizeof *e->now.clear : 0);
    const uint64_t each = 2 * slot + sizeof *e->ids + (e->motion ? sizeof *e->motion : 0) + sizeof *e->places +
                          sizeof *e->keys + sizeof *e->parts;
    const uint64_t finder = e->finder ? tact_neighbours_bytes(e->finder) : 0;
    return finder + tact_cpu_grains_bytes(e) + tact_program_room_bytes(&e->program) +
           (e->capacity + TACT_SLOT_PAD) * each + e->sums_capacity * sizeof *e->sums +
           e->slot_of_capacity * sizeof *e->slot_of + e->starts_capacity * sizeof *e->table.starts +
           e->counts_capacity * sizeof *e->counts + e->cells_capacity * sizeof *e->cells + e->irregular_capacity +
           e->seam_capacity * sizeof *e->seam_list + e->within_capacity * sizeof *e->within +
           e->within_was_capacity * sizeof *e->within_was + e->worker_capacity * sizeof(tact_walk_worker) +
           e->list_capacity * sizeof *e->list + (e->chunk_capacity + e->seam_chunk_capacity) * sizeof(tact_walk_chunk);
}

static void cpu_destroy(tact_particle_engine* engine)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    tact_env* env = engine->env;
    tact_cpu_free_room(e);
    tact_cpu_grains_free(e);
    tact_program_room_free(env, &e->program);
    tact_neighbour_finder_destroy(e->finder);
    void* const rest[] = {e->sums,   e->cells, e->irregular, e->seam_list,   e->within,  e->within_was, e->table.starts,
                          e->counts, e->boxes, e->chunks,    e->seam_chunks, e->workers, e->tallies,    e->slot_of};
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
    .append = tact_cpu_append,
    .read_rows = tact_cpu_read_rows,
    .write_rows = tact_cpu_write_rows,
    .fastest = tact_cpu_fastest,
    .drain = tact_cpu_drain,
};

static tact_result grain_contacts(tact_particle_engine* engine, const tact_particle_model* model,
                                  tact_particle_contact* contacts, size_t capacity, size_t* count)
{
    const tact_result result = tact_cpu_grains_pack((tact_particle_cpu*)engine);
    return result == TACT_OK ? tact_cpu_contacts(engine, model, contacts, capacity, count) : result;
}

static tact_result grain_neighbours(tact_particle_engine* engine, const tact_particle_model* model, float radius,
                                    tact_neighbour_kind kind, tact_neighbour_lists* lists)
{
    const tact_result result = tact_cpu_grains_pack((tact_particle_cpu*)engine);
    return result == TACT_OK ? cpu_neighbours(engine, model, radius, kind, lists) : result;
}

static const tact_particle_engine_class grain_class = {
    .backend = TACT_BACKEND_CPU,
    .destroy = cpu_destroy,
    .load = cpu_load,
    .store = cpu_store,
    .step = cpu_step,
    .late = true,
    .contacts = grain_contacts,
    .neighbours = grain_neighbours,
    .bytes = cpu_bytes,
    .append = tact_cpu_grains_append,
    .read_rows = tact_cpu_read_rows,
    .write_rows = tact_cpu_write_rows,
    .fastest = tact_cpu_fastest,
    .drain = tact_cpu_grains_drain,
};

tact_result tact_particle_cpu_create(tact_env* env, bool turns, tact_particle_engine** engine)
{
    tact_particle_cpu* e = tact_allocate_zeroed(env, 1, sizeof *e);
    if (!e) return TACT_ERROR_OUT_OF_MEMORY;
    e->base.type = turns ? &grain_class : &cpu_class;
    e->base.env = env;
    if (turns && !tact_cpu_grains_make(e)) {
        tact_release(env, e);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    *engine = &e->base;
    return TACT_OK;
}
