// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bodies that move as grains: what the caller sets and gets. grain_steps.c moves them.

#include "core/bodies/grains.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/bodies/grain_matter.h"
#include "core/particles/laws.h"
#include "core/volumes/volumes.h"

static tact_env* env_of(const tact_body_grains* g)
{
    return &g->set->context->env;
}

static bool enter(const tact_body_grains* g)
{
    return tact_enter(g ? g->set->context : NULL, "grains");
}

static tact_result check_finite(tact_env* env, const char* what, size_t i, const float* v)
{
    for (int k = 0; k < 3; ++k) {
        if (fabsf(v[k]) <= TACT_SPEED_RANGE) continue;
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s %zu has %g", what, i, (double)v[k]);
    }
    return TACT_OK;
}

/// Sets a law between two materials, as both see it.
static void set_law(tact_body_grains* g, size_t a, size_t b, const tact_grain_law* law)
{
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    const TactGrainRule rule = tact_grain_rule_of_law(law);
    tact_float_env_leave(&float_env);
    g->rules[a * TACT_PARTICLE_MATERIALS + b] = g->rules[b * TACT_PARTICLE_MATERIALS + a] = rule;
}

static tact_result check_desc(tact_env* env, const tact_body_grains_desc* d)
{
    const float gravity[3] = {d->gravity.x, d->gravity.y, d->gravity.z};
    tact_result result = check_finite(env, "gravity", 0, gravity);
    if (result == TACT_OK) result = tact_grains_check_number(env, "the grains", "drag", d->drag, 0.0f, 1e20f);
    if (result == TACT_OK && d->material_count > TACT_PARTICLE_MATERIALS)
        result = tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%u materials, at most %d", (unsigned)d->material_count,
                           TACT_PARTICLE_MATERIALS);
    return result == TACT_OK ? tact_grain_check_law(env, &d->law) : result;
}

tact_result tact_body_grains_make(tact_bodies* set, tact_body_grains** grains)
{
    tact_env* env = &set->context->env;
    if (set->grains) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the set's bodies are moved already");
    tact_guard_check(&set->guard);
    tact_body_grains* g = tact_allocate_zeroed(env, 1, sizeof *g);
    if (!g) return TACT_ERROR_OUT_OF_MEMORY;
    g->set = set;
    g->kept.history.followed = true;
    g->kept.history.point_bytes = sizeof(tact_point_memory);
    ++set->context->objects;
    set->grains = g;
    *grains = g;
    return TACT_OK;
}

tact_result tact_body_grains_create(tact_bodies* set, const tact_body_grains_desc* desc, tact_body_grains** grains)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &set->context->env;
    if (!desc || !grains) return tact_null(env, !desc ? "desc" : "grains");
    *grains = NULL;
    tact_body_grains* g = NULL;
    tact_result result = check_desc(env, desc);
    if (result == TACT_OK) result = tact_body_grains_make(set, &g);
    if (result != TACT_OK) return result;
    g->gravity = desc->gravity;
    g->drag = desc->drag;
    g->material_count = desc->material_count ? desc->material_count : 1;
    set_law(g, 0, 0, &desc->law);
    for (size_t i = 1; i < TACT_PARTICLE_MATERIALS * TACT_PARTICLE_MATERIALS; ++i)
        g->rules[i] = g->rules[0];
    *grains = g;
    return TACT_OK;
}

void tact_body_grains_destroy(tact_body_grains* g)
{
    if (!g) return;
    tact_bodies* set = g->set;
    tact_env* env = env_of(g);
    tact_volumes_destroy(g->reach);
    tact_contact_history_release(env, &g->kept.history);
    void* const all[] = {g->bodies,        g->measures, g->pairs, g->skins, g->boxes,
                         g->kept.contacts, g->pushes,   g->loads, g->index};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        tact_release(env, all[i]);
    set->grains = NULL;
    --set->context->objects;
    tact_release(env, g);
}

