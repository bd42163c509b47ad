// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/pairs/pairs.h"

#include <stdio.h>
#include <string.h>

#include "base/platform.h"
#include "core/query/sample.h"
#include "cpu_ref/pairs/choose.h"
#include "cpu_ref/pairs/pair_sink.h"
#ifdef TACT_HAVE_GPU
#include "core/pairs/device.h"
#endif

tact_result tact_pairs_make_room(tact_volumes* a, uint64_t count)
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
    TACT_ASSERT(capacity >= count);
    a->pair_capacity = capacity;
    return TACT_OK;
}

tact_pairs_job tact_pairs_job_of(const tact_pairs_arguments* q, const tact_query_options* options)
{
    TACT_ASSERT(options->threads >= 1 && q->a != q->b);
    return (tact_pairs_job){
        .env = &q->a->context->env,
        .threads = options->threads,
        .a = tact_volumes_view(q->a),
        .b = q->b ? tact_volumes_view(q->b) : NULL,
        .state_a = &q->a->state,
        .state_b = q->b ? &q->b->state : NULL,
        .from = 0,
        .end = UINT32_MAX,
        .progress = options->progress,
        .progress_user = options->progress_user,
    };
}

tact_result tact_pairs_fetch(const tact_pairs_arguments* q)
{
    const tact_result result = tact_volumes_fetch(q->a);
    return result == TACT_OK && q->b ? tact_volumes_fetch(q->b) : result;
}

/// Runs `find`, and sorts what it found into the set's list.
static tact_result find_on_host(tact_pairs_arguments* q, tact_pairs_job* job, tact_result (*find)(tact_pairs_job* job),
                                tact_query_report* report)
{
    const double start = tact_platform_milliseconds();
    tact_result result = tact_pair_sinks_open(job, TACT_MAX_PAIRS, NULL);
    job->whole = true;
    if (result == TACT_OK) result = find(job);
    if (result == TACT_OK) result = tact_pair_sinks_close(job, &q->info.pairs);
    if (job->sorted) q->info.pairs = job->sorted_count;
    if (result == TACT_OK) result = tact_pairs_make_room(q->a, q->info.pairs);
    if (result == TACT_OK && !job->sorted) result = tact_pair_sinks_sort(job, q->a->pairs);
    if (result == TACT_OK && job->sorted_count > 0)
        memcpy(q->a->pairs, job->sorted, job->sorted_count * sizeof *job->sorted);
    if (result == TACT_OK) q->a->pair_count = (size_t)q->info.pairs;
    TACT_ASSERT(q->a->pair_count <= q->a->pair_capacity);
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
    const tact_result fetched = tact_pairs_fetch(q);
    if (fetched != TACT_OK) return fetched;
    tact_pairs_job job = tact_pairs_job_of(q, &single);
    q->info.method = TACT_PAIRS_BRUTE;
    return find_on_host(q, &job, tact_pairs_reference, report);
}

static tact_result run_cpu(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                           tact_query_report* report)
{
    (void)device;
    tact_pairs_arguments* q = arguments;
    const tact_result fetched = tact_pairs_fetch(q);
    if (fetched != TACT_OK) return fetched;
    tact_pairs_job job = tact_pairs_job_of(q, options);
    tact_pairs_method method = q->method;
    if (method == TACT_PAIRS_AUTO) {
        method = tact_pairs_choose(&job, q->info.reason, sizeof q->info.reason);
    } else {
        snprintf(q->info.reason, sizeof q->info.reason, "selected");
    }
    const tact_pairs_way* way = tact_pairs_way_of(method);
    if (!way) {
        return tact_fail(&context->env, TACT_ERROR_UNSUPPORTED, "the CPU has no method %s for pairs",
                         tact_pairs_method_name(method));
    }
    q->info.method = method;
    const tact_result result = find_on_host(q, &job, way->find, report);
    if (result == TACT_OK) tact_pairs_remember(&job, method, report->build_ms + report->query_ms);
    return result;
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

static double volumes_of(const tact_pairs_arguments* q)
{
    return (double)q->a->id_end + (q->b ? (double)q->b->id_end : 0.0);
}

const char* tact_pairs_cost_method(tact_pairs_method method)
{
    TACT_ASSERT((unsigned)method < TACT_PAIRS_METHOD_COUNT);
    static const char* const names[] = {NULL, "brute", "sap", "grid", "hgrid", "bvh", "tree"};
    _Static_assert(sizeof names / sizeof names[0] == TACT_PAIRS_METHOD_COUNT, "one for each");
    return names[method];
}

static double bound_bytes(const tact_volumes* set)
{
    return set->bound ? (double)set->id_end * (double)sizeof(tact_aabb) : 0.0;
}

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const tact_pairs_arguments* q = arguments;
    (void)index;
    const double work = volumes_of(arguments) * 1e-4 / tact_dispatch_threads(device);
    // Sets in the caller's arrays on a device are fetched first.
    const double down = bound_bytes(q->a) + (q->b ? bound_bytes(q->b) : 0.0);
    return tact_cost_of(tact_pairs_cost_method(q->method), 0.01, work, 0.0, down);
}

