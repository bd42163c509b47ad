// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// GRAINS, spheres that turn: what a substep does to one of them and to a pair, and the brute force that defines it. The
// arithmetic is in kernels/grain_contact.h. Forces and torques are summed exactly, so that their order does not matter.

#include <string.h>

#include "cpu_ref/particles/particles.h"

/// A number in units of TactExact::low: what tact_exact_add() makes of it.
static int64_t cut(float x, float scale)
{
    // Exact, but for the cut, towards zero.
    return (int64_t)((double)tact_exact_scaled(x, scale) * (double)TACT_EXACT_LOW);
}

static void add(int64_t sums[3], TactVec by, float unit)
{
    const float scale = tact_div(1.0f, unit);
    sums[0] += cut(by.x, scale);
    sums[1] += cut(by.y, scale);
    sums[2] += cut(by.z, scale);
}

static bool is_cut(TactVec force, float unit)
{
    const float scale = tact_div(1.0f, unit);
    return tact_exact_capped(force.x, scale) || tact_exact_capped(force.y, scale) || tact_exact_capped(force.z, scale);
}

/// What tact_exact_value() makes of it, by conversions that round to the nearest.
static float value_of(int64_t sum, float unit)
{
    const uint64_t size = sum < 0 ? UINT64_C(0) - (uint64_t)sum : (uint64_t)sum;
    const float part = (float)(int32_t)(size & ((UINT64_C(1) << 30) - 1)) * 0x1p-30f;
    const float whole = (float)(int32_t)(size >> 30) + part, value = whole * unit;
    return sum < 0 ? -value : value;
}

static TactVec value(const int64_t sums[3], float unit)
{
    return tact_vec(value_of(sums[0], unit), value_of(sums[1], unit), value_of(sums[2], unit));
}

static TactVec opposite(TactVec v)
{
    return tact_vec(-v.x, -v.y, -v.z);
}

static const TactGrainRule* rule_of(const tact_particle_model* model, uint32_t a, uint32_t b)
{
    TACT_ASSERT(a < TACT_PARTICLE_MATERIALS && b < TACT_PARTICLE_MATERIALS);
    return &model->grain_rules[a * TACT_PARTICLE_MATERIALS + b];
}

bool tact_grain_rules_roll(const tact_particle_model* model)
{
    for (size_t k = 0; k < TACT_PARTICLE_MATERIALS * TACT_PARTICLE_MATERIALS; ++k) {
        if (model->grain_rules[k].rolling > 0.0f || model->grain_rules[k].twisting > 0.0f) return true;
    }
    return false;
}

tact_grain_meeting tact_grain_meet(const tact_particle_model* model, const tact_grain_self* a, const tact_grain_self* b,
                                   TactTouch t)
{
    const tact_particle_self *p = &a->p, *q = &b->p;
    const float arm = tact_grain_arm(p->radius, t.depth), other = tact_grain_arm(q->radius, t.depth);
    const tact_grain_meeting m = {
        .touch = t,
        .slip = tact_grain_slip(t, q->vx - p->vx, q->vy - p->vy, q->vz - p->vz, arm * a->spin.x + other * b->spin.x,
                                arm * a->spin.y + other * b->spin.y, arm * a->spin.z + other * b->spin.z),
        .spin = tact_vec(b->spin.x - a->spin.x, b->spin.y - a->spin.y, b->spin.z - a->spin.z),
        .arm = arm,
        .other = other,
        .radius = tact_div(arm * other, arm + other),
        .inverse_mass = p->inverse_mass + q->inverse_mass,
        .rule = rule_of(model, p->material, q->material)};
    return m;
}

