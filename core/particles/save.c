// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Saving particle systems and making them again. One description of the format serves both ways: each `visit` function
// writes what it is given, or reads into it.

#include "core/particles/surfaces.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/float_env.h"
#include "core/particles/programs.h"
#include "core/particles/spread.h"
#include "core/particles/spread_order.h"

/// The first version had no part that not all have, the second surfaces alone; the third names the parts behind the
/// version. The fourth has digests, and is written.
enum { VERSION_FIRST = 1, VERSION_SURFACES = 2, VERSION_PARTS = 3, VERSION = 4 };
const char* const tact_archive_particles_what = "a saved particle system";
static const uint8_t magic[8] = {'T', 'A', 'C', 'T', 'P', 'A', 'R', 'T'};

static void visit_desc(tact_archive* a, tact_particles_desc* d)
{
    tact_archive_begin(a, "the description");
    uint32_t response = (uint32_t)d->response;
    tact_archive_below(a, &response, TACT_RESPONSE_GRAINS + 1);
    d->response = (tact_particle_response)response;
    for (int i = 0; i < 3; ++i) {
        uint32_t boundary = (uint32_t)d->boundary[i];
        tact_archive_below(a, &boundary, TACT_BOUNDARY_PERIODIC + 1);
        d->boundary[i] = (tact_boundary)boundary;
    }
    tact_archive_vec(a, &d->domain.lower);
    tact_archive_vec(a, &d->domain.upper);
    tact_archive_vec(a, &d->origin);
    tact_archive_float(a, &d->max_radius);
    tact_archive_byte(a, &d->wall_material);
    tact_archive_vec(a, &d->gravity);
    tact_archive_float(a, &d->drag);
    tact_archive_float(a, &d->speed_limit);
    tact_archive_words(a, &d->iterations, 1);
    tact_archive_float(a, &d->relaxation);
    tact_archive_float(a, &d->separation_speed);
    tact_archive_float(a, &d->sleep_speed);
    tact_archive_below(a, &d->material_count, TACT_PARTICLE_MATERIALS + 1);
}

static void visit_materials(tact_archive* a, uint32_t count, tact_particle_material* materials)
{
    tact_archive_begin(a, "a material");
    for (uint32_t i = 0; i < count; ++i) {
        tact_archive_float(a, &materials[i].stiffness);
        tact_archive_float(a, &materials[i].restitution);
        tact_archive_float(a, &materials[i].friction);
        tact_archive_float(a, &materials[i].tangential_damping);
    }
}

/// As they are, since working them out again on another machine may end in other bits.
static void visit_rules(tact_archive* a, tact_particles* p)
{
    tact_archive_begin(a, "the rules of contacts");
    tact_archive_float(a, &p->most_stiffness);
    tact_archive_float(a, &p->most_damping);
    for (uint32_t i = 0; i < p->material_count * p->material_count; ++i) {
        TactContactRule* r = &p->model.rules[i / p->material_count * TACT_PARTICLE_MATERIALS + i % p->material_count];
        tact_archive_float(a, &r->stiffness);
        tact_archive_float(a, &r->normal_damping);
        tact_archive_float(a, &r->friction);
        tact_archive_float(a, &r->tangential_damping);
        if (!tact_archive_within(r->stiffness, 0.0f, p->most_stiffness) ||
            !tact_archive_within(r->normal_damping, 0.0f, p->most_damping) ||
            !tact_archive_within(r->tangential_damping, 0.0f, p->most_damping) ||
            !tact_archive_within(r->friction, 0.0f, 1e6f)) {
            a->failed = true;
        }
    }
    if (!tact_archive_within(p->most_stiffness, 0.0f, 1e30f) || !tact_archive_within(p->most_damping, 0.0f, 1e4f))
        a->failed = true;
    tact_archive_begin(a, "the groups' masks");
    tact_archive_words(a, p->model.masks, TACT_PARTICLE_GROUPS);
}

