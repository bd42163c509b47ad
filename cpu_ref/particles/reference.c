// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The brute force that defines what particle systems do: every particle looks at every other. Written to be read, not
// to be fast.

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/program.h"

/// A particle during a substep.
typedef struct item {
    tact_particle_self p;  ///< POSITION: x y z is where the solver has it
    float from[3];         ///< where it was when the substep began
    bool touched;          ///< POSITION: something, in an iteration
    TactCell cell;
    int level;
} item;

typedef struct reference {
    tact_particle_engine base;
    tact_particle_state state;
    uint32_t* ids;
    uint64_t* offsets;
    uint32_t* neighbours;
    tact_program_room program;
    item* iterating;  ///< POSITION: the particles, between iterations; else NULL
    float way;        ///< POSITION: the longest of the last substep
} reference;

/// What particle i sees of a partner.
typedef struct partner {
    TactView view;
    uint32_t index, id;
} partner;

typedef struct substep {
    reference* engine;
    const tact_particle_model* model;
    const item* items;
    item* results;  ///< of the particles after this
    size_t count;
    partner** partners;                ///< scratch of each worker, `count` each
    tact_particle_counters* counters;  ///< of each particle
    float relaxation;
} substep;

static item item_of(const tact_particle_model* model, const tact_particle_state* s, size_t i)
{
    item it = {.p = tact_particle_self_of(s, i)};
    it.from[0] = it.p.x;
    it.from[1] = it.p.y;
    it.from[2] = it.p.z;
    it.cell = tact_grid_cell(model->grid, it.p.x, it.p.y, it.p.z);
    it.level = tact_grid_level(model->grid, it.p.radius);
    return it;
}

/// From one particle to another, the shorter way round.
static TactVec between(const tact_particle_model* model, const item* i, const item* j)
{
    return tact_vec(tact_grid_shorter(model->grid.x, j->p.x - i->p.x),
                    tact_grid_shorter(model->grid.y, j->p.y - i->p.y),
                    tact_grid_shorter(model->grid.z, j->p.z - i->p.z));
}

static TactTouch touch(const tact_particle_model* model, const item* i, const item* j)
{
    const TactVec d = between(model, i, j);
    TactTouch t = tact_touch_spheres(d.x, d.y, d.z, i->p.radius + j->p.radius, i->p.id, j->p.id);
    if (!tact_groups_meet(model->masks, i->p.group, j->p.group)) t.touches = 0;
    return t;
}

static int compare_partners(const void* a, const void* b)
{
    const partner *p = a, *q = b;
    const int keys_p[4] = {p->view.level, p->view.z, p->view.y, p->view.x};
    const int keys_q[4] = {q->view.level, q->view.z, q->view.y, q->view.x};
    for (int k = 0; k < 4; ++k) {
        if (keys_p[k] != keys_q[k]) return keys_p[k] < keys_q[k] ? -1 : 1;
    }
    return p->id < q->id ? -1 : 1;
}

/// The particles that touch particle i, in the order in which they are summed.
static size_t find_partners(const substep* s, size_t index, partner* partners)
{
    const item* i = &s->items[index];
    size_t count = 0;
    for (size_t k = 0; k < s->count; ++k) {
        const item* j = &s->items[k];
        if (k == index || !touch(s->model, i, j).touches) continue;
        const TactView view = tact_grid_view(s->model->grid, i->cell, i->level, j->cell, j->level);
        if (view.sees) partners[count++] = (partner){view, (uint32_t)k, j->p.id};
    }
    qsort(partners, count, sizeof *partners, compare_partners);
    return count;
}

static const TactContactRule* rule_of(const tact_particle_model* model, const item* i, const item* j)
{
    return &model->rules[i->p.material * TACT_PARTICLE_MATERIALS + j->p.material];
}

