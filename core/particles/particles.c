// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Making particle systems: checking what they are made of, working out the rules of contacts and the cells.

#include "core/particles/particles.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/float_env.h"
#include "core/particles/spread_state.h"

static const tact_particle_material default_material = {1e4f, 0.5f, 0.5f, 0.5f};

static bool is_finite_vec(tact_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/// A number that must lie from `least` to `most`, and so is not NaN.
typedef struct limited {
    const char* name;
    float value, least, most;
} limited;

static tact_result check_limits(tact_env* env, const char* of, const limited* numbers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const limited* n = &numbers[i];
        if (n->value >= n->least && n->value <= n->most) continue;
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s%s is %g, which must be from %g to %g", of, n->name,
                         (double)n->value, (double)n->least, (double)n->most);
    }
    return TACT_OK;
}

static tact_result check_material(tact_env* env, const tact_particle_material* m, const char* what, unsigned index)
{
    if (!(m->stiffness > 0.0f)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s %u: a stiffness of %g must be positive", what, index,
                         (double)m->stiffness);
    }
    const limited numbers[] = {
        {"stiffness", m->stiffness, 0.0f, 1e30f},
        {"restitution", m->restitution, 0.01f, 1.0f},
        {"friction", m->friction, 0.0f, 1e6f},
        {"tangential_damping", m->tangential_damping, 0.0f, 1e3f},
    };
    char name[64];
    snprintf(name, sizeof name, "%s %u: ", what, index);
    return check_limits(env, name, numbers, sizeof numbers / sizeof *numbers);
}

static tact_result check_domain(tact_env* env, const tact_particles_desc* d)
{
    const float* lower = &d->domain.lower.x;
    const float* upper = &d->domain.upper.x;
    for (int axis = 0; axis < 3; ++axis) {
        if ((unsigned)d->boundary[axis] > TACT_BOUNDARY_PERIODIC) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no boundary %d", (int)d->boundary[axis]);
        }
        if (d->boundary[axis] == TACT_BOUNDARY_OPEN) continue;
        const float l = lower[axis], u = upper[axis];
        if (!(l >= -TACT_MAX_COORDINATE && u <= TACT_MAX_COORDINATE && l < u)) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the domain's axis %c runs from %g to %g", 'x' + axis,
                             (double)l, (double)u);
        }
    }
    return TACT_OK;
}

static tact_result check_desc(tact_env* env, const tact_particles_desc* d)
{
    if ((unsigned)d->response > TACT_RESPONSE_GRAINS) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no response %d", (int)d->response);
    }
    if ((unsigned)d->backend >= TACT_BACKEND_COUNT) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no backend %d", (int)d->backend);
    }
    const limited numbers[] = {
        {"gravity.x", d->gravity.x, -FLT_MAX, FLT_MAX},
        {"gravity.y", d->gravity.y, -FLT_MAX, FLT_MAX},
        {"gravity.z", d->gravity.z, -FLT_MAX, FLT_MAX},
        {"origin.x", d->origin.x, -FLT_MAX, FLT_MAX},
        {"origin.y", d->origin.y, -FLT_MAX, FLT_MAX},
        {"origin.z", d->origin.z, -FLT_MAX, FLT_MAX},
        {"drag", d->drag, 0.0f, nextafterf(1e30f, 0.0f)},
        {"speed_limit", d->speed_limit, 0.0f, INFINITY},
        {"relaxation", d->relaxation, 0.0f, nextafterf(2.0f, 0.0f)},
        {"separation_speed", d->separation_speed, 0.0f, INFINITY},
        {"sleep_speed", d->sleep_speed, 0.0f, INFINITY},
        {"max_radius", d->max_radius, 0.0f, 1e15f},
    };
    const tact_result limits = check_limits(env, "", numbers, sizeof numbers / sizeof *numbers);
    if (limits != TACT_OK) return limits;
    if (d->iterations > 1024) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%u iterations; at most 1024", (unsigned)d->iterations);
    }
    if (d->reserve > TACT_MAX_PARTICLES) {
        return tact_fail(env, TACT_ERROR_LIMIT, "room for %zu particles", d->reserve);
    }
    if (d->material_count > TACT_PARTICLE_MATERIALS || (d->material_count > 0 && !d->materials)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%u materials", (unsigned)d->material_count);
    }
    for (uint32_t i = 0; i < d->material_count; ++i) {
        const tact_result result = check_material(env, &d->materials[i], "material", i);
        if (result != TACT_OK) return result;
    }
    if (d->wall_material >= (d->material_count ? d->material_count : 1)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no material %u for the walls", (unsigned)d->wall_material);
    }
    return check_domain(env, d);
}

