// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A call of a query, from the recorder through dispatch to the answer's digest.

#include "core/dispatch/dispatch.h"
#include "core/record/record.h"

typedef struct tact_call {
    tact_context* context;
    const tact_query* query;
    void* arguments;  ///< the query's own, for its functions
    uint64_t count;   ///< of what it is asked for
    tact_given given[TACT_QUERY_INPUTS];
    uint32_t parameters[TACT_RECORDED_PARAMETERS];
    const char* missing;                ///< why a record of it cannot be run again; NULL: it can
    const char* host_only;              ///< NULL, or why devices do nothing: tact_dispatch_on_host()
    const tact_query_options* instead;  ///< NULL, or what is dispatched by in place of the caller's options
    const char* why;  ///< NULL, or why the backend is not the caller's choice: tact_dispatch_because()
} tact_call;

/// Copies what was found to the caller's array, as far as there is room. INCOMPLETE: there is too little.
tact_result tact_copy_out(const void* found, size_t count, size_t size, void* to, size_t capacity);

/// Answers a call whose arguments are checked. Errors: the dispatcher's.
tact_result tact_ask(const tact_call* call, const tact_query_options* options, tact_query_report* report);

/// Begins the record of a call; for those that dispatch by themselves.
void tact_call_record(const tact_call* call, const tact_query_options* options, tact_query_report* report,
                      tact_record_call* record);