/// SHADOW_MISMATCH with the first difference, if there is one.
static tact_result compare(tact_env* env, const tact_pair* got, uint64_t count, const tact_pair* expected,
                           uint64_t total)
{
    const uint64_t least = count < total ? count : total;
    uint64_t k = 0;
    while (k < least && got[k].a == expected[k].a && got[k].b == expected[k].b)
        ++k;
    if (k == count && k == total) return TACT_OK;
    TACT_ASSERT(k <= least);
    char text[2][64] = {"none", "none"};
    if (k < count) snprintf(text[0], sizeof text[0], "(%u, %u)", got[k].a, got[k].b);
    if (k < total) snprintf(text[1], sizeof text[1], "(%u, %u)", expected[k].a, expected[k].b);
    return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                     "%llu pairs, the reference has %llu; the first to differ is number %llu: %s, the reference has %s",
                     (unsigned long long)count, (unsigned long long)total, (unsigned long long)k, text[0], text[1]);
}

tact_result tact_pairs_compare_with_reference(const tact_pairs_job* like, const tact_pair* got, uint64_t count)
{
    tact_pairs_job job = *like;
    job.threads = 1;
    job.progress = NULL;
    uint64_t total = 0;
    tact_pair* expected = NULL;
    tact_result result = tact_pair_sinks_open(&job, TACT_MAX_PAIRS, NULL);
    if (result == TACT_OK) result = tact_pairs_reference(&job);
    if (result == TACT_OK) result = tact_pair_sinks_close(&job, &total);
    if (result == TACT_OK) {
        expected = tact_allocate(job.env, (size_t)total, sizeof *expected);
        result = expected ? tact_pair_sinks_sort(&job, expected) : TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_pair_sinks_release(&job);
    if (result == TACT_OK) result = compare(job.env, got, count, expected, total);
    tact_release(job.env, expected);
    return result;
}

static tact_result compare_pairs(tact_context* context, void* arguments, const tact_query_options* options)
{
    (void)context;
    const tact_pairs_arguments* q = arguments;
    const tact_result fetched = tact_pairs_fetch(q);
    if (fetched != TACT_OK) return fetched;
    const tact_pairs_job job = tact_pairs_job_of(q, options);
    return tact_pairs_compare_with_reference(&job, q->a->pairs, q->a->pair_count);
}

static const tact_query_backend backends[] = {
    TACT_ALL_BACKENDS(run_cpu, cost_cpu, tact_pairs_run_device, tact_pairs_cost_device, run_reference)};

static void answer(const void* arguments, tact_record_call* record)
{
    const tact_pairs_arguments* q = arguments;
    if (!q->delivered) tact_record_answer(record, q->a->pairs, q->a->pair_count * sizeof *q->a->pairs);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_pair* pairs = tact_request_list(r, 0, r->most, sizeof *pairs);
    if (!pairs) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return tact_pairs_find((tact_volumes*)(uintptr_t)r->given[0].data,
                           &(tact_pairs_work){.b = (tact_volumes*)(uintptr_t)r->given[1].data,
                                              .method = (tact_pairs_method)r->parameters[0],
                                              .pairs = r->most > 0 ? pairs : NULL,
                                              .capacity = r->most,
                                              .count = &r->count},
                           options, report);
}

enum { TWO_SETS = TACT_PAIRS_METHOD_COUNT };  // a variant, after the methods

static void release_set(void* set)
{
    tact_volumes_destroy(set);
}

/// Boxes with categories, of which one is removed, against spheres.
static tact_result sample_two(tact_sample* s, tact_volumes* set, const tact_aabb* boxes)
{
    static const uint32_t gone = 4;
    const tact_volumes_desc desc = {.kind = TACT_VOLUME_SPHERE};
    tact_volumes* other = NULL;
    tact_categories* categories = tact_request_array(&s->request, s->size, sizeof *categories);
    tact_sphere* spheres = tact_request_array(&s->request, s->size, sizeof *spheres);
    if (!categories || !spheres) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->size; ++i) {
        categories[i] = (tact_categories){1u << i % 3, 5};
        spheres[i] = (tact_sphere){boxes[i].upper, 0.75f};
    }
    tact_result result = tact_volumes_create(s->request.context, &desc, &other);
    if (result != TACT_OK) return result;
    tact_request_own(&s->request, other, release_set);
    s->request.given[1] = (tact_given){other, 1};
    result = tact_volumes_add_aabbs(set, boxes, s->size, categories, NULL, NULL);
    if (result == TACT_OK) result = tact_volumes_add_spheres(other, spheres, s->size, NULL, NULL, NULL);
    return result == TACT_OK ? tact_volumes_remove(set, &gone, 1) : result;
}