tact_result tact_body_grains_sync(tact_body_grains* g)
{
    const tact_volumes* boxes = g->set->boxes;
    const size_t end = tact_volumes_id_end(boxes), had = g->end;
    void *bodies = g->bodies, *measures = g->measures;
    bool good = tact_reserve(env_of(g), &bodies, &g->body_capacity, had, end, sizeof *g->bodies);
    g->bodies = bodies;
    good = good && tact_reserve(env_of(g), &measures, &g->measure_capacity, had, end, sizeof *g->measures);
    g->measures = measures;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    if (end > had) memset(g->bodies + had, 0, (end - had) * sizeof *g->bodies);
    for (size_t id = 0; id < had && boxes->clock != g->ids_clock; ++id) {
        if (tact_volumes_contains(boxes, (uint32_t)id) && tact_volumes_born(boxes, (uint32_t)id) <= g->ids_clock)
            continue;
        g->bodies[id] = (tact_grain_body){0};
    }
    g->end = end;
    g->ids_clock = boxes->clock;
    return TACT_OK;
}

/// Brings the grains up to date with the set, and checks ids, of which NULL stands for 0 to count - 1.
static tact_result look_up(tact_body_grains* g, const uint32_t* ids, size_t count)
{
    tact_guard_check(&g->set->guard);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = ids ? ids[i] : (uint32_t)i;
        if ((ids || i <= UINT32_MAX) && tact_body_grains_have(g, id)) continue;
        return tact_fail(env_of(g), TACT_ERROR_INVALID_ARGUMENT, "id %u (number %zu) is not in the set", (unsigned)id,
                         i);
    }
    return tact_body_grains_sync(g);
}

tact_result tact_body_grains_set_law(tact_body_grains* g, uint8_t a, uint8_t b, const tact_grain_law* law)
{
    if (!enter(g)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!law) return tact_null(env_of(g), "law");
    if (a >= g->material_count || b >= g->material_count)
        return tact_fail(env_of(g), TACT_ERROR_INVALID_ARGUMENT, "no materials %u and %u", (unsigned)a, (unsigned)b);
    const tact_result result = tact_grain_check_law(env_of(g), law);
    if (result == TACT_OK) set_law(g, a, b, law);
    return result;
}

tact_result tact_body_grains_set_gravity(tact_body_grains* g, tact_vec3 gravity)
{
    if (!enter(g)) return TACT_ERROR_INVALID_ARGUMENT;
    const float given[3] = {gravity.x, gravity.y, gravity.z};
    const tact_result result = check_finite(env_of(g), "gravity", 0, given);
    if (result == TACT_OK) g->gravity = gravity;
    return result;
}

// ---- Matter ----

/// The inverse of a positive definite tensor, xx yy zz xy xz yz, that is kept in single precision.
static void invert(const double i[6], TactClumpBody* solid)
{
    const double xx = i[1] * i[2] - i[5] * i[5], yy = i[0] * i[2] - i[4] * i[4], zz = i[0] * i[1] - i[3] * i[3];
    const double xy = i[4] * i[5] - i[3] * i[2], xz = i[3] * i[5] - i[4] * i[1], yz = i[3] * i[4] - i[0] * i[5];
    const double determinant = i[0] * xx + i[3] * xy + i[4] * xz;
    TACT_ASSERT(determinant > 0.0);
    solid->xx = (float)(xx / determinant);
    solid->yy = (float)(yy / determinant);
    solid->zz = (float)(zz / determinant);
    solid->xy = (float)(xy / determinant);
    solid->xz = (float)(xz / determinant);
    solid->yz = (float)(yz / determinant);
}

/// What nothing moves; `radius` 0: flat.
static void make_fixed(tact_grain_body* b, const tact_body_matter* matter)
{
    b->solid = (TactClumpBody){0};
    b->center = tact_vec(0.0f, 0.0f, 0.0f);
    b->momentum = b->center;
    b->inner = 0.0f;
    b->curvature = matter->radius > 0.0f ? 1.0f / matter->radius : 0.0f;
}

