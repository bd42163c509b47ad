// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/commands.h"
#include "apps/commands/contacts_grains.h"
#include "apps/inputs/body_input.h"
#include "apps/inputs/npy.h"
#include "apps/pictures/pictures.h"
#include "apps/query_command.h"
#include "apps/system.h"

/// One step, or one repetition of bodies at rest.
typedef struct contacts_step {
    double move_ms;  ///< the poses given to the set, or the bodies moved as grains
    tact_query_report report;
    uint64_t pairs, contacts;
} contacts_step;

static const char* const colors[] = {"", "kind", "id", "speed", NULL};

typedef struct contacts_run {
    tact_query_run run;
    const char *out, *image;
    tact_body_choice choice;
    uint64_t steps, cast_count;
    tact_contacts_grains_options grain_options;
    tact_contacts_grains grains;  // with --dt
    tact_body_input input;
    tact_bodies* set;
    tact_pose* poses;
    tact_contact_row* rows;
    size_t row_room;
    contacts_step* all;
    tact_body_cast* casts;  // in place of contacts
    tact_cast_row* hits;
    size_t hit_count;  // of those that touch something
} contacts_run;

static bool check_options(const contacts_run* c, tact_problem* problem)
{
    if (c->steps && c->run.common.repeat) {
        return tact_problem_set(problem, "--repeat %" PRIu64 ": not with --steps; each step is timed once",
                                c->run.common.repeat);
    }
    if (c->steps && c->cast_count)
        return tact_problem_set(problem, "--cast %" PRIu64 ": not with --steps; bodies rest", c->cast_count);
    if (c->cast_count && c->grain_options.dt)
        return tact_problem_set(problem, "--cast %" PRIu64 ": not with --dt; bodies rest", c->cast_count);
    return tact_body_choice_check(&c->choice, problem);
}

static bool make_casts(contacts_run* c, tact_problem* problem)
{
    c->casts = tact_query_room(NULL, c->cast_count, sizeof *c->casts, problem);
    c->hits = c->casts ? tact_query_room(NULL, c->cast_count, sizeof *c->hits, problem) : NULL;
    if (!c->hits) return false;
    c->run.count = c->cast_count;
    return tact_body_input_casts(&c->input, NULL, true, c->run.common.seed, c->cast_count, c->casts) ||
           tact_problem_set(problem, "%s: no body that can be cast", c->choice.source);
}

static bool falls(const contacts_run* c)
{
    return c->grain_options.dt != NULL;
}

static bool load(void* command, tact_problem* problem)
{
    contacts_run* c = command;
    const uint64_t runs = c->steps ? c->steps : c->run.common.repeat + 2;
    if (!check_options(c, problem) || !tact_contacts_grains_check(&c->grain_options, c->steps, &c->grains, problem) ||
        !tact_body_input_load(&c->choice, c->run.common.seed, &c->input, problem)) {
        return false;
    }
    c->run.count = c->input.count;
    c->run.frames = c->steps;
    // One step is no repetition: nothing is warmed up.
    c->run.cold = c->steps > 0;
    c->poses = tact_query_room(NULL, c->input.count, sizeof *c->poses, problem);
    c->all = c->poses ? tact_query_room(NULL, runs, sizeof *c->all, problem) : NULL;
    return c->all && (!c->cast_count || make_casts(c, problem));
}

static bool prepare(void* command, tact_problem* problem)
{
    contacts_run* c = command;
    const double start = tact_system_milliseconds();
    if (!tact_body_input_make_set(&c->input, c->choice.source, c->run.session.context, &c->set, problem)) return false;
    tact_body_input_poses(&c->input, 0, c->poses);
    tact_context* context = c->run.session.context;
    if (falls(c) && (!tact_contacts_grains_begin(&c->grains, &c->input, c->choice.source, c->set, context, problem) ||
                     !tact_contacts_grains_frame(&c->grains, 0, c->poses, problem)))
        return false;
    c->run.prepared_ms = tact_system_milliseconds() - start;
    return true;
}

static bool make_rows(contacts_run* c, const tact_contact* contacts, size_t count, tact_problem* problem)
{
    if (!c->rows || count > c->row_room) {
        c->rows = tact_query_room(c->rows, (uint64_t)count * TACT_CONTACT_MOST_POINTS, sizeof *c->rows, problem);
        c->row_room = c->rows ? count : 0;
    }
    if (!c->rows) return false;
    c->run.found = tact_contact_rows(contacts, count, c->poses, c->rows);
    c->run.answer = c->rows;
    c->run.answer_bytes = c->run.found * sizeof *c->rows;
    return true;
}

static uint64_t pairs_of(const tact_contact* contacts, size_t count)
{
    uint64_t pairs = 0;
    for (size_t i = 0; i < count; ++i)
        pairs += i == 0 || contacts[i].a != contacts[i - 1].a || contacts[i].b != contacts[i - 1].b;
    return pairs;
}

