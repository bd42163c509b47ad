// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/cloud/keys.h"
#include "cpu_ref/cloud/search.h"

enum { SLICE = 256, GRAIN = 4 };

typedef struct brute {
    const tact_cloud_job* job;
    uint32_t nearest;
    tact_cloud_neighbour* neighbours;
    uint8_t* touched;
    const tact_cloud_lists* lists;
} brute;

static float distance2(const tact_cloud_job* job, const tact_closest_query* q, uint32_t id)
{
    const tact_vec3* p = &job->points[id];
    return tact_cloud_distance2(q->x, q->y, q->z, p->x, p->y, p->z);
}

static void nearest_piece(const void* user, size_t begin, size_t end)
{
    const brute* b = user;
    for (size_t i = begin; i < end; ++i) {
        const tact_closest_query* q = &b->job->queries[i];
        const float limit2 = tact_cloud_limit2(q->x, q->y, q->z, q->max_distance);
        uint64_t keys[TACT_CLOUD_NEAREST];
        for (uint32_t k = 0; k < b->nearest; ++k)
            keys[k] = tact_cloud_key(limit2, TACT_NONE);
        for (uint32_t id = 0; limit2 >= 0.0f && id < b->job->tree->point_count; ++id) {
            const uint64_t key = tact_cloud_key(distance2(b->job, q, id), id);
            if (key < keys[b->nearest - 1]) tact_cloud_insert(keys, b->nearest, key);
        }
        tact_cloud_write(keys, b->nearest, b->neighbours + i * b->nearest);
    }
}

tact_result tact_cloud_nearest_reference(tact_env* env, const tact_cloud_job* job, uint32_t nearest,
                                         tact_cloud_neighbour* neighbours)
{
    TACT_ASSERT(nearest >= 1 && nearest <= TACT_CLOUD_NEAREST);
    const brute b = {.job = job, .nearest = nearest, .neighbours = neighbours};
    return tact_batch_run(env, &job->batch, nearest_piece, &b, SLICE, GRAIN);
}

/// How many points are within the distance; their ids go to `ids`, as many as there is room for.
static uint64_t list_one(const tact_cloud_job* job, const tact_closest_query* q, uint32_t* ids, size_t room)
{
    const float limit2 = tact_cloud_limit2(q->x, q->y, q->z, q->max_distance);
    uint64_t found = 0;
    for (uint32_t id = 0; limit2 >= 0.0f && id < job->tree->point_count; ++id) {
        if (!(distance2(job, q, id) <= limit2)) continue;
        if (found < room) ids[found] = id;
        ++found;
    }
    return found;
}

static void any_piece(const void* user, size_t begin, size_t end)
{
    const brute* b = user;
    for (size_t i = begin; i < end; ++i)
        b->touched[i] = list_one(b->job, &b->job->queries[i], NULL, 0) > 0;
}

tact_result tact_cloud_any_reference(tact_env* env, const tact_cloud_job* job, uint8_t* touched)
{
    const brute b = {.job = job, .touched = touched};
    return tact_batch_run(env, &job->batch, any_piece, &b, SLICE, GRAIN);
}

static void count_piece(const void* user, size_t begin, size_t end)
{
    const brute* b = user;
    for (size_t i = begin; i < end; ++i)
        b->lists->offsets[i + 1] = list_one(b->job, &b->job->queries[i], NULL, 0);
}

static void list_piece(const void* user, size_t begin, size_t end)
{
    const brute* b = user;
    const tact_cloud_lists* l = b->lists;
    for (size_t i = begin; i < end; ++i)
        if (l->offsets[i] < l->capacity)
            list_one(b->job, &b->job->queries[i], l->ids + l->offsets[i], l->capacity - (size_t)l->offsets[i]);
}

tact_result tact_cloud_list_reference(tact_env* env, const tact_cloud_job* job, const tact_cloud_lists* lists)
{
    const brute b = {.job = job, .lists = lists};
    const tact_result result = tact_batch_run(env, &job->batch, count_piece, &b, SLICE, GRAIN);
    if (result != TACT_OK) return result;
    lists->offsets[0] = 0;
    for (size_t i = 0; i < job->batch.count; ++i)
        lists->offsets[i + 1] += lists->offsets[i];
    return tact_batch_run(env, &job->batch, list_piece, &b, SLICE, GRAIN);
}