tact_grain_meeting tact_grain_meet_surface(const tact_particle_model* model, const tact_grain_self* g,
                                           const tact_surface_touch* touch)
{
    const tact_particle_self* p = &g->p;
    const TactTouch t = touch->touch;
    const float arm = tact_grain_arm(p->radius, t.depth);
    // The surface's speed where it is touched.
    const TactVec turned = tact_cross3(touch->spin.x, touch->spin.y, touch->spin.z, t.nx, t.ny, t.nz);
    const TactVec v = tact_vec(touch->velocity.x + arm * turned.x, touch->velocity.y + arm * turned.y,
                               touch->velocity.z + arm * turned.z);
    const tact_grain_meeting m = {
        .touch = t,
        .slip = tact_grain_slip(t, v.x - p->vx, v.y - p->vy, v.z - p->vz, arm * g->spin.x, arm * g->spin.y,
                                arm * g->spin.z),
        .spin = tact_vec(touch->spin.x - g->spin.x, touch->spin.y - g->spin.y, touch->spin.z - g->spin.z),
        .surface = v,
        .arm = arm,
        .radius = arm,
        .inverse_mass = p->inverse_mass,
        .rule = rule_of(model, p->material, touch->material)};
    return m;
}

TactGrainPush tact_grain_met(const tact_grain_meeting* m, float dt, TactGrainMemory* memory)
{
    return tact_grain_push(m->touch, m->slip, m->spin, m->radius, m->inverse_mass, *m->rule, dt, memory);
}

static void add_pair(const tact_particle_model* model, tact_grain_self* a, tact_grain_self* b,
                     const tact_grain_meeting* m, const TactGrainPush* push)
{
    add(a->force, push->force, model->force_unit);
    add(b->force, opposite(push->force), model->force_unit);
    a->capped += is_cut(push->force, model->force_unit);
    add(a->torque, tact_grain_torque(push->arm, m->arm, push->turn), model->torque_unit);
    add(b->torque, tact_grain_torque(push->arm, m->other, opposite(push->turn)), model->torque_unit);
}

/// What a bond does. False when there is none, or none any more.
static bool bonded_pair(const tact_particle_model* model, tact_grain_self* a, tact_grain_self* b, TactVec d,
                        TactGrainMemory* memory, TactBond* bond)
{
    const tact_particle_self *p = &a->p, *q = &b->p;
    const float reach = p->radius + q->radius;
    if (!(bond->kind > 0.0f)) return false;
    if (!tact_bond_lasts(tact_dot3(d.x, d.y, d.z, d.x, d.y, d.z), reach, *bond)) {
        *bond = (TactBond){0.0f, 0.0f};
        *memory = tact_grain_forgotten();
        return false;
    }
    if (!(p->inverse_mass + q->inverse_mass > 0.0f)) return true;
    const TactTouch t = tact_bond_touch(d.x, d.y, d.z, reach, p->id, q->id);
    const tact_grain_meeting m = tact_grain_meet(model, a, b, t);
    const TactBondRule* rule = &model->bond_rules[(size_t)bond->kind - 1];
    const TactGrainPush push = tact_bond_act(t, m.slip, m.spin, p->radius, q->radius, m.inverse_mass, *rule,
                                             tact_length3(d.x, d.y, d.z), model->motion.dt, memory, bond);
    if (!(bond->kind > 0.0f)) return false;
    add_pair(model, a, b, &m, &push);
    return true;
}

bool tact_grain_pair(const tact_particle_model* model, tact_grain_self* a, tact_grain_self* b, TactVec d,
                     TactGrainMemory* memory, TactBond* bond)
{
    const tact_particle_self *p = &a->p, *q = &b->p;
    TACT_ASSERT(p->id < q->id && bond->kind >= 0.0f && bond->kind <= (float)TACT_BOND_KINDS);
    if (!tact_groups_meet(model->masks, p->group, q->group)) return false;
    if (bonded_pair(model, a, b, d, memory, bond)) return true;
    const TactTouch t = tact_touch_spheres(d.x, d.y, d.z, p->radius + q->radius, p->id, q->id);
    if (!t.touches) return false;
    if (!(p->inverse_mass + q->inverse_mass > 0.0f)) {
        *memory = tact_grain_forgotten();
        return true;
    }
    const tact_grain_meeting m = tact_grain_meet(model, a, b, t);
    const TactGrainPush push = tact_grain_met(&m, model->motion.dt, memory);
    add_pair(model, a, b, &m, &push);
    return true;
}

