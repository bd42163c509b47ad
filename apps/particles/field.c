// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The benchmarks of the field: how they are laid out. Lengths are in diameters of the largest grain, times in roots of
// diameter by gravity, so that a scene is the same for every radius.
#include "apps/particles/field.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "apps/particles/particles.h"

const char* const tact_field_names[] = {"", "drum", "silo", "chute", "repose", "impact", NULL};

static const float pi = 3.14159265f;

/// The volume of a grain by the room it takes in a loose bed, in diameters cubed.
#define ROOM 0.903f
/// A contact's stiffness by the weight of a grain and its diameter. Silbert and others (2001) have 200,000.
#define STIFFNESS 1e4f
/// How long a bed settles.
#define SETTLING 30.0f

enum { CORNERS = 48 };

/// The loose grains' places: layers of a lattice, from the bottom up, as far as they are inside.
typedef struct region {
    float half_x, half_z, bottom, top;
    float tube;          ///< only nearer than this to the y axis; 0: no matter
    float drum;          ///< only nearer than this to the z axis
    uint64_t plates;     ///< on the drum's wall
    float inner, clear;  ///< where they begin; only farther than this from them
} region;

static bool is_inside(const region* r, const float at[3])
{
    if (r->tube > 0.0f && hypotf(at[0], at[2]) > r->tube) return false;
    const float from_axis = hypotf(at[0], at[1]);
    if (r->drum > 0.0f && from_axis > r->drum) return false;
    if (r->plates == 0 || from_axis < r->inner) return true;
    // The way to the nearest plate, across.
    const float part = 2.0f * pi / (float)r->plates, angle = atan2f(at[1], at[0]);
    return from_axis * fabsf(angle - part * roundf(angle / part)) >= r->clear;
}

/// Lays the first `loose` grains. False when there is no room.
static bool lay(tact_particle_plan* p, const region* r, float least, float most, uint64_t seed)
{
    const float spacing = 2.05f * most, room = 0.5f * spacing - most, restless = 0.5f * sqrtf(9.81f * most);
    const size_t across = (size_t)(2.0f * r->half_x / spacing), deep = (size_t)(2.0f * r->half_z / spacing);
    const float step_x = 2.0f * r->half_x / (float)across, step_z = 2.0f * r->half_z / (float)deep;
    tact_random random = {seed};
    size_t count = 0;
    for (size_t layer = 0; count < p->field.loose && across > 0 && deep > 0; ++layer) {
        const float aside = layer % 2 ? 0.25f : -0.25f, y = r->bottom + spacing * (0.5f + 0.75f * (float)layer);
        if (y > r->top) return false;
        for (size_t i = 0; i < across * deep && count < p->field.loose; ++i) {
            float at[3] = {-r->half_x + step_x * (0.5f + aside + (float)(i % across)), y,
                           -r->half_z + step_z * (0.5f + aside + (float)(i / across))};
            if (!is_inside(r, at)) continue;
            for (size_t k = 0; k < 3; ++k) {
                p->positions[3 * count + k] = at[k] + room * (float)(2.0 * tact_random_fraction(&random) - 1.0);
                p->velocities[3 * count + k] = restless * (float)(2.0 * tact_random_fraction(&random) - 1.0);
            }
            p->radii[count++] = least + (most - least) * (float)tact_random_fraction(&random);
        }
    }
    return count == p->field.loose;
}

/// Glued grains on a lattice of about a diameter, at random heights, from `from` on: a rough floor at y = 0. Returns
/// how many there are; NULL arrays: only counts. `rim`: only nearer than this to the y axis; 0: no matter.
static size_t glue(tact_particle_plan* p, float half_x, float half_z, float rim, size_t from, uint64_t seed)
{
    const float d = p->field.diameter;
    const size_t across = (size_t)fmaxf(2.0f * half_x / d, 1.0f), deep = (size_t)fmaxf(2.0f * half_z / d, 1.0f);
    tact_random random = {seed ^ UINT64_C(0x9e3779b97f4a7c15)};
    size_t count = 0;
    for (size_t i = 0; i < across * deep; ++i) {
        const float x = -half_x + 2.0f * half_x * (0.5f + (float)(i % across)) / (float)across;
        const float z = -half_z + 2.0f * half_z * (0.5f + (float)(i / across)) / (float)deep;
        const float y = -0.5f * d * (float)tact_random_fraction(&random);
        if (rim > 0.0f && hypotf(x, z) > rim) continue;
        const size_t k = from + count++;
        if (!p->positions) continue;
        const float at[3] = {x, y, z};
        memcpy(p->positions + 3 * k, at, sizeof at);
        memset(p->velocities + 3 * k, 0, sizeof at);
        p->radii[k] = 0.5f * d;
    }
    return count;
}

