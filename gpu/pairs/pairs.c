// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/pairs/pairs.h"

#include <stdio.h>
#include <string.h>

#include "gpu/pairs/internal.h"

enum { BUFFERS = 15 };

static void all_buffers(tact_gpu_volumes* v, tact_buffer** all[BUFFERS])
{
    tact_buffer** const list[BUFFERS] = {&v->boxes, &v->details, &v->tree,    &v->keys,       &v->order,
                                         &v->table, &v->rows,    &v->cache,   &v->state,      &v->found,
                                         &v->pairs, &v->sums,    &v->nothing, &v->cell_table, &v->sample_boxes};
    memcpy(all, list, sizeof list);
}

void tact_gpu_volumes_release(void* resident)
{
    tact_gpu_volumes* v = resident;
    if (!v) return;
    tact_env* env = tact_device_env(v->device);
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(v->device) == TACT_OK;
    tact_buffer** all[BUFFERS];
    all_buffers(v, all);
    for (int i = 0; i < BUFFERS; ++i)
        tact_buffer_destroy(*all[i]);
    tact_radix_sort_destroy(v->sort);
    tact_scan_destroy(v->scan);
    if (entered) tact_device_leave(v->device);
    tact_release(env, v->sample);
    tact_release(env, v->sorted_at);
    tact_release(env, v);
}

static uint64_t bytes_of(tact_gpu_volumes* v)
{
    tact_buffer** all[BUFFERS];
    all_buffers(v, all);
    uint64_t sum = 0;
    for (int i = 0; i < BUFFERS; ++i)
        sum += tact_buffer_size(*all[i]);
    if (v->sort) sum += tact_radix_sort_scratch_bytes(v->count, 1, true);
    return sum;
}

tact_result tact_gpu_need(tact_gpu_volumes* v, tact_buffer** buffer, uint64_t bytes, const char* what)
{
    if (tact_device_result(v->device) != TACT_OK) return tact_device_result(v->device);
    if (*buffer && tact_buffer_size(*buffer) >= bytes) return TACT_OK;
    tact_buffer_drop(buffer);
    // A little more than now, for the next frame.
    const uint64_t most = tact_device_describe(v->device)->max_buffer_bytes;
    const uint64_t more = bytes + bytes / 8, wanted = more <= most ? more : bytes;
    tact_buffer_create(v->device, wanted < SIZE_MAX ? (size_t)wanted : SIZE_MAX, NULL, buffer);
    return TACT_DEVICE_WITHIN(v->device, "room for %s: ", what);
}

static tact_result open_volumes(tact_device* device, tact_gpu_volumes** resident)
{
    if (*resident) return TACT_OK;
    tact_env* env = tact_device_env(device);
    tact_gpu_volumes* v = tact_allocate_zeroed(env, 1, sizeof *v);
    if (!v) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    v->device = device;
    *resident = v;
    return TACT_OK;
}

bool tact_gpu_volumes_hold(const tact_gpu_volumes* v, uint64_t version, uint32_t count)
{
    return v && v->has_boxes && v->version == version && v->count == count;
}

static tact_result upload_boxes(tact_gpu_volumes* v, const tact_volume_view* volumes)
{
    if (tact_gpu_volumes_hold(v, volumes->version, volumes->count)) return TACT_OK;
    v->has_boxes = false;
    if (v->count != volumes->count) v->order_count = 0;
    v->count = volumes->count;
    tact_gpu_need(v, &v->boxes, (uint64_t)v->count * sizeof(tact_aabb), "boxes");
    if (tact_buffer_write(v->boxes, 0, volumes->boxes, v->count * sizeof(tact_aabb)) != TACT_OK)
        return tact_device_result(v->device);
    tact_box_sample_fill(v->sample, volumes);
    v->has_boxes = true;
    v->has_details = v->has_details && !volumes->spheres;
    v->version = volumes->version;
    return TACT_OK;
}

static tact_result upload_details(tact_gpu_volumes* v, const tact_volume_view* volumes, bool bound_spheres)
{
    const bool with_categories = volumes->categories != NULL;
    if (v->has_details && !bound_spheres && v->details_ids == volumes->count &&
        v->details_categories == with_categories &&
        (!with_categories || v->categories_version == volumes->categories_version)) {
        return TACT_OK;
    }
    v->has_details = false;
    v->spheres = volumes->spheres || bound_spheres ? 1 : 0;
    const uint64_t n = volumes->count, categories_at = v->spheres ? 4 * n : 0;
    const uint64_t words = categories_at + (with_categories ? 2 * n : 0);
    v->categories_at = with_categories ? (uint32_t)categories_at : TACT_PAIRS_NOT_THERE;
    tact_gpu_need(v, &v->details, words > 0 ? words * 4 : 4, "spheres and categories");
    if (v->spheres && !bound_spheres && n > 0)
        tact_buffer_write(v->details, 0, volumes->spheres, (size_t)n * sizeof(tact_sphere));
    if (with_categories && n > 0)
        tact_buffer_write(v->details, (size_t)categories_at * 4, volumes->categories,
                          (size_t)n * sizeof(tact_categories));
    if (tact_device_result(v->device) != TACT_OK) return tact_device_result(v->device);
    v->details_ids = volumes->count;
    v->details_categories = with_categories;
    v->categories_version = volumes->categories_version;
    v->has_details = !bound_spheres;
    return TACT_OK;
}

