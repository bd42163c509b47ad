// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/pick_input.h"
#include "apps/verify/verify.h"

/// A scene and what it is looked at with.
typedef struct pick_case {
    tact_verify_run* run;
    const char* name;
    const tact_model* model;
    tact_scene* scene;
    tact_pick_view view;
    tact_pick_slack slack;
    tact_picker* pickers[TACT_VERIFY_DEVICES + 1];  ///< each keeps its own, as programs do; the last is the reference's
    unsigned chosen;                                ///< of these
    const struct question* question;
} pick_case;

typedef struct question {
    const char* set;
    const char* mode;
    tact_pick_shape shape;
    tact_pick_extent extent;
    tact_pick_group group;
    bool keep;
} question;

static const question questions[] = {
    {"point", "visible, by primitive", TACT_PICK_POINT, TACT_PICK_VISIBLE, TACT_PICK_BY_PRIMITIVE, false},
    {"rectangle", "visible, by object", TACT_PICK_RECTANGLE, TACT_PICK_VISIBLE, TACT_PICK_BY_OBJECT, false},
    {"frame", "visible, by instance", TACT_PICK_FRAME, TACT_PICK_VISIBLE, TACT_PICK_BY_INSTANCE, true},
    {"lasso", "visible, by primitive, kept", TACT_PICK_LASSO, TACT_PICK_VISIBLE, TACT_PICK_BY_PRIMITIVE, true},
    {"rectangle", "all, by primitive", TACT_PICK_RECTANGLE, TACT_PICK_ALL, TACT_PICK_BY_PRIMITIVE, false},
    {"lasso", "all, by instance", TACT_PICK_LASSO, TACT_PICK_ALL, TACT_PICK_BY_INSTANCE, false},
    {"rectangle", "touched, by primitive", TACT_PICK_RECTANGLE, TACT_PICK_TOUCHED, TACT_PICK_BY_PRIMITIVE, false},
    {"lasso", "touched, by instance", TACT_PICK_LASSO, TACT_PICK_TOUCHED, TACT_PICK_BY_INSTANCE, false},
};
enum { QUESTIONS = sizeof questions / sizeof questions[0], PARTS = 3, CORNERS = 7 };

/// Regions in the middle of the view; the point and the rectangle also reach beyond it.
static tact_pick_region region_of(const pick_case* c, tact_pick_shape shape, float lasso[CORNERS][2])
{
    // A star that crosses itself, with corners on pixels' borders, centres and between.
    static const float star[CORNERS][2] = {{0.1f, 0.2f},   {0.95f, 0.3f}, {0.15f, 0.8f}, {0.5f, -0.1f},
                                           {0.84f, 0.96f}, {0.3f, 0.5f},  {0.7f, 0.5f}};
    const int32_t width = (int32_t)c->view.width, height = (int32_t)c->view.height;
    tact_pick_region region = {.shape = shape, .x = width / 2, .y = height / 2, .radius = (uint32_t)height / 3};
    const int32_t rectangle[4] = {width - width / 5, height / 4, -3, height - height / 8};
    memcpy(region.rectangle, rectangle, sizeof rectangle);
    for (int i = 0; i < CORNERS; ++i) {
        lasso[i][0] = floorf(star[i][0] * (float)width * 2.0f) / 2.0f;
        lasso[i][1] = floorf(star[i][1] * (float)height * 4.0f) / 4.0f;
    }
    if (shape == TACT_PICK_LASSO) {
        region.lasso = (const float(*)[2])lasso;
        region.lasso_count = CORNERS;
    }
    return region;
}

static void describe(char* text, size_t size, const tact_pick* picks, size_t count, size_t at)
{
    if (at >= count) {
        snprintf(text, size, "none");
        return;
    }
    const tact_pick* p = &picks[at];
    snprintf(text, size,
             "object %" PRIu32 ", instance %" PRIu32 ", primitive %" PRIu32 ", %" PRIu32 " pixels, at %" PRId32
             ",%" PRId32 " layer %" PRIu32 " depth %a position %a %a %a normal %a %a %a weights %a %a %a",
             p->object, p->instance, p->primitive, p->pixels, p->x, p->y, p->layer, (double)p->depth,
             (double)p->position[0], (double)p->position[1], (double)p->position[2], (double)p->normal[0],
             (double)p->normal[1], (double)p->normal[2], (double)p->barycentric[0], (double)p->barycentric[1],
             (double)p->barycentric[2]);
}