// ---- Meshes ----

static bool make_mesh(tact_model_mesh* m, size_t vertices, size_t triangles, tact_problem* problem)
{
    *m = (tact_model_mesh){.vertex_count = vertices, .triangle_count = triangles};
    m->positions = malloc(3 * vertices * sizeof *m->positions);
    m->indices = malloc(3 * triangles * sizeof *m->indices);
    if (m->positions && m->indices) return true;
    tact_model_mesh_free(m);
    return tact_problem_out_of_memory(problem, "a scene's walls");
}

static void put(tact_model_mesh* m, size_t vertex, float x, float y, float z)
{
    const float at[3] = {x, y, z};
    memcpy(m->positions + 3 * vertex, at, sizeof at);
}

/// Two triangles between the corners a, b of one ring and those of the next, which has `ring` corners more.
static void quad(tact_model_mesh* m, size_t at, uint32_t a, uint32_t b, uint32_t ring)
{
    const uint32_t corners[6] = {a, b, a + ring, b, b + ring, a + ring};
    memcpy(m->indices + 6 * at, corners, sizeof corners);
}

/// A band between two rings of as many corners, which the caller puts.
static bool make_band(tact_model_mesh* m, uint32_t corners, uint32_t plates, tact_problem* problem)
{
    if (!make_mesh(m, 2 * (corners + 2 * (size_t)plates), 2 * (corners + (size_t)plates), problem)) return false;
    for (uint32_t i = 0; i < corners; ++i)
        quad(m, i, i, (i + 1) % corners, corners);
    return true;
}

/// About the y axis, from one height to another.
static bool make_tube(tact_model_mesh* m, float radius, float bottom, float top, tact_problem* problem)
{
    if (!make_band(m, CORNERS, 0, problem)) return false;
    for (size_t i = 0; i < CORNERS; ++i) {
        const float a = 2.0f * pi * (float)i / (float)CORNERS, x = radius * cosf(a), z = radius * sinf(a);
        put(m, i, x, bottom, z);
        put(m, CORNERS + i, x, top, z);
    }
    return true;
}

/// A square plate at y = 0 with a round hole in it.
static bool make_plate(tact_model_mesh* m, float half, float hole, tact_problem* problem)
{
    if (!make_band(m, CORNERS, 0, problem)) return false;
    for (size_t i = 0; i < CORNERS; ++i) {
        const float a = 2.0f * pi * (float)i / (float)CORNERS, x = cosf(a), z = sinf(a);
        const float out = half / fmaxf(fabsf(x), fabsf(z));
        put(m, i, hole * x, 0.0f, hole * z);
        put(m, CORNERS + i, out * x, 0.0f, out * z);
    }
    return true;
}

/// What stops the hole.
static bool make_plug(tact_model_mesh* m, float hole, tact_problem* problem)
{
    if (!make_mesh(m, CORNERS + 1, CORNERS, problem)) return false;
    put(m, CORNERS, 0.0f, 0.0f, 0.0f);
    for (uint32_t i = 0; i < CORNERS; ++i) {
        const float a = 2.0f * pi * (float)i / (float)CORNERS;
        const uint32_t corners[3] = {i, (i + 1) % CORNERS, CORNERS};
        put(m, i, hole * cosf(a), 0.0f, hole * sinf(a));
        memcpy(m->indices + 3 * i, corners, sizeof corners);
    }
    return true;
}