static void visit_sizes(tact_archive* a, tact_particles* p)
{
    tact_archive_begin(a, "the radii");
    float most = p->max_radius, least = p->min_radius;
    tact_archive_float(a, &most);
    tact_archive_float(a, &least);
    tact_archive_float(a, &p->least_mass);
    if (!a->reads || a->failed) return;
    const bool none = most == 0.0f && least == 0.0f && p->max_radius == 0.0f;
    const bool good = least > 0.0f && least <= most && most <= 1e15f &&
                      least * TACT_MAX_RADIUS_RATIO * 1.000001f >= most &&
                      (p->desc.max_radius == 0.0f || most == p->desc.max_radius);
    if ((!none && !good) || !(p->least_mass >= 0.0f)) {
        a->failed = true;
        return;
    }
    if (good && tact_particles_set_grid(p, most, least) != TACT_OK) a->failed = true;
}

static void visit_clock(tact_archive* a, tact_particle_clock* c)
{
    tact_archive_begin(a, "the clock");
    tact_archive_longs(a, &c->steps, 1);
    tact_archive_longs(a, &c->substeps, 1);
    tact_archive_double(a, &c->time);
    tact_archive_longs(a, &c->counters.slowed, 1);
    tact_archive_longs(a, &c->counters.stopped, 1);
    if (!(c->time >= 0.0 && c->time <= 1e300)) a->failed = true;
}

static void visit_collider(tact_archive* a, tact_collider* c)
{
    uint32_t kind = (uint32_t)c->kind, inside = c->inside ? 1 : 0;
    tact_archive_below(a, &kind, TACT_COLLIDER_BOX + 1);
    tact_archive_below(a, &inside, 2);
    c->kind = (tact_collider_kind)kind;
    c->inside = inside == 1;
    tact_archive_byte(a, &c->material);
    tact_archive_words(a, &c->mask, 1);
    tact_archive_vec(a, &c->velocity);
    tact_archive_vec(a, &c->spin);
    switch (c->kind) {
        case TACT_COLLIDER_PLANE:
            tact_archive_vec(a, &c->shape.plane.normal);
            tact_archive_float(a, &c->shape.plane.distance);
            break;
        case TACT_COLLIDER_SPHERE:
            tact_archive_vec(a, &c->shape.sphere.center);
            tact_archive_float(a, &c->shape.sphere.radius);
            break;
        case TACT_COLLIDER_CAPSULE:
            tact_archive_vec(a, &c->shape.capsule.a);
            tact_archive_vec(a, &c->shape.capsule.b);
            tact_archive_float(a, &c->shape.capsule.radius);
            break;
        case TACT_COLLIDER_BOX:
            tact_archive_vec(a, &c->shape.box.center);
            tact_archive_vec(a, &c->shape.box.half);
            for (int i = 0; i < 3; ++i)
                tact_archive_vec(a, &c->shape.box.axis[i]);
            break;
    }
}

/// At least.
enum { COLLIDER_BYTES = 56, BODY_BYTES = 84, EMITTER_BYTES = 132 };

static tact_result visit_colliders(tact_archive* a, tact_particles* p)
{
    tact_archive_begin(a, "a collider");
    const uint64_t count = tact_archive_count(a, p->model.solid_count, TACT_MAX_COLLIDERS, COLLIDER_BYTES);
    tact_result result = TACT_OK;
    for (uint64_t i = 0; i < count && result == TACT_OK; ++i) {
        tact_collider c = {0};
        if (!a->reads) c = p->colliders[i];
        visit_collider(a, &c);
        if (a->reads && a->failed) return TACT_OK;
        if (a->reads) result = tact_particles_add_collider(p, &c, NULL);
    }
    tact_archive_begin(a, "a sink");
    const uint64_t sinks = tact_archive_count(a, p->sink_count, TACT_MAX_SINKS, COLLIDER_BYTES);
    for (uint64_t i = 0; i < sinks && result == TACT_OK; ++i) {
        tact_collider c = {0};
        if (!a->reads) c = p->sink_colliders[i];
        visit_collider(a, &c);
        if (a->reads && a->failed) return TACT_OK;
        if (a->reads) result = tact_particles_add_sink(p, &c, NULL);
    }
    return result;
}

static void visit_pose(tact_archive* a, tact_body_pose* pose)
{
    tact_archive_words(a, pose->rotation, 9);
    tact_archive_vec(a, &pose->position);
    tact_archive_vec(a, &pose->velocity);
    tact_archive_vec(a, &pose->spin);
}

static const uint32_t not_a_number = 0x7fc00000u;

