// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Saving how bodies move, and making it again. One description of the format serves both ways: each `visit` function
// writes what it is given, or reads into it.

#include <math.h>
#include <string.h>

#include "base/archive.h"
#include "base/bytes.h"
#include "base/float_env.h"
#include "core/bodies/grains.h"
#include "core/volumes/volumes.h"

/// The first version had no digests.
enum { VERSION_FIRST = 1, VERSION = 2, BODY_BYTES = 320, CONTACT_BYTES = 380 };
static const uint8_t magic[8] = {'T', 'A', 'C', 'T', 'B', 'O', 'D', 'Y'};
static const char* const what = "a saved motion of bodies";

/// Numbers beyond this are damage.
static const double most = 1e35;

static void visit_floats(tact_archive* a, float* x, int count)
{
    for (int i = 0; i < count; ++i) {
        tact_archive_float(a, &x[i]);
        if (!tact_archive_within(x[i], (float)-most, (float)most)) a->failed = true;
    }
}

static void visit_doubles(tact_archive* a, double* x, int count)
{
    for (int i = 0; i < count; ++i) {
        tact_archive_double(a, &x[i]);
        if (!(fabs(x[i]) <= 1e300)) a->failed = true;
    }
}

static void visit_vec(tact_archive* a, TactVec* v)
{
    visit_floats(a, &v->x, 1);
    visit_floats(a, &v->y, 1);
    visit_floats(a, &v->z, 1);
}

static void visit_vec3(tact_archive* a, tact_vec3* v)
{
    visit_floats(a, &v->x, 3);
}

/// As they are, since working them out again on another machine may end in other bits.
static void visit_rules(tact_archive* a, tact_body_grains* g)
{
    tact_archive_begin(a, "the laws");
    tact_archive_below(a, &g->material_count, TACT_PARTICLE_MATERIALS + 1);
    if (g->material_count == 0) a->failed = true;
    for (uint32_t i = 0; i < g->material_count * g->material_count; ++i) {
        TactGrainRule* r = &g->rules[i / g->material_count * TACT_PARTICLE_MATERIALS + i % g->material_count];
        float* const numbers[] = {&r->stiffness,          &r->shear,    &r->normal_damping,
                                  &r->tangential_damping, &r->friction, &r->rolling,
                                  &r->twisting,           &r->adhesion, &r->cohesion};
        uint32_t springs = (uint32_t)r->hertz;
        tact_archive_below(a, &springs, 2);
        r->hertz = (int)springs;
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
            visit_floats(a, numbers[k], 1);
            if (!(*numbers[k] >= 0.0f)) a->failed = true;
        }
    }
}

static void visit_clock(tact_archive* a, tact_body_grains* g)
{
    tact_archive_begin(a, "the clock");
    visit_vec3(a, &g->gravity);
    visit_floats(a, &g->drag, 1);
    if (!(g->drag >= 0.0f)) a->failed = true;
    tact_archive_longs(a, &g->steps, 1);
    tact_archive_longs(a, &g->substeps, 1);
    tact_archive_longs(a, &g->slowed, 1);
    tact_archive_longs(a, &g->searches, 1);
    visit_doubles(a, &g->time, 1);
    visit_doubles(a, &g->forgotten, 1);
}

static void visit_pose(tact_archive* a, tact_pose* pose)
{
    visit_doubles(a, &pose->x, 1);
    visit_doubles(a, &pose->y, 1);
    visit_doubles(a, &pose->z, 1);
    visit_floats(a, &pose->rotation.x, 4);
    visit_floats(a, &pose->scale, 1);
}

static void visit_solid(tact_archive* a, TactClumpBody* s)
{
    float* const numbers[] = {&s->inverse_mass, &s->reach, &s->xx, &s->yy, &s->zz, &s->xy, &s->xz, &s->yz};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        visit_floats(a, numbers[k], 1);
        if (k < 5 && !(*numbers[k] >= 0.0f)) a->failed = true;
    }
}

