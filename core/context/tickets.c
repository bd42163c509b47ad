// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/context/tickets.h"

#include <string.h>

#include "core/context/context.h"

/// A place for a query that was submitted.
typedef struct tact_submission {
    tact_ticket ticket;  // 0: free
    bool taken;          // by a thread that waits for it or forgets it: others do not find it
    tact_pending pending;
    tact_result result;        // once there is no pending work
    tact_query_report report;  // as far as it is known
} tact_submission;

/// Of the thread's call under way, which calls within it carry along.
static TACT_THREAD_LOCAL const tact_ticket* asked;

/// Under the lock.
static tact_submission* find(const tact_context* context, tact_ticket ticket)
{
    tact_submission* places = context->tickets.places;
    for (size_t i = 0; places && i < TACT_MAX_TICKETS; ++i) {
        if (places[i].ticket == ticket && !places[i].taken) return &places[i];
    }
    return NULL;
}

/// Keeps a submission from other threads: pending work waits for devices, and no wait is under the lock.
static tact_submission* take(tact_context* context, tact_ticket ticket)
{
    tact_mutex_lock(&context->shared);
    tact_submission* place = ticket ? find(context, ticket) : NULL;
    if (place) place->taken = true;
    tact_mutex_unlock(&context->shared);
    return place;
}

static void make_free(tact_context* context, tact_submission* place)
{
    tact_mutex_lock(&context->shared);
    *place = (tact_submission){0};
    tact_mutex_unlock(&context->shared);
}

static void forget(tact_context* context, tact_submission* place)
{
    if (place->pending.type) place->pending.type->forget(place->pending.work);
    make_free(context, place);
}

bool tact_enter_query(const tact_context* context, const char* name, const tact_query_options* options)
{
    if (options && options->ticket) *options->ticket = 0;
    return tact_enter(context, name);
}

bool tact_ticket_asked(const tact_query_options* options)
{
    return options && options->ticket && options->ticket != asked;
}

static tact_result fail_full(tact_context* context)
{
    return tact_fail(&context->env, TACT_ERROR_LIMIT, "%d queries are submitted and not waited for", TACT_MAX_TICKETS);
}

tact_result tact_tickets_check(tact_context* context, const tact_query_options* options)
{
    tact_tickets* t = &context->tickets;
    if (!tact_ticket_asked(options)) return TACT_OK;
    tact_mutex_lock(&context->shared);
    if (!t->places) {
        t->places = tact_allocate_in_loop(&context->env, TACT_MAX_TICKETS, sizeof *t->places);
        if (t->places) memset(t->places, 0, TACT_MAX_TICKETS * sizeof *t->places);
    }
    const bool there = t->places != NULL, room = find(context, 0) != NULL;
    tact_mutex_unlock(&context->shared);
    if (!there) return tact_fail(&context->env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: tickets");
    return room ? TACT_OK : fail_full(context);
}

static tact_result give(tact_context* context, tact_ticket* ticket, const tact_submission* what)
{
    tact_mutex_lock(&context->shared);
    tact_submission* place = find(context, 0);
    if (place) {
        *place = *what;
        place->ticket = *ticket = ++context->tickets.last;
    }
    tact_mutex_unlock(&context->shared);
    if (place) return what->result;
    // A receiver of the query, or another thread, has taken the last one.
    if (what->pending.type) what->pending.type->forget(what->pending.work);
    return fail_full(context);
}

void tact_submit_begin(tact_submit* submit, tact_context* context, const tact_query_options* options)
{
    *submit = (tact_submit){.context = context, .outer = asked};
    if (!tact_ticket_asked(options)) return;
    submit->ticket = options->ticket;
    asked = submit->ticket;
}

tact_result tact_submit_end(tact_submit* submit, tact_result result, const tact_query_report* report)
{
    asked = submit->outer;
    if (!submit->ticket || result < TACT_OK) return result;
    TACT_ASSERT(*submit->ticket == 0);
    const tact_submission what = {.pending = submit->pending, .result = result, .report = *report};
    return give(submit->context, submit->ticket, &what);
}

tact_result tact_ticket_settle(tact_context* context, const tact_query_options* options, tact_result result,
                               const tact_query_report* report)
{
    if (!tact_ticket_asked(options)) return result;
    tact_submission* place = take(context, *options->ticket);
    if (result < TACT_OK) {
        if (place) forget(context, place);
        *options->ticket = 0;
        return result;
    }
    TACT_ASSERT(place || report);
    if (!place) return give(context, options->ticket, &(tact_submission){.result = result, .report = *report});
    TACT_ASSERT(!place->pending.type);
    place->result = result;
    if (report) place->report = *report;
    tact_mutex_lock(&context->shared);
    place->taken = false;
    tact_mutex_unlock(&context->shared);
    return result;
}

void tact_tickets_forget(tact_context* context, const void* object)
{
    tact_tickets* t = &context->tickets;
    for (size_t i = 0; i < TACT_MAX_TICKETS; ++i) {
        tact_mutex_lock(&context->shared);
        tact_submission* place = t->places ? &t->places[i] : NULL;
        const bool meant = place && place->ticket && !place->taken && (!object || place->pending.object == object);
        if (meant) place->taken = true;
        tact_mutex_unlock(&context->shared);
        if (meant) forget(context, place);
    }
    if (object) return;
    tact_release(&context->env, t->places);
    t->places = NULL;
}

static tact_result fail_unknown(tact_context* context, tact_ticket ticket)
{
    return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "no query has the ticket %llu",
                     (unsigned long long)ticket);
}

tact_result tact_poll(tact_context* context, tact_ticket ticket, bool* done)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!done) return tact_null(&context->env, "done");
    *done = false;
    tact_submission* place = take(context, ticket);
    if (!place) return fail_unknown(context, ticket);
    tact_result result = TACT_OK;
    if (place->pending.type) {
        result = place->pending.type->poll(place->pending.work, done);
    } else {
        *done = true;
    }
    tact_mutex_lock(&context->shared);
    place->taken = false;
    tact_mutex_unlock(&context->shared);
    return result;
}

tact_result tact_wait(tact_context* context, tact_ticket ticket, tact_query_report* report)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_submission* place = take(context, ticket);
    if (!place) return fail_unknown(context, ticket);
    tact_result result = place->result;
    if (place->pending.type) {
        result = place->pending.type->collect(place->pending.work, &place->report);
        if (place->pending.report) *place->pending.report = place->report;
    }
    if (report) *report = place->report;
    make_free(context, place);
    return result;
}

void tact_cancel(tact_context* context, tact_ticket ticket)
{
    tact_submission* place = context ? take(context, ticket) : NULL;
    if (place) forget(context, place);
}
