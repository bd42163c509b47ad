// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays are put in the order of their keys (kernels/raycast_order.kernel) before they are cast; docs/raycast.md has
// when.
#include "gpu/trace/internal.h"

enum {
    KEY_BITS = 16,          // as in the kernel
    MANY_RAYS = 1 << 17,    // for which the launches of a sort are not felt
    LARGE_TREES = 32 << 20  // bytes of nodes and triangles that most caches of GPUs do not hold
};

bool tact_ray_order_pays(const tact_device_info* device, size_t count, uint64_t tree_bytes, bool incoherent)
{
    return !device->software && incoherent && count >= MANY_RAYS && tree_bytes >= LARGE_TREES;
}

bool tact_ray_order_wanted(const tact_gpu_scene* s, tact_ray_sort asked, size_t count, bool incoherent)
{
    if (asked != TACT_RAY_SORT_AUTO) return asked == TACT_RAY_SORT_ALWAYS;
    const uint64_t bytes = (uint64_t)tact_buffer_size(s->nodes) + tact_buffer_size(s->triangles);
    return tact_ray_order_pays(tact_device_describe(s->device), count, bytes, incoherent);
}

bool tact_ray_order_fits(const tact_gpu_scene* s, const tact_ray_cast* cast)
{
    return cast->sorted && cast->mode <= TACT_RAY_COUNT && cast->count > 1 && s->instance_count > 0;
}

tact_result tact_ray_order_prepare(const tact_gpu_scene* s)
{
    static const tact_kernel_id kernels[] = {TACT_KERNEL_raycast_order, TACT_KERNEL_radix_count, TACT_KERNEL_scan_sums,
                                             TACT_KERNEL_scan_apply, TACT_KERNEL_radix_scatter};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i)
        tact_device_prepare(s->device, kernels[i]);
    return tact_device_result(s->device);
}

void tact_ray_order_release(tact_gpu_scene* s)
{
    tact_buffer_destroy(s->order.keys);
    tact_buffer_destroy(s->order.places);
    tact_radix_sort_destroy(s->sort);
    s->order = (tact_ray_order){0};
    s->sort = NULL;
}

static tact_result reserve(tact_gpu_scene* s, uint32_t count)
{
    if (!s->sort) tact_radix_sort_create(s->device, 0, &s->sort);
    tact_radix_sort_reserve(s->sort, count, 1, true);
    tact_buffer_hold(s->device, &s->order.keys, (uint64_t)count * sizeof(uint32_t));
    return tact_buffer_hold(s->device, &s->order.places, (uint64_t)count * sizeof(uint32_t));
}

static bool is_want_of_room(tact_result result)
{
    return result == TACT_ERROR_OUT_OF_MEMORY || result == TACT_ERROR_DEVICE_OUT_OF_MEMORY ||
           result == TACT_ERROR_LIMIT;
}

tact_result tact_ray_order_make(tact_gpu_scene* s, const tact_ray_cast* cast, tact_buffer** places)
{
    *places = NULL;
    // What failed before is not forgiven.
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    const tact_result result = reserve(s, cast->count);
    if (is_want_of_room(result)) {
        tact_env* env = tact_device_env(s->device);
        tact_log(env, TACT_LOG_INFO, "raycast", "%u rays are cast without sorting: %s", (unsigned)cast->count,
                 tact_last_error());
        tact_ray_order_release(s);
        tact_device_forgive(s->device);
        return TACT_OK;
    }
    if (result != TACT_OK) return result;
    const tact_sort_job job = {.keys_in = s->order.keys,
                               .keys_out = s->order.keys,
                               .values_out = s->order.places,
                               .count = cast->count,
                               .key_words = 1,
                               .key_bits = KEY_BITS};
    TACT_LAUNCH_ITEMS(s->device, raycast_order, cast->count, .rays = cast->batch->rays, .keys = s->order.keys,
                      .count = cast->count, .lower_x = s->bounds.lower[0], .lower_y = s->bounds.lower[1],
                      .lower_z = s->bounds.lower[2], .upper_x = s->bounds.upper[0], .upper_y = s->bounds.upper[1],
                      .upper_z = s->bounds.upper[2]);
    *places = s->order.places;
    return tact_radix_sort_run(s->sort, &job);
}