/// A mesh's corners, triangle by triangle in order of id; those left out are NaN. The tree is not written: no result
/// depends on it.
static void write_triangles(tact_archive* a, const tact_particle_body* b)
{
    const uint8_t* taken = tact_archive_take(a, (size_t)b->triangle_end * 36);
    if (!taken) return;
    uint8_t* out = a->out + (taken - a->out);
    for (size_t i = 0; i < (size_t)b->triangle_end * 9; ++i)
        tact_put_u32(out + 4 * i, not_a_number);
    for (size_t i = 0; i < b->triangle_count; ++i) {
        const tact_body_triangle* t = &b->triangles[i];
        const float* const corners[3] = {t->a, t->b, t->c};
        for (size_t k = 0; k < 9; ++k) {
            uint32_t word;
            memcpy(&word, &corners[k / 3][k % 3], sizeof word);
            tact_put_u32(out + 36 * (size_t)t->id + 4 * k, word);
        }
    }
}

static tact_result visit_mesh(tact_archive* a, tact_particles* p, const tact_particle_body* b,
                              const tact_body_pose* pose, uint8_t material)
{
    const uint64_t count = tact_archive_count(a, a->reads ? 0 : b->triangle_end, 0x40000000u, 36);
    if (!a->reads) write_triangles(a, b);
    if (!a->reads || a->failed) return TACT_OK;
    tact_env* env = &p->context->env;
    float* corners = tact_allocate(env, (size_t)count, 9 * sizeof *corners);
    if (!corners) return TACT_ERROR_OUT_OF_MEMORY;
    tact_archive_words(a, corners, 9 * (size_t)count);
    const tact_mesh_desc mesh = {
        .positions = corners, .vertex_count = 3 * (size_t)count, .triangle_count = (size_t)count};
    const tact_result result = tact_particles_add_mesh(p, &mesh, pose, material, NULL);
    tact_release(env, corners);
    return result;
}

static tact_result visit_field(tact_archive* a, tact_particles* p, const tact_particle_body* b,
                               const tact_body_pose* pose, uint8_t material)
{
    // Heights have the origin's in them; minus zero is what adds nothing to any.
    tact_height_field_desc f = {.origin = {0.0f, -0.0f, 0.0f}};
    if (!a->reads) {
        f = (tact_height_field_desc){.heights = b->heights,
                                     .columns = (uint32_t)b->across.squares + 1,
                                     .rows = (uint32_t)b->along.squares + 1,
                                     .step_x = b->across.step,
                                     .step_z = b->along.step,
                                     .origin = {b->across.origin, -0.0f, b->along.origin}};
    }
    tact_archive_words(a, &f.columns, 1);
    tact_archive_words(a, &f.rows, 1);
    tact_archive_float(a, &f.step_x);
    tact_archive_float(a, &f.step_z);
    tact_archive_float(a, &f.origin.x);
    tact_archive_float(a, &f.origin.z);
    const uint64_t wanted = (uint64_t)f.columns * f.rows;
    const uint64_t count = tact_archive_count(a, wanted, wanted, 4);
    if (count != wanted) a->failed = true;
    if (!a->reads) tact_archive_words(a, b->heights, (size_t)count);
    if (!a->reads || a->failed) return TACT_OK;
    tact_env* env = &p->context->env;
    float* heights = tact_allocate(env, (size_t)count, sizeof *heights);
    if (!heights) return TACT_ERROR_OUT_OF_MEMORY;
    tact_archive_words(a, heights, (size_t)count);
    f.heights = heights;
    const tact_result result = tact_particles_add_height_field(p, &f, pose, material, NULL);
    tact_release(env, heights);
    return result;
}

