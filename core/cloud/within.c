// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "core/cloud/cloud.h"
#include "core/query/sample.h"
#ifdef TACT_HAVE_GPU
#include "gpu/cloud/cloud.h"
#endif

typedef struct within_arguments {
    tact_point_cloud* cloud;
    const tact_closest_query* queries;
    size_t count;
    tact_cloud_lists lists;
    uint8_t* touched;  // NULL: lists
} within_arguments;

static tact_result incomplete(const within_arguments* a, tact_result result)
{
    const bool more = result == TACT_OK && !a->touched && a->lists.offsets[a->count] > a->lists.capacity;
    return more ? TACT_INCOMPLETE : result;
}

static tact_result find(tact_env* env, const within_arguments* a, bool reference, const tact_cloud_field* field,
                        const tact_query_options* options)
{
    tact_cloud_job job = tact_cloud_job_of(a->cloud, a->queries, a->count, options);
    job.field = field;
    if (a->touched)
        return reference ? tact_cloud_any_reference(env, &job, a->touched) : tact_cloud_any_cpu(env, &job, a->touched);
    return incomplete(
        a, reference ? tact_cloud_list_reference(env, &job, &a->lists) : tact_cloud_list_cpu(env, &job, &a->lists));
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    const within_arguments* a = arguments;
    const bool reference = report->backend == TACT_BACKEND_REFERENCE;
    const tact_cloud_field* field = NULL;
    (void)device;
    report->threads = options->threads;
    if (a->touched && !reference) {
        const tact_result result = tact_cloud_field_of(a->cloud, a->count, options->threads, &field);
        if (result != TACT_OK) return result;
    }
    report->memory_bytes = tact_cloud_bytes(a->cloud) + (field ? tact_cloud_field_bytes(field) : 0) +
                           a->count * (sizeof *a->queries + sizeof *a->lists.offsets) +
                           a->lists.capacity * sizeof *a->lists.ids;
    return find(&context->env, a, reference, field, options);
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

static double found_by(const within_arguments* a)
{
    // There may be room for far more than is found.
    const double room = a->count > 0 ? (double)a->lists.capacity / (double)a->count : 0.0;
    return a->touched ? 0.0 : room < 16.0 ? room : 16.0;
}

static double work_of(const within_arguments* a)
{
    return tact_cloud_work(a->cloud, a->count, found_by(a));
}

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    (void)index;
    return tact_cost_of(NULL, 0.01, work_of(arguments) / tact_dispatch_threads(device), 0.0, 0.0);
}

#ifdef TACT_HAVE_GPU

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    const within_arguments* a = arguments;
    const tact_gpu_cloud_job job = {.cloud = tact_cloud_job_of(a->cloud, a->queries, a->count, options),
                                    .version = a->cloud->version};
    tact_device* device = context->devices[index];
    tact_gpu_cloud* resident = a->cloud->kept[index].data;
    const tact_result result = a->touched ? tact_gpu_cloud_any(device, &resident, &job, a->touched, report)
                                          : tact_gpu_cloud_list(device, &resident, &job, &a->lists, report);
    tact_resident_keep(&a->cloud->kept[index], resident, tact_gpu_cloud_release);
    return incomplete(a, result);
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const within_arguments* a = arguments;
    const double down = (double)a->count * (4.0 + 4.0 * found_by(a));
    // Lists are found twice.
    return tact_cloud_cost_device(device, index, a->cloud, a->count, work_of(a) * (a->touched ? 1.0 : 2.0), down);
}

#endif

static tact_result compare_touched(tact_env* env, const within_arguments* a, const uint8_t* expected)
{
    for (size_t i = 0; i < a->count; ++i)
        if (a->touched[i] != expected[i])
            return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH, "query %zu: %d, the reference has %d", i,
                             (int)a->touched[i], (int)expected[i]);
    return TACT_OK;
}

/// Compares what both have: the offsets, and those ids for which there was room.
static tact_result compare_lists(tact_env* env, const within_arguments* a, const tact_cloud_lists* expected)
{
    const tact_cloud_lists* got = &a->lists;
    for (size_t i = 0; i < a->count; ++i) {
        const uint64_t from = expected->offsets[i], to = expected->offsets[i + 1];
        if (got->offsets[i] != from || got->offsets[i + 1] != to)
            return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH, "query %zu has %llu points, the reference's %llu", i,
                             (unsigned long long)(got->offsets[i + 1] - got->offsets[i]),
                             (unsigned long long)(to - from));
        for (uint64_t k = from; k < to && k < got->capacity; ++k)
            if (got->ids[k] != expected->ids[k])
                return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH, "point %llu of query %zu is %u, the reference has %u",
                                 (unsigned long long)(k - from), i, got->ids[k], expected->ids[k]);
    }
    return TACT_OK;
}