/// About the z axis, its wall in folds half a grain deep, with plates inwards from it.
static bool make_drum(tact_model_mesh* m, const tact_field* f, float half, bool folded, tact_problem* problem)
{
    const uint32_t corners = 2 * (uint32_t)(pi * f->radius / f->diameter), plates = folded ? (uint32_t)f->lifters : 0;
    if (!make_band(m, corners, plates, problem)) return false;
    for (uint32_t i = 0; i < corners; ++i) {
        const float a = 2.0f * pi * (float)i / (float)corners;
        const float r = f->radius + (folded ? i % 2 ? 0.5f : 0.0f : 0.8f) * f->diameter;
        put(m, i, r * cosf(a), r * sinf(a), -half);
        put(m, corners + i, r * cosf(a), r * sinf(a), half);
    }
    for (uint32_t i = 0; i < plates; ++i) {
        const float a = 2.0f * pi * (float)i / (float)plates, x = cosf(a), y = sinf(a);
        const float outer = f->radius + 0.5f * f->diameter, inner = f->radius - 2.0f * f->diameter;
        const uint32_t at = 2 * corners + 4 * i;
        put(m, at, outer * x, outer * y, -half);
        put(m, at + 1, inner * x, inner * y, -half);
        put(m, at + 2, outer * x, outer * y, half);
        put(m, at + 3, inner * x, inner * y, half);
        quad(m, corners + i, at, at + 1, 2);
    }
    return true;
}

/// Half of the drum's length, in which its grains repeat.
static float half_drum(const tact_field* f)
{
    return 3.0f * f->diameter;
}

bool tact_field_show(tact_particle_plan* p, tact_problem* problem)
{
    const tact_field* f = &p->field;
    tact_model_mesh seen;
    if (f->scene != TACT_FIELD_DRUM && f->scene != TACT_FIELD_SILO) return true;
    // What repeats is the grains, not the wall.
    const bool made = f->scene == TACT_FIELD_DRUM ? make_drum(&seen, f, half_drum(f), false, problem)
                                                  : make_plate(&seen, 0.5f * f->width, 0.5f * f->orifice, problem);
    return made && tact_model_add_mesh(&p->model, &seen, problem) &&
           tact_model_add_instance(&p->model, 0, NULL, problem);
}

// ---- Scenes ----

static void box(tact_particle_plan* p, tact_boundary side, tact_boundary up, float half_x, float bottom, float top,
                float half_z)
{
    p->desc.boundary[0] = p->desc.boundary[2] = side;
    p->desc.boundary[1] = up;
    p->desc.domain = (tact_aabb){{-half_x, bottom, -half_z}, {half_x, top, half_z}};
}

static void sees(tact_particle_plan* p, float half_x, float bottom, float top, float half_z)
{
    p->look.bounds = (tact_aabb){{-half_x, bottom, -half_z}, {half_x, top, half_z}};
}

/// When it begins and ends, in units of time, and how often it is sampled.
static void time(tact_particle_plan* p, double begin, double length, double every)
{
    tact_field* f = &p->field;
    const double steps = (double)f->unit / (double)p->dt;
    f->begin = (uint64_t)ceil(begin * steps);
    f->end = f->begin + (uint64_t)ceil(length * steps);
    f->every = (uint64_t)ceil(every * steps);
}

static bool make_room(tact_particle_plan* p, size_t glued, tact_problem* problem)
{
    p->count = p->field.loose + glued;
    return tact_particle_plan_room(p, problem);
}

static bool no_room(const tact_particle_plan* p, tact_problem* problem)
{
    return tact_problem_set(problem, "--scene %s: %zu grains do not fit", tact_field_names[p->field.scene],
                            p->field.loose);
}

/// A number of the scene that is to be more than 0, and less than `most`.
static bool number(const char* what, const char* text, float most, float* value, tact_problem* problem)
{
    if (!text) return true;
    if (!tact_floats_parse(what, text, 1, value, problem)) return false;
    if (*value > 0.0f && *value < most) return true;
    return tact_problem_set(problem, "--%s %s: must be above 0 and below %g", what, text, (double)most);
}

