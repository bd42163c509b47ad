// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// How much longer `auto` takes than the best device.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/platform.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/notes.h"
#include "core/queries.h"
#include "core/query/sample.h"
#include "tact/calibrate.h"

enum {
    LEAST_ROUNDS = 5,
    ROUNDS = 11,
    MOST_ROUNDS = 41,            ///< where the first ones leave doubt
    LANES = TACT_BACKEND_COUNT,  ///< auto, the CPU and the devices, by backend
    MOST_REPEATS = 64
};

/// From here on there are more rounds: a little less than the 1.15 that is aimed at.
static const double DOUBTFUL = 1.10;

/// For how long a short call is repeated in each turn, and from when on a call is no longer repeated, in ms. Threads
/// that sleep and caches that another device's turn has cleared would be a good part of a short one.
static const double TURN_MS = 0.3, LONG_MS = 5.0;

/// More rounds of one size take no longer than that, in ms.
static const double DOUBT_MS = 1500.0;

static const double USUAL_SECONDS = 100.0;

/// A device, or `auto`, with objects of its own.
typedef struct lane {
    bool out;   ///< there is no such device, or it is far too slow for larger sizes
    bool rest;  ///< not asked in the rounds of this point that are left
    tact_sample* sample;
    double last;  ///< what a call took in the last turn
    double times[MOST_ROUNDS];
    size_t count;
} lane;

/// One size.
typedef struct measurement {
    tact_context* context;
    const tact_query* query;
    const tact_query_sample* of;
    size_t size;
    lane* lanes;
    uint32_t chosen[LANES];  ///< how often, by `auto`
} measurement;

static void hear_nothing(void* user, const tact_cost_answer* answer)
{
    (void)user;
    (void)answer;
}

static tact_result ask_once(measurement* m, tact_backend backend)
{
    static const tact_cost_watch deaf = {hear_nothing, NULL, NULL};
    const tact_query_options options = {.backend = backend, .no_fallback = backend != TACT_BACKEND_AUTO};
    tact_dispatch_watch(m->context, backend == TACT_BACKEND_AUTO ? NULL : &deaf);
    const tact_result result = tact_sample_ask(m->lanes[backend].sample, &options, NULL);
    tact_dispatch_watch(m->context, NULL);
    if (result == TACT_OK && backend == TACT_BACKEND_AUTO) ++m->chosen[tact_notes_last_answer(m->context)];
    return result;
}

/// A lane's turn. The first ones, which build and bring what is needed, are not timed.
static tact_result take_turn(measurement* m, tact_backend backend, bool timed)
{
    lane* l = &m->lanes[backend];
    tact_result result = TACT_OK;
    if (l->last < LONG_MS) result = ask_once(m, backend);
    int repeats = l->last > 0.0 ? (int)fmin(TURN_MS / l->last, MOST_REPEATS) : 1;
    if (repeats < 1) repeats = 1;
    const double start = tact_dispatch_clock(m->context);
    for (int i = 0; i < repeats && result == TACT_OK; ++i)
        result = ask_once(m, backend);
    l->last = (tact_dispatch_clock(m->context) - start) / repeats;
    if (result == TACT_OK && timed) l->times[l->count++] = l->last;
    return result;
}

static double median_of(const lane* l)
{
    double sorted[MOST_ROUNDS];
    memcpy(sorted, l->times, l->count * sizeof *sorted);
    return tact_cost_median(sorted, l->count);
}

/// One lane's times by another's, round by round, sorted. How many there are.
static size_t ratios_of(const lane* a, const lane* b, double ratios[MOST_ROUNDS])
{
    const size_t count = a->count < b->count ? a->count : b->count;
    for (size_t i = 0; i < count; ++i)
        ratios[i] = a->times[i] / fmax(b->times[i], 1e-9);
    tact_cost_median(ratios, count);  // sorts
    return count;
}

static void judge(const measurement* m, tact_regret_point* p)
{
    *p = (tact_regret_point){
        .size = m->size, .best = TACT_BACKEND_AUTO, .regret = 1.0, .low = 1.0, .high = 1.0, .choice = 1.0};
    char key[TACT_COST_KEY] = "";
    tact_cost_key(m->query->name, m->of->method, key);
    snprintf(p->query, sizeof p->query, "%s", key);
    snprintf(p->items, sizeof p->items, "%s", m->of->items);
    for (int b = 0; b < LANES; ++b) {
        p->ms[b] = median_of(&m->lanes[b]);
        if (m->chosen[b] > m->chosen[p->chosen]) p->chosen = (tact_backend)b;
        if (b == TACT_BACKEND_AUTO || m->lanes[b].count == 0) continue;
        if (p->best == TACT_BACKEND_AUTO || p->ms[b] < p->ms[p->best]) p->best = (tact_backend)b;
    }
    if (p->best == TACT_BACKEND_AUTO) return;
    double ratios[MOST_ROUNDS];
    const lane* best = &m->lanes[p->best];
    size_t count = ratios_of(&m->lanes[TACT_BACKEND_AUTO], best, ratios);
    p->rounds = (uint32_t)count;
    if (count == 0) return;
    p->low = ratios[count / 4];
    p->high = ratios[count - 1 - count / 4];
    p->regret = p->choice = tact_cost_median(ratios, count);
    // A device that was left out as too slow, and is chosen all the same, was not asked by name.
    count = ratios_of(&m->lanes[p->chosen], best, ratios);
    if (count > 0) p->choice = tact_cost_median(ratios, count);
}