/// The contacts of one particle with surfaces, while they are looked at.
typedef struct surfaces {
    tact_grain_self* self;
    tact_grain_past past;
    tact_grain_record* records;
    size_t count;
} surfaces;

static bool goes_on(const tact_grain_record* record, const tact_surface_touch* touch)
{
    const float* n = record->normal;
    const TactTouch* t = &touch->touch;
    return record->with == touch->with && record->b == touch->index &&
           tact_dot3(n[0], n[1], n[2], t->nx, t->ny, t->nz) > TACT_GRAIN_SAME_NORMAL;
}

TactGrainMemory tact_grain_remembered(tact_grain_past* past, const tact_surface_touch* touch)
{
    TACT_ASSERT(past->count <= TACT_GRAIN_SURFACES);
    for (size_t k = 0; k < past->count; ++k) {
        const tact_grain_record* r = &past->records[k];
        if ((past->taken[k / 64] >> (k % 64) & 1u) || !goes_on(r, touch)) continue;
        past->taken[k / 64] |= UINT64_C(1) << (k % 64);
        return r->spring;
    }
    return tact_grain_forgotten();
}

static void add_surface(const tact_particle_model* model, const tact_particle_self* p, const tact_surface_touch* touch,
                        void* user)
{
    surfaces* s = user;
    tact_grain_self* g = s->self;
    const TactTouch t = touch->touch;
    TACT_ASSERT(s->count < TACT_GRAIN_SURFACES && p->inverse_mass > 0.0f);
    const tact_grain_meeting m = tact_grain_meet_surface(model, g, touch);
    TactGrainMemory memory = tact_grain_remembered(&s->past, touch);
    const TactGrainPush push = tact_grain_met(&m, model->motion.dt, &memory);
    add(g->force, push.force, model->force_unit);
    g->capped += is_cut(push.force, model->force_unit);
    add(g->torque, tact_grain_torque(push.arm, m.arm, push.turn), model->torque_unit);
    s->records[s->count++] = (tact_grain_record){
        .a = p->id, .with = touch->with, .b = touch->index, .normal = {t.nx, t.ny, t.nz}, .spring = memory};
}

size_t tact_grain_surfaces(const tact_particle_model* model, tact_grain_self* g, bool walls,
                           const tact_grain_record* before, size_t count, tact_grain_record* records)
{
    surfaces s = {.self = g, .past = {before, count, {0}}, .records = records};
    // What nothing moves has no use for forces.
    if (!(g->p.inverse_mass > 0.0f)) return 0;
    if (walls) {
        tact_particle_surfaces(model, &g->p, add_surface, &s);
    } else {
        tact_particle_obstacles(model, &g->p, add_surface, &s);
    }
    return s.count;
}

void tact_grain_load(const tact_particle_model* model, const tact_grain_self* g, TactVec* force, TactVec* torque)
{
    *force = value(g->force, model->force_unit);
    *torque = value(g->torque, model->torque_unit);
}

TactVec tact_grain_torqued(const tact_particle_model* model, const tact_particle_self* p, TactVec spin)
{
    if (p->id >= model->torque_count) return spin;
    const float* t = model->torques[p->id];
    const float inertia = tact_grain_inverse_inertia(p->radius, p->inverse_mass);
    return tact_grain_spun(spin, tact_vec(t[0], t[1], t[2]), inertia, model->motion.dt);
}

TactVec tact_grain_finish(const tact_particle_model* model, tact_grain_self* g)
{
    const float inertia = tact_grain_inverse_inertia(g->p.radius, g->p.inverse_mass);
    TactVec force, torque;
    tact_grain_load(model, g, &force, &torque);
    g->spin = tact_grain_spun(g->spin, torque, inertia, model->motion.dt);
    return force;
}

// ---- The brute force ----

tact_particle_self tact_particle_self_of(const tact_particle_state* s, size_t i)
{
    const float *x = s->position[i], *v = s->velocity[i];
    return (tact_particle_self){x[0],
                                x[1],
                                x[2],
                                x[3],
                                v[0],
                                v[1],
                                v[2],
                                v[3],
                                s->tag[i][0],
                                tact_tag_material(s->tag[i][1]),
                                tact_tag_group(s->tag[i][1]),
                                0.0f,
                                tact_tag_is_ghost(s->tag[i][1])};
}