/// Half full where radii do not differ by much, repeating along its axis, which is z.
static bool drum(const tact_field_choices* c, tact_particle_plan* p, float least, float most, uint64_t seed,
                 tact_problem* problem)
{
    tact_field* f = &p->field;
    const float d = f->diameter, half = half_drum(f), loose = (float)f->loose;
    // Larger where the lattice that grains are laid on, for the largest, would not fit.
    const float spacing = 2.05f * most, deep = 2.0f * half / floorf(2.0f * half / spacing);
    const float laid = 0.6f * d + sqrtf(1.15f * spacing * 0.75f * spacing * deep * loose / (pi * 2.0f * half));
    f->radius = fmaxf(fmaxf(d * sqrtf(2.0f * ROOM * loose / (pi * 6.0f)), laid), 5.0f * d);
    f->speed = sqrtf(0.01f * f->gravity / f->radius);
    if (!number("speed", c->speed, 1e6f, &f->speed, problem) || !make_room(p, 0, problem)) return false;
    f->lifters = c->lifters;
    const region r = {.half_x = f->radius,
                      .half_z = half,
                      .bottom = -f->radius,
                      .top = f->radius,
                      .drum = f->radius - 0.6f * d,
                      .plates = f->lifters,
                      .inner = f->radius - 2.6f * d,
                      .clear = 0.6f * d};
    if (!lay(p, &r, least, most, seed)) return no_room(p, problem);
    box(p, TACT_BOUNDARY_OPEN, TACT_BOUNDARY_OPEN, f->radius, -f->radius, f->radius, half);
    p->desc.boundary[2] = TACT_BOUNDARY_PERIODIC;
    sees(p, f->radius + d, -f->radius - d, f->radius + d, half);
    const double turn = 2.0 * (double)pi / (double)(f->speed * f->unit);
    const double length = fmin(fmax(1.0 * turn, 60.0), 240.0);
    time(p, 0.5 * length, 0.5 * length, length / 200.0);
    f->mesh_count = 1;
    return make_drum(&f->meshes[0], f, half + 2.0f * d, true, problem);
}

/// A square silo with a flat bottom and a round orifice in it.
static bool silo(const tact_field_choices* c, tact_particle_plan* p, float least, float most, uint64_t seed,
                 tact_problem* problem)
{
    tact_field* f = &p->field;
    const float d = f->diameter, loose = (float)f->loose;
    f->orifice = 5.0f * d;
    if (!number("orifice", c->orifice, 1e6f, &f->orifice, problem) || !make_room(p, 0, problem)) return false;
    f->width = d * cbrtf(ROOM * loose / 1.3f);
    if (!(f->orifice < 0.75f * f->width)) {
        return tact_problem_set(problem, "--scene silo: an orifice of %g is wider than three quarters of the silo, %g",
                                (double)f->orifice, (double)f->width);
    }
    const float half = 0.5f * f->width;
    const region r = {.half_x = half - 0.3f * d, .half_z = half - 0.3f * d, .top = 1e6f * d};
    if (!lay(p, &r, least, most, seed)) return no_room(p, problem);
    const float top = p->positions[3 * (f->loose - 1) + 1] + d;
    box(p, TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, half, -1.2f * f->width, top + 10.0f * d, half);
    sees(p, half, -0.4f * f->width, 1.3f * f->width, half);
    // Beverloo's rate, for two fifths of all.
    const double free = fmax((double)(f->orifice / d) - 1.4, 0.5);
    const double rate = 0.58 * 0.58 / 0.5236 * free * free * sqrt(free);
    time(p, (double)SETTLING, 10.0 + 0.45 * (double)loose / rate, 1.0);
    f->mesh_count = 2;
    return make_plate(&f->meshes[0], half + d, 0.5f * f->orifice, problem) &&
           make_plug(&f->meshes[1], 0.5f * f->orifice, problem);
}

/// A layer on a rough floor that repeats along x, down which gravity leads, and z.
static bool chute(const tact_field_choices* c, tact_particle_plan* p, float least, float most, uint64_t seed,
                  tact_problem* problem)
{
    tact_field* f = &p->field;
    const float d = f->diameter;
    f->angle = 24.0f;
    if (!number("angle", c->angle, 90.0f, &f->angle, problem)) return false;
    // Some 12 layers.
    f->width = fmaxf(d * sqrtf(ROOM * (float)f->loose / 12.0f), 7.0f * most);
    const float half = 0.5f * f->width, slope = f->angle * pi / 180.0f;
    if (!make_room(p, glue(p, half, half, 0.0f, f->loose, seed), problem)) return false;
    glue(p, half, half, 0.0f, f->loose, seed);
    const region r = {.half_x = half, .half_z = half, .bottom = 0.5f * d, .top = 1e6f * d};
    if (!lay(p, &r, least, most, seed)) return no_room(p, problem);
    const float top = p->positions[3 * (f->loose - 1) + 1];
    // It begins in motion, so that it stops where it cannot go on, and not where it cannot begin.
    for (size_t i = 0; i < f->loose; ++i)
        p->velocities[3 * i] += 3.0f * p->positions[3 * i + 1] / top * sqrtf(f->gravity * d);
    box(p, TACT_BOUNDARY_PERIODIC, TACT_BOUNDARY_WALL, half, -2.0f * d, 4.0f * top + 20.0f * d, half);
    sees(p, half, -d, top, half);
    p->desc.gravity = (tact_vec3){f->gravity * sinf(slope), -f->gravity * cosf(slope), 0.0f};
    time(p, 100.0, 100.0, 1.0);
    return true;
}