/// What is picked of a triangle must be where it is.
static bool close_to(const pick_case* c, const tact_pick* pick)
{
    double corners[3][3];
    tact_model_corners(c->model, pick->instance, pick->primitive, corners);
    return tact_pick_depth_explained(&c->view, c->slack, pick->x, pick->y, (const double(*)[3])corners,
                                     (double)pick->depth);
}

/// What two images of one device must have in common. The depth may be the image's or the triangle's.
static bool same_pixels(const pick_case* c, const tact_pick* a, const tact_pick* b)
{
    return a->object == b->object && a->instance == b->instance && a->primitive == b->primitive &&
           a->pixels == b->pixels && a->x == b->x && a->y == b->y && close_to(c, a) && close_to(c, b);
}

/// By what they are: their depths, which they are in order of, need not be the same to the bit.
static int compare_things(const void* a, const void* b)
{
    const tact_pick *p = a, *q = b;
    const uint32_t x[3] = {p->object, p->instance, p->primitive}, y[3] = {q->object, q->instance, q->primitive};
    for (int i = 0; i < 3; ++i)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

/// Notes an answer and how it differs from what is expected.
static void judge(pick_case* c, const tact_verify_row* row, tact_verify_device* who, const tact_pick* expected,
                  size_t expected_count, const tact_pick* got, size_t count)
{
    const size_t most = expected_count > count ? expected_count : count;
    uint64_t differing = 0;
    size_t first = 0;
    for (size_t i = 0; i < most; ++i) {
        if ((i >= count || i >= expected_count || !same_pixels(c, &expected[i], &got[i])) && differing++ == 0)
            first = i;
    }
    tact_verify_answer(c->run, row, who, tact_digest_of(got, count * sizeof *got).text, differing);
    if (differing == 0) return;
    char texts[2][512];
    describe(texts[0], sizeof texts[0], expected, expected_count, first);
    describe(texts[1], sizeof texts[1], got, count, first);
    tact_verify_difference(c->run, row, who, first, differing, "a list of picks", texts[0], texts[1]);
}

/// Whether a contestant is to be asked; notes it when it cannot be.
static bool is_asked(pick_case* c, const tact_verify_row* row, const tact_verify_device* who)
{
    if (!tact_verify_wants(c->run, who)) return false;
    if (who->missing[0]) tact_verify_skip(c->run, row, who, who->missing);
    return !who->missing[0];
}

// ---- By rays ----

static void choose(void* own, unsigned place)
{
    pick_case* c = own;
    c->chosen = place;
}

static tact_result ask(void* own, const tact_query_options* options, tact_query_report* report)
{
    pick_case* c = own;
    const question* q = c->question;
    float lasso[CORNERS][2];
    const tact_pick_region region = region_of(c, q->shape, lasso);
    const tact_pick_options how = {.extent = q->extent, .group = q->group, .keep = q->keep};
    size_t count = 0;
    return tact_pick_scene(c->pickers[c->chosen], c->scene,
                           &(tact_pick_work){.view = &c->view, .region = &region, .options = &how, .count = &count},
                           options, report);
}

static bool answer(void* own, tact_suite_answer* to, tact_problem* problem)
{
    (void)problem;
    const pick_case* c = own;
    size_t count = 0;
    const tact_pick* picks = tact_pick_last(c->pickers[c->chosen], &count);
    *to = tact_suite_items(picks, count, sizeof *picks);
    return true;
}

static const tact_suite_query pick_query = {.name = "pick", .choose = choose, .ask = ask, .answer = answer};

static void describe_pick(const tact_verify_case* c, const tact_suite_answer* of, size_t at, char* text, size_t size)
{
    (void)c;
    describe(text, size, of->items, of->count, at);
}

static bool verify_rays(pick_case* c, tact_problem* problem)
{
    bool good = true;
    for (int k = 0; good && k < QUESTIONS; ++k) {
        const size_t pixels = (size_t)c->view.width * c->view.height;
        const tact_verify_case checked = {.row = {"pick", c->name, questions[k].set, questions[k].mode, pixels},
                                          .query = &pick_query,
                                          .own = c,
                                          .lenient = true,
                                          .describe = describe_pick};
        c->question = &questions[k];
        good = tact_verify_check(c->run, &checked, problem);
    }
    return good;
}

// ---- Drawn ----

static tact_verify_device* opengl_of(tact_verify_run* run)
{
    for (int i = 0; i < TACT_VERIFY_DEVICES; ++i)
        if (run->devices[i].backend == TACT_BACKEND_GL) return &run->devices[i];
    return NULL;
}

/// What a pixel shows: its picks, of which there is one at most.
static tact_result pick_pixel(pick_case* c, int picker, int32_t x, int32_t y, tact_pick_method method,
                              tact_backend backend, tact_pick* pick, size_t* count)
{
    const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = x, .y = y};
    const tact_pick_options options = {.group = TACT_PICK_BY_PRIMITIVE, .method = method, .keep = true};
    const tact_query_options query = {.backend = backend, .no_fallback = true};
    return tact_pick_scene(
        c->pickers[picker], c->scene,
        &(tact_pick_work){
            .view = &c->view, .region = &region, .options = &options, .picks = pick, .capacity = 1, .count = count},
        &query, NULL);
}

