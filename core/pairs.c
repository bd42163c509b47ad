// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/pairs.h"

#include <stdio.h>
#include <string.h>

#include "core/dispatch.h"
#include "core/platform.h"
#include "cpu_ref/pairs/choose.h"
#include "cpu_ref/pairs/pair_sink.h"
#ifdef TACT_HAVE_GPU
#include "gpu/pairs_gpu.h"
#endif

const char* tact_pairs_method_name(tact_pairs_method method)
{
    static const char* const names[TACT_PAIRS_METHOD_COUNT] = {"auto", "brute", "sap", "grid", "hgrid", "bvh", "tree"};
    return (unsigned)method < TACT_PAIRS_METHOD_COUNT ? names[method] : "?";
}

tact_result tact_pairs_make_room(tact_volume_set* a, uint64_t count)
{
    tact_env* env = &a->context->env;
    if (count > TACT_MAX_PAIRS) {
        return tact_fail(env, TACT_ERROR_LIMIT,
                         "%llu pairs are more than one list holds (2^30); tact_pairs_each hands "
                         "them over in pieces",
                         (unsigned long long)count);
    }
    if (count <= a->pair_capacity) return TACT_OK;
    // Not tact_reserve: the old pairs are not needed, and doubling what may be gigabytes is no good. A little more than
    // now, for the next frame.
    tact_release(env, a->pairs);
    a->pair_capacity = 0;
    a->pair_count = 0;
    const size_t capacity = (size_t)(count + count / 8 + 64);
    a->pairs = tact_allocate(env, capacity, sizeof *a->pairs);
    if (!a->pairs) return TACT_ERROR_OUT_OF_MEMORY;
    a->pair_capacity = capacity;
    return TACT_OK;
}

static tact_pairs_job job_of(const tact_pairs_arguments* q, const tact_query_options* options)
{
    return (tact_pairs_job){
        .env = &q->a->context->env,
        .threads = options->threads,
        .a = tact_volume_set_view(q->a),
        .b = q->b ? tact_volume_set_view(q->b) : NULL,
        .state_a = &q->a->state,
        .state_b = q->b ? &q->b->state : NULL,
        .from = 0,
        .end = UINT32_MAX,
        .progress = options->progress,
        .progress_user = options->progress_user,
    };
}

/// Runs `find`, and sorts what it found into the set's list.
static tact_result find_on_host(tact_pairs_arguments* q, tact_pairs_job* job, tact_result (*find)(tact_pairs_job* job),
                                tact_query_report* report)
{
    const double start = tact_platform_milliseconds();
    tact_result result = tact_pair_sinks_open(job, TACT_MAX_PAIRS, NULL);
    if (result == TACT_OK) result = find(job);
    if (result == TACT_OK) result = tact_pair_sinks_close(job, &q->info.pairs);
    if (result == TACT_OK) result = tact_pairs_make_room(q->a, q->info.pairs);
    if (result == TACT_OK) result = tact_pair_sinks_sort(job, q->a->pairs);
    if (result == TACT_OK) q->a->pair_count = (size_t)q->info.pairs;
    tact_pair_sinks_release(job);
    q->info.tests = job->tests;
    q->info.rebuilt = job->rebuilt;
    report->threads = job->threads;
    report->build_ms = job->build_ms;
    report->query_ms = tact_platform_milliseconds() - start - job->build_ms;
    report->memory_bytes = job->memory_bytes + (job->a->count + (job->b ? job->b->count : 0)) * sizeof(tact_aabb) +
                           q->a->pair_capacity * sizeof(tact_pair);
    return result;
}

static tact_result run_reference(tact_context* context, uint32_t device, void* arguments,
                                 const tact_query_options* options, tact_query_report* report)
{
    (void)context, (void)device;
    tact_pairs_arguments* q = arguments;
    tact_query_options single = *options;
    single.threads = 1;
    tact_pairs_job job = job_of(q, &single);
    q->info.method = TACT_PAIRS_BRUTE;
    return find_on_host(q, &job, tact_pairs_reference, report);
}