static void note_rule(tact_particles* p, TactContactRule rule)
{
    p->most_stiffness = rule.stiffness > p->most_stiffness ? rule.stiffness : p->most_stiffness;
    p->most_damping = rule.normal_damping > p->most_damping ? rule.normal_damping : p->most_damping;
    p->most_damping = rule.tangential_damping > p->most_damping ? rule.tangential_damping : p->most_damping;
}

static void make_rules(tact_particles* p)
{
    for (uint32_t a = 0; a < p->material_count; ++a) {
        for (uint32_t b = 0; b < p->material_count; ++b) {
            const tact_particle_material *m = &p->materials[a], *n = &p->materials[b];
            const tact_particle_material both = {
                (float)((double)m->stiffness * (double)n->stiffness / ((double)m->stiffness + (double)n->stiffness)),
                0.5f * (m->restitution + n->restitution), (float)sqrt((double)m->friction * (double)n->friction),
                0.5f * (m->tangential_damping + n->tangential_damping)};
            const TactContactRule rule = tact_particles_rule(&both, both.stiffness);
            p->model.rules[a * TACT_PARTICLE_MATERIALS + b] = rule;
            p->grain_rules[a * TACT_PARTICLE_MATERIALS + b] = tact_grain_rule_of(rule);
            note_rule(p, rule);
        }
    }
}

static TactGridAxis open_axis(float origin, float edge, int levels)
{
    const TactGridAxis a = {origin, (float)((double)(1 << (levels - 1)) / (double)edge), -TACT_CELL_LIMIT,
                            TACT_CELL_LIMIT - 1, 0.0f};
    return a;
}

static TactGridAxis wall_axis(float lower, float upper, float edge, int levels)
{
    TactGridAxis a = open_axis(lower, edge, levels);
    const double cells = ceil(((double)upper - (double)lower) * (double)a.inverse) + 1.0;
    a.low = 0;
    a.high = cells < TACT_CELL_LIMIT ? (int)cells : TACT_CELL_LIMIT - 1;
    return a;
}

static bool period_axis(float lower, float upper, float edge, int levels, TactGridAxis* axis)
{
    const float period = upper - lower;
    double cells = floor((double)period / (double)edge);
    const int most = TACT_CELL_LIMIT >> (levels - 1);
    if (cells > most) cells = most;
    const int fine = (int)cells << (levels - 1);
    *axis = (TactGridAxis){lower, (float)((double)fine / (double)period), 0, fine - 1, period};
    return cells >= 3.0;
}

tact_result tact_particles_set_grid(tact_particles* p, float max_radius, float min_radius)
{
    const tact_particles_desc* d = &p->desc;
    TactGrid g = {.edge = nextafterf(2.0f * max_radius * TACT_CELL_SLACK, INFINITY), .levels = TACT_PARTICLE_LEVELS};
    g.levels = tact_grid_level(g, min_radius) + 1;
    TactGridAxis* const axes[3] = {&g.x, &g.y, &g.z};
    const float* lower = &d->domain.lower.x;
    const float* upper = &d->domain.upper.x;
    const float* origin = &d->origin.x;
    for (int i = 0; i < 3; ++i) {
        bool good = true;
        if (d->boundary[i] == TACT_BOUNDARY_OPEN) *axes[i] = open_axis(origin[i], g.edge, g.levels);
        if (d->boundary[i] == TACT_BOUNDARY_WALL) *axes[i] = wall_axis(lower[i], upper[i], g.edge, g.levels);
        if (d->boundary[i] == TACT_BOUNDARY_PERIODIC) good = period_axis(lower[i], upper[i], g.edge, g.levels, axes[i]);
        if (!good) {
            return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT,
                             "the domain repeats along %c every %g, which must be more than six radii of %g", 'x' + i,
                             (double)(upper[i] - lower[i]), (double)max_radius);
        }
    }
    p->model.grid = g;
    p->max_radius = max_radius;
    p->min_radius = min_radius;
    return TACT_OK;
}

