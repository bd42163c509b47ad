// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/commands/contacts_grains.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"

// ---- Options ----

static bool check_alone(const tact_contacts_grains_options* o, tact_problem* problem)
{
    const struct {
        const char* name;
        bool given;
    } all[] = {{"gravity", o->gravity != NULL},   {"stiffness", o->stiffness != NULL},
               {"shear", o->shear != NULL},       {"restitution", o->restitution != NULL},
               {"friction", o->friction != NULL}, {"rolling", o->rolling != NULL},
               {"cohesion", o->cohesion != NULL}, {"law", o->law != 0},
               {"substeps", o->substeps != 0},    {"frames", o->frames != NULL},
               {"size", o->size != NULL},         {"camera", o->camera != NULL},
               {"color", o->color != 0},          {"every", o->every != 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (all[i].given) return tact_problem_set(problem, "--%s: needs --dt S", all[i].name);
    }
    return true;
}

static bool law_of(const tact_contacts_grains_options* o, tact_grain_law* law, tact_problem* problem)
{
    *law = (tact_grain_law){.springs = o->law == 1 + TACT_GRAIN_HERTZ ? TACT_GRAIN_HERTZ : TACT_GRAIN_LINEAR,
                            .stiffness = 1.0f,
                            .restitution = 0.5f,
                            .tangential_damping = 0.5f,
                            .friction = 0.5f};
    return tact_float_parse("stiffness", o->stiffness, 0.0f, false, 1e30f, &law->stiffness, problem) &&
           tact_float_parse("shear", o->shear, 0.0f, true, 1e30f, &law->shear, problem) &&
           tact_float_parse("restitution", o->restitution, 0.01f, true, 1.0f, &law->restitution, problem) &&
           tact_float_parse("friction", o->friction, 0.0f, true, 1e6f, &law->friction, problem) &&
           tact_float_parse("rolling", o->rolling, 0.0f, true, 1e6f, &law->rolling_friction, problem) &&
           tact_float_parse("cohesion", o->cohesion, 0.0f, true, 1e20f, &law->adhesion, problem);
}

bool tact_contacts_grains_check(const tact_contacts_grains_options* o, uint64_t steps, tact_contacts_grains* g,
                                tact_problem* problem)
{
    g->options = o;
    if (!o->dt) return check_alone(o, problem);
    if (!steps) return tact_problem_set(problem, "--dt %s: needs --steps K", o->dt);
    if (o->every && !o->frames) return tact_problem_set(problem, "--every %" PRIu64 ": needs --frames DIR", o->every);
    float fall[3] = {0.0f, -9.81f, 0.0f};
    if (!tact_float_parse("dt", o->dt, 0.0f, false, 1e15f, &g->dt, problem) || !law_of(o, &g->law, problem) ||
        !tact_view_parse(o->size, o->camera, &g->view, problem) ||
        (o->gravity && !tact_floats_parse("gravity", o->gravity, 3, fall, problem)))
        return false;
    g->gravity = (tact_vec3){fall[0], fall[1], fall[2]};
    g->stiff = o->stiffness != NULL;
    return true;
}

// ---- The bodies ----

static bool good(const tact_contacts_grains* g, tact_result result, const char* name, tact_problem* problem)
{
    return result == TACT_OK || tact_problem_from_result(problem, result, g->context, name);
}

static bool is_moved(const tact_body_input* input, size_t body)
{
    return input->motions[body].density > 0.0f && tact_body_is_solid(input, input->bodies[body].shape);
}

static bool give_matter(tact_contacts_grains* g, const char* name, tact_problem* problem)
{
    const tact_body_input* input = g->input;
    tact_body_matter* matter = calloc(input->count + 1, sizeof *matter);
    if (!matter) return tact_problem_out_of_memory(problem, "the bodies");
    for (size_t i = 0; i < input->count; ++i) {
        const bool moved = is_moved(input, i);
        matter[i] =
            (tact_body_matter){.density = moved ? input->motions[i].density : 0.0f, .mass = moved ? 0.0f : INFINITY};
        g->moved += moved;
    }
    const tact_result result = tact_body_grains_set_matter(g->grains, NULL, input->count, matter, true);
    free(matter);
    return good(g, result, name, problem);
}

static bool give_motion(tact_contacts_grains* g, const char* name, tact_problem* problem)
{
    const tact_body_input* input = g->input;
    const size_t count = input->count;
    for (size_t i = 0; i < 3 * count; ++i) {
        const tact_body_motion* m = &input->motions[i / 3];
        // Of a generated set that is the velocity on a fixed path.
        g->velocities[i] = input->swings ? 0.0f : (float)m->velocity[i % 3];
        g->velocities[3 * count + i] = (float)m->spin[i % 3];
    }
    return good(g, tact_body_grains_write(g->grains, NULL, count, g->velocities, g->velocities + 3 * count), name,
                problem);
}

/// The speed with which a fall over all there is ends, or that something has at first.
static float fastest_of(const tact_contacts_grains* g)
{
    const tact_body_input* input = g->input;
    const double fall[3] = {(double)g->gravity.x, (double)g->gravity.y, (double)g->gravity.z};
    double lower[3], upper[3], most = 0.0;
    for (size_t i = 0; i < input->count; ++i) {
        const tact_pose* p = &input->bodies[i].pose;
        const double at[3] = {p->x, p->y, p->z};
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double v = (double)g->velocities[3 * i + (size_t)k];
            lower[k] = i > 0 ? fmin(lower[k], at[k]) : at[k];
            upper[k] = i > 0 ? fmax(upper[k], at[k]) : at[k];
            square += v * v;
        }
        most = fmax(most, square);
    }
    for (int k = 0; k < 3 && input->count > 0; ++k)
        most += 2.0 * fabs(fall[k]) * (upper[k] - lower[k]);
    return (float)fmin(sqrt(most), 1e15);
}

