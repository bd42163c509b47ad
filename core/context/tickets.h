// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What is submitted in a context and not waited for yet. A query's public function enters by tact_enter_query(); the
/// bracket of its record (core/record/record.h) gives the ticket out. Where a result becomes another one after that,
/// tact_ticket_settle() says so.

#include "tact/ticket.h"

/// What is done about answers on their way, of a kind.
typedef struct tact_pending_type {
    tact_result (*poll)(void* work, bool* done);
    /// Waits for the answer, writes it, brings the report up to date and releases the work, also after an error.
    tact_result (*collect)(void* work, tact_query_report* report);
    void (*forget)(void* work);  ///< releases the work
} tact_pending_type;

/// An answer on its way. All zeros: there is none, as the query has been answered.
typedef struct tact_pending {
    const tact_pending_type* type;
    void* work;
    const void* object;         ///< what is asked, with which the work is forgotten
    tact_query_report* report;  ///< the caller's, or NULL
} tact_pending;

/// Of a context, under its `shared` lock. All zeros: nothing has been submitted.
typedef struct tact_tickets {
    struct tact_submission* places;  ///< TACT_MAX_TICKETS; NULL: none yet
    uint64_t last;
} tact_tickets;

/// A call that may be submitted.
typedef struct tact_submit {
    tact_context* context;
    tact_ticket* ticket;  ///< NULL: it is not, or only the call that it is within
    const tact_ticket* outer;
    tact_pending pending;  ///< what the call has left on its way
} tact_submit;

/// Begins a query's call as tact_enter() does; no ticket is given out yet.
bool tact_enter_query(const tact_context* context, const char* name, const tact_query_options* options);

/// Fails when there is no room for one more: before tact_submit_begin(). Errors: LIMIT, OUT_OF_MEMORY.
tact_result tact_tickets_check(tact_context* context, const tact_query_options* options);

/// Whether a call is submitted, and not the one that it is within.
bool tact_ticket_asked(const tact_query_options* options);

void tact_submit_begin(tact_submit* submit, tact_context* context, const tact_query_options* options);

/// Gives the ticket out, unless there is none or the result is an error, and returns the result. Errors: LIMIT.
tact_result tact_submit_end(tact_submit* submit, tact_result result, const tact_query_report* report);

/// Returns the result of a call whose record has ended, which waiting is to return: the ticket is taken back when it is
/// an error. Gives one out where there was no record. `report` NULL: as it was. Errors: LIMIT.
tact_result tact_ticket_settle(tact_context* context, const tact_query_options* options, tact_result result,
                               const tact_query_report* report);

/// Forgets what is on its way of an object that goes; of the context that goes when `object` is NULL.
void tact_tickets_forget(tact_context* context, const void* object);
