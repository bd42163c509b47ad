// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The list of triangles that trees are made over. Triangles of large objects come in any order; trees are good only if
// neighbours in the list are neighbours in space.
#include <string.h>

#include "gpu/filter/internal.h"

enum {
    // Objects of up to this many triangles are left as they are: sorting takes longer than it saves. Even in no order
    // at all two such have no more than 2^20 pairs of triangles.
    LEAVE_SOFTWARE = 1024,
    LEAVE_HARDWARE = 256
};

static bool is_worth_it(const tact_gpu_filter_work* w, uint32_t count)
{
    const tact_gpu_filter_scene* s = &w->f->scene;
    const size_t leave = tact_device_describe(w->device)->software ? LEAVE_SOFTWARE : LEAVE_HARDWARE;
    if (count > TACT_BLOCK_LIMIT) return false;
    for (uint32_t i = 0; i < s->taking_part_count && count > leave; ++i)
        if (w->job->shapes[w->job->objects[s->taking_part[i]].shape].triangle_count > leave) return true;
    return false;
}

tact_result tact_gpu_filter_prepare_order(tact_gpu_filter_work* w)
{
    static const tact_kernel_id kernels[] = {TACT_KERNEL_filter_keys, TACT_KERNEL_filter_order,
                                             TACT_KERNEL_radix_count, TACT_KERNEL_radix_scatter64,
                                             TACT_KERNEL_scan_sums,   TACT_KERNEL_scan_apply};
    tact_gpu_filter* f = w->f;
    // As many may be left.
    if (!is_worth_it(w, f->scene.triangle_count)) return TACT_OK;
    if (!f->sort) tact_radix_sort_create(w->device, 0, &f->sort);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i)
        tact_device_prepare(w->device, kernels[i]);
    return tact_device_result(w->device);
}

tact_result tact_gpu_filter_bring_boxes(tact_gpu_filter_work* w, uint32_t triangles)
{
    const size_t count = w->job->object_count;
    if (!is_worth_it(w, triangles)) return TACT_OK;
    float(*rows)[8] = tact_allocate_zeroed(w->env, count, sizeof *rows);
    if (!rows) return tact_device_fail(w->device, TACT_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < count; ++i) {
        const tact_aabb b = w->job->boxes[i];
        const float row[8] = {b.lower.x, b.lower.y, b.lower.z, 0, b.upper.x, b.upper.y, b.upper.z, 0};
        memcpy(rows[i], row, sizeof row);
    }
    tact_buffer_hold(w->device, &w->f->boxes, count * sizeof *rows);
    tact_buffer_write(w->f->boxes, 0, rows, count * sizeof *rows);
    tact_release(w->env, rows);
    return tact_device_result(w->device);
}

static tact_result make_keys(tact_gpu_filter_work* w, tact_buffer* list, uint32_t count)
{
    tact_gpu_filter* f = w->f;
    tact_buffer_hold(w->device, &f->keys, (uint64_t)count * 8);
    tact_buffer_hold(w->device, &f->triangles, (uint64_t)count * 4);
    tact_buffer_hold(w->device, &f->sorted, (uint64_t)count * 8);
    return TACT_LAUNCH_ITEMS(w->device, filter_keys, count, .list = list, .vertices = f->scene.vertices,
                             .indices = f->scene.indices, .objects = f->scene.objects, .boxes = f->boxes,
                             .keys = f->keys, .triangles = f->triangles, .count = count);
}

static tact_result sort_keys(tact_gpu_filter_work* w, uint32_t count)
{
    tact_gpu_filter* f = w->f;
    if (!f->sort) tact_radix_sort_create(w->device, 0, &f->sort);
    uint32_t bits = 30;
    for (size_t objects = w->job->object_count - 1; objects > 0; objects /= 2)
        ++bits;
    const tact_sort_job sort = {.keys_in = f->keys,
                                .keys_out = f->keys,
                                .values_in = f->triangles,
                                .values_out = f->triangles,
                                .count = count,
                                .key_words = 2,
                                .key_bits = bits};
    return tact_radix_sort_run(f->sort, &sort);
}

static tact_result list_all(tact_gpu_filter_work* w, uint32_t count, tact_buffer** list)
{
    tact_gpu_filter* f = w->f;
    tact_buffer_hold(w->device, &f->list, (uint64_t)count * 8);
    TACT_DEVICE_WITHIN(w->device, "a list of %u triangles: ", (unsigned)count);
    *list = f->list;
    return TACT_LAUNCH_ITEMS(w->device, filter_all, count, .objects = f->scene.objects, .list = f->list,
                             .objects_count = (uint32_t)w->job->object_count, .count = count);
}

tact_result tact_gpu_filter_arrange(tact_gpu_filter_work* w, uint32_t count, tact_buffer** list)
{
    tact_gpu_filter* f = w->f;
    if (!*list) list_all(w, count, list);
    if (!is_worth_it(w, count) || tact_device_result(w->device) != TACT_OK) return tact_device_result(w->device);
    make_keys(w, *list, count);
    if (sort_keys(w, count) != TACT_OK) return TACT_DEVICE_WITHIN(w->device, "sorting %u triangles: ", (unsigned)count);
    *list = f->sorted;
    return TACT_LAUNCH_ITEMS(w->device, filter_order, count, .keys = f->keys, .triangles = f->triangles,
                             .list = f->sorted, .count = count);
}
