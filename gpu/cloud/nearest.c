// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "gpu/cloud/internal.h"

enum {
    // Steps of one query in one launch. All inner iterations together must stay below the 65,535 after which llvmpipe
    // leaves a shader's loops: a step opens a node, whose children are sorted, or, in another lane of the same vector,
    // sinks a block's points into the heap, and each child that waits is taken up once; before and after, the heap is
    // filled and emptied.
    STEPS = 370,
    SINKING = 7,
    STEP_ITERATIONS = 1 + 8 + 28 + 16 * (1 + SINKING) + 8
};

_Static_assert(STEPS* STEP_ITERATIONS + TACT_CLOUD_WAITING + TACT_CLOUD_NEAREST * (2 + SINKING) < 65535,
               "llvmpipe would cut queries short");

typedef struct searching {
    tact_gpu_cloud* g;
    const tact_gpu_cloud_job* job;
    uint32_t nearest;
    tact_cloud_neighbour* neighbours;
} searching;

static void bring_chunk(void* user, size_t begin, size_t count)
{
    const searching* s = user;
    const tact_closest_query* queries = s->job->cloud.queries + begin;
    tact_buffer_write(s->g->queries, 0, queries, count * sizeof *queries);
}

static void search_chunk(void* user, size_t begin, size_t count)
{
    const searching* s = user;
    const tact_gpu_cloud* g = s->g;
    (void)begin;
    TACT_LAUNCH_ITEMS(g->device, cloud_nearest, count, .nodes = g->nodes, .blocks = g->blocks, .table = g->table,
                      .queries = g->queries, .neighbours = g->answers, .item_count = (uint32_t)count,
                      .points = s->job->cloud.tree->point_count, .nearest = s->nearest,
                      .step_limit = tact_gpu_cloud_steps(g, STEPS));
}

static void take_chunk(void* user, size_t begin, size_t count)
{
    const searching* s = user;
    const size_t row = s->nearest * sizeof *s->neighbours;
    tact_buffer_read(s->g->answers, 0, s->neighbours + begin * s->nearest, count * row);
}

static bool is_left(const void* user, size_t query)
{
    const searching* s = user;
    return s->neighbours[query * s->nearest].id == TACT_CLOUD_UNFINISHED;
}

static tact_result finish(tact_env* env, const searching* s)
{
    tact_gpu_cloud_rest rest;
    tact_result result = tact_gpu_cloud_rest_make(env, s->job, is_left, s, &rest);
    const size_t count = rest.job.batch.count, row = s->nearest * sizeof *s->neighbours;
    if (result != TACT_OK || count == 0) return result;
    tact_cloud_neighbour* found = tact_allocate(env, count, row);
    result = found ? tact_cloud_nearest_cpu(env, &rest.job, s->nearest, found) : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        memcpy(s->neighbours + rest.places[i] * s->nearest, found + i * s->nearest, row);
    tact_release(env, found);
    tact_gpu_cloud_rest_release(env, &rest);
    return result;
}

tact_result tact_gpu_cloud_nearest(tact_device* device, tact_gpu_cloud** resident, const tact_gpu_cloud_job* job,
                                   uint32_t nearest, tact_cloud_neighbour* neighbours, tact_query_report* report)
{
    tact_result result = tact_gpu_cloud_begin(device, resident, job, TACT_KERNEL_cloud_nearest, report);
    if (result != TACT_OK) return result;
    searching s = {*resident, job, nearest, neighbours};
    const size_t chunk = tact_gpu_cloud_hold(*resident, job, nearest * sizeof *neighbours);
    const tact_gpu_chunks chunks = {.count = job->cloud.batch.count,
                                    .chunk = chunk,
                                    .bring = bring_chunk,
                                    .run = search_chunk,
                                    .take = take_chunk,
                                    .user = &s,
                                    .progress = job->cloud.batch.progress,
                                    .progress_user = job->cloud.batch.progress_user};
    result = tact_gpu_chunks_run(device, &chunks, report);
    report->memory_bytes = tact_gpu_cloud_bytes(*resident);
    tact_device_leave(device);
    return result == TACT_OK ? finish(tact_device_env(device), &s) : result;
}
