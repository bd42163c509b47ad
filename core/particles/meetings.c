// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Every contact of a system with all that its law depends on, for energies and forces.

#include "core/particles/meetings.h"

#include "core/particles/clump_table.h"
#include "core/particles/spread_engine.h"

/// A contact with a surface and what it remembers.
typedef struct surface_meeting {
    tact_surface_touch touch;
    TactGrainMemory memory;
} surface_meeting;

/// The surfaces that one particle touches, in the order in which a substep meets them.
typedef struct surfaces {
    tact_grain_past past;
    surface_meeting* meetings;
    size_t count;
} surfaces;

/// The first record of a contact that is not before (a, with, b). Records are sorted, but those with one body.
static size_t first_record(const tact_particle_state* s, uint32_t a, uint32_t with, uint32_t b)
{
    size_t low = 0, high = s->record_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const tact_grain_record* r = &s->records[middle];
        const bool before = r->a != a ? r->a < a : r->with != with ? r->with < with : r->b < b;
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// The record of two particles, or NULL.
static const tact_grain_record* record_of_pair(const tact_particle_state* s, uint32_t a, uint32_t b)
{
    const size_t k = first_record(s, a, TACT_CONTACT_PARTICLE, b);
    if (k == s->record_count) return NULL;
    const tact_grain_record* r = &s->records[k];
    return r->a == a && r->with == TACT_CONTACT_PARTICLE && r->b == b ? r : NULL;
}

static void note_surface(const tact_particle_model* model, const tact_particle_self* p, const tact_surface_touch* touch,
                         void* user)
{
    surfaces* s = user;
    (void)model;
    (void)p;
    TACT_ASSERT(s->count < TACT_GRAIN_SURFACES);
    s->meetings[s->count++] = (surface_meeting){*touch, tact_grain_remembered(&s->past, touch)};
}

static void find_surfaces(const tact_particles* p, const tact_particle_state* state, size_t row, surfaces* s)
{
    const tact_particle_self self = tact_particle_self_of(state, row);
    surface_meeting* const meetings = s->meetings;
    const size_t first = first_record(state, self.id, TACT_CONTACT_WALL, 0);
    size_t end = first;
    while (end < state->record_count && state->records[end].a == self.id)
        ++end;
    *s = (surfaces){.past = {end > first ? state->records + first : NULL, end - first, {0}}, .meetings = meetings};
    tact_particle_surfaces(&p->model, &self, note_surface, s);
}

/// That of a contact among those found.
static const surface_meeting* surface_of(const surfaces* s, const tact_particle_contact* c)
{
    size_t k = 0;
    while (s->meetings[k].touch.with != c->with || s->meetings[k].touch.index != c->b ||
           s->meetings[k].touch.triangle != c->triangle) {
        ++k;
        TACT_ASSERT(k < s->count);
    }
    return &s->meetings[k];
}

static TactTouch bond_touch(const tact_particles* p, const tact_particle_self* a, const tact_particle_self* b)
{
    const TactGrid* g = &p->model.grid;
    return tact_bond_touch(tact_grid_shorter(g->x, b->x - a->x), tact_grid_shorter(g->y, b->y - a->y),
                           tact_grid_shorter(g->z, b->z - a->z), a->radius + b->radius, a->id, b->id);
}

static void meet_pair(const tact_particles* p, tact_particle_meeting* m)
{
    const tact_particle_state* s = m->state;
    const tact_particle_contact* c = &m->contact;
    const TactTouch touch = {c->normal[0], c->normal[1], c->normal[2], c->depth, 1};
    m->other = tact_particle_state_find(s, c->b);
    TACT_ASSERT(m->other < s->count);
    m->inverse_mass = s->velocity[m->row][3] + s->velocity[m->other][3];
    m->acts = m->inverse_mass > 0.0f;
    if (!m->acts) return;
    if (s->turns) {
        const tact_grain_record* r = record_of_pair(s, c->a, c->b);
        const tact_grain_self a = tact_grain_of(s, m->row), b = tact_grain_of(s, m->other);
        m->memory = r ? r->spring : tact_grain_forgotten();
        m->bond = r ? tact_grain_bond_of(r) : (TactBond){0.0f, 0.0f};
        m->grain = tact_grain_meet(&p->model, &a, &b, m->bond.kind > 0.0f ? bond_touch(p, &a.p, &b.p) : touch);
    } else {
        const float* v = s->velocity[m->other];
        m->touch = touch;
        m->velocity = tact_vec(v[0], v[1], v[2]);
        m->rule = &p->model.rules[tact_tag_material(s->tag[m->row][1]) * TACT_PARTICLE_MATERIALS +
                                  tact_tag_material(s->tag[m->other][1])];
    }
}

static void meet_surface(const tact_particles* p, const surfaces* found, tact_particle_meeting* m)
{
    const tact_particle_state* s = m->state;
    m->other = s->count;
    m->inverse_mass = s->velocity[m->row][3];
    m->acts = m->inverse_mass > 0.0f;
    if (!m->acts) return;
    const surface_meeting* surface = surface_of(found, &m->contact);
    m->velocity = surface->touch.velocity;
    m->spin = surface->touch.spin;
    if (s->turns) {
        const tact_grain_self self = tact_grain_of(s, m->row);
        m->grain = tact_grain_meet_surface(&p->model, &self, &surface->touch);
        m->memory = surface->memory;
    } else {
        m->touch = surface->touch.touch;
        m->rule =
            &p->model.rules[tact_tag_material(s->tag[m->row][1]) * TACT_PARTICLE_MATERIALS + surface->touch.material];
    }
}

/// Of the last substep, or, before the first, next to nothing.
static float dt_of(const tact_particles* p)
{
    return p->clock.dt > 0.0f ? p->clock.dt : 1e-9f;
}

static void meet_all(const tact_particles* p, const tact_particle_state* state, const tact_particle_contact* contacts,
                     size_t count, surfaces* found, tact_meeting_fn* f, void* user)
{
    size_t met = state->count;  // whose surfaces were found
    for (size_t i = 0; i < count; ++i) {
        tact_particle_meeting m = {
            .contact = contacts[i], .state = state, .row = tact_particle_state_find(state, contacts[i].a)};
        TACT_ASSERT(m.row < state->count);
        m.dt = dt_of(p);
        if (contacts[i].with == TACT_CONTACT_PARTICLE) {
            meet_pair(p, &m);
        } else {
            if (met != m.row) find_surfaces(p, state, m.row, found);
            met = m.row;
            meet_surface(p, found, &m);
        }
        f(p, &m, user);
    }
}

TactBeam tact_particle_beam(const tact_particles* p, const tact_particle_meeting* m, float* stretched)
{
    const float r1 = m->state->position[m->row][3], r2 = m->state->position[m->other][3];
    TACT_ASSERT(m->bond.kind > 0.0f);
    *stretched = (r1 + r2) - m->grain.touch.depth - m->bond.rest;
    return tact_bond_beam(p->bond_rules[(size_t)m->bond.kind - 1], m->bond.rest, r1, r2);
}

TactGrainPush tact_particle_met(const tact_particles* p, const tact_particle_meeting* m, TactGrainMemory* after)
{
    TACT_ASSERT(m->acts && m->grain.rule);
    *after = m->memory;
    if (!(m->bond.kind > 0.0f)) return tact_grain_met(&m->grain, m->dt, after);
    float stretched = 0.0f;
    const TactBeam beam = tact_particle_beam(p, m, &stretched);
    return tact_bond_push(m->grain.touch, m->grain.slip, m->grain.spin, m->grain.inverse_mass, beam,
                          p->bond_rules[(size_t)m->bond.kind - 1], stretched, m->dt, after);
}

void tact_particles_each_bond(const tact_particles* p, tact_meeting_fn* f, void* user)
{
    const tact_particle_state* s = &p->mirror;
    for (size_t k = 0; k < s->record_count; ++k) {
        const tact_grain_record* r = &s->records[k];
        tact_particle_meeting m = {.contact = {.a = r->a, .b = r->b}, .state = s, .bond = tact_grain_bond_of(r)};
        if (!(m.bond.kind > 0.0f)) continue;
        m.row = tact_particle_state_find(s, r->a);
        m.other = tact_particle_state_find(s, r->b);
        TACT_ASSERT(m.row < s->count && m.other < s->count);
        m.inverse_mass = s->velocity[m.row][3] + s->velocity[m.other][3];
        m.acts = m.inverse_mass > 0.0f;
        if (!m.acts) continue;
        m.dt = dt_of(p);
        const tact_grain_self a = tact_grain_of(s, m.row), b = tact_grain_of(s, m.other);
        m.memory = r->spring;
        m.grain = tact_grain_meet(&p->model, &a, &b, bond_touch(p, &a.p, &b.p));
        f(p, &m, user);
    }
}

tact_result tact_particles_each_meeting(tact_particles* p, const tact_particle_state* state, tact_meeting_fn* f,
                                        void* user, size_t* count)
{
    TACT_ASSERT(state != &p->mirror || p->mirror_fresh || state->count == 0);
    tact_env* env = &p->context->env;
    tact_particle_engine* engine = NULL;
    size_t room = 0;
    if (count) *count = 0;
    if (state->count == 0) return TACT_OK;
    p->model.threads = p->context->threads;
    if (state->turns) tact_grains_set_units(p);
    tact_result result = tact_particle_cpu_create(env, state->turns, &engine);
    if (result == TACT_OK) result = engine->type->load(engine, state, p->model.threads);
    if (result == TACT_OK) result = tact_particles_list_contacts(p, engine, NULL, 0, &room);
    // Which of them are of ghosts shows when they are listed.
    if (result == TACT_OK && room > 0 && (f || p->spread)) {
        size_t found = 0;
        tact_particle_contact* contacts = tact_allocate(env, room, sizeof *contacts);
        surfaces s = {.meetings = tact_allocate(env, TACT_GRAIN_SURFACES, sizeof *s.meetings)};
        result = contacts && s.meetings ? tact_particles_list_contacts(p, engine, contacts, room, &found)
                                        : TACT_ERROR_OUT_OF_MEMORY;
        TACT_ASSERT(result != TACT_OK || found == room);
        if (result == TACT_OK && p->spread) room = tact_spread_own_contacts(state, contacts, room, contacts, room);
        if (result == TACT_OK && f) meet_all(p, state, contacts, room, &s, f, user);
        tact_release(env, s.meetings);
        tact_release(env, contacts);
    }
    if (engine) engine->type->destroy(engine);
    if (count && result == TACT_OK) *count = room;
    return result;
}