/// Grains in a cylinder that is lifted off a rough plate, over the rim of which they fall.
static bool repose(const tact_field_choices* c, tact_particle_plan* p, float least, float most, uint64_t seed,
                   tact_problem* problem)
{
    tact_field* f = &p->field;
    const float d = f->diameter, loose = (float)f->loose;
    // A cone of 30 degrees takes seven tenths of them.
    f->rim = fmaxf(d * cbrtf(0.7f * ROOM * loose * 3.0f / (pi * 0.577f)), 4.0f * d);
    f->radius = 0.55f * f->rim;
    f->speed = 0.3f * sqrtf(f->gravity * d);
    if (!number("speed", c->speed, 1e6f, &f->speed, problem) ||
        !make_room(p, glue(p, f->rim, f->rim, f->rim, f->loose, seed), problem)) {
        return false;
    }
    glue(p, f->rim, f->rim, f->rim, f->loose, seed);
    const float wall = f->radius - 0.6f * d;
    const region r = {.half_x = f->radius, .half_z = f->radius, .bottom = 0.5f * d, .top = 1e6f * d, .tube = wall};
    if (!lay(p, &r, least, most, seed)) return no_room(p, problem);
    const float top = p->positions[3 * (f->loose - 1) + 1] + d,
                height = d * ROOM * loose / (pi * f->radius * f->radius / (d * d));
    sees(p, f->rim, -d, 0.7f * f->rim, f->rim);
    time(p, (double)SETTLING, 1.2 * (double)(height / (f->speed * f->unit)) + 60.0, 10.0);
    f->mesh_count = 1;
    return make_tube(&f->meshes[0], f->radius, 0.3f * d, top + d, problem);
}

/// A bed that repeats along x and z, and a ball.
static bool impact(const tact_field_choices* c, tact_particle_plan* p, float least, float most, uint64_t seed,
                   tact_problem* problem)
{
    tact_field* f = &p->field;
    const float d = f->diameter, loose = (float)f->loose;
    f->drop = 10.0f * d;
    if (!number("drop", c->drop, 1e6f, &f->drop, problem) || !make_room(p, 0, problem)) return false;
    f->width = fmaxf(d * cbrtf(ROOM * loose / 1.2f), 7.0f * most);
    f->ball = fminf(2.0f * d, 0.15f * f->width);
    const float half = 0.5f * f->width;
    const region r = {.half_x = half, .half_z = half, .bottom = 0.0f, .top = 1e6f * d};
    if (!lay(p, &r, least, most, seed)) return no_room(p, problem);
    const float top = p->positions[3 * (f->loose - 1) + 1];
    box(p, TACT_BOUNDARY_PERIODIC, TACT_BOUNDARY_WALL, half, 0.0f, 2.0f * top + 20.0f * d, half);
    sees(p, half, 0.0f, top, half);
    p->desc.max_radius = fmaxf(f->ball, most);
    p->look.floor = 1;
    time(p, (double)SETTLING, 30.0, 0.1);
    return true;
}