tact_grain_self tact_grain_of(const tact_particle_state* s, size_t i)
{
    const float* spin = s->spin[i];
    return (tact_grain_self){.p = tact_particle_self_of(s, i), .spin = tact_vec(spin[0], spin[1], spin[2])};
}

typedef struct brute {
    const tact_particle_model* model;
    tact_particle_state* state;
    tact_grain_self* selves;
    tact_grain_record* records;  ///< those of this substep
    size_t count, capacity;
    size_t next;  ///< the first of the state's records that are of particles not yet looked at
} brute;

static bool keep(tact_env* env, brute* b, const tact_grain_record* record, size_t count)
{
    if (!tact_reserve(env, (void**)&b->records, &b->capacity, b->count, b->count + count, sizeof *record)) return false;
    if (count > 0) memcpy(b->records + b->count, record, count * sizeof *record);
    b->count += count;
    return true;
}

/// What one particle has to do with those of greater id and with surfaces.
static bool look(tact_env* env, brute* b, size_t i, tact_grain_record* scratch)
{
    const TactGrid* g = &b->model->grid;
    const tact_particle_state* s = b->state;
    const uint32_t id = s->tag[i][0];
    size_t end = b->next, at = b->next;
    while (end < s->record_count && s->records[end].a == id)
        ++end;
    TACT_ASSERT(end == s->record_count || s->records[end].a > id);
    for (size_t k = i + 1; k < s->count; ++k) {
        while (at < end && s->records[at].with == TACT_CONTACT_PARTICLE && s->records[at].b < s->tag[k][0])
            ++at;
        if (tact_clump_joins(b->model->clumps, id, s->tag[k][0])) continue;
        const bool known = at < end && s->records[at].with == TACT_CONTACT_PARTICLE && s->records[at].b == s->tag[k][0];
        tact_grain_record r = {.a = id,
                               .with = TACT_CONTACT_PARTICLE,
                               .b = s->tag[k][0],
                               .spring = known ? s->records[at].spring : tact_grain_forgotten()};
        TactBond bond = {0.0f, 0.0f};
        if (known) bond = tact_grain_bond_of(&s->records[at]);
        const float *x = s->position[i], *y = s->position[k];
        const TactVec d = tact_vec(tact_grid_shorter(g->x, y[0] - x[0]), tact_grid_shorter(g->y, y[1] - x[1]),
                                   tact_grid_shorter(g->z, y[2] - x[2]));
        if (!tact_grain_pair(b->model, &b->selves[i], &b->selves[k], d, &r.spring, &bond)) continue;
        r.normal[0] = bond.rest;
        r.normal[1] = bond.kind;
        if (!keep(env, b, &r, 1)) return false;
    }
    while (at < end && s->records[at].with == TACT_CONTACT_PARTICLE)
        ++at;
    const size_t found = tact_grain_surfaces(b->model, &b->selves[i], true, s->records + at, end - at, scratch);
    b->next = end;
    return keep(env, b, scratch, found);
}

static void move(brute* b, size_t i, tact_particle_counters* counters)
{
    tact_particle_state* s = b->state;
    tact_grain_self* g = &b->selves[i];
    if (tact_tag_is_ghost(s->tag[i][1])) return;
    g->spin = tact_grain_torqued(b->model, &g->p, g->spin);
    const TactVec force = tact_grain_finish(b->model, g);
    counters->capped += g->capped;
    tact_particle_finish(b->model, &g->p, force, counters);
    const float* q = s->turn[i];
    const float4 turn = tact_grain_turned((float4){q[0], q[1], q[2], q[3]}, g->spin, b->model->motion.dt);
    const float rows[4][4] = {{g->p.x, g->p.y, g->p.z, g->p.radius},
                              {g->p.vx, g->p.vy, g->p.vz, g->p.inverse_mass},
                              {g->spin.x, g->spin.y, g->spin.z, 0.0f},
                              {turn.x, turn.y, turn.z, turn.w}};
    memcpy(s->position[i], rows[0], sizeof rows[0]);
    memcpy(s->velocity[i], rows[1], sizeof rows[1]);
    memcpy(s->spin[i], rows[2], sizeof rows[2]);
    memcpy(s->turn[i], rows[3], sizeof rows[3]);
}