/// As stiff as it takes to stop two of the heaviest bodies at the greatest speed within half a radius.
static tact_result choose_law(tact_contacts_grains* g)
{
    tact_body_measures largest = {.radius = 1.0}, m;
    for (size_t i = 0; i < g->input->count; ++i) {
        if (!is_moved(g->input, i)) continue;
        const tact_result result = tact_body_grains_get_measures(g->grains, (uint32_t)i, &m);
        if (result != TACT_OK) return result;
        if (m.mass > largest.mass) largest = m;
    }
    const double room = 0.5 * largest.radius, speed = (double)g->fastest;
    const double needed = 0.5 * largest.mass * speed * speed / (room * room);
    if (!g->stiff) {
        const float stiffness = (float)fmin(fmax(needed, 1e4), 1e29);
        const bool hertz = g->law.springs == TACT_GRAIN_HERTZ;
        g->law.stiffness = hertz ? tact_grain_modulus(stiffness, (float)largest.radius) : stiffness;
    }
    if (!g->options->shear) g->law.shear = tact_grain_shear(&g->law);
    return tact_body_grains_set_law(g->grains, 0, 0, &g->law);
}

bool tact_contacts_grains_begin(tact_contacts_grains* g, const tact_body_input* input, const char* name,
                                tact_bodies* set, tact_context* context, tact_problem* problem)
{
    g->input = input;
    g->context = context;
    g->velocities = tact_query_room(NULL, input->count, 6 * sizeof *g->velocities, problem);
    if (!g->velocities) return false;
    const tact_body_grains_desc desc = {.gravity = g->gravity, .law = g->law};
    if (!good(g, tact_body_grains_create(set, &desc, &g->grains), name, problem) || !give_matter(g, name, problem) ||
        !give_motion(g, name, problem))
        return false;
    g->fastest = fastest_of(g);
    if (!good(g, choose_law(g), name, problem)) return false;
    g->stable_step = tact_body_grains_stable_step(g->grains);
    return !g->options->frames || tact_system_make_directory(g->options->frames, problem);
}

// ---- Steps ----

/// A body's state as the digest takes it.
typedef struct state_row {
    double at[3];
    float rotation[4], velocity[3], spin[3];
} state_row;

_Static_assert(sizeof(state_row) == 64, "no padding is digested");

static bool digest_state(tact_contacts_grains* g, const tact_pose* poses, tact_problem* problem)
{
    const size_t count = g->input->count;
    state_row* rows = tact_query_room(NULL, count, sizeof *rows, problem);
    if (!rows) return false;
    for (size_t i = 0; i < count; ++i) {
        const tact_pose* p = &poses[i];
        rows[i] = (state_row){.at = {p->x, p->y, p->z},
                              .rotation = {p->rotation.x, p->rotation.y, p->rotation.z, p->rotation.w}};
        memcpy(rows[i].velocity, g->velocities + 3 * i, sizeof rows[i].velocity);
        memcpy(rows[i].spin, g->velocities + 3 * (count + i), sizeof rows[i].spin);
    }
    g->state = tact_digest_of(rows, count * sizeof *rows);
    free(rows);
    return true;
}

bool tact_contacts_grains_step(tact_contacts_grains* g, tact_bodies* set, tact_pose* poses,
                               const tact_query_options* options, tact_problem* problem)
{
    const size_t count = g->input->count;
    const double start = tact_system_milliseconds();
    tact_result result = tact_body_grains_step(g->grains, g->dt, (uint32_t)g->options->substeps, 1, options, NULL);
    g->ms += tact_system_milliseconds() - start;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        tact_body body;
        result = tact_bodies_get(set, (uint32_t)i, &body);
        poses[i] = body.pose;
    }
    const tact_body_grain_arrays motion = {.velocities = g->velocities, .spins = g->velocities + 3 * count};
    if (result == TACT_OK) result = tact_body_grains_read(g->grains, NULL, count, &motion);
    if (result == TACT_OK) result = tact_body_grains_measure(g->grains, &g->totals);
    return good(g, result, "moving the bodies", problem) && digest_state(g, poses, problem);
}