static void make_model(tact_particles* p)
{
    const tact_particles_desc* d = &p->desc;
    tact_particle_model* m = &p->model;
    m->response = d->response;
    const float* lower = &d->domain.lower.x;
    const float* upper = &d->domain.upper.x;
    TactDomainAxis* const axes[3] = {&m->domain.x, &m->domain.y, &m->domain.z};
    for (int i = 0; i < 3; ++i)
        *axes[i] = (TactDomainAxis){(int)d->boundary[i], lower[i], upper[i]};
    for (int i = 0; i < TACT_PARTICLE_GROUPS; ++i)
        m->masks[i] = 0xffffffffu;
    m->wall_material = d->wall_material;
    m->iterations = d->iterations ? d->iterations : 4;
    m->relaxation = d->relaxation > 0.0f ? d->relaxation : 1.2f;
    m->separation_speed = d->separation_speed > 0.0f ? d->separation_speed : INFINITY;
    m->sleep_speed = d->sleep_speed;
    m->rules_version = m->forces_version = m->solids_version = m->bodies_version = m->poses_version = 1;
    m->motion.gx = d->gravity.x;
    m->motion.gy = d->gravity.y;
    m->motion.gz = d->gravity.z;
    m->grain_rules = p->grain_rules;
    m->bond_rules = p->bond_rules;
    make_rules(p);
}

static tact_result create(tact_context* context, const tact_particles_desc* desc, tact_particles** particles)
{
    static const tact_particles_desc defaults = {0};
    tact_env* env = &context->env;
    const tact_particles_desc* d = desc ? desc : &defaults;
    tact_result result = check_desc(env, d);
    if (result != TACT_OK) return result;
    if (d->backend != TACT_BACKEND_AUTO && tact_context_find(context, d->backend) < 0) {
        return tact_fail(env, tact_context_missing_result(context, d->backend), "no %s device here: %s",
                         tact_backend_name(d->backend), context->missing[d->backend]);
    }
    tact_particles* p = tact_allocate_zeroed(env, 1, sizeof *p);
    if (!p) return TACT_ERROR_OUT_OF_MEMORY;
    p->context = context;
    p->desc = *d;
    p->desc.materials = NULL;
    p->material_count = d->material_count ? d->material_count : 1;
    p->materials[0] = default_material;
    if (d->material_count) memcpy(p->materials, d->materials, d->material_count * sizeof *d->materials);
    p->mirror_fresh = true;
    p->mirror.turns = d->response == TACT_RESPONSE_GRAINS;
    make_model(p);
    if (d->max_radius > 0.0f) result = tact_particles_set_grid(p, d->max_radius, d->max_radius);
    if (result == TACT_OK && !tact_particle_state_reserve(env, &p->mirror, d->reserve))
        result = TACT_ERROR_OUT_OF_MEMORY;
    if (result != TACT_OK) {
        tact_particle_state_free(env, &p->mirror);
        tact_release(env, p);
        return result;
    }
    ++context->objects;
    *particles = p;
    return TACT_OK;
}

tact_result tact_particles_create(tact_context* context, const tact_particles_desc* desc, tact_particles** particles)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!particles) return tact_null(&context->env, "particles");
    *particles = NULL;
    tact_float_env env;
    tact_float_env_enter(&env);
    const tact_result result = create(context, desc, particles);
    tact_float_env_leave(&env);
    return result;
}

static void free_calls(tact_env* env, tact_force_calls* c)
{
    void* const all[] = {c->ids,   c->positions, c->velocities, c->radii, c->masses,
                         c->spins, c->forces,    c->torques,    c->by_id, c->torques_by_id};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        tact_release(env, all[i]);
    tact_particle_state_free(env, &c->state);
}