static void make_moved(tact_grain_body* b, const tact_body_measures* m)
{
    b->solid.inverse_mass = (float)(1.0 / m->mass);
    b->solid.reach = (float)m->reach;
    invert(m->inertia, &b->solid);
    b->center = tact_vec((float)m->center[0], (float)m->center[1], (float)m->center[2]);
    b->inner = (float)m->inner;
    b->curvature = (float)(1.0 / m->radius);
}

/// A vector times the tensor of inertia, in the world.
static TactVec momentum_of(const tact_body_measures* m, const tact_pose* pose, TactVec spin)
{
    const tact_quat q = pose->rotation;
    const float4 turn = {q.x, q.y, q.z, q.w};
    const TactVec own = tact_clump_into(turn, spin);
    const double w[3] = {(double)own.x, (double)own.y, (double)own.z};
    const double* i = m->inertia;
    const TactVec l =
        tact_vec((float)(i[0] * w[0] + i[3] * w[1] + i[4] * w[2]), (float)(i[3] * w[0] + i[1] * w[1] + i[5] * w[2]),
                 (float)(i[4] * w[0] + i[5] * w[1] + i[2] * w[2]));
    return tact_clump_out(turn, l);
}

static bool is_infinite(const tact_body_matter* matter)
{
    return matter->mass == INFINITY;
}

/// What is measured in double precision is kept in single.
static tact_result check_single(tact_env* env, const tact_body_measures* m)
{
    const double least = 1e-25, most = 1e25;
    bool good = m->mass >= least && m->mass <= most && m->inner >= least && m->reach <= most && m->radius >= least &&
                m->radius <= most;
    for (int k = 0; k < 3; ++k)
        good = good && m->inertia[k] >= least && m->inertia[k] <= most && fabs(m->center[k]) <= most;
    if (good) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                     "a body's mass of %g kg, reach of %g m or inertia of %g kg m^2 is beyond single precision",
                     m->mass, m->reach, m->inertia[0]);
}

static tact_result measure(const tact_body_grains* g, uint32_t id, const tact_body_matter* matter,
                           tact_body_measures* out)
{
    const tact_body* body = &g->set->bodies[id];
    if (matter->material >= g->material_count)
        return tact_fail(env_of(g), TACT_ERROR_INVALID_ARGUMENT, "no material %u", (unsigned)matter->material);
    if (is_infinite(matter))
        return tact_grains_check_number(env_of(g), "a body", "radius", matter->radius, 0.0f, 1e20f);
    const tact_result result = tact_body_matter_measure(g->set, body->shape, body->pose.scale, matter, out);
    return result == TACT_OK ? check_single(env_of(g), out) : result;
}

/// Whether matter of the one before, on a shape of the same size, amounts to the same.
static bool is_same(const tact_body* a, const tact_body* b)
{
    return a->shape == b->shape && a->pose.scale == b->pose.scale;
}

static tact_result set_matter(tact_body_grains* g, const uint32_t* ids, size_t count, const tact_body_matter* matter,
                              bool each, tact_body_measures* measures)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_body* body = &g->set->bodies[ids ? ids[i] : i];
        if (i > 0 && !each && is_same(body, &g->set->bodies[ids ? ids[i - 1] : i - 1])) {
            measures[i] = measures[i - 1];
            continue;
        }
        const tact_result result = measure(g, ids ? ids[i] : (uint32_t)i, &matter[each ? i : 0], &measures[i]);
        if (result != TACT_OK) return result;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = ids ? ids[i] : (uint32_t)i;
        const tact_body_matter* own = &matter[each ? i : 0];
        tact_grain_body* b = &g->bodies[id];
        const tact_pose* pose = &g->set->bodies[id].pose;
        const TactVec spin = b->spin;
        b->material = own->material;
        g->measures[id] = measures[i];
        if (is_infinite(own)) {
            make_fixed(b, own);
        } else {
            make_moved(b, &measures[i]);
            b->momentum = momentum_of(&measures[i], pose, spin);
        }
        tact_grain_body_face(b, pose);
    }
    g->listed = false;
    return TACT_OK;
}

