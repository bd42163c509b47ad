// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/cloud/internal.h"

enum { MANY_STEPS = 1 << 15 };

static uint64_t node_bytes(const tact_cloud_tree* tree)
{
    return tree->levels == 0
               ? 0
               : (uint64_t)(tree->first[tree->levels - 1] + tree->size[tree->levels - 1]) * sizeof *tree->nodes;
}

static uint64_t block_bytes(const tact_cloud_tree* tree)
{
    return (uint64_t)tree->size[0] * sizeof *tree->blocks;
}

uint64_t tact_gpu_cloud_missing(const tact_gpu_cloud* g, const tact_cloud_tree* tree, uint64_t version)
{
    return g && g->version == version ? 0 : node_bytes(tree) + block_bytes(tree);
}

uint64_t tact_gpu_cloud_bytes(const tact_gpu_cloud* g)
{
    const tact_buffer* all[] = {g->nodes, g->blocks, g->table, g->queries, g->answers, g->places, g->ids};
    return tact_buffer_sizes(all, sizeof all / sizeof all[0]);
}

void tact_gpu_cloud_release(void* resident)
{
    tact_gpu_cloud* g = resident;
    if (!g) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(g->device) == TACT_OK;
    tact_buffer_drop(&g->nodes);
    tact_buffer_drop(&g->blocks);
    tact_buffer_drop(&g->table);
    tact_buffer_drop(&g->queries);
    tact_buffer_drop(&g->answers);
    tact_buffer_drop(&g->places);
    tact_buffer_drop(&g->ids);
    if (entered) tact_device_leave(g->device);
    tact_release(tact_device_env(g->device), g);
}

static void bring_tree(tact_gpu_cloud* g, const tact_gpu_cloud_job* job)
{
    const tact_cloud_tree* tree = job->cloud.tree;
    uint32_t table[TACT_CLOUD_TABLE_WORDS] = {tree->levels};
    for (uint32_t level = 0; level < TACT_CLOUD_LEVELS; ++level) {
        table[TACT_CLOUD_TABLE_FIRST + level] = tree->first[level];
        table[TACT_CLOUD_TABLE_SIZE + level] = tree->size[level];
    }
    _Static_assert(TACT_CLOUD_TABLE_SIZE == TACT_CLOUD_TABLE_FIRST + TACT_CLOUD_LEVELS &&
                       TACT_CLOUD_TABLE_WORDS == TACT_CLOUD_TABLE_SIZE + TACT_CLOUD_LEVELS,
                   "one behind the other");
    g->version = 0;
    tact_buffer_hold(g->device, &g->nodes, node_bytes(tree));
    tact_buffer_hold(g->device, &g->blocks, block_bytes(tree));
    tact_buffer_hold(g->device, &g->table, sizeof table);
    tact_buffer_write(g->table, 0, table, sizeof table);
    if (tree->levels > 0) {
        tact_buffer_write(g->nodes, 0, tree->nodes, (size_t)node_bytes(tree));
        tact_buffer_write(g->blocks, 0, tree->blocks, (size_t)block_bytes(tree));
    }
    if (TACT_DEVICE_WITHIN(g->device, "uploading %u points: ", tree->point_count) == TACT_OK) g->version = job->version;
}

tact_result tact_gpu_cloud_begin(tact_device* device, tact_gpu_cloud** resident, const tact_gpu_cloud_job* job,
                                 tact_kernel_id kernel, tact_query_report* report)
{
    if (!*resident) {
        *resident = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **resident);
        if (!*resident) return TACT_ERROR_OUT_OF_MEMORY;
        (*resident)->device = device;
    }
    const tact_result entered = tact_device_enter(device);
    if (entered != TACT_OK) return entered;
    const double start = tact_device_milliseconds(device);
    if (tact_device_prepare(device, kernel) == TACT_OK) {
        const double built = tact_device_milliseconds(device);
        report->build_ms = built - start;
        if ((*resident)->version != job->version) bring_tree(*resident, job);
        report->upload_ms = tact_device_milliseconds(device) - built;
    }
    const tact_result result = tact_device_result(device);
    if (result != TACT_OK) tact_device_leave(device);
    return result;
}

size_t tact_gpu_cloud_hold(tact_gpu_cloud* g, const tact_gpu_cloud_job* job, size_t bytes)
{
    const size_t up = sizeof *job->cloud.queries, widest = up > bytes ? up : bytes;
    const uint64_t most = tact_device_describe(g->device)->max_buffer_bytes / widest;
    const size_t limit = most > 0 && most < TACT_GPU_CLOUD_CHUNK ? (size_t)most : TACT_GPU_CLOUD_CHUNK;
    const size_t chunk = tact_gpu_chunk_rows(g->device, job->cloud.batch.count, limit, up, bytes);
    tact_buffer_hold(g->device, &g->queries, chunk * up);
    tact_buffer_hold(g->device, &g->answers, chunk * bytes);
    TACT_DEVICE_WITHIN(g->device, "room for %zu queries: ", chunk);
    return chunk;
}

uint32_t tact_gpu_cloud_steps(const tact_gpu_cloud* g, uint32_t software)
{
    return tact_device_describe(g->device)->software ? software : MANY_STEPS;
}

tact_result tact_gpu_cloud_rest_make(tact_env* env, const tact_gpu_cloud_job* job,
                                     bool (*is_left)(const void* user, size_t query), const void* user,
                                     tact_gpu_cloud_rest* rest)
{
    size_t left = 0;
    for (size_t i = 0; i < job->cloud.batch.count; ++i)
        left += is_left(user, i);
    *rest = (tact_gpu_cloud_rest){.job = job->cloud};
    rest->job.batch.count = left;
    rest->job.batch.progress = NULL;
    if (left == 0) return TACT_OK;
    rest->queries = tact_allocate(env, left, sizeof *rest->queries);
    rest->places = tact_allocate(env, left, sizeof *rest->places);
    if (!rest->queries || !rest->places) {
        tact_gpu_cloud_rest_release(env, rest);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    left = 0;
    for (size_t i = 0; i < job->cloud.batch.count; ++i) {
        if (!is_left(user, i)) continue;
        rest->queries[left] = job->cloud.queries[i];
        rest->places[left++] = i;
    }
    rest->job.queries = rest->queries;
    return TACT_OK;
}

void tact_gpu_cloud_rest_release(tact_env* env, tact_gpu_cloud_rest* rest)
{
    tact_release(env, rest->queries);
    tact_release(env, rest->places);
    *rest = (tact_gpu_cloud_rest){0};
}