static tact_result update(tact_gpu_volumes* v, const tact_gpu_side* side)
{
    tact_env* env = tact_device_env(v->device);
    if (!v->sample) v->sample = tact_allocate_zeroed(env, 1, sizeof *v->sample);
    if (!v->sample) return tact_device_fail(v->device, TACT_ERROR_OUT_OF_MEMORY);
    if (!v->nothing) tact_buffer_create(v->device, 16, NULL, &v->nothing);
    const bool bound_spheres = side->array && side->kind == TACT_VOLUME_SPHERE;
    if (!side->array) upload_boxes(v, side->volumes);
    upload_details(v, side->volumes, bound_spheres);
    if (side->array) tact_gpu_update_bound(v, side);
    return tact_device_result(v->device);
}

/// Brings what the pairs are found by up to date: a grid where it suits or was asked for, else trees.
static tact_result build(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job, bool try_grid)
{
    const bool asked = job->method == TACT_PAIRS_GRID;
    bool fits = false;
    if (try_grid) tact_gpu_grid_update(a, &job->a, asked, &job->rebuilt, &fits);
    if (tact_device_result(a->device) != TACT_OK) return tact_device_result(a->device);
    job->used = fits ? TACT_PAIRS_GRID : TACT_PAIRS_BVH;
    if (fits) {
        snprintf(job->reason, sizeof job->reason, "%s: a grid of %lu x %lu x %lu cells",
                 asked ? "selected" : "sizes are alike", (unsigned long)a->plan.cells[0],
                 (unsigned long)a->plan.cells[1], (unsigned long)a->plan.cells[2]);
        return TACT_OK;
    }
    if (try_grid) snprintf(job->reason, sizeof job->reason, "a tree: too many boxes are wider than the sample's");
    tact_gpu_bvh_update(a, &job->a, &job->rebuilt);
    if (b != a) tact_gpu_bvh_update(b, &job->b, &job->rebuilt);
    return tact_device_result(a->device);
}

static bool wants_grid(tact_gpu_volumes* a, tact_gpu_pairs_job* job)
{
    if (job->method == TACT_PAIRS_BVH) {
        snprintf(job->reason, sizeof job->reason, "selected");
        return false;
    }
    if (!job->within) {
        snprintf(job->reason, sizeof job->reason, "a tree: the grid is for one set");
        return false;
    }
    tact_box_sample_grid(a->sample, a->count, &a->plan);
    return job->method == TACT_PAIRS_GRID || tact_gpu_grid_suits(a, job->reason, sizeof job->reason);
}

static tact_result search(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job, tact_query_report* report)
{
    const double start = tact_device_milliseconds(a->device);
    build(a, b, job, wants_grid(a, job));
    report->build_ms += tact_device_milliseconds(a->device) - start;
    return tact_gpu_pairs_output(a, b, job);
}

static tact_result find(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job, tact_query_report* report)
{
    const double start = tact_device_milliseconds(a->device), read = tact_device_read_ms(a->device);
    update(a, &job->a);
    if (b != a) update(b, &job->b);
    const double uploaded = tact_device_milliseconds(a->device);
    report->upload_ms = uploaded - start;
    if (tact_device_result(a->device) == TACT_OK) search(a, b, job, report);
    report->download_ms = tact_device_read_ms(a->device) - read;
    report->query_ms = tact_device_milliseconds(a->device) - uploaded - report->build_ms - report->download_ms;
    report->memory_bytes = bytes_of(a) + (b != a ? bytes_of(b) : 0);
    return tact_device_result(a->device);
}

tact_result tact_gpu_pairs(tact_device* device, tact_gpu_pairs_job* job, tact_query_report* report)
{
    tact_env* env = tact_device_env(device);
    if (job->method != TACT_PAIRS_AUTO && job->method != TACT_PAIRS_GRID && job->method != TACT_PAIRS_BVH) {
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "no method %s on devices: they find pairs by grid or bvh",
                         tact_pairs_method_name(job->method));
    }
    if (job->method == TACT_PAIRS_GRID && !job->within) {
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "no method grid on devices for pairs between two sets: only bvh");
    }
    tact_result result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    result = open_volumes(device, job->a.resident);
    if (result == TACT_OK && !job->within) result = open_volumes(device, job->b.resident);
    if (result == TACT_OK)
        result = find(*job->a.resident, job->within ? *job->a.resident : *job->b.resident, job, report);
    tact_device_leave(device);
    return result;
}