tact_result tact_body_grains_set_matter(tact_body_grains* g, const uint32_t* ids, size_t count,
                                        const tact_body_matter* matter, bool each)
{
    if (!enter(g)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = env_of(g);
    if (count == 0) return TACT_OK;
    if (!matter) return tact_null(env, "matter");
    tact_result result = look_up(g, ids, count);
    if (result != TACT_OK) return result;
    tact_body_measures* measures = tact_allocate_zeroed(env, count, sizeof *measures);
    if (!measures) return TACT_ERROR_OUT_OF_MEMORY;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    result = set_matter(g, ids, count, matter, each, measures);
    tact_float_env_leave(&float_env);
    tact_release(env, measures);
    return result;
}

tact_result tact_body_grains_get_measures(const tact_body_grains* g, uint32_t id, tact_body_measures* measures)
{
    if (!enter(g)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!measures) return tact_null(env_of(g), "measures");
    const bool known = tact_body_grains_have(g, id) && id < g->end;
    if (!known || !(g->bodies[id].solid.inverse_mass > 0.0f))
        return tact_fail(env_of(g), TACT_ERROR_INVALID_ARGUMENT, "no body %u of finite mass", (unsigned)id);
    *measures = g->measures[id];
    return TACT_OK;
}

// ---- Motion ----

static void put(float* to, TactVec v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

tact_result tact_body_grains_read(const tact_body_grains* g, const uint32_t* ids, size_t count,
                                  const tact_body_grain_arrays* arrays)
{
    if (!enter(g)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!arrays) return tact_null(env_of(g), "arrays");
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = ids ? ids[i] : (uint32_t)i;
        if (!tact_body_grains_have(g, id))
            return tact_fail(env_of(g), TACT_ERROR_INVALID_ARGUMENT, "id %u (number %zu) is not in the set",
                             (unsigned)id, i);
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = ids ? ids[i] : (uint32_t)i;
        const bool known = id < g->end && tact_volumes_born(g->set->boxes, id) <= g->ids_clock;
        const tact_grain_body b = known ? g->bodies[id] : (tact_grain_body){0};
        if (arrays->velocities) put(arrays->velocities + 3 * i, b.velocity);
        if (arrays->spins) put(arrays->spins + 3 * i, b.spin);
        for (int k = 0; k < 3; ++k) {
            if (arrays->forces) arrays->forces[3 * i + (size_t)k] = (float)b.load[k];
            if (arrays->torques) arrays->torques[3 * i + (size_t)k] = (float)b.load[3 + k];
        }
    }
    return TACT_OK;
}

static tact_result check_arrays(tact_body_grains* g, const uint32_t* ids, size_t count, const char* names[2],
                                const float* const arrays[2])
{
    tact_result result = look_up(g, ids, count);
    for (size_t i = 0; i < 2 * count && result == TACT_OK; ++i) {
        const float* array = arrays[i % 2];
        if (array) result = check_finite(env_of(g), names[i % 2], i / 2, array + 3 * (i / 2));
    }
    return result;
}

static TactVec vec_at(const float* array, size_t i)
{
    return tact_vec(array[3 * i], array[3 * i + 1], array[3 * i + 2]);
}

tact_result tact_body_grains_write(tact_body_grains* g, const uint32_t* ids, size_t count, const float* velocities,
                                   const float* spins)
{
    if (!enter(g)) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result result =
        check_arrays(g, ids, count, (const char*[]){"velocity", "spin"}, (const float*[]){velocities, spins});
    if (result != TACT_OK) return result;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = ids ? ids[i] : (uint32_t)i;
        tact_grain_body* b = &g->bodies[id];
        if (velocities) b->velocity = vec_at(velocities, i);
        if (!spins) continue;
        b->spin = vec_at(spins, i);
        if (!(b->solid.inverse_mass > 0.0f)) continue;
        b->momentum = momentum_of(&g->measures[id], &g->set->bodies[id].pose, b->spin);
        tact_grain_body_face(b, &g->set->bodies[id].pose);
    }
    tact_float_env_leave(&float_env);
    return TACT_OK;
}

