// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// How much longer `auto` takes than the best device.

#include <stdio.h>
#include <string.h>

#include "core/calibrate_work.h"
#include "core/dispatch.h"
#include "core/platform.h"
#include "tact/calibrate.h"

enum { ROUNDS = 7, LEAST_ROUNDS = 3, LANES = TACT_BACKEND_REFERENCE };  // auto and the devices, by backend

/// A device, or `auto`, with objects of its own.
typedef struct lane {
    bool out;  ///< there is no such device, or it is far too slow for larger sizes
    tact_sample* sample;
    double times[ROUNDS];
    size_t count;
} lane;

static void hear_nothing(void* user, const tact_cost_answer* answer)
{
    (void)user;
    (void)answer;
}

static tact_result ask(tact_context* context, lane* l, tact_backend backend, bool timed, tact_backend* chosen)
{
    static const tact_cost_watch deaf = {hear_nothing, NULL};
    const tact_query_options options = {.backend = backend, .no_fallback = backend != TACT_BACKEND_AUTO};
    tact_query_report report;
    context->watch = backend == TACT_BACKEND_AUTO ? NULL : &deaf;
    const double start = tact_platform_milliseconds();
    const tact_result result = tact_sample_ask(l->sample, &options, &report);
    const double took = tact_platform_milliseconds() - start;
    context->watch = NULL;
    if (result != TACT_OK) return result;
    if (timed) l->times[l->count++] = took;
    if (backend == TACT_BACKEND_AUTO) *chosen = report.backend;
    return TACT_OK;
}

static void judge(const tact_sample_kind* kind, size_t size, lane lanes[LANES], tact_backend chosen,
                  tact_regret_point* p)
{
    *p = (tact_regret_point){.size = size, .chosen = chosen, .best = TACT_BACKEND_AUTO, .regret = 1.0};
    char key[TACT_COST_KEY] = "";
    tact_cost_key(kind->query, kind->method, key);
    snprintf(p->query, sizeof p->query, "%s", key);
    snprintf(p->items, sizeof p->items, "%s", kind->items);
    for (int b = 0; b < LANES; ++b) {
        p->ms[b] = tact_cost_median(lanes[b].times, lanes[b].count);
        if (b == TACT_BACKEND_AUTO || lanes[b].count == 0) continue;
        if (p->best == TACT_BACKEND_AUTO || p->ms[b] < p->ms[p->best]) p->best = (tact_backend)b;
    }
    // Two medians of the same choice: the lesser is the one that others disturbed less. A device that was left out as
    // too slow, and is chosen all the same, has only one.
    double took = p->ms[TACT_BACKEND_AUTO];
    if (p->ms[chosen] > 0.0 && p->ms[chosen] < took) took = p->ms[chosen];
    if (p->best == TACT_BACKEND_AUTO || chosen == p->best || !(p->ms[p->best] > 0.0)) return;
    if (took > p->ms[p->best]) p->regret = took / p->ms[p->best];
}

/// One size, until `deadline`. A device that fails is out.
static tact_result measure_point(tact_context* context, int kind, size_t size, lane lanes[LANES], double deadline,
                                 tact_regret_point* point)
{
    tact_result result = TACT_OK;
    tact_backend chosen = TACT_BACKEND_AUTO;
    for (int round = -2; round < ROUNDS && result == TACT_OK; ++round) {
        if (round >= LEAST_ROUNDS && tact_platform_milliseconds() > deadline) break;
        for (int b = 0; b < LANES && result == TACT_OK; ++b) {
            lane* l = &lanes[b];
            if (l->out) continue;
            if (!l->sample) {
                l->count = 0;
                result = tact_sample_create(context, kind, size, &l->sample);
            }
            const tact_result asked =
                result == TACT_OK ? ask(context, l, (tact_backend)b, round >= 0, &chosen) : result;
            l->out = asked != TACT_OK;
            if (b == TACT_BACKEND_AUTO) result = asked;
        }
    }
    if (result == TACT_OK) judge(&tact_sample_kinds[kind], size, lanes, chosen, point);
    for (int b = 0; b < LANES; ++b) {
        tact_sample_destroy(lanes[b].sample);
        lanes[b].sample = NULL;
        // What takes twenty times as long here is not waited for with more to do.
        const bool far_off = result == TACT_OK && point->ms[b] > 20.0 * point->ms[point->best] && point->ms[b] > 20.0;
        if (b != TACT_BACKEND_AUTO && far_off) lanes[b].out = true;
        lanes[b].count = 0;
    }
    return result;
}

tact_result tact_measure_regret(tact_context* context, const tact_calibrate_options* given, tact_regret_fn* receive,
                                void* user)
{
    const tact_calibrate_options o = given ? *given : (tact_calibrate_options){0};
    if (!context) return TACT_ERROR_INVALID_ARGUMENT;
    if (!receive || !(o.seconds >= 0.0 && o.seconds <= 86400.0)) {
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "no receiver, or %g seconds", o.seconds);
    }
    const double end = tact_platform_milliseconds() + 1e3 * (o.seconds > 0.0 ? o.seconds : 60.0);
    tact_result result = TACT_OK;
    for (int kind = 0; kind < TACT_SAMPLE_KINDS && result == TACT_OK; ++kind) {
        const tact_sample_kind* k = &tact_sample_kinds[kind];
        lane lanes[LANES] = {{0}};
        for (int b = TACT_BACKEND_CPU; b < LANES; ++b)
            lanes[b].out = tact_context_find(context, (tact_backend)b) < 0;
        double now = tact_platform_milliseconds(), last = 0.0;
        const double deadline = now + (end > now ? (end - now) / (double)(TACT_SAMPLE_KINDS - kind) : 0.0);
        for (size_t size = 2 * k->smallest; size <= k->largest && result == TACT_OK; size *= 4) {
            now = tact_platform_milliseconds();
            if (size > 2 * k->smallest && now + 3.0 * last > deadline) break;
            tact_regret_point point;
            result = measure_point(context, kind, size, lanes, now + 0.3 * (deadline - now), &point);
            last = tact_platform_milliseconds() - now;
            const bool go_on = result != TACT_OK || receive(&point, user);
            if (!go_on) result = tact_fail(&context->env, TACT_ERROR_CANCELLED, "cancelled");
        }
        const double done = (double)(kind + 1) / TACT_SAMPLE_KINDS;
        if (result == TACT_OK && o.progress && !o.progress(done, o.progress_user)) {
            result = tact_fail(&context->env, TACT_ERROR_CANCELLED, "cancelled");
        }
    }
    return result;
}