void tact_particles_destroy(tact_particles* p)
{
    if (!p || tact_context_is_closed(p->context)) return;
    tact_env* env = &p->context->env;
    for (int i = 0; i < TACT_BACKEND_COUNT; ++i) {
        if (p->engines[i]) p->engines[i]->type->destroy(p->engines[i]);
    }
    for (uint32_t i = 0; i < p->model.body_count; ++i)
        tact_body_free(env, &p->bodies[i]);
    tact_particle_state_free(env, &p->mirror);
    tact_release(env, p->used);
    tact_release(env, p->user_data);
    tact_release(env, p->forces);
    tact_release(env, p->solids);
    tact_release(env, p->colliders);
    tact_release(env, p->bodies);
    tact_release(env, p->sink_ids);
    tact_release(env, p->drives);
    if (p->spread) tact_release(env, p->spread->cells.cuts);
    tact_release(env, p->spread);
    tact_clump_table_free(env, &p->clumps);
    tact_release(env, p->program);
    tact_program_room_free(env, &p->program_room);
    free_calls(env, &p->calls);
    --p->context->objects;
    tact_release(env, p);
}

void tact_particles_changed(tact_particles* p)
{
    if (p->journal.steps > 0) p->journal.broken = true;
}

tact_result tact_particles_set_gravity(tact_particles* p, tact_vec3 gravity)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!is_finite_vec(gravity)) {
        return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "gravity is NaN or infinite");
    }
    p->model.motion.gx = gravity.x;
    p->model.motion.gy = gravity.y;
    p->model.motion.gz = gravity.z;
    tact_particles_changed(p);
    return TACT_OK;
}

tact_result tact_particles_set_contact(tact_particles* p, uint8_t a, uint8_t b, const tact_particle_material* rule)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!rule) return tact_null(&p->context->env, "rule");
    tact_env* env = &p->context->env;
    if (a >= p->material_count || b >= p->material_count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no materials %u and %u", (unsigned)a, (unsigned)b);
    }
    const tact_result result = check_material(env, rule, "contact with material", b);
    if (result != TACT_OK) return result;
    const TactContactRule r = tact_particles_rule(rule, rule->stiffness);
    p->model.rules[a * TACT_PARTICLE_MATERIALS + b] = r;
    p->model.rules[b * TACT_PARTICLE_MATERIALS + a] = r;
    note_rule(p, r);
    p->grain_rules[a * TACT_PARTICLE_MATERIALS + b] = tact_grain_rule_of(r);
    p->grain_rules[b * TACT_PARTICLE_MATERIALS + a] = tact_grain_rule_of(r);
    ++p->model.rules_version;
    tact_particles_changed(p);
    return TACT_OK;
}

tact_result tact_particles_set_mask(tact_particles* p, uint8_t group, uint32_t mask)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (group >= TACT_PARTICLE_GROUPS) {
        return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "no group %u", (unsigned)group);
    }
    p->model.masks[group] = mask;
    ++p->model.rules_version;
    tact_particles_changed(p);
    return TACT_OK;
}

float tact_particles_stable_step(tact_particles* p)
{
    if (!p || !(p->least_mass > 0.0f)) return INFINITY;
    if (p->model.response == TACT_RESPONSE_GRAINS) return (float)tact_grains_stable_step(p);
    if (p->model.response != TACT_RESPONSE_SPRING) return INFINITY;
    const double pi = 3.14159265358979323846;
    const double contact = pi * sqrt(0.5 * (double)p->least_mass / (double)p->most_stiffness);
    const double damped = p->most_damping > 1.0f ? contact / (double)p->most_damping : contact;
    return (float)(damped / 20.0);
}

tact_result tact_particles_get_domain(const tact_particles* p, tact_boundary* boundary, tact_aabb* domain)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (boundary) memcpy(boundary, p->desc.boundary, sizeof p->desc.boundary);
    if (domain) *domain = p->desc.domain;
    return TACT_OK;
}

tact_result tact_particles_get_info(tact_particles* p, tact_particles_info* info)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!info) return tact_null(&p->context->env, "info");
    const tact_particle_engine* e = p->engine_fresh ? p->engines[p->home] : NULL;
    *info = (tact_particles_info){
        .steps = p->clock.steps,
        .substeps = p->clock.substeps,
        .time = p->clock.time,
        .slowed = p->clock.counters.slowed,
        .stopped = p->clock.counters.stopped,
        .unforced = p->clock.counters.unforced,
        .capped = p->clock.counters.capped,
        .host_step = p->mirror_fresh ? p->clock.steps : p->mirror_clock.steps,
        .backend = e ? p->home : TACT_BACKEND_AUTO,
        .cell = p->model.grid.edge,
        .levels = (uint32_t)p->model.grid.levels,
        .device_bytes = e ? e->type->bytes(e) : 0,
    };
    return TACT_OK;
}
