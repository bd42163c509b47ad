// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/pairs/device.h"

#include <string.h>

#include "core/callers_array.h"

#ifdef TACT_HAVE_GPU
#include "gpu/pairs/pairs.h"

static tact_result room_for_device(void* user, uint64_t count, tact_pair** pairs)
{
    tact_volume_set* a = user;
    const tact_result result = tact_pairs_make_room(a, count);
    *pairs = a->pairs;
    return result;
}

/// A set as the device is given it. An array of another device goes through the host.
static tact_result side_of(tact_volume_set* set, tact_backend backend, tact_gpu_volumes** resident, tact_gpu_side* side)
{
    const bool here = set->bound && set->array.backend == backend;
    const tact_result result = here ? TACT_OK : tact_volume_set_fetch(set);
    *side = (tact_gpu_side){tact_volume_set_view(set), resident, here ? &set->array : NULL, set->kind};
    return result;
}

tact_result tact_pairs_run_device(tact_context* context, uint32_t index, void* arguments,
                                  const tact_query_options* options, tact_query_report* report)
{
    tact_pairs_arguments* q = arguments;
    const tact_backend backend = tact_context_describe(context, index)->backend;
    tact_gpu_volumes *resident_a = q->a->resident[index], *resident_b = q->b ? q->b->resident[index] : NULL;
    tact_gpu_pairs_job job = {
        .within = !q->b,
        .method = q->method,
        .progress = options->progress,
        .progress_user = options->progress_user,
        .room = room_for_device,
        .room_user = q->a,
        .capacity = q->capacity,
        // The check of a shadow wants the pairs on the host.
        .target = q->target && q->target->backend == backend && !options->shadow ? q->target : NULL,
    };
    tact_result result = side_of(q->a, backend, &resident_a, &job.a);
    if (result == TACT_OK && q->b) result = side_of(q->b, backend, &resident_b, &job.b);
    if (result != TACT_OK) return result;
    result = tact_gpu_pairs(context->devices[index], &job, report);
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
    q->delivered = result == TACT_OK && job.target;
    if (result == TACT_OK && !job.target) q->a->pair_count = (size_t)job.count;
    report->memory_bytes += q->a->pair_capacity * sizeof(tact_pair);
    return result;
}

/// Bytes of a set that must go to the device.
static double missing_of(const tact_volume_set* set, uint32_t index, tact_backend backend)
{
    if (set->bound && set->array.backend == backend) return 0.0;
    if (tact_gpu_volumes_hold(set->resident[index], set->view.version, set->id_end)) return 0.0;
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
    if (!can) cost.unable = "devices have no such method";
    if (grid && q->b) cost.unable = "devices have no grid between two sets";
    return cost;
}

#endif

tact_result tact_volume_set_bind(tact_volume_set* set, const tact_device_array* array, size_t count)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    if (array) {
        if (count > TACT_MAX_VOLUMES) {
            return tact_fail(&set->context->env, TACT_ERROR_INVALID_ARGUMENT, "%zu volumes; at most 2^30", count);
        }
        const size_t size = set->kind == TACT_VOLUME_SPHERE ? sizeof(tact_sphere) : sizeof(tact_aabb);
        const tact_result result = tact_callers_array_check(set->context, array, (uint64_t)count * size);
        if (result != TACT_OK) return result;
    }
    tact_volume_set_clear(set);
    if (!array) return TACT_OK;
    // Filters and user data of what the set held before.
    const bool made = tact_volume_set_reset_details(set, count);
    if (!made) return TACT_ERROR_OUT_OF_MEMORY;
    set->bound = true;
    set->array = *array;
    set->id_end = set->count = (uint32_t)count;
    return TACT_OK;
}

tact_result tact_volume_set_fetch(tact_volume_set* set)
{
    if (!set->bound) return TACT_OK;
    tact_env* env = &set->context->env;
    const size_t n = set->count;
    void *boxes = set->boxes, *spheres = set->spheres;
    bool room = tact_reserve(env, &boxes, &set->box_capacity, 0, n, sizeof *set->boxes);
    set->boxes = boxes;
    if (room && set->kind == TACT_VOLUME_SPHERE) {
        room = tact_reserve(env, &spheres, &set->sphere_capacity, 0, n, sizeof *set->spheres);
        set->spheres = spheres;
    }
    if (!room) return TACT_ERROR_OUT_OF_MEMORY;
    if (n == 0) return TACT_OK;
    tact_result result = TACT_OK;
    if (set->kind == TACT_VOLUME_SPHERE) {
        result = tact_callers_array_read(set->context, &set->array, set->spheres, n * sizeof *set->spheres);
    } else {
        result = tact_callers_array_read(set->context, &set->array, set->boxes, n * sizeof *set->boxes);
    }
    if (result != TACT_OK) return result;
    uint32_t live = 0;
    for (size_t i = 0; i < n; ++i) {
        set->boxes[i] = set->kind == TACT_VOLUME_SPHERE ? tact_sphere_pruning_box(set->spheres[i])
                                                        : tact_aabb_pruning_box(set->boxes[i]);
        live += tact_volume_is_live(&set->boxes[i]) ? 1u : 0u;
    }
    set->view.live = live;
    ++set->view.version;
    return TACT_OK;
}

tact_result tact_pairs_find_on_device(tact_volume_set* a, tact_volume_set* b, tact_pairs_method method,
                                      const tact_device_array* pairs, size_t capacity, size_t* count,
                                      const tact_query_options* given, tact_query_report* report)
{
    if (!tact_enter(a ? a->context : NULL, "a")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &a->context->env;
    if (!pairs || !count) return tact_null(env, pairs ? "count" : "pairs");
    *count = 0;
    if (capacity > SIZE_MAX / sizeof(tact_pair)) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "capacity");
    tact_result result = tact_callers_array_check(a->context, pairs, (uint64_t)capacity * sizeof(tact_pair));
    if (result != TACT_OK) return result;
    tact_query_options options = given ? *given : (tact_query_options){0};
    options.backend = pairs->backend;
    tact_pairs_arguments q = {.a = a, .b = b, .method = method, .target = pairs, .capacity = capacity};
    result = tact_pairs_answer(&q, &options, report);
    *count = (size_t)q.info.pairs;
    if (result < TACT_OK) return result;
    if (!q.delivered) {
        const size_t copied = a->pair_count < capacity ? a->pair_count : capacity;
        const tact_result written = tact_callers_array_write(a->context, pairs, a->pairs, copied * sizeof(tact_pair));
        if (written != TACT_OK) return written;
    }
    return q.info.pairs > capacity ? TACT_INCOMPLETE : result;
}