bool tact_field_check(const tact_field_choices* c, tact_problem* problem)
{
    const struct {
        const char* name;
        bool given;
        int first, second;
    } own[] = {{"orifice", c->orifice != NULL, TACT_FIELD_SILO, TACT_FIELD_SILO},
               {"speed", c->speed != NULL, TACT_FIELD_DRUM, TACT_FIELD_REPOSE},
               {"angle", c->angle != NULL, TACT_FIELD_CHUTE, TACT_FIELD_CHUTE},
               {"drop", c->drop != NULL, TACT_FIELD_IMPACT, TACT_FIELD_IMPACT},
               {"lifters", c->lifters != 0, TACT_FIELD_DRUM, TACT_FIELD_DRUM}};
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i) {
        if (!own[i].given || c->scene == own[i].first || c->scene == own[i].second) continue;
        if (c->scene == TACT_FIELD_NONE) {
            return tact_problem_set(problem, "--%s: needs --scene %s", own[i].name, tact_field_names[own[i].first]);
        }
        return tact_problem_set(problem, "--%s: not with --scene %s", own[i].name, tact_field_names[c->scene]);
    }
    return true;
}

bool tact_field_lay_out(const tact_particle_choices* choices, float least, float most, tact_particle_plan* p,
                        tact_problem* problem)
{
    static const struct {
        bool (*lay_out)(const tact_field_choices*, tact_particle_plan*, float, float, uint64_t, tact_problem*);
        uint64_t count;
    } scenes[] = {{NULL, 0}, {drum, 1200}, {silo, 2500}, {chute, 1200}, {repose, 1500}, {impact, 2500}};
    const tact_field_choices* c = &choices->field;
    tact_field* f = &p->field;
    f->scene = (tact_field_scene)c->scene;
    f->loose = (size_t)(choices->random ? choices->random : scenes[c->scene].count);
    f->gravity = 9.81f;
    f->diameter = least + most;
    f->unit = sqrtf(f->diameter / f->gravity);
    if (!choices->dt) p->dt = 0.05f * f->unit;
    p->desc.gravity = (tact_vec3){0.0f, -f->gravity, 0.0f};
    snprintf(p->source, sizeof p->source, "%s:%zu", tact_field_names[f->scene], f->loose);
    return scenes[c->scene].lay_out(c, p, least, most, choices->seed, problem) && tact_field_show(p, problem);
}

void tact_field_free(tact_field* f)
{
    for (uint32_t i = 0; i < f->mesh_count; ++i)
        tact_model_mesh_free(&f->meshes[i]);
}

float tact_field_stiffness(const tact_particle_plan* p)
{
    const float d = p->field.diameter, mass = p->density * pi / 6.0f * d * d * d;
    return 2.0f * STIFFNESS * mass * p->field.gravity / d;
}

tact_result tact_field_fill(const tact_particle_plan* p, tact_particles* particles)
{
    const tact_field* f = &p->field;
    const size_t n = f->loose;
    tact_particle_arrays arrays = {
        .positions = p->positions, .velocities = p->velocities, .radii = p->radii, .density = p->density};
    tact_result result = tact_particles_add(particles, &arrays, n, NULL);
    float* masses = malloc((p->count - n + 1) * sizeof *masses);
    if (!masses && result == TACT_OK) result = TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < p->count - n && masses; ++i)
        masses[i] = INFINITY;
    arrays = (tact_particle_arrays){.positions = p->positions + 3 * n,
                                    .velocities = p->velocities + 3 * n,
                                    .radii = p->radii + n,
                                    .masses = masses};
    if (result == TACT_OK && p->count > n) result = tact_particles_add(particles, &arrays, p->count - n, NULL);
    free(masses);
    for (uint32_t i = 0; i < f->mesh_count && result == TACT_OK; ++i) {
        const tact_mesh_desc mesh = tact_model_mesh_desc(&f->meshes[i]);
        const tact_body_pose pose = {.spin = {0.0f, 0.0f, f->scene == TACT_FIELD_DRUM ? f->speed : 0.0f}};
        result = tact_particles_add_mesh(particles, &mesh, &pose, 0, NULL);
    }
    if (result == TACT_OK && f->scene == TACT_FIELD_DRUM)
        result = tact_particles_set_motion(particles, TACT_CONTACT_BODY, 0, true);
    // What has fallen out of the silo, or off the plate.
    if (f->scene == TACT_FIELD_SILO || f->scene == TACT_FIELD_REPOSE) {
        const float bottom = f->scene == TACT_FIELD_SILO ? -0.6f * f->width : -4.0f * f->diameter;
        const tact_collider below = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0.0f, 1.0f, 0.0f}, bottom}};
        if (result == TACT_OK) result = tact_particles_add_sink(particles, &below, NULL);
    }
    return result;
}