static tact_result sample(tact_sample* s)
{
    tact_volumes* set = NULL;
    const tact_aabb* boxes = tact_sample_boxes(s);
    if (!boxes) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_volumes_desc desc = {.kind = TACT_VOLUME_AABB, .reserve = s->size};
    const tact_result result = tact_volumes_create(s->request.context, &desc, &set);
    if (result != TACT_OK) return result;
    tact_request_own(&s->request, set, release_set);
    s->request.given[0] = (tact_given){set, 1};
    if (s->of->variant == TWO_SETS) return sample_two(s, set, boxes);
    s->request.parameters[0] = s->of->variant;
    return tact_volumes_add_aabbs(set, boxes, s->size, NULL, NULL, NULL);
}

static const tact_query_sample samples[] = {
    {NULL, "boxes", 256, 1 << 18, TACT_PAIRS_AUTO, false},
    {"grid", "boxes", 256, 1 << 18, TACT_PAIRS_GRID, false},
    {"bvh", "boxes", 256, 1 << 18, TACT_PAIRS_BVH, false},
};
static const tact_query_sample features[] = {
    {.items = "boxes against spheres", .smallest = 40, .largest = 400, .variant = TWO_SETS}};

const tact_query tact_query_pairs = {
    .name = "finding pairs",
    TACT_BACKENDS(backends),
    .compare = compare_pairs,
    .kind = TACT_RECORDED_PAIRS,
    .word = "pairs",
    .unit = "volumes",
    .inputs = {{.type = TACT_CHUNK_SET}, {.type = TACT_CHUNK_SET, .optional = true}},
    .answer = answer,
    .ask = ask,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

tact_result tact_pairs_check_arguments(const tact_volumes* a, const tact_volumes* b, tact_pairs_method method)
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

tact_call tact_pairs_call(tact_pairs_arguments* q)
{
    return (tact_call){.context = q->a->context,
                       .query = &tact_query_pairs,
                       .arguments = q,
                       .count = (uint64_t)q->a->count + (q->b ? q->b->count : 0),
                       .given = {{q->a, 1}, {q->b, 1}},
                       .parameters = {(uint32_t)q->method}};
}

tact_result tact_pairs_answer(tact_pairs_arguments* q, const tact_query_options* options, tact_query_report* report)
{
    tact_volumes* a = q->a;
    tact_result result = tact_pairs_check_arguments(a, q->b, q->method);
    if (result != TACT_OK) return result;
    a->pair_count = 0;
    a->answered = false;
    const tact_call call = tact_pairs_call(q);
    result = tact_ask(&call, options, report);
    if (result < TACT_OK) {
        a->pair_count = 0;
        return result;
    }
    TACT_ASSERT(q->info.pairs >= a->pair_count || q->delivered);
    a->info = q->info;
    a->answered = true;
    return result;
}

tact_result tact_pairs_run_on(tact_pairs_arguments* q, uint32_t device, const tact_query_options* options,
                              tact_query_report* report)
{
    const tact_query_backend* by = backends;
    while (by->backend != report->backend)
        ++by;
    TACT_ASSERT(by < backends + sizeof backends / sizeof *backends);
    q->a->pair_count = 0;
    q->a->answered = false;
    tact_query_report own = {.backend = report->backend};
    const tact_result result = by->run(q->a->context, device, q, options, &own);
    if (result != TACT_OK) return result;
    q->a->info = q->info;
    q->a->answered = true;
    report->build_ms += own.build_ms;
    report->upload_ms += own.upload_ms;
    report->query_ms += own.query_ms;
    report->download_ms += own.download_ms;
    report->memory_bytes += own.memory_bytes;
    return TACT_OK;
}

tact_result tact_pairs_run(tact_volumes* a, tact_volumes* b, tact_pairs_method method, size_t* count,
                           const tact_query_options* options, tact_query_report* report)
{
    if (count) *count = 0;
    tact_pairs_arguments q = {.a = a, .b = b, .method = method};
    const tact_result result = tact_pairs_answer(&q, options, report);
    if (count) *count = (size_t)q.info.pairs;
    return result;
}

void tact_pairs_enter(tact_volumes* a, tact_volumes* b)
{
    if (a->context->recorder) tact_monitor_enter(&a->context->recording);
    tact_guard_enter_both(&a->guard, b ? &b->guard : NULL);
}

void tact_pairs_leave(tact_volumes* a, tact_volumes* b)
{
    tact_guard_leave_both(&a->guard, b ? &b->guard : NULL);
    if (a->context->recorder) tact_monitor_leave(&a->context->recording);
}

static tact_result find(tact_volumes* a, const tact_pairs_work* work, const tact_query_options* options,
                        tact_query_report* report)
{
    if (work->device_pairs) {
        const tact_result there = tact_pairs_find_on_device(a, work, options, report);
        return tact_ticket_settle(a->context, options, there, NULL);
    }
    const tact_result result = tact_pairs_run(a, work->b, work->method, work->count, options, report);
    if (result < TACT_OK || !work->pairs) return result;
    const tact_result copied = tact_copy_out(a->pairs, a->pair_count, sizeof *work->pairs, work->pairs, work->capacity);
    return tact_ticket_settle(a->context, options, copied, NULL);
}

tact_result tact_pairs_find(tact_volumes* a, const tact_pairs_work* work, const tact_query_options* options,
                            tact_query_report* report)
{
    if (!tact_enter_query(a ? a->context : NULL, "a", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &a->context->env;
    if (!work) return tact_null(env, "work");
    if (!work->count) return tact_null(env, "count");
    *work->count = 0;
    if (!work->device_pairs && !work->pairs && work->capacity > 0) return tact_null(env, "pairs");
    tact_result result = tact_pairs_check_arguments(a, work->b, work->method);
    if (result != TACT_OK) return result;
    tact_pairs_enter(a, work->b);
    result = find(a, work, options, report);
    tact_pairs_leave(a, work->b);
    return result;
}

const tact_pair* tact_pairs_last(const tact_volumes* a, size_t* count)
{
    const bool there = a && a->answered && a->pair_count > 0;
    if (count) *count = there ? a->pair_count : 0;
    return there ? a->pairs : NULL;
}

tact_result tact_pairs_get_info(const tact_volumes* a, tact_pairs_info* info)
{
    if (!tact_enter(a ? a->context : NULL, "a")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!info) return tact_null(&a->context->env, "info");
    if (!a->answered) return tact_fail(&a->context->env, TACT_ERROR_INVALID_ARGUMENT, "no query on the set yet");
    *info = a->info;
    return TACT_OK;
}