static bool let_fall(contacts_run* c, contacts_step* step, const tact_query_options* options, tact_problem* problem)
{
    const double start = tact_system_milliseconds();
    if (!tact_contacts_grains_step(&c->grains, c->set, c->poses, options, problem)) return false;
    step->move_ms = tact_system_milliseconds() - start;
    return tact_contacts_grains_frame(&c->grains, c->run.run + 1, c->poses, problem);
}

static bool move(contacts_run* c, contacts_step* step, const tact_query_options* options, tact_problem* problem)
{
    if (!c->steps) return true;
    if (falls(c)) return let_fall(c, step, options, problem);
    tact_body_input_poses(&c->input, c->run.run + 1, c->poses);
    const double start = tact_system_milliseconds();
    const tact_result result = tact_bodies_move(c->set, NULL, c->poses, c->input.count);
    step->move_ms = tact_system_milliseconds() - start;
    return tact_query_succeeded(&c->run, result, "moving the bodies", problem);
}

static bool cast(contacts_run* c, const tact_query_options* options, tact_problem* problem)
{
    size_t count = 0;
    const tact_body_casts_work work = {.casts = c->casts, .cast_count = c->cast_count, .count = &count};
    const tact_result result = tact_body_casts_find(c->set, &work, options, &c->run.report);
    if (!tact_query_succeeded(&c->run, result, "the query", problem)) return false;
    tact_body_cast_rows(tact_body_casts_last(c->set, &count), c->cast_count, c->poses, c->hits);
    c->hit_count = 0;
    for (size_t i = 0; i < c->cast_count; ++i)
        c->hit_count += c->hits[i].body != TACT_NONE;
    c->run.found = c->hit_count;
    c->run.answer = c->hits;
    c->run.answer_bytes = c->cast_count * sizeof *c->hits;
    return true;
}

static bool ask(void* command, const tact_query_options* options, tact_problem* problem)
{
    contacts_run* c = command;
    if (c->cast_count) return cast(c, options, problem);
    contacts_step* step = &c->all[c->run.run];
    *step = (contacts_step){0};
    size_t count = 0;
    if (!move(c, step, options, problem)) return false;
    const tact_result result =
        tact_contacts_find(c->set, &(tact_contacts_work){.count = &count}, options, &c->run.report);
    if (!tact_query_succeeded(&c->run, result, "the query", problem)) return false;
    const tact_contact* contacts = tact_contacts_last(c->set, &count);
    if (!make_rows(c, contacts, count, problem)) return false;
    step->report = c->run.report;
    step->pairs = pairs_of(contacts, count);
    step->contacts = c->run.found;
    // Moving is part of building.
    c->run.report.build_ms += step->move_ms;
    c->run.report.total_ms += step->move_ms;
    return true;
}

static const contacts_step* last_step(const contacts_run* c)
{
    return &c->all[c->run.run - 1];
}

static bool finish(void* command, tact_problem* problem)
{
    contacts_run* c = command;
    if (c->cast_count) {
        const tact_casts_picture picture = {c->run.session.context, &c->input, c->poses, c->set, c->casts, c->hits,
                                            c->cast_count};
        return (!c->out || tact_npy_write_as(c->out, tact_body_cast_row_descr, sizeof *c->hits, c->cast_count, 0,
                                             c->hits, problem)) &&
               (!c->image || tact_picture_of_casts(c->image, &picture, problem));
    }
    if (c->out &&
        !tact_npy_write_as(c->out, tact_contact_row_descr, sizeof *c->rows, c->run.found, 0, c->rows, problem))
        return false;
    if (falls(c)) return !c->image || tact_contacts_grains_image(&c->grains, c->image, c->poses, problem);
    size_t count = 0;
    const tact_contact* contacts = tact_contacts_last(c->set, &count);
    const tact_contacts_picture picture = {
        .input = &c->input, .poses = c->poses, .set = c->set, .contacts = contacts, .count = count};
    return !c->image || tact_picture_of_contacts(c->image, &picture, problem);
}

static void json(const void* command, cJSON* root)
{
    const contacts_run* c = command;
    tact_json_count(root, "bodies", c->input.count);
    tact_json_count(root, "shapes", c->input.shape_count);
    if (c->cast_count) {
        tact_json_count(root, "casts", c->cast_count);
        tact_json_count(root, "hits", c->hit_count);
    } else {
        tact_json_count(root, "pairs", last_step(c)->pairs);
        tact_json_count(root, "contacts", last_step(c)->contacts);
    }
    tact_json_text(root, "source", c->choice.source);
    if (falls(c)) tact_contacts_grains_json(&c->grains, root);
    if (!c->steps) return;
    cJSON* steps = tact_json_array(root, "steps");
    for (uint64_t i = 0; i < c->steps; ++i) {
        const contacts_step* s = &c->all[i];
        cJSON* entry = tact_json_append(steps);
        tact_json_count(entry, "pairs", s->pairs);
        tact_json_count(entry, "contacts", s->contacts);
        cJSON* times = tact_json_object(entry, "time_ms");
        tact_json_time(times, "move", s->move_ms);
        tact_json_time(times, "build", s->report.build_ms);
        tact_json_time(times, "upload", s->report.upload_ms);
        tact_json_time(times, "query", s->report.query_ms);
        tact_json_time(times, "download", s->report.download_ms);
    }
}