/// Rounds `first` to `end`, of which those below 0 are not timed; no more from `deadline` on when there are `least`.
static tact_result go_round(measurement* m, int first, int end, int least, double deadline)
{
    tact_result result = TACT_OK;
    for (int round = first; round < end && result == TACT_OK; ++round) {
        if (round >= least && tact_platform_milliseconds() > deadline) break;
        for (int i = 0; i < LANES && result == TACT_OK; ++i) {
            // There and back, so that nobody always follows the same one.
            const int b = round % 2 ? LANES - 1 - i : i;
            lane* l = &m->lanes[b];
            if (l->out || l->rest) continue;
            if (!l->sample) result = tact_sample_create(m->context, m->query, m->of, m->size, 1, &l->sample);
            const tact_result asked = result == TACT_OK ? take_turn(m, (tact_backend)b, round >= 0) : result;
            l->out = asked != TACT_OK;
            if (b == TACT_BACKEND_AUTO) result = asked;
        }
        tact_error_clear(&m->context->env);
    }
    return result;
}

/// One size, until `deadline`. A device that fails is out.
static tact_result measure_point(measurement m, double deadline, tact_regret_point* point)
{
    lane* lanes = m.lanes;
    for (int b = 0; b < LANES; ++b) {
        lanes[b].count = 0;
        lanes[b].last = 0.0;
        lanes[b].rest = false;
    }
    tact_result result = go_round(&m, -2, ROUNDS, LEAST_ROUNDS, deadline);
    if (result == TACT_OK) judge(&m, point);
    if (result == TACT_OK && fmax(point->regret, point->choice) > DOUBTFUL) {
        // All of them, also when the regret sinks below the bound meanwhile: to stop there would flatter.
        for (int b = 0; b < LANES; ++b)
            lanes[b].rest = b != TACT_BACKEND_AUTO && b != (int)point->chosen && b != (int)point->best;
        const int done = (int)lanes[TACT_BACKEND_AUTO].count;
        result = go_round(&m, done, MOST_ROUNDS, done, tact_platform_milliseconds() + DOUBT_MS);
        if (result == TACT_OK) judge(&m, point);
    }
    for (int b = 0; b < LANES; ++b) {
        tact_sample_destroy(lanes[b].sample);
        lanes[b].sample = NULL;
        // What takes twenty times as long here is not waited for with more to do.
        const bool far_off = result == TACT_OK && point->ms[b] > 20.0 * point->ms[point->best] && point->ms[b] > 20.0;
        if (b != TACT_BACKEND_AUTO && far_off) lanes[b].out = true;
    }
    return result;
}

/// Has a query measured at its first use, which takes as long as all sizes of a quick query.
static tact_result use_first(tact_context* context, const tact_query* query, const tact_query_sample* of)
{
    tact_sample* sample = NULL;
    tact_result result = tact_sample_create(context, query, of, of->smallest, 1, &sample);
    if (result == TACT_OK) result = tact_sample_ask(sample, NULL, NULL);
    tact_sample_destroy(sample);
    return result;
}

tact_result tact_measure_regret(tact_context* context, const tact_calibrate_options* given, tact_regret_fn* receive,
                                void* user)
{
    const tact_calibrate_options o = given ? *given : (tact_calibrate_options){0};
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!receive) return tact_null(&context->env, "receive");
    if (!(o.seconds >= 0.0 && o.seconds <= 86400.0)) {
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "measuring regret for %g seconds", o.seconds);
    }
    const double end = tact_platform_milliseconds() + 1e3 * (o.seconds > 0.0 ? o.seconds : USUAL_SECONDS);
    tact_result result = TACT_OK;
    const tact_query* query = NULL;
    const size_t kinds = tact_query_sample_count();
    for (size_t kind = 0; kind < kinds && result == TACT_OK; ++kind) {
        const tact_query_sample* k = tact_query_sample_of(kind, &query);
        lane lanes[LANES] = {{0}};
        for (int b = TACT_BACKEND_CPU; b < LANES; ++b)
            lanes[b].out = b == TACT_BACKEND_REFERENCE || tact_context_find(context, (tact_backend)b) < 0;
        result = use_first(context, query, k);
        double now = tact_platform_milliseconds(), last = 0.0;
        const double deadline = now + (end > now ? (end - now) / (double)(kinds - kind) : 0.0);
        for (size_t size = 2 * k->smallest; size <= k->largest && result == TACT_OK; size *= 4) {
            now = tact_platform_milliseconds();
            if (size > 2 * k->smallest && now + 3.0 * last > deadline) break;
            tact_regret_point point;
            const measurement m = {.context = context, .query = query, .of = k, .size = size, .lanes = lanes};
            result = measure_point(m, now + 0.3 * (deadline - now), &point);
            last = tact_platform_milliseconds() - now;
            const bool go_on = result != TACT_OK || receive(&point, user);
            if (!go_on) result = tact_fail(&context->env, TACT_ERROR_CANCELLED, "cancelled");
        }
        const double done = (double)(kind + 1) / (double)kinds;
        if (result == TACT_OK && o.progress && !o.progress(done, o.progress_user)) {
            result = tact_fail(&context->env, TACT_ERROR_CANCELLED, "cancelled");
        }
    }
    return result;
}
