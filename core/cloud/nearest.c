// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "core/cloud/cloud.h"
#include "core/query/sample.h"
#ifdef TACT_HAVE_GPU
#include "gpu/cloud/cloud.h"
#endif

typedef struct nearest_arguments {
    tact_point_cloud* cloud;
    const tact_closest_query* queries;
    size_t count;
    uint32_t nearest;
    tact_cloud_neighbour* neighbours;
} nearest_arguments;

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    const nearest_arguments* a = arguments;
    (void)device;
    const tact_cloud_job job = tact_cloud_job_of(a->cloud, a->queries, a->count, options);
    report->threads = options->threads;
    report->memory_bytes =
        tact_cloud_bytes(a->cloud) + a->count * (sizeof *a->queries + a->nearest * sizeof *a->neighbours);
    return report->backend == TACT_BACKEND_REFERENCE
               ? tact_cloud_nearest_reference(&context->env, &job, a->nearest, a->neighbours)
               : tact_cloud_nearest_cpu(&context->env, &job, a->nearest, a->neighbours);
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

static double work_of(const nearest_arguments* a)
{
    return tact_cloud_work(a->cloud, a->count, a->nearest);
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
    const nearest_arguments* a = arguments;
    const tact_gpu_cloud_job job = {.cloud = tact_cloud_job_of(a->cloud, a->queries, a->count, options),
                                    .version = a->cloud->version};
    tact_gpu_cloud* resident = a->cloud->kept[index].data;
    const tact_result result =
        tact_gpu_cloud_nearest(context->devices[index], &resident, &job, a->nearest, a->neighbours, report);
    tact_resident_keep(&a->cloud->kept[index], resident, tact_gpu_cloud_release);
    return result;
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const nearest_arguments* a = arguments;
    const double down = (double)a->count * a->nearest * (double)sizeof *a->neighbours;
    return tact_cloud_cost_device(device, index, a->cloud, a->count, work_of(a), down);
}

#endif

static tact_result compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    const nearest_arguments* a = arguments;
    tact_env* env = &context->env;
    tact_cloud_neighbour* expected = tact_allocate(env, a->count, a->nearest * sizeof *expected);
    if (!expected) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_cloud_job job = tact_cloud_job_of(a->cloud, a->queries, a->count, options);
    tact_result result = tact_cloud_nearest_reference(env, &job, a->nearest, expected);
    const size_t rows = a->count * a->nearest;
    for (size_t i = 0; i < rows && result == TACT_OK; ++i) {
        const tact_cloud_neighbour *got = &a->neighbours[i], *right = &expected[i];
        if (memcmp(got, right, sizeof *got) == 0) continue;
        result = tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                           "neighbour %zu of query %zu is %u at %a squared, the reference has %u at %a", i % a->nearest,
                           i / a->nearest, got->id, (double)got->distance2, right->id, (double)right->distance2);
    }
    tact_release(env, expected);
    return result;
}

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

static void answer(const void* arguments, tact_record_call* record)
{
    const nearest_arguments* a = arguments;
    tact_record_answer(record, a->neighbours, a->count * a->nearest * sizeof *a->neighbours);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_point_cloud* cloud;
    const tact_result made = tact_cloud_of_request(r, &cloud);
    if (made != TACT_OK) return tact_request_fail(r, made);
    const uint32_t nearest = r->parameters[0];
    tact_cloud_neighbour* rows = tact_request_room(r, 0, (uint64_t)r->given[1].count * nearest, sizeof *rows);
    if (!rows) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    const tact_cloud_nearest_work work = {
        .queries = r->given[1].data, .count = r->given[1].count, .nearest = nearest, .neighbours = rows};
    return tact_cloud_nearest(cloud, &work, options, report);
}

static const char* check_request(const tact_request* r)
{
    const uint32_t nearest = r->parameters[0];
    return nearest < 1 || nearest > TACT_CLOUD_MAX_NEAREST ? "no such number of neighbours"
                                                           : tact_cloud_check_request(r);
}

/// A variant is the number of neighbours, and this where their distance is limited.
enum { NEAR = 0x1000 };

static tact_result sample(tact_sample* s)
{
    s->request.parameters[0] = s->of->variant & (NEAR - 1);
    return tact_cloud_sample(s, s->of->variant & NEAR ? 0.6f : INFINITY);
}

static const tact_query_sample samples[] = {{NULL, "queries", 64, 1 << 17, 8, false}};
static const tact_query_sample features[] = {
    {.items = "queries for one", .smallest = 40, .largest = 400, .variant = 1},
    {.items = "queries for many", .smallest = 40, .largest = 400, .variant = TACT_CLOUD_MAX_NEAREST},
    {.items = "queries with a limit", .smallest = 40, .largest = 400, .variant = 5 | NEAR},
};

const tact_query tact_query_cloud_nearest = {
    .name = "finding nearest points",
    TACT_BACKENDS(backends),
    .compare = compare,
    .kind = TACT_RECORDED_CLOUD_NEAREST,
    .word = "cloud-nearest",
    .unit = "queries",
    .inputs = {TACT_CLOUD_INPUTS},
    .answer = answer,
    .ask = ask,
    .check = check_request,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

static tact_result check_work(tact_env* env, const tact_cloud_nearest_work* w)
{
    if (w->count > 0 && !w->queries) return tact_null(env, "queries");
    if (w->count > 0 && !w->neighbours) return tact_null(env, "neighbours");
    if (w->nearest < 1 || w->nearest > TACT_CLOUD_MAX_NEAREST)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%u nearest points: 1 to %d are found", w->nearest,
                         TACT_CLOUD_MAX_NEAREST);
    if (w->count > SIZE_MAX / (TACT_CLOUD_MAX_NEAREST * sizeof *w->neighbours))
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu queries", w->count);
    return TACT_OK;
}

tact_result tact_cloud_nearest(tact_point_cloud* cloud, const tact_cloud_nearest_work* work,
                               const tact_query_options* options, tact_query_report* report)
{
    if (!tact_enter_query(cloud ? cloud->context : NULL, "cloud", options)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!work) return tact_null(&cloud->context->env, "work");
    tact_result result = check_work(&cloud->context->env, work);
    if (result != TACT_OK) return result;
    nearest_arguments a = {cloud, work->queries, work->count, work->nearest, work->neighbours};
    const tact_call call = {.context = cloud->context,
                            .query = &tact_query_cloud_nearest,
                            .arguments = &a,
                            .count = a.count,
                            .given = {{cloud->points, cloud->tree.point_count}, {a.queries, a.count}},
                            .parameters = {a.nearest}};
    result = tact_cloud_ask(cloud, &call, options, report);
    for (size_t i = 0; work->counts && result == TACT_OK && i < a.count; ++i) {
        uint32_t found = 0;
        while (found < a.nearest && a.neighbours[i * a.nearest + found].id != TACT_NONE)
            ++found;
        work->counts[i] = found;
    }
    return result;
}
