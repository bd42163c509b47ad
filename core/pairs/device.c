// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/pairs/device.h"

#include <string.h>

#include "core/context/callers_array.h"

#ifdef TACT_HAVE_GPU
#include "gpu/pairs/pairs.h"

static tact_result room_for_device(void* user, uint64_t count, tact_pair** pairs)
{
    tact_volumes* a = user;
    const tact_result result = tact_pairs_make_room(a, count);
    *pairs = a->pairs;
    return result;
}

/// A set as the device is given it. An array of another device goes through the host.
static tact_result side_of(tact_volumes* set, tact_backend backend, tact_gpu_volumes** resident, tact_gpu_side* side)
{
    const bool here = set->bound && set->array.backend == backend;
    const tact_result result = here ? TACT_OK : tact_volumes_fetch(set);
    *side = (tact_gpu_side){tact_volumes_view(set), resident, here ? &set->array : NULL, set->kind};
    return result;
}

tact_result tact_pairs_run_device(tact_context* context, uint32_t index, void* arguments,
                                  const tact_query_options* options, tact_query_report* report)
{
    tact_pairs_arguments* q = arguments;
    const tact_backend backend = tact_context_describe(context, index)->backend;
    tact_gpu_volumes *resident_a = q->a->kept[index].data, *resident_b = q->b ? q->b->kept[index].data : NULL;
    tact_gpu_pairs_job job = {
        .within = !q->b,
        .method = q->method,
        .progress = options->progress,
        .progress_user = options->progress_user,
        .room = room_for_device,
        .room_user = q->a,
        .capacity = q->capacity,
        .stay = q->stay,
        // The check of a shadow wants the pairs on the host.
        .target = q->target && q->target->backend == backend && !options->shadow ? q->target : NULL,
    };
    tact_result result = side_of(q->a, backend, &resident_a, &job.a);
    if (result == TACT_OK && q->b) result = side_of(q->b, backend, &resident_b, &job.b);
    if (result != TACT_OK) return result;
    result = tact_gpu_pairs(context->devices[index], &job, report);
    tact_resident_keep(&q->a->kept[index], resident_a, tact_gpu_volumes_release);
    if (q->b) {
        tact_resident_keep(&q->b->kept[index], resident_b, tact_gpu_volumes_release);
    }
    q->info.method = job.used;
    q->info.pairs = job.count;
    q->info.rebuilt = job.rebuilt;
    q->info.tests = 0;
    memcpy(q->info.reason, job.reason, sizeof q->info.reason);
    q->delivered = result == TACT_OK && job.target;
    q->there = job.there;
    if (result == TACT_OK && !job.target && !job.there) q->a->pair_count = (size_t)job.count;
    report->memory_bytes += q->a->pair_capacity * sizeof(tact_pair);
    return result;
}

/// Bytes of a set that must go to the device.
static double missing_of(const tact_volumes* set, uint32_t index, tact_backend backend)
{
    if (set->bound && set->array.backend == backend) return 0.0;
    if (tact_gpu_volumes_hold(set->kept[index].data, set->view.version, set->id_end)) return 0.0;
    return (double)set->id_end * (double)sizeof(tact_aabb);
}

tact_cost tact_pairs_cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const tact_pairs_arguments* q = arguments;
    const bool grid = q->method == TACT_PAIRS_GRID;
    const bool can = grid || q->method == TACT_PAIRS_AUTO || q->method == TACT_PAIRS_BVH;
    const double n = (double)q->a->id_end + (q->b ? (double)q->b->id_end : 0.0);
    const double up =
        missing_of(q->a, index, device->backend) + (q->b ? missing_of(q->b, index, device->backend) : 0.0);
    const char* method = tact_pairs_cost_method(q->method);
    tact_cost cost =
        device->software ? tact_cost_of(method, 5.0, n * 6e-4, up, 0.0) : tact_cost_of(method, 0.3, n * 1e-5, up, 0.0);
    tact_cost_stays(&cost, up, &q->a->kept[index], q->a->view.version + (q->b ? q->b->view.version : 0));
    if (!can) cost.unable = "devices have no such method";
    if (grid && q->b) cost.unable = "devices have no grid between two sets";
    return cost;
}

#endif

tact_result tact_pairs_find_on_device(tact_volumes* a, const tact_pairs_work* work, const tact_query_options* given,
                                      tact_query_report* report)
{
    tact_env* env = &a->context->env;
    const tact_device_array* pairs = work->device_pairs;
    const size_t capacity = work->capacity;
    if (work->pairs) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "pairs are to go to two places at once");
    }
    if (capacity > SIZE_MAX / sizeof(tact_pair)) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "capacity");
    tact_result result = tact_callers_array_check(a->context, pairs, (uint64_t)capacity * sizeof(tact_pair));
    if (result != TACT_OK) return result;
    tact_query_options options = given ? *given : (tact_query_options){0};
    options.backend = pairs->backend;
    tact_pairs_arguments q = {.a = a, .b = work->b, .method = work->method, .target = pairs, .capacity = capacity};
    result = tact_pairs_answer(&q, &options, report);
    *work->count = (size_t)q.info.pairs;

    if (result < TACT_OK) return result;
    if (!q.delivered) {
        const size_t copied = a->pair_count < capacity ? a->pair_count : capacity;
        const tact_result written = tact_callers_array_write(a->context, pairs, a->pairs, copied * sizeof(tact_pair));
        if (written != TACT_OK) return written;
    }
    return q.info.pairs > capacity ? TACT_INCOMPLETE : result;
}