static tact_result run_cpu(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                           tact_query_report* report)
{
    (void)device;
    tact_pairs_arguments* q = arguments;
    tact_pairs_job job = job_of(q, options);
    tact_pairs_method method = q->method;
    if (method == TACT_PAIRS_AUTO) {
        method = tact_pairs_choose(&job, q->info.reason, sizeof q->info.reason);
    } else {
        snprintf(q->info.reason, sizeof q->info.reason, "asked for");
    }
    const tact_pairs_way* way = tact_pairs_way_of(method);
    if (!way) {
        return tact_fail(&context->env, TACT_ERROR_UNSUPPORTED, "the CPU has no method %s for pairs",
                         tact_pairs_method_name(method));
    }
    q->info.method = method;
    return find_on_host(q, &job, way->find, report);
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

static double volumes_of(const tact_pairs_arguments* q)
{
    return (double)q->a->id_end + (q->b ? (double)q->b->id_end : 0.0);
}

static double estimate_reference(const tact_device_info* device, const void* arguments)
{
    const tact_pairs_arguments* q = arguments;
    (void)device;
    return (double)q->a->id_end * (q->b ? (double)q->b->id_end : 0.5 * (double)q->a->id_end) * 3e-6;
}

static double estimate_cpu(const tact_device_info* device, const void* arguments)
{
    const double threads = device->compute_units > 0 ? (double)device->compute_units : 1.0;
    return 0.01 + volumes_of(arguments) * 1e-4 / threads;
}

#ifdef TACT_HAVE_GPU

static tact_result room_for_device(void* user, uint64_t count, tact_pair** pairs)
{
    tact_volume_set* a = user;
    const tact_result result = tact_pairs_make_room(a, count);
    *pairs = a->pairs;
    return result;
}

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    tact_pairs_arguments* q = arguments;
    tact_gpu_volumes *resident_a = q->a->resident[index], *resident_b = q->b ? q->b->resident[index] : NULL;
    tact_gpu_pairs_job job = {
        .a = {tact_volume_set_view(q->a), &resident_a, q->a->bound ? &q->a->array : NULL, q->a->kind},
        .within = !q->b,
        .method = q->method,
        .progress = options->progress,
        .progress_user = options->progress_user,
        .room = room_for_device,
        .room_user = q->a,
    };
    if (q->b) {
        job.b = (tact_gpu_side){tact_volume_set_view(q->b), &resident_b, q->b->bound ? &q->b->array : NULL, q->b->kind};
    }
    const tact_result result = tact_gpu_pairs(context->devices[index], &job, report);
    q->a->resident[index] = resident_a;
    q->a->release_resident[index] = tact_gpu_volumes_release;
    if (q->b) {
        q->b->resident[index] = resident_b;
        q->b->release_resident[index] = tact_gpu_volumes_release;
    }
    q->info.method = job.used;
    q->info.pairs = job.count;
    q->info.rebuilt = job.rebuilt;
    q->info.tests = 0;
    memcpy(q->info.reason, job.reason, sizeof q->info.reason);
    if (result == TACT_OK) q->a->pair_count = (size_t)job.count;
    report->memory_bytes += q->a->pair_capacity * sizeof(tact_pair);
    return result;
}

static double estimate_device(const tact_device_info* device, const void* arguments)
{
    const tact_pairs_arguments* q = arguments;
    const bool can = q->method == TACT_PAIRS_AUTO || q->method == TACT_PAIRS_GRID || q->method == TACT_PAIRS_BVH;
    const double n = volumes_of(q);
    if (!can) return 1e9 + n;  // never before the CPU
    if (device->software) return 5.0 + n * 6e-4;
    return 0.3 + n * 1e-5;
}

#endif