static void visit_measures(tact_archive* a, tact_body_measures* m)
{
    visit_doubles(a, &m->volume, 1);
    visit_doubles(a, &m->mass, 1);
    visit_doubles(a, m->center, 3);
    visit_doubles(a, m->inertia, 6);
    visit_doubles(a, &m->reach, 1);
    visit_doubles(a, &m->inner, 1);
    visit_doubles(a, &m->radius, 1);
}

static void visit_body(tact_archive* a, tact_body_grains* g, tact_grain_body* b, tact_body_measures* m)
{
    visit_solid(a, &b->solid);
    visit_vec(a, &b->center);
    visit_floats(a, &b->inner, 1);
    visit_floats(a, &b->curvature, 1);
    tact_archive_byte(a, &b->material);
    visit_vec(a, &b->velocity);
    visit_vec(a, &b->spin);
    visit_vec(a, &b->momentum);
    visit_vec(a, &b->force);
    visit_vec(a, &b->torque);
    visit_doubles(a, b->load, 6);
    visit_doubles(a, &b->taken, 1);
    visit_doubles(a, &b->given, 1);
    if (b->solid.inverse_mass > 0.0f) {
        visit_measures(a, m);
        if (!(b->inner > 0.0f && b->curvature > 0.0f && m->mass > 0.0)) a->failed = true;
    }
    if (b->material >= g->material_count || !(b->curvature >= 0.0f)) a->failed = true;
}

/// Of each body in the set its id, shape and pose, and how it moves. `poses` and `ids` have room for all of them.
static void visit_bodies(tact_archive* a, tact_body_grains* g, uint32_t* ids, tact_pose* poses)
{
    const tact_bodies* set = g->set;
    tact_archive_begin(a, "a body");
    const uint64_t count = tact_archive_count(a, tact_bodies_count(set), g->end, BODY_BYTES);
    if (a->reads && count != tact_bodies_count(set)) a->failed = true;
    size_t id = 0;
    for (uint64_t i = 0; i < count && !a->failed; ++i) {
        while (id < g->end && !tact_body_grains_have(g, (uint32_t)id))
            ++id;
        TACT_ASSERT(id < g->end);
        const tact_body* body = &set->bodies[id];
        uint32_t number = (uint32_t)id, shape = body->shape;
        tact_archive_words(a, &number, 1);
        tact_archive_words(a, &shape, 1);
        if (number != id || shape != body->shape) a->failed = true;
        ids[i] = (uint32_t)id;
        if (!a->reads) poses[i] = body->pose;
        visit_pose(a, &poses[i]);
        visit_body(a, g, &g->bodies[id], &g->measures[id]);
        ++id;
    }
}

static void visit_point(tact_archive* a, tact_contact_point* p)
{
    visit_vec3(a, &p->at);
    visit_floats(a, &p->separation, 1);
    tact_archive_words(a, &p->feature, 1);
}

static bool is_after(const tact_contact* c, const tact_contact* before)
{
    if (c->a != before->a) return c->a > before->a;
    if (c->b != before->b) return c->b > before->b;
    if (c->part_a != before->part_a) return c->part_a > before->part_a;
    return c->part_b > before->part_b;
}

static void visit_memory(tact_archive* a, tact_point_memory* memory)
{
    TactGrainMemory* m = &memory->springs;
    float* const numbers[] = {&m->sx, &m->sy, &m->sz, &m->rx, &m->ry, &m->rz, &m->twist};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
        visit_floats(a, numbers[k], 1);
    visit_doubles(a, &memory->held, 1);
}