static tact_result visit_bodies(tact_archive* a, tact_particles* p)
{
    tact_archive_begin(a, "a mesh or height field");
    const uint64_t count = tact_archive_count(a, p->model.body_count, TACT_MAX_BODIES, BODY_BYTES);
    tact_result result = TACT_OK;
    for (uint64_t i = 0; i < count && result == TACT_OK; ++i) {
        const tact_particle_body* b = a->reads ? NULL : &p->bodies[i];
        uint32_t kind = b ? (uint32_t)b->kind : 0;
        uint8_t material = b ? (uint8_t)b->material : 0;
        tact_body_pose pose = {{0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        if (b) pose = b->pose;
        tact_archive_below(a, &kind, TACT_COLLIDER_FIELD + 1);
        tact_archive_byte(a, &material);
        visit_pose(a, &pose);
        if (a->reads && a->failed) return TACT_OK;
        result =
            kind == TACT_COLLIDER_MESH ? visit_mesh(a, p, b, &pose, material) : visit_field(a, p, b, &pose, material);
        if (a->reads && a->failed) return result;
    }
    return result;
}

static void visit_emitter(tact_archive* a, tact_emitter* e, tact_emitter_state* s)
{
    tact_archive_vec(a, &e->corner);
    tact_archive_vec(a, &e->edge[0]);
    tact_archive_vec(a, &e->edge[1]);
    tact_archive_vec(a, &e->velocity);
    tact_archive_float(a, &e->spacing);
    tact_archive_float(a, &e->interval);
    tact_archive_float(a, &e->jitter);
    tact_archive_float(a, &e->radius);
    tact_archive_float(a, &e->smallest);
    tact_archive_float(a, &e->density);
    tact_archive_byte(a, &e->material);
    tact_archive_byte(a, &e->group);
    tact_archive_words(a, &e->seed, 1);
    tact_archive_longs(a, &e->limit, 1);
    tact_archive_double(a, &e->start);
    tact_archive_double(a, &e->stop);
    tact_archive_longs(a, &s->sheets, 1);
    tact_archive_longs(a, &s->emitted, 1);
    tact_archive_double(a, &s->next);
    if (!(fabs(s->next) <= 1e300)) a->failed = true;
}

static tact_result visit_emitters(tact_archive* a, tact_particles* p)
{
    tact_archive_begin(a, "an emitter");
    const uint64_t count = tact_archive_count(a, p->emitter_count, TACT_MAX_EMITTERS, EMITTER_BYTES);
    for (uint64_t i = 0; i < count; ++i) {
        tact_emitter e = {0};
        tact_emitter_state s = {0};
        if (!a->reads) {
            e = p->emitters[i];
            s = p->emitter_states[i];
        }
        visit_emitter(a, &e, &s);
        if (!a->reads) continue;
        if (a->failed) return TACT_OK;
        const tact_result result = tact_particles_add_emitter(p, &e, NULL);
        if (result != TACT_OK) return result;
        p->emitter_states[i] = s;
    }
    return TACT_OK;
}

static tact_result visit_forces(tact_archive* a, tact_particles* p)
{
    tact_archive_begin(a, "the forces");
    const uint64_t count = tact_archive_count(a, p->model.force_count, TACT_MAX_PARTICLES, 12);
    if (!a->reads) {
        tact_archive_words(a, p->forces, 3 * (size_t)count);
        return TACT_OK;
    }
    if (a->failed || count == 0) return TACT_OK;
    tact_env* env = &p->context->env;
    float* forces = tact_allocate(env, 3 * (size_t)count, sizeof *forces);
    if (!forces) return TACT_ERROR_OUT_OF_MEMORY;
    tact_archive_words(a, forces, 3 * (size_t)count);
    const tact_result result = tact_particles_set_forces(p, forces, (size_t)count);
    tact_release(env, forces);
    return result;
}

static bool is_good_particle(const tact_particles* p, size_t i)
{
    const tact_particle_state* m = &p->mirror;
    const float *x = m->position[i], *v = m->velocity[i];
    const float* lower = &p->desc.domain.lower.x;
    const float* upper = &p->desc.domain.upper.x;
    for (int axis = 0; axis < 3; ++axis) {
        if (!(fabsf(x[axis]) <= TACT_FARTHEST) || !(fabsf(v[axis]) <= TACT_SPEED_RANGE)) return false;
        if (p->desc.boundary[axis] == TACT_BOUNDARY_OPEN) continue;
        if (x[axis] < lower[axis] || x[axis] > upper[axis]) return false;
        // The upper face of a periodic axis is the lower one.
        const float end = lower[axis] + (upper[axis] - lower[axis]);
        if (p->desc.boundary[axis] == TACT_BOUNDARY_PERIODIC && x[axis] >= end) return false;
    }
    if (!(x[3] > 0.0f) || !tact_archive_within(x[3], p->min_radius, p->max_radius)) return false;
    if (!(v[3] >= 0.0f) || isinf(v[3])) return false;
    const float mass = v[3] > 0.0f ? 1.0f / v[3] : INFINITY;
    if (v[3] > 0.0f && (p->least_mass == 0.0f || mass < p->least_mass)) return false;
    const uint32_t id = m->tag[i][0], word = m->tag[i][1];
    if (id >= p->id_end || (i > 0 && id <= m->tag[i - 1][0]) || !(p->used[id / 64] >> (id % 64) & 1u)) return false;
    return word >> 13 == 0 && tact_tag_material(word) < p->material_count;
}

static size_t ids_in_use(const tact_particles* p)
{
    size_t count = 0;
    for (size_t i = 0; i < ((size_t)p->id_end + 63) / 64; ++i) {
        for (uint64_t word = p->used[i]; word; word &= word - 1)
            ++count;
    }
    return count;
}

static uint32_t id_at(const tact_particles* p, uint64_t number)
{
    uint32_t id;
    tact_particles_ids_at(p, &number, 1, &id);
    return id;
}

/// Whether the ids of a part are those from number `first` on, where they are in use and ascending.
static bool is_part(const tact_particles* p, const tact_archive_slice* s)
{
    const tact_particle_state* m = &p->mirror;
    if (s->count == 0) return true;
    return m->tag[0][0] == id_at(p, s->first) && m->tag[m->count - 1][0] == id_at(p, s->first + s->count - 1);
}

static tact_result visit_particles(tact_archive* a, tact_particles* p)
{
    tact_env* env = &p->context->env;
    tact_archive_begin(a, "the ids in use");
    tact_archive_below(a, &p->id_end, TACT_MAX_PARTICLES + 1);
    const size_t words = ((size_t)p->id_end + 63) / 64;
    if (tact_archive_count(a, words, words, 8) != words) a->failed = true;
    if (a->reads && a->failed) {
        p->id_end = 0;
        return TACT_OK;
    }
    if (a->reads && words > 0) {
        p->used = tact_allocate_zeroed(env, words, sizeof *p->used);
        if (!p->used) return TACT_ERROR_OUT_OF_MEMORY;
        p->used_capacity = words;
    }
    tact_archive_longs(a, p->used, words);
    tact_archive_begin(a, "the particles");
    tact_archive_slice* s = &a->slice[TACT_ARRAY_PARTICLES];
    *s = tact_archive_slice_of(a, TACT_ARRAY_PARTICLES, p->mirror.count);
    const uint64_t count = tact_archive_count(a, s->all, p->id_end, 40);
    if (a->reads && (a->failed || count != ids_in_use(p))) {
        a->failed = true;
        return TACT_OK;
    }
    if (a->reads) *s = tact_archive_slice_of(a, TACT_ARRAY_PARTICLES, count);
    if (a->reads && !tact_particle_state_reserve(env, &p->mirror, (size_t)s->count)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_archive_rows(a, TACT_ARRAY_PARTICLES, p->mirror.position, 4);
    tact_archive_rows(a, TACT_ARRAY_PARTICLES, p->mirror.velocity, 4);
    tact_archive_rows(a, TACT_ARRAY_PARTICLES, p->mirror.tag, 2);
    if (!a->reads || a->failed) return TACT_OK;
    p->count = (size_t)count;
    p->mirror.count = (size_t)s->count;
    for (size_t i = 0; i < p->mirror.count && !a->failed; ++i)
        a->failed = !is_good_particle(p, i);
    if (!a->failed && !is_part(p, s)) a->failed = true;
    return TACT_OK;
}

/// One surface that moves by itself, has a servo or wears.
static tact_result visit_surface(tact_archive* a, tact_particles* p, uint32_t* surface)
{
    tact_archive_below(a, surface, TACT_SURFACES);
    tact_surface_setting* s = &p->drives->settings[*surface];
    uint32_t flags = (s->moves ? 1u : 0u) + (s->worn ? 2u : 0u) + (s->has_servo ? 4u : 0u);
    tact_surface_progress at = p->drives->now[*surface];
    uint64_t numbers[sizeof at / sizeof(uint64_t)];
    tact_archive_below(a, &flags, 8);
    tact_archive_words(a, &s->servo, 6);
    memcpy(numbers, &at, sizeof numbers);
    tact_archive_longs(a, numbers, sizeof numbers / sizeof *numbers);
    memcpy(&at, numbers, sizeof numbers);
    const uint32_t body = *surface - TACT_MAX_COLLIDERS;
    const bool there = *surface < TACT_MAX_COLLIDERS ? *surface < p->model.solid_count : body < p->model.body_count;
    tact_body_pose pose = *surface < TACT_MAX_COLLIDERS ? (tact_body_pose){.rotation = {0}} : p->drives->given[body];
    if (*surface >= TACT_MAX_COLLIDERS) visit_pose(a, &pose);
    if (!a->reads) return TACT_OK;
    s->moves = flags & 1u;
    s->worn = flags & 2u;
    s->has_servo = flags & 4u;
    if (!there || (s->has_servo && tact_surfaces_check_servo(&p->context->env, &s->servo) != TACT_OK)) a->failed = true;
    if (a->failed) return TACT_OK;
    const tact_result result = *surface < TACT_MAX_COLLIDERS ? TACT_OK : tact_particles_move_body(p, body, &pose);
    p->drives->now[*surface] = at;
    if (result == TACT_OK && !tact_surfaces_is_good(p, *surface)) a->failed = true;
    return result;
}

static tact_result visit_surfaces(tact_archive* a, tact_particles* p)
{
    enum { SURFACE_BYTES = 112 };
    tact_archive_begin(a, "the surfaces that move");
    if (!tact_surfaces_make(p)) return TACT_ERROR_OUT_OF_MEMORY;
    uint64_t used = 0;
    for (uint32_t i = 0; i < TACT_SURFACES; ++i)
        used += tact_surfaces_is_used(p, i);
    const uint64_t count = tact_archive_count(a, used, TACT_SURFACES, SURFACE_BYTES);
    tact_result result = TACT_OK;
    uint32_t next = 0;
    for (uint64_t k = 0; k < count && result == TACT_OK; ++k) {
        uint32_t surface = next;
        while (!a->reads && !tact_surfaces_is_used(p, surface))
            ++surface;
        result = visit_surface(a, p, &surface);
        if (a->reads && surface < next) a->failed = true;
        if (a->reads && a->failed) return result;
        next = surface + 1;
    }
    if (!a->reads || result != TACT_OK) return result;
    tact_surfaces_keep(p);
    tact_surfaces_place(p);
    return TACT_OK;
}

static void visit_counts(tact_archive* a, tact_particle_counters* c)
{
    tact_archive_begin(a, "the counts");
    tact_archive_longs(a, &c->unforced, 1);
    tact_archive_longs(a, &c->capped, 1);
}

static uint32_t parts_of(const tact_particles* p)
{
    const tact_particle_counters* c = &p->clock.counters;
    return (p->drives ? TACT_PART_SURFACES : 0u) + (p->model.clumps ? TACT_PART_CLUMPS : 0u) +
           (p->program ? TACT_PART_PROGRAM : 0u) + (c->unforced > 0 || c->capped > 0 ? TACT_PART_COUNTS : 0u) +
           (tact_archive_has_cohesion(p) ? TACT_PART_COHESION : 0u) +
           (p->model.response == TACT_RESPONSE_GRAINS && p->clock.dt > 0.0f ? TACT_PART_STEP : 0u);
}

/// Powers of grains are those of the last substep.
static void visit_step(tact_archive* a, float* dt)
{
    tact_archive_begin(a, "the last step");
    tact_archive_float(a, dt);
    if (!(*dt > 0.0f && *dt <= 1e15f)) a->failed = true;
}

/// All but the description and the materials, with which a system is made.
static tact_result visit_system(tact_archive* a, tact_particles* p)
{
    visit_rules(a, p);
    visit_sizes(a, p);
    if (a->reads && a->failed) return TACT_OK;
    visit_clock(a, &p->clock);
    tact_result result = visit_colliders(a, p);
    if (result == TACT_OK && !(a->reads && a->failed)) result = visit_bodies(a, p);
    if (result == TACT_OK && !(a->reads && a->failed)) result = visit_emitters(a, p);
    if (result == TACT_OK && !(a->reads && a->failed)) result = visit_forces(a, p);
    if (result == TACT_OK && !(a->reads && a->failed)) result = visit_particles(a, p);
    const bool turns = p->model.response == TACT_RESPONSE_GRAINS;
    if (turns && result == TACT_OK && !(a->reads && a->failed)) result = tact_archive_grains(a, p);
    const uint32_t parts = a->reads ? a->parts : parts_of(p);
    if ((parts & TACT_PART_CLUMPS) && result == TACT_OK && !(a->reads && a->failed)) result = tact_archive_clumps(a, p);
    if ((parts & TACT_PART_SURFACES) && result == TACT_OK && !(a->reads && a->failed)) result = visit_surfaces(a, p);
    if ((parts & TACT_PART_PROGRAM) && result == TACT_OK && !(a->reads && a->failed))
        result = tact_archive_program(a, p);
    if ((parts & TACT_PART_COUNTS) && result == TACT_OK) visit_counts(a, &p->clock.counters);
    if ((parts & TACT_PART_COHESION) && result == TACT_OK) tact_archive_cohesion(a, p);
    if ((parts & TACT_PART_STEP) && result == TACT_OK) visit_step(a, &p->clock.dt);
    return result;
}

tact_result tact_archive_write(tact_archive* a, tact_particles* p)
{
    tact_particles_desc d = p->desc;
    d.gravity = (tact_vec3){p->model.motion.gx, p->model.motion.gy, p->model.motion.gz};
    d.material_count = p->material_count;
    a->at = TACT_SAVED_HEADER;
    visit_desc(a, &d);
    visit_materials(a, p->material_count, p->materials);
    return visit_system(a, p);
}

void tact_archive_particles_head(const tact_particles* p, uint8_t out[TACT_SAVED_HEADER], uint64_t size,
                                 const uint8_t* digests, uint64_t blocks)
{
    tact_archive_head(out, magic, VERSION, parts_of(p), size, digests, blocks);
}

/// The host's copy is up to date.
static tact_result save(tact_particles* p, void* bytes, size_t capacity, size_t* size)
{
    tact_archive a = {0};
    tact_result result = tact_archive_write(&a, p);
    if (result != TACT_OK) return result;
    *size = (size_t)tact_archive_sealed(a.at);
    if (capacity < *size) return TACT_INCOMPLETE;
    tact_archive writer = {.out = bytes};
    result = tact_archive_write(&writer, p);
    if (result != TACT_OK) return result;
    tact_archive_seal(bytes, magic, VERSION, parts_of(p), a.at);
    return TACT_OK;
}

/// How many bytes a system over ranks has, on the first of them.
static tact_result count_all(tact_particles* p, size_t* size)
{
    tact_ranks* ranks = p->spread->ranks;
    uint64_t records = tact_spread_record_count(&p->mirror);
    tact_archive a = {.cuts = true};
    tact_result result = tact_ranks_combine(ranks, TACT_RANKS_SUM, &records, 1);
    a.slice[TACT_ARRAY_PARTICLES] = (tact_archive_slice){0, 0, p->count};
    a.slice[TACT_ARRAY_RECORDS] = (tact_archive_slice){0, 0, records};
    if (result == TACT_OK) result = tact_ranks_agree(ranks, tact_archive_write(&a, p));
    if (result != TACT_OK || tact_ranks_own(ranks) > 0) return result;
    *size = (size_t)tact_archive_sealed(a.at);
    return TACT_INCOMPLETE;
}

/// The same of a system over ranks, on the first of them.
static tact_result save_all(tact_particles* p, void* bytes, size_t capacity, size_t* size)
{
    tact_particle_state all;
    uint64_t room = capacity;
    tact_result result = tact_ranks_combine(p->spread->ranks, TACT_RANKS_MAX, &room, 1);
    if (result == TACT_OK && room == 0) return count_all(p, size);
    if (result == TACT_OK) result = tact_spread_collect(p, &all);
    if (result != TACT_OK) return result;
    if (tact_ranks_own(p->spread->ranks) == 0) {
        const tact_particle_state part = p->mirror;
        p->mirror = all;
        result = save(p, bytes, capacity, size);
        all = p->mirror;
        p->mirror = part;
    }
    tact_particle_state_free(&p->context->env, &all);
    return result;
}

tact_result tact_particles_save(tact_particles* p, void* bytes, size_t capacity, size_t* size)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!size) return tact_null(&p->context->env, "size");
    if (capacity > 0 && !bytes) return tact_null(&p->context->env, "bytes");
    *size = 0;
    tact_result result = tact_particles_recall(p);
    if (result == TACT_OK) result = tact_particles_fetch_forces(p);
    if (p->spread) result = tact_ranks_agree(p->spread->ranks, result);
    if (result != TACT_OK) return result;
    return p->spread ? save_all(p, bytes, capacity, size) : save(p, bytes, capacity, size);
}

tact_result tact_archive_check_head(tact_env* env, const uint8_t* in, size_t size, bool* old)
{
    if (!tact_archive_has_magic(in, size, magic)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "these %zu bytes are no saved particle system", size);
    }
    const uint32_t version = tact_get_u32(in + 8), parts = tact_get_u32(in + 12);
    const bool named = version == VERSION_PARTS && parts > TACT_PART_SURFACES && parts <= TACT_ALL_PARTS;
    const bool early = (version == VERSION_FIRST || version == VERSION_SURFACES) && parts == 0;
    *old = named || early;
    if (*old || (version == VERSION && parts <= TACT_ALL_PARTS)) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                     "a saved particle system of version %u with parts %x; this is version %d", (unsigned)version,
                     (unsigned)parts, VERSION);
}

