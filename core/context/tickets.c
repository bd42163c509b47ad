// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/context/tickets.h"

#include <string.h>

#include "core/context/context.h"

/// A place for a query that was submitted.
typedef struct tact_submission {
    tact_ticket ticket;  // 0: free
    tact_pending pending;
    tact_result result;        // once there is no pending work
    tact_query_report report;  // as far as it is known
} tact_submission;

static tact_submission* find(const tact_context* context, tact_ticket ticket)
{
    tact_submission* places = context->tickets.places;
    for (size_t i = 0; places && i < TACT_MAX_TICKETS; ++i) {
        if (places[i].ticket == ticket) return &places[i];
    }
    return NULL;
}

static void forget(tact_submission* place)
{
    if (place->pending.type) place->pending.type->forget(place->pending.work);
    *place = (tact_submission){0};
}

bool tact_enter_query(const tact_context* context, const char* name, const tact_query_options* options)
{
    if (options && options->ticket) *options->ticket = 0;
    return tact_enter(context, name);
}

bool tact_ticket_asked(const tact_context* context, const tact_query_options* options)
{
    return options && options->ticket && options->ticket != context->tickets.asked;
}

static tact_result fail_full(tact_context* context)
{
    return tact_fail(&context->env, TACT_ERROR_LIMIT, "%d queries are submitted and not waited for", TACT_MAX_TICKETS);
}

tact_result tact_tickets_check(tact_context* context, const tact_query_options* options)
{
    tact_tickets* t = &context->tickets;
    if (!tact_ticket_asked(context, options)) return TACT_OK;
    if (!t->places) t->places = tact_allocate_zeroed(&context->env, TACT_MAX_TICKETS, sizeof *t->places);
    if (!t->places) return TACT_ERROR_OUT_OF_MEMORY;
    return find(context, 0) ? TACT_OK : fail_full(context);
}

static tact_result give(tact_context* context, tact_ticket* ticket, const tact_submission* what)
{
    tact_submission* place = find(context, 0);
    if (!place) {
        // A receiver of the query has taken the last one.
        if (what->pending.type) what->pending.type->forget(what->pending.work);
        return fail_full(context);
    }
    *place = *what;
    place->ticket = *ticket = ++context->tickets.last;
    return what->result;
}

void tact_submit_begin(tact_submit* submit, tact_context* context, const tact_query_options* options)
{
    *submit = (tact_submit){.context = context, .outer = context->tickets.asked};
    if (!tact_ticket_asked(context, options)) return;
    submit->ticket = options->ticket;
    context->tickets.asked = submit->ticket;
}

tact_result tact_submit_end(tact_submit* submit, tact_result result, const tact_query_report* report)
{
    submit->context->tickets.asked = submit->outer;
    if (!submit->ticket || result < TACT_OK) return result;
    TACT_ASSERT(*submit->ticket == 0);
    const tact_submission what = {.pending = submit->pending, .result = result, .report = *report};
    return give(submit->context, submit->ticket, &what);
}

tact_result tact_ticket_settle(tact_context* context, const tact_query_options* options, tact_result result,
                               const tact_query_report* report)
{
    if (!tact_ticket_asked(context, options)) return result;
    tact_submission* place = *options->ticket ? find(context, *options->ticket) : NULL;
    if (result < TACT_OK) {
        if (place) forget(place);
        *options->ticket = 0;
        return result;
    }
    TACT_ASSERT(place || report);
    if (!place) return give(context, options->ticket, &(tact_submission){.result = result, .report = *report});
    TACT_ASSERT(!place->pending.type);
    place->result = result;
    if (report) place->report = *report;
    return result;
}

void tact_tickets_forget(tact_context* context, const void* object)
{
    tact_tickets* t = &context->tickets;
    for (size_t i = 0; t->places && i < TACT_MAX_TICKETS; ++i) {
        if (!object || (t->places[i].pending.type && t->places[i].pending.object == object)) forget(&t->places[i]);
    }
    if (object) return;
    tact_release(&context->env, t->places);
    t->places = NULL;
}

static tact_result find_given(tact_context* context, tact_ticket ticket, tact_submission** place)
{
    *place = ticket ? find(context, ticket) : NULL;
    if (*place) return TACT_OK;
    return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "no query has the ticket %llu",
                     (unsigned long long)ticket);
}

tact_result tact_poll(tact_context* context, tact_ticket ticket, bool* done)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!done) return tact_null(&context->env, "done");
    *done = false;
    tact_submission* place = NULL;
    const tact_result result = find_given(context, ticket, &place);
    if (result != TACT_OK) return result;
    if (place->pending.type) return place->pending.type->poll(place->pending.work, done);
    *done = true;
    return TACT_OK;
}

tact_result tact_wait(tact_context* context, tact_ticket ticket, tact_query_report* report)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_submission* place = NULL;
    tact_result result = find_given(context, ticket, &place);
    if (result != TACT_OK) return result;
    result = place->result;
    if (place->pending.type) {
        result = place->pending.type->collect(place->pending.work, &place->report);
        if (place->pending.report) *place->pending.report = place->report;
    }
    if (report) *report = place->report;
    *place = (tact_submission){0};
    return result;
}

void tact_cancel(tact_context* context, tact_ticket ticket)
{
    tact_submission* place = context && ticket ? find(context, ticket) : NULL;
    if (place) forget(place);
}
