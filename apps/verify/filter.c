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

typedef struct pair_list {
    tact_filter_pair* pairs;
    size_t count;
} pair_list;

static void gather(tact_filter_input* in, float scale)
{
    for (size_t i = 0; i < in->object_count; ++i)
        for (int r = 0; r < 3; ++r)
            in->objects[i].pose[4 * r + 3] *= scale;
}

static tact_result ask(tact_filter* filter, const tact_filter_input* in, const tact_query_options* options,
                       pair_list* list)
{
    size_t room = 1024;
    for (;;) {
        free(list->pairs);
        list->pairs = room <= SIZE_MAX / sizeof *list->pairs ? malloc(room * sizeof *list->pairs) : NULL;
        if (!list->pairs) return TACT_ERROR_OUT_OF_MEMORY;
        tact_query_report report;
        tact_filter_count stages[TACT_FILTER_STAGES];
        // Images too, also where they do not pay.
        const tact_filter_options how = {.images = TACT_FILTER_IMAGES_ALWAYS};
        const tact_result result = tact_filter_run(filter, in->shapes, in->shape_count, in->objects, in->object_count,
                                                   &how, list->pairs, room, &list->count, stages, options, &report);
        if (result != TACT_INCOMPLETE) return result;
        room = list->count;
    }
}

static void describe(char* text, size_t size, const pair_list* list, size_t at)
{
    if (at >= list->count) {
        snprintf(text, size, "none");
        return;
    }
    const tact_filter_pair* p = &list->pairs[at];
    snprintf(text, size, "objects %" PRIu32 " and %" PRIu32 ", triangles %" PRIu32 " and %" PRIu32, p->object_a,
             p->object_b, p->triangle_a, p->triangle_b);
}

static uint64_t compare(const pair_list* a, const pair_list* b, size_t* first)
{
    const size_t most = a->count > b->count ? a->count : b->count;
    uint64_t differing = 0;
    for (size_t i = 0; i < most; ++i) {
        const bool same = i < a->count && i < b->count && memcmp(&a->pairs[i], &b->pairs[i], sizeof *a->pairs) == 0;
        if (!same && differing++ == 0) *first = i;
    }
    return differing;
}

static void check_one(tact_verify_run* run, const tact_verify_row* row, tact_filter* filter,
                      const tact_filter_input* in, const pair_list* expected, tact_contestant* who)
{
    if (who->missing[0]) {
        tact_verify_skip(run, row, who, who->missing);
        return;
    }
    const tact_query_options options = {.backend = who->backend, .threads = who->threads, .no_fallback = true};
    pair_list got = {0};
    const tact_result result = ask(filter, in, &options, &got);
    if (result < 0) {
        tact_verify_error(run, row, who, result);
    } else {
        size_t first = 0;
        const uint64_t differing = compare(expected, &got, &first);
        tact_verify_answer(run, row, who, tact_digest_of(got.pairs, got.count * sizeof *got.pairs).text, differing);
        char texts[2][128];
        describe(texts[0], sizeof texts[0], expected, first);
        describe(texts[1], sizeof texts[1], &got, first);
        if (differing) tact_verify_difference(run, row, who, first, differing, "a list of pairs", texts[0], texts[1]);
    }
    free(got.pairs);
}

/// Every contestant keeps its filter from frame to frame, as a program would.
static bool verify_frames(tact_verify_run* run, const filter_case* c, tact_filter_input* in,
                          tact_filter* filters[TACT_CONTESTANTS + 1], tact_problem* problem)
{
    const unsigned frames = run->quick ? c->quick_frames : c->frames;
    for (int i = 0; i <= TACT_CONTESTANTS; ++i) {
        const tact_result result = tact_filter_create(run->session.context, &filters[i]);
        if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "the filter");
    }
    bool good = true;
    for (unsigned frame = 0; good && frame < frames; ++frame) {
        char set[32];
        snprintf(set, sizeof set, "frame %u", frame);
        const tact_verify_row row = {"filter", c->scene, set, "reliable", in->object_count};
        const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
        pair_list expected = {0};
        if (frame > 0) tact_filter_input_step(in);
        gather(in, c->scale);
        const tact_result result = ask(filters[TACT_CONTESTANTS], in, &options, &expected);
        if (result < 0) good = tact_problem_from_result(problem, result, run->session.context, "the reference");
        for (int i = 0; good && i < TACT_CONTESTANTS; ++i) {
            tact_contestant* who = &run->contestants[i];
            if (tact_verify_wants(run, who)) check_one(run, &row, filters[i], in, &expected, who);
        }
        free(expected.pairs);
        tact_progress_update((double)frame / frames, &run->progress);
    }
    return good;
}

static bool verify_case(tact_verify_run* run, const filter_case* c, tact_problem* problem)
{
    const tact_text_list none = {0};
    tact_filter_input in;
    tact_filter* filters[TACT_CONTESTANTS + 1] = {NULL};
    const bool good =
        tact_filter_input_load(&none, run->quick ? c->quick_copies : c->copies, run->common.seed, &in, problem) &&
        verify_frames(run, c, &in, filters, problem);
    for (int i = 0; i <= TACT_CONTESTANTS; ++i)
        tact_filter_destroy(filters[i]);
    tact_filter_input_free(&in);
    ++run->progress.part;
    return good;
}

uint64_t tact_verify_filter_parts(const tact_verify_run* run)
{
    uint64_t parts = 0;
    for (size_t i = 0; i < CASES; ++i)
        parts += tact_verify_wants_scene(run, cases[i].scene);
    return parts;
}

bool tact_verify_filter(tact_verify_run* run, tact_problem* problem)
{
    bool good = true;
    for (size_t i = 0; good && i < CASES; ++i)
        if (tact_verify_wants_scene(run, cases[i].scene)) good = verify_case(run, &cases[i], problem);
    return good;
}