/// What follows from the rest.
static void finish(tact_particles* p)
{
    p->mirror_fresh = true;
    p->engine_fresh = false;
    p->free_from = 0;
    p->mirror_clock = p->clock;
    memcpy(p->mirror_emitter_states, p->emitter_states, sizeof p->emitter_states);
    p->journal = (tact_particle_journal){0};
    ++p->model.rules_version;
}

tact_result tact_archive_restore(tact_context* context, const uint8_t head[TACT_SAVED_HEADER], tact_archive* a,
                                 tact_backend backend, tact_particles** particles)
{
    tact_env* env = &context->env;
    const char* what = tact_archive_particles_what;
    a->parts = tact_get_u32(head + 8) == VERSION_SURFACES ? TACT_PART_SURFACES : tact_get_u32(head + 12);
    tact_particles_desc d = {.backend = backend};
    tact_particle_material materials[TACT_PARTICLE_MATERIALS];
    visit_desc(a, &d);
    visit_materials(a, d.material_count, materials);
    if (a->failed || d.material_count == 0) return tact_archive_damaged(env, what, a);
    d.materials = materials;
    tact_particles* p = NULL;
    tact_result result = tact_particles_create(context, &d, &p);
    if (result == TACT_ERROR_INVALID_ARGUMENT) return tact_fail_within(env, result, "%s: ", what);
    if (result != TACT_OK) return result;
    result = visit_system(a, p);
    if (result != TACT_OK && result != TACT_ERROR_OUT_OF_MEMORY)
        result = tact_fail_within(env, TACT_ERROR_INVALID_ARGUMENT, "%s: ", what);
    if (result == TACT_OK && (a->failed || a->at != a->size)) result = tact_archive_damaged(env, what, a);
    if (result != TACT_OK) {
        tact_particles_destroy(p);
        return result;
    }
    finish(p);
    *particles = p;
    return TACT_OK;
}

static tact_result restore(tact_context* context, const void* bytes, size_t size, tact_backend backend,
                           tact_particles** particles)
{
    bool old = false;
    tact_archive a = {.reads = true, .in = bytes, .at = TACT_SAVED_HEADER};
    tact_result result = tact_archive_check_head(&context->env, bytes, size, &old);
    if (result == TACT_OK)
        result = tact_archive_check_seal(&context->env, tact_archive_particles_what, bytes, size, old, &a.size);
    return result == TACT_OK ? tact_archive_restore(context, bytes, &a, backend, particles) : result;
}

tact_result tact_particles_restore(tact_context* context, const void* bytes, size_t size, tact_backend backend,
                                   tact_particles** particles)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!particles) return tact_null(&context->env, "particles");
    if (size > 0 && !bytes) return tact_null(&context->env, "bytes");
    *particles = NULL;
    tact_float_env env;
    tact_float_env_enter(&env);
    const tact_result result = restore(context, bytes, size, backend, particles);
    tact_float_env_leave(&env);
    return result;
}
