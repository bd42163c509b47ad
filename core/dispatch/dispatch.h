// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Chooses who answers a query, and goes on to the next when a device fails. Chosen is who is expected to take the
/// least time by the cost model (core/context/cost_model.h).

#include "core/context/query.h"
#include "core/context/residents.h"

// clang-format takes a row of these tables for a block.
// clang-format off

/// The usual tables of backends, for an array's initialiser: without devices, and with those of this build.
#define TACT_HOST_BACKENDS(run_host, cost_host, run_reference) \
    {TACT_BACKEND_CPU, run_host, cost_host},                   \
    {TACT_BACKEND_REFERENCE, run_reference, NULL}
#ifdef TACT_HAVE_GPU
#define TACT_ALL_BACKENDS(run_host, cost_host, run_device, cost_device, run_reference) \
    {TACT_BACKEND_CPU, run_host, cost_host},                                           \
    {TACT_BACKEND_GL, run_device, cost_device},                                        \
    {TACT_BACKEND_CL, run_device, cost_device},                                        \
    {TACT_BACKEND_REFERENCE, run_reference, NULL}
#else
#define TACT_ALL_BACKENDS(run_host, cost_host, run_device, cost_device, run_reference) \
    TACT_HOST_BACKENDS(run_host, cost_host, run_reference)
#endif
// clang-format on

/// An answer that a backend gave.
typedef struct tact_cost_answer {
    const tact_query* query;
    tact_backend backend;
    uint32_t device;
    const tact_cost* cost;
    const tact_cost_expectation* expected;
    double ms;  ///< measured
} tact_cost_answer;

/// Receives answers, from which nothing is learned then.
typedef struct tact_cost_watch {
    void (*tell)(void* user, const tact_cost_answer* answer);
    void* user;
    const char* method;  ///< of a backend with several rows for a call only that with this method runs; NULL: any
} tact_cost_watch;

/// From now on the watch receives each answer that the calling thread gets from this context; NULL: none does.
/// Returns the watch before it.
const tact_cost_watch* tact_dispatch_watch(const tact_context* context, const tact_cost_watch* watch);

/// Whether a watch receives the calling thread's answers.
bool tact_dispatch_watched(const tact_context* context);

/// Fails unless the options are ones that there are. `name` is the query's.
tact_result tact_query_options_check(tact_env* env, const char* name, const tact_query_options* options);

/// Answers a query. `options` and `report` may be NULL. A device failure (its memory, a lost context, a kernel that
/// does not build, a limit) is logged, told in the report's reason, and followed by the next backend, unless
/// no_fallback.
tact_result tact_dispatch(tact_context* context, const tact_query* query, void* arguments,
                          const tact_query_options* options, tact_query_report* report);

/// The same where it was not the caller who chose the backend of the options: `why` is then the report's reason.
tact_result tact_dispatch_because(tact_context* context, const tact_query* query, void* arguments,
                                  const tact_query_options* options, const char* why, tact_query_report* report);

/// The same for a query of which devices do nothing: where GL or CL was asked for the CPU answers, or, with
/// no_fallback, the call fails (UNSUPPORTED). `why`, such as "only the CPU calls functions that accept hits", is in the
/// reason or the error.
tact_result tact_dispatch_on_host(tact_context* context, const tact_query* query, void* arguments,
                                  const tact_query_options* options, const char* why, tact_query_report* report);

/// Learns from an answer that was still on its way when its run() returned, `late` being what context->late was then
/// (in the hold of the context's queue that the call was made in), now that it is there. Only for a caller who has
/// waited for nothing else meanwhile: the time until now counts.
void tact_dispatch_arrived(tact_context* context, const tact_cost_late* late);

/// The time in milliseconds by the clock that answers are measured by.
double tact_dispatch_clock(const tact_context* context);

/// Terms of a cost. `work`: ms. `up`, `down`: bytes, which take 0.1 ns each.
static inline tact_cost tact_cost_of(const char* method, double fixed, double work, double up, double down)
{
    return (tact_cost){.method = method, .terms = {fixed, 0.0, work, up * 1e-7, down * 1e-7}};
}

/// Says that `bytes` of a cost's upload stay on the device with what is kept for an object, as long as that is of this
/// version.
static inline void tact_cost_stays(tact_cost* cost, double bytes, tact_resident* kept, uint64_t version)
{
    cost->stays = bytes * 1e-7;
    cost->rent = &kept->rent;
    cost->version = version;
}

/// The CPU's threads, for costs.
static inline double tact_dispatch_threads(const tact_device_info* cpu)
{
    return cpu->compute_units > 0 ? (double)cpu->compute_units : 1.0;
}
