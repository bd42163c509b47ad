// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/session.h"

#include "apps/color.h"
#include "apps/ranks.h"

#include <stdio.h>
#include <string.h>

enum { RECORDED_QUERIES = 256 };
static const size_t recorded_bytes = (size_t)1 << 30;

void tact_common_table(tact_common_options* common, tact_option table[TACT_COMMON_OPTIONS])
{
    static const char* const backends[] = {"auto", "cpu", "gl", "cl", "reference", NULL};
    static const char* const colors[] = {"auto", "always", "never", NULL};
    *common = (tact_common_options){.seed = 1};
    const tact_option options[TACT_COMMON_OPTIONS] = {
        TACT_CHOICE("backend", "B", "auto (default), cpu, gl, cl or reference (brute force)", &common->backend,
                    backends),
        TACT_FLAG("json", "one JSON object on standard output", &common->json),
        TACT_NUMBER("threads", "N", "CPU threads (default: all)", &common->threads, 1, 1024),
        TACT_NUMBER("seed", "N", "of everything random (default 1)", &common->seed, 0, UINT64_MAX),
        TACT_NUMBER("repeat", "N", "timed repetitions after a warm-up; times are medians", &common->repeat, 1, 1000000),
        TACT_FLAG("quiet", "no progress, no warnings", &common->quiet),
        TACT_CHOICE("color", "WHEN", "colours: auto (default; on a terminal), always or never", &common->color, colors),
        {.name = NULL},
    };
    memcpy(table, options, sizeof options);
}

void tact_query_table(tact_common_options* common, tact_option table[TACT_QUERY_OPTIONS])
{
    tact_common_table(common, table);
    const tact_option options[] = {
        TACT_TEXT("expect", "DIGEST", "exit 1 when the digest is another", &common->expect),
        TACT_FLAG("shadow", "compare with the reference; exit 1 when it differs", &common->shadow),
        TACT_FLAG("no-fallback", "fail when the device fails instead of trying the next", &common->no_fallback),
        TACT_TEXT("record", "FILE", "write the inputs of queries, for tact replay", &common->record),
        TACT_FLAG("explain", "tell what each device was expected to take, and why it was taken or not",
                  &common->explain),
        {.name = NULL},
    };
    memcpy(table + TACT_COMMON_OPTIONS - 1, options, sizeof options);
}

tact_query_options tact_query_asked(const tact_common_options* common)
{
    const tact_query_options options = {
        .backend = (tact_backend)common->backend, .shadow = common->shadow, .no_fallback = common->no_fallback};
    return options;
}

bool tact_expect_check(const tact_common_options* common, tact_problem* problem)
{
    const char* e = common->expect;
    if (!e || (strlen(e) == 16 && strspn(e, "0123456789abcdef") == 16)) return true;
    return tact_problem_set(problem, "--expect %s: must be 16 hexadecimal digits in lower case", e);
}

bool tact_expect_digest(const tact_common_options* common, const char* digest, tact_problem* problem)
{
    if (!common->expect || strcmp(common->expect, digest) == 0) return true;
    tact_problem_set(problem, "--expect %s: the digest is %s", common->expect, digest);
    problem->exit_code = TACT_EXIT_CHECK_FAILED;
    return false;
}

/// Warnings go to standard error, one line each; errors come back to the caller, who prints one line itself.
static void take_log(tact_log_level level, const char* source, const char* message, void* user)
{
    tact_session* session = user;
    if (level == TACT_LOG_ERROR) snprintf(session->last_error, sizeof session->last_error, "%s", message);
    if (level != TACT_LOG_WARNING || session->quiet) return;
    tact_warning("tact", "%s: %.*s", source, (int)strcspn(message, "\n"), message);
}

tact_device_counts tact_session_counts(const tact_session* session, tact_backend backend,
                                       const tact_device_counts* before)
{
    tact_device_counts now = {0};
    if (tact_context_device_counts(session->context, backend, &now) != TACT_OK) return (tact_device_counts){0};
    now.launches -= before->launches;
    now.waits -= before->waits;
    now.bytes_up -= before->bytes_up;
    now.bytes_down -= before->bytes_down;
    now.allocations -= before->allocations;
    now.kernel_bytes -= before->kernel_bytes;
    now.memory_bytes -= before->memory_bytes;
    return now;
}