static void spring_range(size_t begin, size_t end, int worker, void* user)
{
    const substep* s = user;
    partner* partners = s->partners[worker];
    for (size_t index = begin; index < end; ++index) {
        const item* i = &s->items[index];
        item result = *i;
        TactVec force = {0};
        if (s->model->response == TACT_RESPONSE_SPRING) {
            const size_t count = find_partners(s, index, partners);
            for (size_t k = 0; k < count; ++k) {
                const item* j = &s->items[partners[k].index];
                const TactVec f =
                    tact_spring_force(touch(s->model, i, j), j->p.vx - i->p.vx, j->p.vy - i->p.vy, j->p.vz - i->p.vz,
                                      i->p.inverse_mass + j->p.inverse_mass, *rule_of(s->model, i, j));
                force.x += f.x;
                force.y += f.y;
                force.z += f.z;
            }
            tact_particle_static_forces(s->model, &i->p, &force);
        }
        tact_particle_finish(s->model, &result.p, force, &s->counters[index]);
        s->results[index] = result;
    }
}

static void predict_range(size_t begin, size_t end, int worker, void* user)
{
    const substep* s = user;
    (void)worker;
    for (size_t index = begin; index < end; ++index) {
        item result = s->items[index];
        float to[3];
        tact_particle_predict(s->model, &result.p, to, &s->counters[index]);
        result.p.x = to[0];
        result.p.y = to[1];
        result.p.z = to[2];
        result.cell = tact_grid_cell(s->model->grid, to[0], to[1], to[2]);
        s->results[index] = result;
    }
}

static void project_range(size_t begin, size_t end, int worker, void* user)
{
    const substep* s = user;
    partner* partners = s->partners[worker];
    for (size_t index = begin; index < end; ++index) {
        const item* i = &s->items[index];
        item result = *i;
        TactVec shift = {0};
        const size_t touching = find_partners(s, index, partners);
        uint32_t count = 0;
        for (size_t k = 0; k < touching; ++k) {
            const item* j = &s->items[partners[k].index];
            const float sum = i->p.inverse_mass + j->p.inverse_mass;
            const float share = sum > 0.0f ? tact_div(i->p.inverse_mass, sum) : 0.0f;
            const TactVec m = tact_position_shift(touch(s->model, i, j), (j->p.x - j->from[0]) - (i->p.x - i->from[0]),
                                                  (j->p.y - j->from[1]) - (i->p.y - i->from[1]),
                                                  (j->p.z - j->from[2]) - (i->p.z - i->from[2]), share,
                                                  rule_of(s->model, i, j)->friction);
            shift.x += m.x;
            shift.y += m.y;
            shift.z += m.z;
            ++count;
        }
        tact_particle_static_shifts(s->model, &i->p, i->from, &shift, &count);
        if (count > 0) {
            result.touched = true;
            const float factor = tact_position_factor(s->relaxation, count);
            result.p.x = i->p.x + shift.x * factor;
            result.p.y = i->p.y + shift.y * factor;
            result.p.z = i->p.z + shift.z * factor;
        }
        s->results[index] = result;
    }
}

static void settle_range(size_t begin, size_t end, int worker, void* user)
{
    const substep* s = user;
    (void)worker;
    for (size_t index = begin; index < end; ++index) {
        item result = s->items[index];
        const float to[3] = {result.p.x, result.p.y, result.p.z};
        result.p.x = result.from[0];
        result.p.y = result.from[1];
        result.p.z = result.from[2];
        tact_particle_settle(s->model, &result.p, to, result.touched, &s->counters[index]);
        s->results[index] = result;
    }
}

static void run(substep* s, tact_parallel_fn* range)
{
    tact_parallel_for(s->model->threads, s->count, 64, range, s);
    const item* done = s->results;
    s->results = (item*)(uintptr_t)s->items;
    s->items = done;
}