typedef struct pixel_count {
    uint64_t explained, wrong;
    tact_pick first[2];
    size_t first_counts[2], at;
} pixel_count;

static void compare_pixel(pick_case* c, const tact_pick* picks, const size_t* counts, int32_t x, int32_t y,
                          pixel_count* to)
{
    double corners[2][3][3];
    for (int i = 0; i < 2; ++i) {
        if (!counts[i]) continue;
        tact_model_corners(c->model, picks[i].instance, picks[i].primitive, corners[i]);
    }
    const bool same =
        counts[0] == counts[1] &&
        (!counts[0] || (picks[0].instance == picks[1].instance && picks[0].primitive == picks[1].primitive));
    if (same && (!counts[0] || (close_to(c, &picks[0]) && close_to(c, &picks[1])))) return;
    if (!same && tact_pick_explained(&c->view, c->slack, x, y, counts[0] ? (const double(*)[3])corners[0] : NULL,
                                     counts[1] ? (const double(*)[3])corners[1] : NULL)) {
        ++to->explained;
        return;
    }
    if (to->wrong++) return;
    for (int i = 0; i < 2; ++i) {
        to->first[i] = picks[i];
        to->first_counts[i] = counts[i];
    }
    to->at = (size_t)y * c->view.width + (size_t)x;
}

/// Every pixel, drawn, against the ray through its centre.
static bool verify_raster(pick_case* c, tact_problem* problem)
{
    tact_verify_run* run = c->run;
    tact_verify_device* who = opengl_of(run);
    const tact_verify_row row = {"pick", c->name, "pixels", "raster", (size_t)c->view.width * c->view.height};
    if (!is_asked(c, &row, who)) return true;
    pixel_count counted = {0};
    for (uint32_t y = 0; y < c->view.height; ++y) {
        if (!tact_verify_goes_on(problem)) return false;
        for (uint32_t x = 0; x < c->view.width; ++x) {
            tact_pick picks[2] = {{0}, {0}};
            size_t counts[2];
            const int32_t at[2] = {(int32_t)x, (int32_t)y};
            tact_result result =
                pick_pixel(c, 0, at[0], at[1], TACT_PICK_RAYS, TACT_BACKEND_CPU, &picks[0], &counts[0]);
            if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "the rays");
            result = pick_pixel(c, 1, at[0], at[1], TACT_PICK_RASTER, TACT_BACKEND_GL, &picks[1], &counts[1]);
            if (result < 0) {
                tact_verify_error(run, &row, who, result);
                return true;
            }
            compare_pixel(c, picks, counts, at[0], at[1], &counted);
        }
    }
    tact_verify_answer_but(run, &row, who, "-", counted.wrong, counted.explained);
    if (counted.wrong) {
        char texts[2][512];
        for (int i = 0; i < 2; ++i)
            describe(texts[i], sizeof texts[i], &counted.first[i], counted.first_counts[i], 0);
        tact_verify_difference(run, &row, who, counted.at, counted.wrong, "a pixel", texts[0], texts[1]);
    }
    return true;
}

/// A target's answer to each visible question, asked at once and collected later, against tact_pick_scene()'s.
static tact_result ask_target(pick_case* c, tact_pick_target* target, const question* q, tact_pick* picks, size_t room,
                              size_t* count)
{
    float lasso[CORNERS][2];
    const tact_pick_region region = region_of(c, q->shape, lasso);
    tact_pick_ticket ticket = 0;
    tact_result result = tact_pick_target_submit(target, &region, q->group, &ticket);
    bool done = false;
    // Polling alone must get there.
    while (result >= 0 && !done)
        result = tact_pick_target_poll(target, ticket, &done);
    uint64_t revision = 0;
    if (result >= 0) result = tact_pick_target_wait(target, ticket, picks, room, count, &revision);
    return result >= 0 && revision != 7 ? TACT_ERROR_INTERNAL : result;
}