int tact_session_device(const tact_session* session, tact_backend backend, tact_device_info* info)
{
    const tact_backend on = backend == TACT_BACKEND_REFERENCE ? TACT_BACKEND_CPU : backend;
    const uint32_t count = tact_context_device_count(session->context);
    for (uint32_t i = 0; i < count; ++i) {
        if (tact_context_device(session->context, i, info) >= 0 && info->backend == on) return (int)i;
    }
    return -1;
}

static bool open_ranks(tact_session* session, tact_problem* problem)
{
    if (!tact_tool_ranks_here) {
        tact_problem_set(problem, "--mpi: needs the program tact-mpi beside tact, which is built where MPI is found");
        problem->exit_code = TACT_EXIT_NO_DEVICE;
        return false;
    }
    const tact_result result = tact_tool_ranks_here->open(session->context, &session->ranks);
    return result == TACT_OK || tact_problem_from_result(problem, result, session->context, "the ranks");
}

bool tact_session_open(tact_session* session, const tact_common_options* common, tact_problem* problem)
{
    return tact_session_open_in(session, common, NULL, problem);
}

bool tact_session_open_in(tact_session* session, const tact_common_options* common,
                          tact_gl_get_proc_address get_proc_address, tact_problem* problem)
{
    // A rank of many is silent; its problems are told in the end.
    *session = (tact_session){.quiet = common->quiet || !tact_tool_prints(), .record = common->record};
    const tact_backend backend = (tact_backend)common->backend;
    const bool all = backend == TACT_BACKEND_AUTO;
    // A device that is not asked for costs its start-up time and nothing would be gained by it.
    const tact_context_desc desc = {
        .log = take_log,
        .log_user = session,
        .threads = (int)common->threads,
        .gl = !all && backend != TACT_BACKEND_GL ? TACT_DEVICE_NONE
              : get_proc_address                 ? TACT_DEVICE_ADOPT
                                                 : TACT_DEVICE_OWN,
        .gl_get_proc_address = get_proc_address,
        .cl = all || backend == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
        .record_queries = common->record || common->records ? RECORDED_QUERIES : 0,
        .open_devices = common->explain,
        .record_bytes = recorded_bytes,
        .model = common->model,
        .device_number = tact_tool_ranks_here ? tact_tool_ranks_here->number : 0,
    };
    const tact_result result = tact_context_create(&desc, &session->context);
    if (result < 0) {
        tact_problem_set(problem, "no context: %s",
                         session->last_error[0] ? session->last_error : tact_result_string(result));
        // Of what a description holds only the model comes from outside.
        if (result != TACT_ERROR_INVALID_ARGUMENT) problem->exit_code = TACT_EXIT_NO_DEVICE;
        return false;
    }
    tact_device_info info;
    // What is modelled is OpenCL's device.
    const tact_backend needed = all && common->model ? TACT_BACKEND_CL : backend;
    if (needed == TACT_BACKEND_AUTO || tact_session_device(session, needed, &info) >= 0) {
        if (!common->mpi || open_ranks(session, problem)) return true;
        tact_session_close(session);
        return false;
    }
    const char* reason = tact_context_missing(session->context, needed);
    tact_problem_set(problem, "no %s device here: %s", tact_backend_name(needed), reason ? reason : "not found");
    problem->exit_code = TACT_EXIT_NO_DEVICE;
    tact_session_close(session);
    return false;
}

void tact_session_close(tact_session* session)
{
    if (session->context && session->record && tact_record_save(session->context, session->record) != TACT_OK) {
        // What was asked has been answered; its record is lost.
        tact_warning("tact", "--record: %s", tact_context_error(session->context));
    }
    tact_ranks_destroy(session->ranks);
    session->ranks = NULL;
    tact_context_destroy(session->context);
    session->context = NULL;
}