/// What a contact does and remembers.
static void visit_contact(tact_archive* a, tact_contact* c, tact_point_memory* memory, tact_body_grain_push* push,
                          tact_grain_load* load)
{
    tact_archive_words(a, &c->a, 1);
    tact_archive_words(a, &c->b, 1);
    tact_archive_words(a, &c->part_a, 1);
    tact_archive_words(a, &c->part_b, 1);
    tact_archive_words(a, &c->origin, 1);
    visit_vec3(a, &c->normal);
    tact_archive_below(a, &c->count, TACT_CONTACT_MOST_POINTS + 1);
    for (int k = 0; k < TACT_CONTACT_MOST_POINTS; ++k) {
        visit_point(a, &c->point[k]);
        visit_memory(a, &memory[k]);
        visit_vec3(a, &push->force[k]);
        visit_vec3(a, &push->slid[k]);
    }
    visit_floats(a, load->force, 3);
    visit_floats(a, load->torque_a, 3);
    visit_floats(a, load->torque_b, 3);
    visit_doubles(a, &load->taken, 1);
    visit_doubles(a, &load->elastic, 1);
    visit_doubles(a, &load->had, 1);
    visit_doubles(a, &load->held, 1);
    visit_doubles(a, &load->deepest, 1);
    tact_archive_words(a, &load->points, 1);
}

static tact_result room_for_contacts(tact_body_grains* g, uint64_t count)
{
    tact_env* env = &g->set->context->env;
    tact_kept_contacts* k = &g->kept;
    void *contacts = k->contacts, *data = k->history.data;
    bool good = tact_reserve(env, &contacts, &k->capacity, 0, (size_t)count, sizeof *k->contacts);
    k->contacts = contacts;
    good = good && tact_reserve(env, &data, &k->history.data_capacity, 0, (size_t)count,
                                sizeof(tact_point_memory) * TACT_CONTACT_MOST_POINTS);
    k->history.data = data;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    k->count = (size_t)count;
    return tact_body_grains_room(g);
}

static tact_result visit_contacts(tact_archive* a, tact_body_grains* g)
{
    tact_archive_begin(a, "a contact");
    tact_kept_contacts* k = &g->kept;
    const uint64_t count = tact_archive_count(a, k->answered ? k->count : 0, TACT_MAX_PAIRS, CONTACT_BYTES);
    if (a->reads) {
        const tact_result result = room_for_contacts(g, count);
        if (result != TACT_OK) return result;
    }
    tact_point_memory* memory = (tact_point_memory*)(void*)k->history.data;
    for (size_t i = 0; i < count && !a->failed; ++i) {
        tact_contact* c = &k->contacts[i];
        if (a->reads) *c = (tact_contact){0};
        visit_contact(a, c, memory + TACT_CONTACT_MOST_POINTS * i, &g->pushes[i], &g->loads[i]);
        if (!a->reads) continue;
        const bool known = tact_body_grains_have(g, c->a) && tact_body_grains_have(g, c->b) && c->a < c->b;
        const bool sorted = i == 0 || is_after(c, &k->contacts[i - 1]);
        if (!known || !sorted || (c->origin != c->a && c->origin != c->b)) a->failed = true;
    }
    return TACT_OK;
}

static tact_result visit(tact_archive* a, tact_body_grains* g, uint32_t* ids, tact_pose* poses)
{
    a->at = TACT_SAVED_HEADER;
    visit_rules(a, g);
    visit_clock(a, g);
    visit_bodies(a, g, ids, poses);
    return a->failed ? TACT_OK : visit_contacts(a, g);
}

/// Room for the ids and poses of all bodies of a set.
static bool make_room(const tact_bodies* set, uint32_t** ids, tact_pose** poses)
{
    const size_t count = tact_bodies_count(set) + 1;
    *ids = tact_allocate(&set->context->env, count, sizeof **ids);
    *poses = tact_allocate_zeroed(&set->context->env, count, sizeof **poses);
    return *ids && *poses;
}

