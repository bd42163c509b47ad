// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Runs the filter of many objects on a device, and compares what it finds with a brute force over the pairs of objects
/// whose boxes meet. Include after run.h.

#include "gpu/filter/filter.h"
#include "tests/support/filter_scenes.h"
#include "tests/support/tested_device.h"

static inline tact_gpu_filter* make_filter(tact_device* on)
{
    tact_gpu_filter* filter = NULL;
    assert_int_equal(tact_gpu_filter_create(on, &filter), TACT_OK);
    return filter;
}

static inline void expect_ok(const char* what, tact_result result)
{
    if (result != TACT_OK) fail_msg("%s: %s: %s", what, tact_result_name(result), tact_context_error(context));
}

static inline void expect_list(const char* what, const filter_scene* s, const tact_filter_list* list)
{
    for (size_t i = 0; i < list->count && i < s->expected_count; ++i) {
        const tact_filter_pair g = list->pairs[i], e = s->expected[i];
        if (memcmp(&g, &e, sizeof g) == 0) continue;
        fail_msg("%s: pair %zu is (%u %u, %u %u), expected (%u %u, %u %u)", what, i, g.object_a, g.triangle_a,
                 g.object_b, g.triangle_b, e.object_a, e.triangle_a, e.object_b, e.triangle_b);
    }
    if (list->count != s->expected_count) {
        fail_msg("%s: %zu pairs, expected %zu", what, list->count, s->expected_count);
    }
}

typedef struct filter_ran {
    tact_result result;
    tact_filter_count counts[TACT_FILTER_STAGES];
    tact_query_report report;
} filter_ran;

/// What is found must be all, unless the filter may be fast.
static inline filter_ran try_job(const char* what, tact_gpu_filter* filter, const filter_scene* s,
                                 const tact_filter_job* job)
{
    filter_ran ran = {.result = TACT_OK};
    tact_filter_list list = {0};
    ran.result = tact_gpu_filter_run(filter, job, &list, ran.counts, &ran.report);
    if (ran.result == TACT_OK && !job->options.fast) expect_list(what, s, &list);
    tact_release(&context->env, list.pairs);
    return ran;
}

static inline filter_ran run_job(const char* what, tact_gpu_filter* filter, const filter_scene* s,
                                 const tact_filter_job* job)
{
    const filter_ran ran = try_job(what, filter, s, job);
    expect_ok(what, ran.result);
    assert_true(ran.counts[TACT_FILTER_EXACT].ran);
    return ran;
}

/// Without images, then twice with them; frees the scene. How many pairs.
static inline size_t check(const char* what, tact_gpu_filter* filter, filter_scene* s)
{
    tact_filter_job job = filter_job(s);
    job.options.images = TACT_FILTER_IMAGES_NEVER;
    run_job(what, filter, s, &job);
    job.options.images = TACT_FILTER_IMAGES_ALWAYS;
    run_job(what, filter, s, &job);
    run_job(what, filter, s, &job);
    const size_t found = s->expected_count;
    filter_free(s);
    return found;
}