static tact_result compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    const within_arguments* a = arguments;
    tact_env* env = &context->env;
    within_arguments shadow = *a;
    const uint64_t there = a->touched ? 0 : a->lists.offsets[a->count];
    if (there < shadow.lists.capacity) shadow.lists.capacity = (size_t)there;
    uint8_t* touched = tact_allocate(env, a->count, 1);
    shadow.touched = a->touched ? touched : NULL;
    shadow.lists.offsets = tact_allocate(env, a->count + 1, sizeof *shadow.lists.offsets);
    shadow.lists.ids = tact_allocate(env, shadow.lists.capacity, sizeof *shadow.lists.ids);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (touched && shadow.lists.offsets && shadow.lists.ids) result = find(env, &shadow, true, NULL, options);
    if (result >= TACT_OK)
        result = a->touched ? compare_touched(env, a, touched) : compare_lists(env, a, &shadow.lists);
    tact_release(env, touched);
    tact_release(env, shadow.lists.offsets);
    tact_release(env, shadow.lists.ids);
    return result;
}

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

static void answer(const void* arguments, tact_record_call* record)
{
    const within_arguments* a = arguments;
    if (a->touched) {
        tact_record_answer(record, a->touched, a->count);
        return;
    }
    const uint64_t found = a->lists.offsets[a->count], there = found < a->lists.capacity ? found : a->lists.capacity;
    tact_record_answer(record, a->lists.offsets, (a->count + 1) * sizeof *a->lists.offsets);
    tact_record_answer(record, a->lists.ids, (size_t)there * sizeof *a->lists.ids);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_point_cloud* cloud;
    const tact_result made = tact_cloud_of_request(r, &cloud);
    if (made != TACT_OK) return tact_request_fail(r, made);
    const size_t count = r->given[1].count;
    tact_cloud_within_work work = {.queries = r->given[1].data, .count = count};
    if (r->parameters[0]) {
        work.touched = tact_request_room(r, 0, count, 1);
        if (!work.touched) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
        return tact_cloud_within(cloud, &work, options, report);
    }
    const uint64_t capacity = tact_request_wide(r, 4);
    work.capacity = (size_t)capacity;
    work.offsets = tact_request_room(r, 0, (uint64_t)count + 1, sizeof *work.offsets);
    work.ids = tact_request_list(r, 1, capacity, sizeof *work.ids);
    if (!work.offsets || !work.ids) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    const tact_result result = tact_cloud_within(cloud, &work, options, report);
    r->count = result >= TACT_OK ? (size_t)work.offsets[count] : 0;
    return result;
}

enum { LISTS, TOUCHED, LITTLE_ROOM };

static tact_result sample(tact_sample* s)
{
    s->request.parameters[0] = s->of->variant == TOUCHED;
    if (s->of->variant != TOUCHED)
        tact_request_set_wide(&s->request, 4, (s->of->variant == LISTS ? 32 : 1) * (uint64_t)s->size);
    return tact_cloud_sample(s, s->of->variant == TOUCHED ? 0.4f : 1.0f);
}

static const tact_query_sample samples[] = {{NULL, "queries", 64, 1 << 17, LISTS, false}};
static const tact_query_sample features[] = {
    {.items = "queries for any", .smallest = 40, .largest = 400, .variant = TOUCHED},
    {.items = "queries with little room", .smallest = 40, .largest = 400, .variant = LITTLE_ROOM},
};

const tact_query tact_query_cloud_within = {
    .name = "finding points within distances",
    TACT_BACKENDS(backends),
    .compare = compare,
    .kind = TACT_RECORDED_CLOUD_WITHIN,
    .word = "cloud-within",
    .unit = "queries",
    .inputs = {TACT_CLOUD_INPUTS},
    .answer = answer,
    .ask = ask,
    .check = tact_cloud_check_request,
    .room = 1 + 4,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

static tact_result check_work(tact_env* env, const tact_cloud_within_work* w)
{
    if (w->count > 0 && !w->queries) return tact_null(env, "queries");
    if (w->touched && (w->offsets || w->ids))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "lists are asked for, and whether there is a point");
    if (!w->touched && !w->offsets) return tact_null(env, "offsets");
    if (!w->touched && !w->ids && w->capacity > 0) return tact_null(env, "ids");
    if (w->count >= SIZE_MAX / sizeof *w->queries) return tact_fail(env, TACT_ERROR_LIMIT, "%zu queries", w->count);
    return TACT_OK;
}

tact_result tact_cloud_within(tact_point_cloud* cloud, const tact_cloud_within_work* work,
                              const tact_query_options* options, tact_query_report* report)
{
    if (!tact_enter_query(cloud ? cloud->context : NULL, "cloud", options)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!work) return tact_null(&cloud->context->env, "work");
    const tact_result checked = check_work(&cloud->context->env, work);
    if (checked != TACT_OK) return checked;
    within_arguments a = {.cloud = cloud,
                          .queries = work->queries,
                          .count = work->count,
                          .lists = {work->offsets, work->ids, work->touched ? 0 : work->capacity},
                          .touched = work->touched};
    const tact_call call = {.context = cloud->context,
                            .query = &tact_query_cloud_within,
                            .arguments = &a,
                            .count = a.count,
                            .given = {{cloud->points, cloud->tree.point_count}, {a.queries, a.count}},
                            .parameters = {a.touched != NULL, 0, 0, 0, (uint32_t)a.lists.capacity,
                                           (uint32_t)((uint64_t)a.lists.capacity >> 32)}};
    return tact_cloud_ask(cloud, &call, options, report);
}