static bool verify_target_question(pick_case* c, tact_pick_target* target, const question* q, tact_verify_device* who,
                                   tact_problem* problem)
{
    tact_verify_run* run = c->run;
    const tact_verify_row row = {"pick", c->name, q->set, "target", (size_t)c->view.width * c->view.height};
    float lasso[CORNERS][2];
    const tact_pick_region region = region_of(c, q->shape, lasso);
    const tact_pick_options options = {.group = q->group, .method = TACT_PICK_RASTER, .keep = true};
    const tact_query_options query = {.backend = TACT_BACKEND_GL, .no_fallback = true};
    size_t count = 0;
    tact_result result = tact_pick_scene(
        c->pickers[1], c->scene,
        &(tact_pick_work){.view = &c->view, .region = &region, .options = &options, .count = &count}, &query, NULL);
    if (result < 0) {
        tact_verify_error(run, &row, who, result);
        return true;
    }
    size_t expected_count = 0;
    const tact_pick* last = tact_pick_last(c->pickers[1], &expected_count);
    // Some room, so that an answer with more things is seen.
    const size_t room = expected_count + 64;
    tact_pick* got = malloc(2 * room * sizeof *got);
    if (!got) return tact_problem_out_of_memory(problem, "the picks");
    tact_pick* expected = got + room;
    if (expected_count) memcpy(expected, last, expected_count * sizeof *expected);
    result = ask_target(c, target, q, got, room, &count);
    if (result < 0) {
        tact_verify_error(run, &row, who, result);
    } else {
        const size_t told = count < room ? count : room;
        qsort(expected, expected_count, sizeof *expected, compare_things);
        qsort(got, told, sizeof *got, compare_things);
        judge(c, &row, who, expected, expected_count, got, told);
    }
    free(got);
    return true;
}

static bool verify_target(pick_case* c, tact_problem* problem)
{
    tact_verify_run* run = c->run;
    tact_verify_device* who = opengl_of(run);
    const tact_verify_row row = {"pick", c->name, "all", "target", (size_t)c->view.width * c->view.height};
    if (!is_asked(c, &row, who)) return true;
    const tact_pick_target_desc desc = {.width = c->view.width, .height = c->view.height};
    tact_pick_target* target = NULL;
    tact_result result = tact_pick_target_create(run->session.context, &desc, &target);
    if (result >= 0) result = tact_pick_target_draw(target, c->scene, &c->view, 7);
    bool good = true;
    if (result < 0) {
        tact_verify_error(run, &row, who, result);
    } else {
        for (int k = 0; good && k < QUESTIONS; ++k) {
            good = tact_verify_goes_on(problem);
            if (good && questions[k].extent == TACT_PICK_VISIBLE)
                good = verify_target_question(c, target, &questions[k], who, problem);
        }
    }
    tact_pick_target_destroy(target);
    return good;
}

// ---- Scenes ----

static bool verify_scene(pick_case* c, uint64_t pixels, tact_problem* problem)
{
    tact_verify_run* run = c->run;
    tact_scene_stats stats;
    if (!tact_model_build(c->model, run->session.context, &c->scene, &stats, problem)) return false;
    const tact_bounds bounds = tact_ray_bounds(&stats);
    uint32_t height = 1;
    while ((uint64_t)(height + 1) * (height + 1) * 4 / 3 <= pixels)
        ++height;
    c->view = tact_pick_camera(&bounds, height + height / 3, height, 25);
    c->slack = tact_pick_slack_of(&c->view, &bounds);
    for (int i = 0; i <= TACT_VERIFY_DEVICES; ++i) {
        const tact_result result = tact_picker_create(run->session.context, &c->pickers[i]);
        if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "picking");
    }
    return verify_rays(c, problem) && verify_raster(c, problem) && verify_target(c, problem);
}

static bool verify_model(tact_verify_run* run, const char* name, const tact_model* model, uint64_t pixels,
                         tact_problem* problem)
{
    pick_case c = {.run = run, .name = name, .model = model};
    const bool good = verify_scene(&c, pixels, problem);
    for (int i = 0; i <= TACT_VERIFY_DEVICES; ++i)
        tact_picker_destroy(c.pickers[i]);
    tact_scene_destroy(c.scene);
    return good;
}

bool tact_verify_picks(tact_verify_run* run, tact_problem* problem)
{
    bool good = tact_verify_scenes(run, verify_model, problem);
    for (size_t i = 0; good && i < run->meshes.count; ++i) {
        const tact_text_list one = {.items = run->meshes.items + i, .count = 1};
        tact_pick_input input;
        good = tact_pick_input_load(&one, &input, problem) &&
               verify_model(run, run->meshes.items[i], &input.model, run->quick ? 300 : 4000, problem);
        tact_pick_input_free(&input);
    }
    return good;
}