static tact_result check(tact_context* context, void* arguments, const tact_query_options* options)
{
    tact_pairs_arguments* q = arguments;
    tact_query_options single = *options;
    single.threads = 1;
    single.progress = NULL;
    tact_pairs_job job = job_of(q, &single);
    uint64_t total = 0;
    tact_pair* expected = NULL;
    tact_result result = tact_pair_sinks_open(&job, TACT_MAX_PAIRS, NULL);
    if (result == TACT_OK) result = tact_pairs_reference(&job);
    if (result == TACT_OK) result = tact_pair_sinks_close(&job, &total);
    if (result == TACT_OK) {
        expected = tact_allocate(&context->env, (size_t)total, sizeof *expected);
        result = expected ? tact_pair_sinks_sort(&job, expected) : TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_pair_sinks_release(&job);
    if (result == TACT_OK) {
        const tact_pair* got = q->a->pairs;
        const size_t count = q->a->pair_count, least = count < total ? count : (size_t)total;
        size_t k = 0;
        while (k < least && got[k].a == expected[k].a && got[k].b == expected[k].b)
            ++k;
        if (k < count || k < total) {
            char text[2][64] = {"none", "none"};
            if (k < count) snprintf(text[0], sizeof text[0], "(%u, %u)", got[k].a, got[k].b);
            if (k < total) snprintf(text[1], sizeof text[1], "(%u, %u)", expected[k].a, expected[k].b);
            result =
                tact_fail(&context->env, TACT_ERROR_SHADOW_MISMATCH,
                          "%zu pairs, the reference has %llu; the first to differ is number %zu: %s, the reference "
                          "has %s",
                          count, (unsigned long long)total, k, text[0], text[1]);
        }
    }
    tact_release(&context->env, expected);
    return result;
}

static const tact_query_backend backends[] = {
    {TACT_BACKEND_CPU, run_cpu, estimate_cpu},
#ifdef TACT_HAVE_GPU
    {TACT_BACKEND_GL, run_device, estimate_device},
    {TACT_BACKEND_CL, run_device, estimate_device},
#endif
    {TACT_BACKEND_REFERENCE, run_reference, estimate_reference},
};

static const tact_query query = {"finding pairs", backends, sizeof backends / sizeof backends[0], check};

static tact_result check_arguments(const tact_volume_set* a, const tact_volume_set* b, tact_pairs_method method)
{
    tact_env* env = &a->context->env;
    if (b == a)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the two sets are one; give NULL for pairs within it");
    if (b && b->context != a->context) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the two sets are of different contexts");
    }
    if ((unsigned)method >= TACT_PAIRS_METHOD_COUNT) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no method %d", (int)method);
    }
    return TACT_OK;
}

tact_result tact_pairs_run(tact_volume_set* a, tact_volume_set* b, tact_pairs_method method, size_t* count,
                           const tact_query_options* options, tact_query_report* report)
{
    if (count) *count = 0;
    if (!a) return TACT_ERROR_INVALID_ARGUMENT;
    tact_result result = check_arguments(a, b, method);
    if (result != TACT_OK) return result;
    tact_pairs_arguments q = {.a = a, .b = b, .method = method};
    a->pair_count = 0;
    a->answered = false;
    result = tact_dispatch(a->context, &query, &q, options, report);
    if (count) *count = (size_t)q.info.pairs;
    if (result < TACT_OK) {
        a->pair_count = 0;
        return result;
    }
    a->info = q.info;
    a->answered = true;
    return result;
}

tact_result tact_pairs_find(tact_volume_set* a, tact_volume_set* b, tact_pairs_method method, tact_pair* pairs,
                            size_t capacity, size_t* count, const tact_query_options* options,
                            tact_query_report* report)
{
    if (!a) return TACT_ERROR_INVALID_ARGUMENT;
    if (!count || (!pairs && capacity > 0)) {
        return tact_fail(&a->context->env, TACT_ERROR_INVALID_ARGUMENT, "count is NULL, or pairs is with a capacity");
    }
    const tact_result result = tact_pairs_run(a, b, method, count, options, report);
    if (result < TACT_OK || !pairs) return result;
    const size_t copied = a->pair_count < capacity ? a->pair_count : capacity;
    if (copied > 0) memcpy(pairs, a->pairs, copied * sizeof *pairs);
    return copied < a->pair_count ? TACT_INCOMPLETE : result;
}

const tact_pair* tact_pairs_last(const tact_volume_set* a, size_t* count)
{
    const bool there = a && a->answered && a->pair_count > 0;
    if (count) *count = there ? a->pair_count : 0;
    return there ? a->pairs : NULL;
}

tact_result tact_pairs_get_info(const tact_volume_set* a, tact_pairs_info* info)
{
    if (!a || !info) return TACT_ERROR_INVALID_ARGUMENT;
    if (!a->answered) return tact_fail(&a->context->env, TACT_ERROR_INVALID_ARGUMENT, "no query on the set yet");
    *info = a->info;
    return TACT_OK;
}