static void print(const void* command)
{
    const contacts_run* c = command;
    const contacts_step* last = last_step(c);
    printf("bodies   %zu (%s), %zu shapes\n", c->input.count, c->choice.source, c->input.shape_count);
    if (c->cast_count) {
        printf("casts    %" PRIu64 "\n", c->cast_count);
        printf("hits     %zu\n", c->hit_count);
        return;
    }
    if (c->steps) printf("steps    %" PRIu64 "\n", c->steps);
    printf("pairs    %" PRIu64 " that touch: each body %.2f others\n", last->pairs,
           c->input.count ? 2.0 * (double)last->pairs / (double)c->input.count : 0.0);
    printf("contacts %" PRIu64 " points\n", last->contacts);
    if (falls(c)) tact_contacts_grains_print(&c->grains);
}

static void release(void* command)
{
    contacts_run* c = command;
    tact_contacts_grains_free(&c->grains);
    tact_bodies_destroy(c->set);
    tact_body_input_free(&c->input);
    free(c->poses);
    free(c->rows);
    free(c->all);
    free(c->casts);
    free(c->hits);
}

static const tact_query_command description = {
    .name = "contacts",
    .help =
        "Usage: tact contacts (--scene NAME [--count N] | --bodies FILE.json) [options]\n"
        "       tact contacts (--scene NAME [--count N] | --bodies FILE.json) --steps K --dt S [options]\n\n"
        "Finds where the bodies of a set touch: up to four points a pair, with a normal and depths; or with --cast\n"
        "what shapes that move and turn through the set touch first. With --dt bodies fall and push each other as\n"
        "grains do, in metres, kilograms and seconds; y is up.\n",
    .doing = "finding contacts",
    .rebuilds = true,
    .indent = 9,
    .prepare = prepare,
    TACT_QUERY_FUNCTIONS,
};

int tact_command_contacts(int argc, char** argv, tact_problem* problem)
{
    contacts_run c = {.choice.usual = 10000};
    tact_contacts_grains_options* g = &c.grain_options;
    const tact_option own[] = {
        TACT_TEXT("scene", "NAME", "a generated set: boxes, hulls, mixed, terrain, compound, pile or drum",
                  &c.choice.scene),
        TACT_NUMBER("count", "N", "bodies of the generated set (default 10000)", &c.choice.count, 1,
                    TACT_BODY_INPUT_MOST),
        TACT_TEXT("bodies", "FILE.json", "shapes and bodies", &c.choice.file),
        TACT_NUMBER("steps", "K", "K steps of motion, with contacts after each", &c.steps, 1, 1000000),
        TACT_TEXT("dt", "S", "bodies move as grains, in steps of S seconds", &g->dt),
        TACT_NUMBER("substeps", "N", "grains: of a step (default: as many as are stable)", &g->substeps, 0, 65536),
        TACT_TEXT("gravity", "X,Y,Z", "grains: m/s^2 (default 0,-9.81,0)", &g->gravity),
        TACT_CHOICE("law", "L", "grains: linear (default) or hertz springs", &g->law, tact_grain_law_names),
        TACT_TEXT("stiffness", "K", "grains: of a contact, N/m; hertz: Pa (default: enough for a fall over the scene)",
                  &g->stiffness),
        TACT_TEXT("shear", "K", "grains: along the surface, N/m; hertz: Pa (default: 2/7 of K; hertz: 3/14)",
                  &g->shear),
        TACT_TEXT("friction", "F", "grains: Coulomb's coefficient (default 0.5)", &g->friction),
        TACT_TEXT("restitution", "E", "grains: speed after by speed before (default 0.5)", &g->restitution),
        TACT_TEXT("rolling", "F", "grains: rolling friction, by normal force and radius (default 0)", &g->rolling),
        TACT_TEXT("cohesion", "G", "grains: work to part surfaces, J/m^2 (default 0)", &g->cohesion),
        TACT_TEXT("frames", "DIR", "grains: write pictures frame_00000.png, ...", &g->frames),
        TACT_NUMBER("every", "N", "grains: steps from frame to frame (default 1)", &g->every, 1, 1000000000),
        TACT_TEXT("size", "WxH", "grains: of pictures (default 1280x720)", &g->size),
        TACT_TEXT("camera", "A,E", "grains: azimuth and elevation of the eye, degrees (default 30,20)", &g->camera),
        TACT_CHOICE("color", "C", "grains: kind (default), id or speed", &g->color, colors),
        TACT_NUMBER("cast", "N", "in place of contacts, first hits of N shapes that are cast", &c.cast_count, 1,
                    1 << 24),
        TACT_OUTPUT("out", "FILE.npy", "write the contacts, or the hits", &c.out),
        TACT_PICTURE("image",
                     "write a picture of the bodies and their contacts, of the casts, or of grains at\n"
                     "the end",
                     &c.image),
        {.name = NULL},
    };
    return tact_query_command_run(&description, &c, own, NULL, argc, argv, problem);
}