// ---- Pictures ----

static bool draw(tact_contacts_grains* g, const char* path, const tact_bodies_stage* stage, const tact_pose* poses,
                 tact_problem* problem)
{
    const int color = g->options->color;
    const tact_bodies_picture picture = {.context = g->context,
                                         .input = g->input,
                                         .poses = poses,
                                         .velocities = g->velocities,
                                         .color = color ? (tact_body_color)(color - 1) : TACT_BODY_COLOR_KIND,
                                         .fastest = 0.5f * g->fastest,
                                         .width = g->view.width,
                                         .height = g->view.height,
                                         .azimuth = g->view.azimuth,
                                         .elevation = g->view.elevation,
                                         .stage = stage};
    if (!tact_picture_of_bodies(path, &picture, problem)) return false;
    ++g->pictures;
    return true;
}

bool tact_contacts_grains_frame(tact_contacts_grains* g, uint64_t step, const tact_pose* poses, tact_problem* problem)
{
    const uint64_t every = g->options->every ? g->options->every : 1;
    char path[4096];
    if (!g->options->frames || step % every != 0) return true;
    // All frames look from where the first one does.
    if (step == 0) g->stage = tact_bodies_stage_of(g->input, poses);
    const int length = snprintf(path, sizeof path, "%s/frame_%05" PRIu64 ".png", g->options->frames, step / every);
    if (length < 0 || (size_t)length >= sizeof path) return tact_problem_set(problem, "--frames: the name is too long");
    return draw(g, path, &g->stage, poses, problem);
}

bool tact_contacts_grains_image(tact_contacts_grains* g, const char* path, const tact_pose* poses,
                                tact_problem* problem)
{
    const tact_bodies_stage stage = tact_bodies_stage_of(g->input, poses);
    return draw(g, path, &stage, poses, problem);
}

// ---- The report ----

static double substeps_per_second(const tact_contacts_grains* g)
{
    return g->ms > 0.0 ? (double)g->moved * (double)g->totals.substeps / (g->ms * 1e-3) : 0.0;
}

void tact_contacts_grains_json(const tact_contacts_grains* g, cJSON* root)
{
    const tact_body_grains_totals* t = &g->totals;
    tact_json_count(root, "moved", g->moved);
    tact_json_count(root, "substeps", t->substeps);
    tact_json_number(root, "dt", (double)g->dt);
    tact_json_number(root, "time", t->time);
    tact_json_number(root, "stable_step", (double)g->stable_step);
    tact_json_number(root, "stiffness", (double)g->law.stiffness);
    tact_json_number(root, "kinetic_energy", t->kinetic_energy);
    tact_json_number(root, "rotational_energy", t->rotational_energy);
    tact_json_number(root, "elastic_energy", t->elastic_energy);
    tact_json_number(root, "potential_energy", t->potential_energy);
    tact_json_number(root, "dissipated_energy", t->dissipated_energy);
    tact_json_number(root, "work", t->work);
    cJSON_AddItemToObject(root, "momentum", cJSON_CreateDoubleArray(t->momentum, 3));
    tact_json_count(root, "slowed", t->slowed);
    tact_json_number(root, "deepest", t->deepest);
    tact_json_text(root, "state_digest", g->state.text);
    tact_json_number(root, "body_substeps_per_second", substeps_per_second(g));
    if (g->pictures) tact_json_count(root, "pictures", g->pictures);
}

void tact_contacts_grains_print(const tact_contacts_grains* g)
{
    const tact_body_grains_totals* t = &g->totals;
    printf("grains   %zu that move, %" PRIu64 " substeps, %g s in all, %.3f million body substeps a second\n", g->moved,
           t->substeps, t->time, 1e-6 * substeps_per_second(g));
    printf("energy   %.6g J moving, %.6g turning, %.6g in springs, %.6g potential\n", t->kinetic_energy,
           t->rotational_energy, t->elastic_energy, t->potential_energy);
    printf("lost     %.6g J dissipated, %.6g J of work done\n", t->dissipated_energy, t->work);
    printf("limits   slowed %" PRIu64 " times, at most %.4g m deep\n", t->slowed, t->deepest);
    printf("state    %s\n", g->state.text);
}

void tact_contacts_grains_free(tact_contacts_grains* g)
{
    tact_body_grains_destroy(g->grains);
    free(g->velocities);
}