tact_result tact_body_grains_set_forces(tact_body_grains* g, const uint32_t* ids, size_t count, const float* forces,
                                        const float* torques)
{
    if (!enter(g)) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result result =
        check_arrays(g, ids, count, (const char*[]){"force", "torque"}, (const float*[]){forces, torques});
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        tact_grain_body* b = &g->bodies[ids ? ids[i] : i];
        b->force = forces ? vec_at(forces, i) : tact_vec(0.0f, 0.0f, 0.0f);
        b->torque = torques ? vec_at(torques, i) : tact_vec(0.0f, 0.0f, 0.0f);
    }
    return result;
}

// ---- What there is ----

const tact_contact* tact_body_grains_contacts(const tact_body_grains* g, const tact_body_grain_push** pushes,
                                              size_t* count)
{
    const bool there = g && g->kept.answered && g->kept.count > 0;
    if (count) *count = there ? g->kept.count : 0;
    if (pushes) *pushes = there ? g->pushes : NULL;
    return there ? g->kept.contacts : NULL;
}

static double square_of(TactVec v)
{
    return (double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z;
}

static void add_body(const tact_body_grains* g, uint32_t id, tact_body_grains_totals* t)
{
    const tact_grain_body* b = &g->bodies[id];
    const tact_pose* pose = &g->set->bodies[id].pose;
    t->dissipated_energy += b->taken;
    t->work += b->given;
    if (!(b->solid.inverse_mass > 0.0f)) return;
    const double mass = 1.0 / (double)b->solid.inverse_mass;
    const double speed[3] = {(double)b->velocity.x, (double)b->velocity.y, (double)b->velocity.z};
    const double at[3] = {pose->x + (double)b->arm.x, pose->y + (double)b->arm.y, pose->z + (double)b->arm.z};
    t->kinetic_energy += 0.5 * mass * square_of(b->velocity);
    t->rotational_energy +=
        0.5 * ((double)b->momentum.x * (double)b->spin.x + (double)b->momentum.y * (double)b->spin.y +
               (double)b->momentum.z * (double)b->spin.z);
    t->potential_energy -=
        mass * ((double)g->gravity.x * at[0] + (double)g->gravity.y * at[1] + (double)g->gravity.z * at[2]);
    for (int k = 0; k < 3; ++k)
        t->momentum[k] += mass * speed[k];
}

tact_result tact_body_grains_measure(const tact_body_grains* g, tact_body_grains_totals* totals)
{
    if (!enter(g)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!totals) return tact_null(env_of(g), "totals");
    tact_body_grains_totals t = {.steps = g->steps,
                                 .substeps = g->substeps,
                                 .time = g->time,
                                 .slowed = g->slowed,
                                 .searches = g->searches,
                                 .dissipated_energy = g->forgotten};
    for (size_t id = 0; id < g->end; ++id) {
        if (tact_body_grains_have(g, (uint32_t)id)) add_body(g, (uint32_t)id, &t);
    }
    for (size_t i = 0; i < g->kept.count && g->kept.answered; ++i) {
        const tact_grain_load* l = &g->loads[i];
        t.contacts += l->points > 0;
        t.points += l->points;
        t.deepest = fmax(t.deepest, l->deepest);
        t.elastic_energy += l->elastic;
    }
    *totals = t;
    return TACT_OK;
}
