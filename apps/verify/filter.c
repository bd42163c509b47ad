// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/filter_input.h"
#include "apps/verify/verify.h"

/// A scene of copies, how much nearer to each other than in `tact filter`, and over how many frames.
typedef struct filter_case {
    const char* scene;
    float scale;
    size_t copies, quick_copies;
    unsigned frames, quick_frames;
} filter_case;

static const filter_case cases[] = {
    {"copies", 0.6f, 60, 30, 3, 1}, {"crowd", 0.3f, 40, 16, 3, 2}, {"heap", 0.0f, 12, 6, 2, 1}};
enum { CASES = sizeof cases / sizeof cases[0] };

/// Each device keeps its filter from frame to frame, as a program would; the last one is the reference's.
typedef struct filter_work {
    tact_filter_input in;
    tact_filter* filters[TACT_VERIFY_DEVICES + 1];
    unsigned chosen;
    tact_filter_images images;
    tact_filter_pair* pairs;
    size_t count, room;
} filter_work;

static void gather(tact_filter_input* in, float scale)
{
    for (size_t i = 0; i < in->object_count; ++i)
        for (int r = 0; r < 3; ++r)
            in->objects[i].pose[4 * r + 3] *= scale;
}

static void choose(void* own, unsigned place)
{
    filter_work* w = own;
    w->chosen = place;
}

static tact_result ask(void* own, const tact_query_options* options, tact_query_report* report)
{
    filter_work* w = own;
    const tact_filter_input* in = &w->in;
    const tact_filter_options how = {.images = w->images};
    for (;;) {
        tact_filter_count stages[TACT_FILTER_STAGES];
        const tact_result result = tact_filter_meshes(w->filters[w->chosen],
                                                      &(tact_filter_work){.shapes = in->shapes,
                                                                          .shape_count = in->shape_count,
                                                                          .objects = in->objects,
                                                                          .object_count = in->object_count,
                                                                          .options = &how,
                                                                          .pairs = w->pairs,
                                                                          .capacity = w->room,
                                                                          .count = &w->count,
                                                                          .stages = stages},
                                                      options, report);
        if (result != TACT_INCOMPLETE) return result;
        tact_filter_pair* pairs = realloc(w->pairs, w->count * sizeof *pairs);
        if (!pairs) return TACT_ERROR_OUT_OF_MEMORY;
        w->pairs = pairs;
        w->room = w->count;
    }
}

static bool answer(void* own, tact_suite_answer* to, tact_problem* problem)
{
    (void)problem;
    const filter_work* w = own;
    *to = tact_suite_items(w->pairs, w->count, sizeof *w->pairs);
    return true;
}

static const tact_suite_query filter_query = {.name = "filter", .choose = choose, .ask = ask, .answer = answer};

static void describe(const tact_verify_case* c, const tact_suite_answer* of, size_t at, char* text, size_t size)
{
    (void)c;
    const tact_filter_pair* p = (const tact_filter_pair*)of->items + at;
    snprintf(text, size, "objects %" PRIu32 " and %" PRIu32 ", triangles %" PRIu32 " and %" PRIu32, p->object_a,
             p->object_b, p->triangle_a, p->triangle_b);
}

static bool verify_frames(tact_verify_run* run, const filter_case* c, filter_work* w, tact_problem* problem)
{
    const unsigned frames = run->quick ? c->quick_frames : c->frames;
    bool good = true;
    for (unsigned frame = 0; good && frame < frames; ++frame) {
        char set[32];
        snprintf(set, sizeof set, "frame %u", frame);
        // Devices go both ways, also where they do not pay.
        const bool images = frame % 2 == 0;
        w->images = images ? TACT_FILTER_IMAGES_ALWAYS : TACT_FILTER_IMAGES_NEVER;
        const char* way = images ? "reliable" : "plain";
        const tact_verify_case checked = {.row = {"filter", c->scene, set, way, w->in.object_count},
                                          .query = &filter_query,
                                          .own = w,
                                          .lenient = true,
                                          .describe = describe};
        if (frame > 0) tact_filter_input_step(&w->in);
        gather(&w->in, c->scale);
        good = tact_verify_check(run, &checked, problem);
    }
    return good;
}

static bool verify_case(tact_verify_run* run, const filter_case* c, tact_problem* problem)
{
    const tact_text_list none = {0};
    filter_work w = {.room = 0};
    bool good =
        tact_filter_input_load(&none, run->quick ? c->quick_copies : c->copies, run->common.seed, &w.in, problem);
    for (int i = 0; good && i <= TACT_VERIFY_DEVICES; ++i) {
        const tact_result result = tact_filter_create(run->session.context, &w.filters[i]);
        if (result < 0) good = tact_problem_from_result(problem, result, run->session.context, "the filter");
    }
    good = good && verify_frames(run, c, &w, problem);
    for (int i = 0; i <= TACT_VERIFY_DEVICES; ++i)
        tact_filter_destroy(w.filters[i]);
    tact_filter_input_free(&w.in);
    free(w.pairs);
    return good;
}

bool tact_verify_filter(tact_verify_run* run, tact_problem* problem)
{
    bool good = true;
    for (size_t i = 0; good && i < CASES; ++i)
        if (tact_verify_wants_scene(run, cases[i].scene)) good = verify_case(run, &cases[i], problem);
    return good;
}
