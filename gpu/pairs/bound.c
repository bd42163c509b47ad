// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "gpu/device_array.h"
#include "gpu/pairs/internal.h"

// A set that reads from the caller's array: the array is copied, on the device, and made into pruning boxes; a sample
// of these is all that the host sees.

static tact_result copy_array(tact_gpu_volumes* v, const tact_gpu_side* side)
{
    const bool spheres = side->kind == TACT_VOLUME_SPHERE;
    const uint64_t bytes = v->count * (uint64_t)(spheres ? sizeof(tact_sphere) : sizeof(tact_aabb));
    tact_buffer* array = NULL;
    if (tact_device_array_open(v->device, side->array, bytes, &array) != TACT_OK) return tact_device_result(v->device);
    tact_buffer_copy(spheres ? v->details : v->boxes, 0, array, (size_t)side->array->offset, (size_t)bytes);
    tact_buffer_destroy(array);
    return tact_device_result(v->device);
}

static tact_result make_boxes(tact_gpu_volumes* v)
{
    return TACT_LAUNCH_ITEMS(v->device, pairs_bounds, v->count, .spheres = v->details, .boxes = v->boxes,
                             .count = v->count, .are_spheres = v->spheres);
}

static tact_result take_sample(tact_gpu_volumes* v)
{
    const uint32_t stride = v->count / TACT_SAMPLE + (v->count % TACT_SAMPLE != 0), wanted = v->count / stride;
    if (tact_gpu_need(v, &v->sample_boxes, sizeof v->sample->boxes, "a sample") != TACT_OK)
        return tact_device_result(v->device);
    TACT_LAUNCH_ITEMS(v->device, pairs_sample, wanted, .boxes = v->boxes, .picked = v->sample_boxes, .count = wanted,
                      .stride = stride);
    tact_box_sample* sample = v->sample;
    if (tact_buffer_read(v->sample_boxes, 0, sample->boxes, wanted * sizeof(tact_aabb)) != TACT_OK)
        return tact_device_result(v->device);
    sample->count = 0;
    for (uint32_t i = 0; i < wanted; ++i) {
        const tact_aabb box = sample->boxes[i];
        if (tact_volume_is_live(&box)) sample->boxes[sample->count++] = box;
    }
    return TACT_OK;
}

tact_result tact_gpu_update_bound(tact_gpu_volumes* v, const tact_gpu_side* side)
{
    // What is there now is no version of the host's.
    v->has_boxes = false;
    if (v->count != side->volumes->count) v->order_count = 0;
    v->count = side->volumes->count;
    v->sample->count = 0;
    if (v->count == 0) return TACT_OK;
    tact_gpu_need(v, &v->boxes, (uint64_t)v->count * sizeof(tact_aabb), "boxes");
    copy_array(v, side);
    make_boxes(v);
    return take_sample(v);
}
