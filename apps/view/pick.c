// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/view/view.h"

#include <stdlib.h>
#include <string.h>

enum { RING = 4 };

struct tact_view_picker {
    tact_context* context;
    tact_scene* scene;
    tact_view_pick_way way;
    tact_backend backend;
    tact_picker* picker;

    bool answered;  ///< by rays: the last question is answered
    tact_pick answer;

    tact_pick_target* target;
    tact_pick_ticket asked[RING];  ///< the oldest first
    int asked_count;
    tact_pick* picks;
    size_t capacity;
};

bool tact_view_picker_create(tact_context* context, tact_scene* scene, tact_view_pick_way way, tact_backend backend,
                             tact_view_picker** picker, tact_problem* problem)
{
    tact_view_picker* p = calloc(1, sizeof *p);
    *picker = NULL;
    if (!p) return tact_problem_out_of_memory(problem, "picking");
    p->context = context;
    p->scene = scene;
    p->way = way;
    p->backend = backend;
    tact_result result = tact_picker_create(context, &p->picker);
    const tact_pick_target_desc desc = {.ring = RING};
    if (result >= 0 && way == TACT_VIEW_PICK_TARGET) result = tact_pick_target_create(context, &desc, &p->target);
    if (result >= 0) {
        *picker = p;
        return true;
    }
    tact_problem_from_result(problem, result, context, "picking");
    tact_view_picker_destroy(p);
    return false;
}

void tact_view_picker_destroy(tact_view_picker* p)
{
    if (!p) return;
    tact_pick_target_destroy(p->target);
    tact_picker_destroy(p->picker);
    free(p->picks);
    free(p);
}

static bool failed(tact_view_picker* p, tact_result result, tact_problem* problem)
{
    tact_problem_from_result(problem, result, p->context, "picking");
    return false;
}

/// By rays, of objects, nearest first.
static bool cast(tact_view_picker* p, const tact_pick_view* view, const tact_pick_region* region, bool all,
                 const tact_pick** picks, size_t* count, tact_problem* problem)
{
    const tact_pick_options options = {.extent = all ? TACT_PICK_ALL : TACT_PICK_VISIBLE,
                                       .group = TACT_PICK_BY_INSTANCE};
    // What answers all hits is the CPU, whatever was asked for.
    const tact_query_options query = {.backend = all ? TACT_BACKEND_AUTO : p->backend};
    const tact_result result = tact_pick_scene(
        p->picker, p->scene, &(tact_pick_work){.view = view, .region = region, .options = &options, .count = count},
        &query, NULL);
    if (result < 0) return failed(p, result, problem);
    *picks = tact_pick_last(p->picker, count);
    return true;
}

/// Draws unless the planes show this view already. The scene stands still: its revision is 0.
static bool draw(tact_view_picker* p, const tact_pick_view* view, tact_problem* problem)
{
    if (tact_pick_target_current(p->target, view, 0)) return true;
    tact_result result = tact_pick_target_resize(p->target, view->width, view->height, 0);
    if (result >= 0) result = tact_pick_target_draw(p->target, p->scene, view, 0);
    return result >= 0 || failed(p, result, problem);
}

bool tact_view_picker_ask(tact_view_picker* p, const tact_pick_view* view, int32_t x, int32_t y, tact_problem* problem)
{
    const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = x, .y = y};
    if (p->way == TACT_VIEW_PICK_RAYS) {
        const tact_pick* picks = NULL;
        size_t count = 0;
        if (!cast(p, view, &region, false, &picks, &count, problem)) return false;
        p->answered = true;
        p->answer = (tact_pick){.object = TACT_NONE, .instance = TACT_NONE, .primitive = TACT_NONE};
        if (count) p->answer = picks[0];
        return true;
    }
    if (p->asked_count == RING) return true;
    if (!draw(p, view, problem)) return false;
    tact_pick_ticket ticket = 0;
    const tact_result result = tact_pick_target_submit(p->target, &region, TACT_PICK_BY_INSTANCE, &ticket);
    if (result == TACT_ERROR_LIMIT) return true;
    if (result < 0) return failed(p, result, problem);
    p->asked[p->asked_count++] = ticket;
    return true;
}

static bool collect_first(tact_view_picker* p, tact_pick* pick, tact_problem* problem)
{
    size_t count = 0;
    *pick = (tact_pick){.object = TACT_NONE, .instance = TACT_NONE, .primitive = TACT_NONE};
    tact_pick first;
    const tact_result result = tact_pick_target_wait(p->target, p->asked[0], &first, 1, &count, NULL);
    if (result < 0) return failed(p, result, problem);
    if (count) *pick = first;
    --p->asked_count;
    memmove(p->asked, p->asked + 1, (size_t)p->asked_count * sizeof *p->asked);
    return true;
}

bool tact_view_picker_answer(tact_view_picker* p, bool wait, bool* answered, tact_pick* pick, tact_problem* problem)
{
    *answered = false;
    if (p->way == TACT_VIEW_PICK_RAYS) {
        *answered = p->answered;
        *pick = p->answer;
        p->answered = false;
        return true;
    }
    while (p->asked_count) {
        bool done = wait;
        if (!wait) {
            const tact_result result = tact_pick_target_poll(p->target, p->asked[0], &done);
            if (result < 0) return failed(p, result, problem);
        }
        if (!done) break;
        if (!collect_first(p, pick, problem)) return false;
        *answered = true;
    }
    return true;
}

static bool query(tact_view_picker* p, const tact_pick_view* view, const tact_pick_region* region,
                  const tact_pick** picks, size_t* count, tact_problem* problem)
{
    if (!draw(p, view, problem)) return false;
    for (;;) {
        const tact_result result =
            tact_pick_target_query(p->target, region, TACT_PICK_BY_INSTANCE, p->picks, p->capacity, count);
        if (result < 0) return failed(p, result, problem);
        *picks = p->picks;
        if (result != TACT_INCOMPLETE) return true;
        tact_pick* more = realloc(p->picks, *count * sizeof *more);
        if (!more) return tact_problem_out_of_memory(problem, "picks");
        p->picks = more;
        p->capacity = *count;
    }
}

bool tact_view_picker_pick(tact_view_picker* p, const tact_pick_view* view, const tact_pick_region* region, bool all,
                           const tact_pick** picks, size_t* count, tact_problem* problem)
{
    // What is behind something is not in the planes.
    if (p->way == TACT_VIEW_PICK_TARGET && !all) {
        // Answers on their way would fill the ring.
        while (p->asked_count)
            tact_pick_target_cancel(p->target, p->asked[--p->asked_count]);
        return query(p, view, region, picks, count, problem);
    }
    return cast(p, view, region, all, picks, count, problem);
}