static tact_result do_substep(substep* s)
{
    tact_result result = TACT_OK;
    const tact_particle_model* model = s->model;
    item* items = (item*)(uintptr_t)s->items;
    for (size_t i = 0; i < s->count; ++i)
        items[i] = item_of(model, &s->engine->state, i);
    if (model->response == TACT_RESPONSE_POSITION) {
        run(s, predict_range);
        for (uint32_t k = 0; k < model->iterations && result == TACT_OK; ++k) {
            run(s, project_range);
            if (!model->halo || k + 1 == model->iterations) continue;
            s->engine->iterating = (item*)(uintptr_t)s->items;
            result = model->halo->exchange(model->halo);
            s->engine->iterating = NULL;
        }
        run(s, settle_range);
    } else {
        run(s, spring_range);
    }
    tact_particle_state* state = &s->engine->state;
    s->engine->way = 0.0f;
    for (size_t i = 0; i < s->count; ++i) {
        const tact_particle_self* p = &s->items[i].p;
        if (tact_tag_is_ghost(state->tag[i][1])) continue;
        const float* from = s->items[i].from;
        s->engine->way = fmaxf(s->engine->way, tact_length3(tact_grid_shorter(model->grid.x, p->x - from[0]),
                                                            tact_grid_shorter(model->grid.y, p->y - from[1]),
                                                            tact_grid_shorter(model->grid.z, p->z - from[2])));
        const float position[4] = {p->x, p->y, p->z, p->radius};
        const float velocity[4] = {p->vx, p->vy, p->vz, p->inverse_mass};
        memcpy(state->position[i], position, sizeof position);
        memcpy(state->velocity[i], velocity, sizeof velocity);
    }
    return result;
}

/// Everything that substeps need of memory, but for GRAINS.
static bool make_room(tact_env* env, substep* s, item* items[2], size_t threads)
{
    items[0] = tact_allocate(env, s->count, sizeof(item));
    items[1] = tact_allocate(env, s->count, sizeof(item));
    s->counters = tact_allocate_zeroed(env, s->count, sizeof *s->counters);
    s->partners = tact_allocate_zeroed(env, threads, sizeof *s->partners);
    bool good = items[0] && items[1] && s->counters && s->partners;
    for (size_t k = 0; good && k < threads; ++k) {
        s->partners[k] = tact_allocate(env, s->count, sizeof **s->partners);
        good = s->partners[k] != NULL;
    }
    return good;
}

static void free_room(tact_env* env, substep* s, item* items[2], size_t threads)
{
    for (size_t k = 0; s->partners && k < threads; ++k)
        tact_release(env, s->partners[k]);
    tact_release(env, s->partners);
    tact_release(env, s->counters);
    tact_release(env, items[0]);
    tact_release(env, items[1]);
}

static tact_result reference_step(tact_particle_engine* engine, const tact_particle_model* model, uint32_t substeps,
                                  tact_particle_counters* counters)
{
    reference* r = (reference*)engine;
    tact_env* env = engine->env;
    const bool grains = model->response == TACT_RESPONSE_GRAINS;
    const size_t count = r->state.count, threads = model->threads > 0 ? (size_t)model->threads : 1;
    tact_particle_model with = *model;
    substep s = {.engine = r, .model = &with, .count = count, .relaxation = model->relaxation};
    item* items[2] = {NULL, NULL};
    tact_result result = grains || make_room(env, &s, items, threads) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < substeps && result == TACT_OK; ++k) {
        if (model->program) {
            result = tact_program_act(env, &r->program, model, k, count, tact_program_look_at_state, &r->state, &with,
                                      counters);
        }
        if (result == TACT_OK && grains) result = tact_grain_reference_substep(env, &with, &r->state, counters);
        if (result != TACT_OK || grains) continue;
        s.items = items[0];
        s.results = items[1];
        result = do_substep(&s);
    }
    for (size_t i = 0; result == TACT_OK && !grains && i < count; ++i) {
        if (tact_tag_is_ghost(r->state.tag[i][1])) continue;
        counters->slowed += s.counters[i].slowed;
        counters->stopped += s.counters[i].stopped;
    }
    free_room(env, &s, items, threads);
    return result;
}

static tact_particle_contact pair_contact(const tact_particle_model* model, const item* i, const item* j)
{
    const TactVec d = between(model, i, j);
    const TactTouch t = tact_contact_spheres(d.x, d.y, d.z, i->p.radius + j->p.radius, i->p.id, j->p.id);
    const TactVec point = tact_touching_point(t, i->p.x, i->p.y, i->p.z, i->p.radius);
    const tact_particle_contact c = {
        .a = i->p.id,
        .b = j->p.id,
        .with = TACT_CONTACT_PARTICLE,
        .triangle = TACT_NONE,
        .point = {point.x, point.y, point.z},
        .depth = t.depth,
        .normal = {t.nx, t.ny, t.nz},
    };
    return c;
}

