// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/inputs/body_input.h"
#include "apps/verify/verify.h"

enum { QUICK_BODIES = 200, BODIES = 2000 };

/// Where the bodies of a scene are.
static const struct {
    const char* name;
    uint64_t step;
    double far;  ///< along x and z
} places[] = {{"at rest", 0, 0.0}, {"step 1", 1, 0.0}, {"step 6", 6, 0.0}, {"far", 1, 1e9}};
enum { PLACES = sizeof places / sizeof places[0] };

typedef struct contacts_work {
    tact_body_input input;
    tact_bodies* set;
    tact_pose* poses;
    tact_body_nearest_item* items;
    uint32_t ball;  ///< the shape of items
} contacts_work;

static tact_result ask(void* own, const tact_query_options* options, tact_query_report* report)
{
    contacts_work* w = own;
    size_t count = 0;
    return tact_contacts_find(w->set, &(tact_contacts_work){.count = &count}, options, report);
}

static bool answer(void* own, tact_suite_answer* to, tact_problem* problem)
{
    (void)problem;
    const contacts_work* w = own;
    size_t count = 0;
    const tact_contact* contacts = tact_contacts_last(w->set, &count);
    *to = tact_suite_items(contacts, count, sizeof *contacts);
    return true;
}

static tact_result ask_distances(void* own, const tact_query_options* options, tact_query_report* report)
{
    contacts_work* w = own;
    size_t count = 0;
    return tact_body_distances_find(w->set, &(tact_body_distances_work){.count = &count}, options, report);
}

static bool answer_distances(void* own, tact_suite_answer* to, tact_problem* problem)
{
    (void)problem;
    const contacts_work* w = own;
    size_t count = 0;
    const tact_body_distance_row* distances = tact_body_distances_last(w->set, &count);
    *to = tact_suite_items(distances, count, sizeof *distances);
    return true;
}

/// The closest body to a ball at some way from each body's place.
static tact_result ask_nearest(void* own, const tact_query_options* options, tact_query_report* report)
{
    contacts_work* w = own;
    size_t count = 0;
    return tact_body_nearest_find(
        w->set, &(tact_body_nearest_work){.items = w->items, .item_count = w->input.count, .count = &count}, options,
        report);
}

static bool answer_nearest(void* own, tact_suite_answer* to, tact_problem* problem)
{
    (void)problem;
    const contacts_work* w = own;
    size_t count = 0;
    const tact_body_nearest* nearest = tact_body_nearest_last(w->set, &count);
    *to = tact_suite_items(nearest, count, sizeof *nearest);
    return true;
}

static const tact_suite_query nearest_query = {.name = "closest bodies", .ask = ask_nearest, .answer = answer_nearest};

static const tact_suite_query distances_query = {.name = "distances", .ask = ask_distances, .answer = answer_distances};

static const tact_suite_query contacts_query = {.name = "contacts", .ask = ask, .answer = answer};

/// The pair, the points and then all words.
static void describe(const tact_verify_case* c, const tact_suite_answer* of, size_t at, char* text, size_t size)
{
    (void)c;
    const tact_contact* contact = (const tact_contact*)of->items + at;
    const int used = snprintf(text, size, "bodies %" PRIu32 " and %" PRIu32 ", %" PRIu32 " points: ", contact->a,
                              contact->b, contact->count);
    if (used > 0 && (size_t)used < size) tact_verify_words(contact, sizeof *contact, text + used, size - (size_t)used);
}

static void describe_distance(const tact_verify_case* c, const tact_suite_answer* of, size_t at, char* text,
                              size_t size)
{
    (void)c;
    const tact_body_distance_row* row = (const tact_body_distance_row*)of->items + at;
    const int used = snprintf(text, size, "bodies %" PRIu32 " and %" PRIu32 ": ", row->a, row->b);
    if (used > 0 && (size_t)used < size) tact_verify_words(row, sizeof *row, text + used, size - (size_t)used);
}

static void describe_nearest(const tact_verify_case* c, const tact_suite_answer* of, size_t at, char* text, size_t size)
{
    (void)c;
    const tact_body_nearest* row = (const tact_body_nearest*)of->items + at;
    const int used = snprintf(text, size, "item %" PRIu32 ", body %" PRIu32 ": ", row->item, row->body);
    if (used > 0 && (size_t)used < size) tact_verify_words(row, sizeof *row, text + used, size - (size_t)used);
}

static bool verify_place(tact_verify_run* run, const char* scene, contacts_work* w, size_t place, tact_problem* problem)
{
    const tact_verify_case checked = {.row = {"contacts", scene, places[place].name, "manifolds", w->input.count},
                                      .query = &contacts_query,
                                      .own = w,
                                      .describe = describe};
    const tact_verify_case closest = {.row = {"closest bodies", scene, places[place].name, "items", w->input.count},
                                      .query = &nearest_query,
                                      .own = w,
                                      .describe = describe_nearest};
    const tact_verify_case measured = {.row = {"distances", scene, places[place].name, "pairs", w->input.count},
                                       .query = &distances_query,
                                       .own = w,
                                       .describe = describe_distance};
    tact_body_input_poses(&w->input, places[place].step, w->poses);
    for (size_t i = 0; i < w->input.count; ++i) {
        w->poses[i].x += places[place].far;
        w->poses[i].z -= places[place].far;
        w->items[i].pose = w->poses[i];
        w->items[i].pose.x += 0.7;
        w->items[i].pose.y += 0.4;
        w->items[i].shape = w->ball;
    }
    const tact_result result = tact_bodies_move(w->set, NULL, w->poses, w->input.count);
    if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "bodies");
    return tact_verify_check(run, &checked, problem) && tact_verify_check(run, &measured, problem) &&
           tact_verify_check(run, &closest, problem);
}

static bool verify_bodies(tact_verify_run* run, const tact_body_scene* scene, tact_problem* problem)
{
    contacts_work w = {.set = NULL};
    bool good = tact_body_input_make(scene, run->quick ? QUICK_BODIES : BODIES, run->common.seed, &w.input, problem) &&
                tact_body_input_make_set(&w.input, scene->name, run->session.context, &w.set, problem);
    w.poses = good ? malloc(w.input.count * sizeof *w.poses) : NULL;
    w.items = good ? calloc(w.input.count, sizeof *w.items) : NULL;
    if (good && (!w.poses || !w.items)) good = tact_problem_out_of_memory(problem, "bodies");
    const tact_body_shape ball = {.kind = TACT_BODY_SPHERE, .radius = 0.05f};
    if (good) {
        const tact_result result = tact_bodies_add_shape(w.set, &ball, &w.ball);
        good = result == TACT_OK || tact_problem_from_result(problem, result, run->session.context, "bodies");
    }
    for (size_t place = 0; good && place < PLACES; ++place)
        good = verify_place(run, scene->name, &w, place, problem);
    tact_bodies_destroy(w.set);
    tact_body_input_free(&w.input);
    free(w.poses);
    free(w.items);
    return good;
}

bool tact_verify_contacts(tact_verify_run* run, tact_problem* problem)
{
    bool good = true;
    for (size_t i = 0; good && i < tact_body_scene_count; ++i) {
        tact_progress_update((double)i / (double)tact_body_scene_count, &run->progress);
        if (tact_verify_wants_scene(run, tact_body_scenes[i].name))
            good = verify_bodies(run, &tact_body_scenes[i], problem);
    }
    return good;
}