tact_result tact_body_grains_save(tact_body_grains* g, void* bytes, size_t capacity, size_t* size)
{
    if (!tact_enter(g ? g->set->context : NULL, "grains")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &g->set->context->env;
    if (!size) return tact_null(env, "size");
    if (capacity > 0 && !bytes) return tact_null(env, "bytes");
    *size = 0;
    uint32_t* ids = NULL;
    tact_pose* poses = NULL;
    tact_result result = make_room(g->set, &ids, &poses) ? tact_body_grains_sync(g) : TACT_ERROR_OUT_OF_MEMORY;
    tact_archive a = {0};
    if (result == TACT_OK) result = visit(&a, g, ids, poses);
    if (result == TACT_OK) *size = (size_t)tact_archive_sealed(a.at);
    const bool fits = result == TACT_OK && capacity >= *size;
    if (fits) {
        tact_archive writer = {.out = bytes};
        result = visit(&writer, g, ids, poses);
        TACT_ASSERT(result == TACT_OK && writer.at == a.at && !writer.failed);
        tact_archive_seal(bytes, magic, VERSION, 0, a.at);
    }
    tact_release(env, ids);
    tact_release(env, poses);
    return result == TACT_OK && !fits ? TACT_INCOMPLETE : result;
}

/// The body ends at `*end`.
static tact_result check_header(tact_env* env, const uint8_t* in, size_t size, size_t* end)
{
    if (!tact_archive_has_magic(in, size, magic))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "these %zu bytes are no saved motion of bodies", size);
    const uint32_t version = tact_get_u32(in + 8);
    if (version < VERSION_FIRST || version > VERSION || tact_get_u32(in + 12) != 0)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s of version %u; this is version %d", what,
                         (unsigned)version, VERSION);
    return tact_archive_check_seal(env, what, in, size, version == VERSION_FIRST, end);
}

/// Turns the bodies as they were, to the bit: tact_bodies_move() may change by what a length of 1 is rounded by.
static tact_result put_rotations(tact_body_grains* g, const uint32_t* ids, const tact_pose* poses, size_t count)
{
    tact_bodies* set = g->set;
    for (size_t i = 0; i < count; ++i) {
        tact_body* body = &set->bodies[ids[i]];
        body->pose.rotation = poses[i].rotation;
        tact_body_rows(&body->pose, body->shape, body->margin, &set->rows[TACT_POSED_ROWS * (size_t)ids[i]]);
        g->bodies[ids[i]].shifted = true;
        tact_grain_body_face(&g->bodies[ids[i]], &body->pose);
    }
    return tact_body_grains_settle(g);
}

/// Reads all of it, and then moves the bodies.
static tact_result read(tact_body_grains* g, const uint8_t* in, size_t size, uint32_t* ids, tact_pose* poses)
{
    tact_bodies* set = g->set;
    tact_env* env = &set->context->env;
    const size_t count = tact_bodies_count(set);
    tact_archive a = {.reads = true, .in = in, .size = size};
    tact_result result = tact_body_grains_sync(g);
    if (result == TACT_OK) result = visit(&a, g, ids, poses);
    if (result == TACT_OK && (a.failed || a.at != size)) result = tact_archive_damaged(env, what, &a);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const tact_quat q = poses[i].rotation;
        const double square = (double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z +
                              (double)q.w * (double)q.w;
        if (!(fabs(square - 1.0) <= 0x1p-20)) result = tact_archive_damaged(env, what, &a);
    }
    if (result == TACT_OK) result = tact_bodies_move(set, ids, poses, count);
    if (result == TACT_OK) result = put_rotations(g, ids, poses, count);
    if (result != TACT_OK) return result;
    g->kept.answered = g->kept.history.framed = true;
    g->kept.history.clock = set->boxes->clock;
    return TACT_OK;
}

tact_result tact_body_grains_load(tact_bodies* set, const void* bytes, size_t size, tact_body_grains** grains)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &set->context->env;
    if (!grains) return tact_null(env, "grains");
    if (size > 0 && !bytes) return tact_null(env, "bytes");
    *grains = NULL;
    size_t end = 0;
    tact_result result = check_header(env, bytes, size, &end);
    tact_body_grains* g = NULL;
    if (result == TACT_OK) result = tact_body_grains_make(set, &g);
    if (result != TACT_OK) return result;
    uint32_t* ids = NULL;
    tact_pose* poses = NULL;
    result = make_room(set, &ids, &poses) ? read(g, bytes, end, ids, poses) : TACT_ERROR_OUT_OF_MEMORY;
    tact_release(env, ids);
    tact_release(env, poses);
    if (result == TACT_OK) {
        *grains = g;
    } else {
        tact_body_grains_destroy(g);
    }
    return result;
}