static tact_result reference_contacts(tact_particle_engine* engine, const tact_particle_model* model,
                                      tact_particle_contact* contacts, size_t capacity, size_t* count)
{
    const tact_particle_state* state = &((reference*)engine)->state;
    *count = 0;
    for (size_t a = 0; a < state->count; ++a) {
        const item i = item_of(model, state, a);
        for (size_t b = a + 1; b < state->count; ++b) {
            const item j = item_of(model, state, b);
            if (!touch(model, &i, &j).touches) continue;
            if (*count < capacity) contacts[*count] = pair_contact(model, &i, &j);
            ++*count;
        }
        const size_t left = *count < capacity ? capacity - *count : 0;
        const size_t found = tact_particle_static_contacts(model, &i.p, left ? contacts + *count : NULL, left);
        if (found <= left) tact_particle_contacts_sort(contacts + *count, found);
        *count += found;
    }
    return TACT_OK;
}

static tact_result reference_neighbours(tact_particle_engine* engine, const tact_particle_model* model, float radius,
                                        tact_neighbour_kind kind, tact_neighbour_lists* lists)
{
    reference* r = (reference*)engine;
    tact_env* env = engine->env;
    const size_t n = r->state.count;
    size_t capacity = 0, used = 0;
    tact_release(env, r->ids);
    tact_release(env, r->offsets);
    tact_release(env, r->neighbours);
    r->neighbours = NULL;
    r->ids = tact_allocate(env, n, sizeof *r->ids);
    r->offsets = tact_allocate(env, n + 1, sizeof *r->offsets);
    if (!r->ids || !r->offsets || !tact_reserve(env, (void**)&r->neighbours, &capacity, 0, 1, sizeof *r->neighbours)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    const float radius2 = radius * radius;
    r->offsets[0] = 0;
    for (size_t a = 0; a < n; ++a) {
        const item i = item_of(model, &r->state, a);
        for (size_t b = kind == TACT_NEIGHBOURS_ONCE ? a + 1 : 0; b < n; ++b) {
            const item j = item_of(model, &r->state, b);
            const TactVec d = between(model, &i, &j);
            if (a == b || !(tact_dot3(d.x, d.y, d.z, d.x, d.y, d.z) <= radius2)) continue;
            if (!tact_reserve(env, (void**)&r->neighbours, &capacity, used, used + 1, sizeof *r->neighbours)) {
                return TACT_ERROR_OUT_OF_MEMORY;
            }
            r->neighbours[used++] = (uint32_t)b;
        }
        r->ids[a] = i.p.id;
        r->offsets[a + 1] = used;
    }
    *lists = (tact_neighbour_lists){n, r->ids, r->offsets, r->neighbours};
    return TACT_OK;
}

static tact_result reference_load(tact_particle_engine* engine, const tact_particle_state* state, int threads)
{
    (void)threads;
    tact_particle_state* own = &((reference*)engine)->state;
    return tact_particle_state_assign(engine->env, own, state) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static tact_result reference_store(tact_particle_engine* engine, tact_particle_state* state)
{
    const bool good = tact_particle_state_assign(engine->env, state, &((reference*)engine)->state);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static tact_result reference_read_rows(tact_particle_engine* engine, const uint32_t* rows, size_t count,
                                       tact_particle_row* to)
{
    const tact_particle_state* s = &((reference*)engine)->state;
    const item* iterating = ((reference*)engine)->iterating;
    for (size_t i = 0; i < count; ++i) {
        to[i] = (tact_particle_row){{0}, {0}, {0}};
        const item* it = iterating ? &iterating[rows[i]] : NULL;
        const float place[3] = {it ? it->p.x : 0.0f, it ? it->p.y : 0.0f, it ? it->p.z : 0.0f};
        memcpy(to[i].position, it ? place : s->position[rows[i]], sizeof to[i].position);
        memcpy(to[i].velocity, s->velocity[rows[i]], sizeof to[i].velocity);
        if (s->turns) memcpy(to[i].spin, s->spin[rows[i]], sizeof to[i].spin);
    }
    return TACT_OK;
}

static tact_result reference_write_rows(tact_particle_engine* engine, const TactGrid* grid, const uint32_t* rows,
                                        size_t count, const tact_particle_row* from)
{
    tact_particle_state* s = &((reference*)engine)->state;
    item* iterating = ((reference*)engine)->iterating;
    (void)grid;
    for (size_t i = 0; i < count; ++i) {
        TACT_ASSERT(rows[i] < s->count);
        if (iterating) {
            iterating[rows[i]].p.x = from[i].position[0];
            iterating[rows[i]].p.y = from[i].position[1];
            iterating[rows[i]].p.z = from[i].position[2];
            continue;
        }
        memcpy(s->position[rows[i]], from[i].position, sizeof from[i].position);
        memcpy(s->velocity[rows[i]], from[i].velocity, sizeof from[i].velocity);
        if (s->turns) memcpy(s->spin[rows[i]], from[i].spin, sizeof from[i].spin);
    }
    return TACT_OK;
}

static tact_result reference_fastest(tact_particle_engine* engine, const tact_particle_model* model,
                                     const uint32_t* rows, size_t count, tact_particle_row* to, float* speed,
                                     float* way)
{
    const tact_particle_state* s = &((reference*)engine)->state;
    *speed = 0.0f;
    for (size_t i = 0; i < s->count; ++i)
        *speed = fmaxf(*speed, tact_length3(s->velocity[i][0], s->velocity[i][1], s->velocity[i][2]));
    *way = model->response == TACT_RESPONSE_POSITION ? ((reference*)engine)->way : *speed * model->motion.dt;
    return reference_read_rows(engine, rows, count, to);
}

static tact_result reference_drain(tact_particle_engine* engine, const tact_particle_solid* regions,
                                   uint32_t region_count, uint32_t* ids, size_t* count)
{
    tact_particle_state* s = &((reference*)engine)->state;
    size_t kept = 0, records = 0;
    *count = 0;
    for (size_t i = 0; i < s->count; ++i) {
        const float* x = s->position[i];
        if (tact_particle_is_in(regions, region_count, x[0], x[1], x[2], tact_tag_group(s->tag[i][1]))) {
            ids[(*count)++] = s->tag[i][0];
        } else {
            tact_particle_state_move(s, kept++, s, i);
        }
    }
    if (*count == 0) return TACT_OK;
    s->count = kept;
    for (size_t k = 0; s->turns && k < s->record_count; ++k) {
        const tact_grain_record* r = &s->records[k];
        const bool whole = r->with != TACT_CONTACT_PARTICLE || tact_particle_state_find(s, r->b) < kept;
        if (whole && tact_particle_state_find(s, r->a) < kept) s->records[records++] = *r;
    }
    s->record_count = records;
    return TACT_OK;
}

static uint64_t reference_bytes(const tact_particle_engine* engine)
{
    return (uint64_t)((const reference*)engine)->state.capacity * 40;
}

static void reference_destroy(tact_particle_engine* engine)
{
    reference* r = (reference*)engine;
    tact_particle_state_free(engine->env, &r->state);
    tact_release(engine->env, r->ids);
    tact_release(engine->env, r->offsets);
    tact_release(engine->env, r->neighbours);
    tact_program_room_free(engine->env, &r->program);
    tact_release(engine->env, r);
}

static const tact_particle_engine_class type = {
    .backend = TACT_BACKEND_REFERENCE,
    .destroy = reference_destroy,
    .load = reference_load,
    .store = reference_store,
    .step = reference_step,
    .contacts = reference_contacts,
    .neighbours = reference_neighbours,
    .bytes = reference_bytes,
    .read_rows = reference_read_rows,
    .write_rows = reference_write_rows,
    .fastest = reference_fastest,
    .drain = reference_drain,
};

tact_result tact_particle_reference_create(tact_env* env, bool turns, tact_particle_engine** engine)
{
    reference* r = tact_allocate_zeroed(env, 1, sizeof *r);
    if (!r) return TACT_ERROR_OUT_OF_MEMORY;
    r->base = (tact_particle_engine){&type, env};
    r->state.turns = turns;
    *engine = &r->base;
    return TACT_OK;
}