/// Whether another rank moves a clump: its members are ghosts here, or not there.
static bool is_elsewhere(const brute* b, size_t k)
{
    const tact_clump_table* t = b->model->clumps;
    const size_t row = tact_particle_state_find(b->state, t->members[t->begins[k]].id);
    return row == b->state->count || tact_tag_is_ghost(b->state->tag[row][1]);
}

/// Moves clumps, and leads their members on as particles of infinite mass.
static void move_clumps(brute* b, tact_particle_counters* counters)
{
    const tact_clump_table* t = b->model->clumps;
    for (size_t k = 0; t && k < t->count; ++k) {
        if (is_elsewhere(b, k)) continue;
        tact_clump_motion* c = &b->state->clumps[k];
        tact_clump_load load = {tact_vec(0.0f, 0.0f, 0.0f), tact_vec(0.0f, 0.0f, 0.0f)};
        for (size_t n = t->begins[k]; n < t->begins[k + 1]; ++n) {
            const tact_grain_self* g = &b->selves[tact_particle_state_find(b->state, t->members[n].id)];
            TactVec force, torque;
            tact_grain_load(b->model, g, &force, &torque);
            tact_particle_caller_force(b->model, g->p.id, &force);
            tact_particle_caller_torque(b->model, g->p.id, &torque);
            tact_clump_push(&load, tact_clump_arm(c, &t->members[n]), force, torque);
        }
        tact_clump_advance(b->model, k, c, &load, counters);
        for (size_t n = t->begins[k]; n < t->begins[k + 1]; ++n) {
            tact_particle_self* p = &b->selves[tact_particle_state_find(b->state, t->members[n].id)].p;
            const float from[3] = {p->x, p->y, p->z};
            const TactVec v = tact_clump_lead(b->model, c, tact_clump_arm(c, &t->members[n]), from);
            p->vx = v.x;
            p->vy = v.y;
            p->vz = v.z;
            p->inverse_mass = 0.0f;
        }
    }
}

static void follow_clumps(const brute* b)
{
    const tact_clump_table* t = b->model->clumps;
    tact_particle_state* s = b->state;
    for (size_t k = 0; t && k < t->count; ++k) {
        if (is_elsewhere(b, k)) continue;
        const TactVec w = tact_clump_spun(t, k, &s->clumps[k]);
        for (size_t n = t->begins[k]; n < t->begins[k + 1]; ++n) {
            const size_t row = tact_particle_state_find(s, t->members[n].id);
            tact_clump_follow(t, k, &s->clumps[k], w, tact_clump_arm(&s->clumps[k], &t->members[n]), s->velocity[row],
                              s->spin[row], s->turn[row]);
        }
    }
}

tact_result tact_grain_reference_substep(tact_env* env, const tact_particle_model* model, tact_particle_state* state,
                                         tact_particle_counters* counters)
{
    brute b = {.model = model, .state = state};
    tact_grain_record* scratch = tact_allocate(env, TACT_GRAIN_SURFACES, sizeof *scratch);
    b.selves = tact_allocate(env, state->count, sizeof *b.selves);
    bool good = scratch && b.selves;
    for (size_t i = 0; i < state->count && good; ++i)
        b.selves[i] = tact_grain_of(state, i);
    for (size_t i = 0; i < state->count && good; ++i)
        good = look(env, &b, i, scratch);
    if (good) move_clumps(&b, counters);
    for (size_t i = 0; i < state->count && good; ++i)
        move(&b, i, counters);
    if (good) {
        follow_clumps(&b);
        tact_release(env, state->records);
        state->records = b.records;
        state->record_count = b.count;
        state->record_capacity = b.capacity;
    } else {
        tact_release(env, b.records);
    }
    tact_release(env, scratch);
    tact_release(env, b.selves);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}
