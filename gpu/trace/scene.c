// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "gpu/trace/internal.h"

enum {
    // Slots of a triangle array that are put together at a time.
    PIECE = 4096,
    CHILD_BITS = 29  // as TACT_KIND_SHIFT in kernels/ray_lanes.h
};

static void drop(tact_buffer** buffer)
{
    tact_buffer_destroy(*buffer);
    *buffer = NULL;
}

uint64_t tact_gpu_scene_bytes(const tact_gpu_scene* s)
{
    const tact_buffer* all[] = {s->world,       s->nodes,         s->triangles,   s->states,     s->spare.rays,
                                s->spare.hits,  s->spare.pending, s->batch.rays,  s->batch.hits, s->batch.pending,
                                s->nothing,     s->lists.places,  s->lists.kept,  s->lists.list, s->lists.keys,
                                s->lists.order, s->order.keys,    s->order.places};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        sum += all[i] ? tact_buffer_size(all[i]) : 0;
    return s->sort ? sum + tact_radix_sort_bytes(s->sort) : sum;
}

tact_result tact_gpu_scene_open(tact_device* device, tact_gpu_scene** resident)
{
    if (*resident) return TACT_OK;
    *resident = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **resident);
    if (!*resident) return TACT_ERROR_OUT_OF_MEMORY;
    (*resident)->device = device;
    return TACT_OK;
}

void tact_gpu_scene_release(void* resident)
{
    tact_gpu_scene* s = resident;
    if (!s) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(s->device) == TACT_OK;
    drop(&s->world);
    drop(&s->nodes);
    drop(&s->triangles);
    drop(&s->states);
    drop(&s->nothing);
    tact_ray_batch_release(&s->batch);
    tact_ray_batch_release(&s->spare);
    drop(&s->lists.places);
    drop(&s->lists.kept);
    drop(&s->lists.list);
    drop(&s->lists.keys);
    drop(&s->lists.order);
    tact_ray_order_release(s);
    if (entered) tact_device_leave(s->device);
    tact_release(tact_device_env(s->device), s);
}

static tact_result create(tact_gpu_scene* s, tact_buffer** buffer, const char* what, size_t count, size_t bytes)
{
    drop(buffer);
    const tact_result result = tact_buffer_create(s->device, bytes, NULL, buffer);
    if (result == TACT_OK) return result;
    return tact_fail_within(tact_device_env(s->device), result, "uploading %zu %s: ", count, what);
}

/// A device reads a triangle at a time, so each lies in one piece there: three rows.
static tact_result fill_triangles(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    tact_env* env = tact_device_env(s->device);
    tact_trace_triangle* piece = tact_allocate(env, PIECE, sizeof *piece);
    if (!piece) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = TACT_OK;
    for (size_t begin = 0; begin < scene->slot_count && result == TACT_OK; begin += PIECE) {
        const size_t count = scene->slot_count - begin < PIECE ? scene->slot_count - begin : PIECE;
        memset(piece, 0, count * sizeof *piece);
        for (size_t i = 0; i < count; ++i) {
            tact_trace_triangle* t = &piece[i];
            t->primitive = tact_trace_slot(scene, (uint32_t)(begin + i), t->a, t->b, t->c);
        }
        result = tact_buffer_write(s->triangles, begin * sizeof *piece, piece, count * sizeof *piece);
    }
    tact_release(env, piece);
    return result;
}

static tact_result update_meshes(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    if (scene->wide_count >> CHILD_BITS || scene->slot_count >> CHILD_BITS) {
        return tact_fail(tact_device_env(s->device), TACT_ERROR_LIMIT, "%zu tree nodes and %zu triangles",
                         scene->wide_count, scene->slot_count);
    }
    s->mesh_version = UINT64_MAX;  // until both are there
    const size_t nodes = scene->wide_count * sizeof *scene->wide;
    const size_t shapes = scene->shape_slot_count * sizeof *scene->shapes;
    const size_t alphas = tact_gpu_alpha_rows(scene), alpha_row = (nodes + shapes) / 16;
    if (alphas > UINT32_MAX - alpha_row) {
        return tact_fail(tact_device_env(s->device), TACT_ERROR_LIMIT, "alpha masks of %zu bytes", alphas * 16);
    }
    tact_result result = create(s, &s->nodes, "tree nodes", scene->wide_count, (alpha_row + alphas) * 16);
    if (result == TACT_OK) result = tact_buffer_write(s->nodes, 0, scene->wide, nodes);
    if (result == TACT_OK) result = tact_buffer_write(s->nodes, nodes, scene->shapes, shapes);
    if (result == TACT_OK && alphas > 0) {
        result = tact_gpu_alpha_write(tact_device_env(s->device), s->nodes, alpha_row, scene);
    }
    if (result != TACT_OK) return result;
    s->shape_row = (uint32_t)(nodes / 16);
    s->alpha_row = alphas > 0 ? (uint32_t)alpha_row : 0;
    result = create(s, &s->triangles, "triangles", scene->slot_count, scene->slot_count * sizeof(tact_trace_triangle));
    if (result == TACT_OK) result = fill_triangles(s, scene);
    if (result == TACT_OK) s->mesh_version = scene->mesh_version;
    return result;
}

static tact_result update_world(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    s->top_version = UINT64_MAX;
    const size_t top = scene->wide_top_count * sizeof *scene->wide_top;
    const size_t instances = scene->instance_count * sizeof *scene->instances;
    tact_result result = create(s, &s->world, "instances", scene->instance_count, top + instances);
    if (result == TACT_OK) result = tact_buffer_write(s->world, 0, scene->wide_top, top);
    if (result == TACT_OK) result = tact_buffer_write(s->world, top, scene->instances, instances);
    if (result != TACT_OK) return result;
    s->instance_row = (uint32_t)(top / 16);
    s->instance_count = (uint32_t)scene->instance_count;
    s->bounds = tact_bvh8_bounds(&scene->wide_top[0]);
    s->has_shapes = scene->has_shapes;
    s->top_version = scene->top_version;
    return TACT_OK;
}

/// Whether something that could not be had for want of memory may be had now: without what is held for speed alone.
static bool make_way(tact_gpu_scene* s, tact_result result)
{
    if (result != TACT_ERROR_DEVICE_OUT_OF_MEMORY || !s->order.keys) return false;
    tact_ray_order_release(s);
    tact_device_forgive(s->device);
    return true;
}

static bool lacks_meshes(const tact_gpu_scene* s, const tact_trace_scene* scene)
{
    return !s->nodes || !s->triangles || s->mesh_version != scene->mesh_version;
}

static bool lacks_world(const tact_gpu_scene* s, const tact_trace_scene* scene)
{
    return !s->world || s->top_version != scene->top_version;
}

uint64_t tact_gpu_scene_missing(const tact_gpu_scene* s, const tact_trace_scene* scene)
{
    const uint64_t world =
        scene->wide_top_count * sizeof *scene->wide_top + scene->instance_count * sizeof *scene->instances;
    const uint64_t meshes = scene->wide_count * sizeof *scene->wide + scene->shape_slot_count * sizeof *scene->shapes +
                            scene->slot_count * sizeof(tact_trace_triangle);
    return (!s || lacks_meshes(s, scene) ? meshes : 0) + (!s || lacks_world(s, scene) ? world : 0);
}

static tact_result update(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    const bool meshes = lacks_meshes(s, scene), world = lacks_world(s, scene);
    if (meshes || world) tact_gpu_casts_settle(s);
    tact_result result = meshes ? update_meshes(s, scene) : TACT_OK;
    if (result == TACT_OK && world) result = update_world(s, scene);
    if (result == TACT_OK && !s->nothing) result = tact_buffer_create(s->device, 16, NULL, &s->nothing);
    return result;
}

tact_result tact_gpu_scene_update(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    const tact_result result = update(s, scene);
    return make_way(s, result) ? update(s, scene) : result;
}

void tact_ray_batch_release(tact_ray_batch* batch)
{
    drop(&batch->rays);
    drop(&batch->hits);
    drop(&batch->pending);
    batch->capacity = 0;
}

static tact_result create_batch(tact_gpu_scene* s, tact_ray_batch* batch, size_t count)
{
    tact_result result = tact_buffer_create(s->device, (count * (sizeof(tact_ray) + sizeof(uint32_t)) + 15) / 16 * 16,
                                            NULL, &batch->rays);
    if (result == TACT_OK) result = tact_buffer_create(s->device, count * sizeof(tact_hit), NULL, &batch->hits);
    if (result == TACT_OK) {
        result = tact_buffer_create(s->device, (count + 1) * sizeof(uint32_t), NULL, &batch->pending);
    }
    if (result != TACT_OK) tact_ray_batch_release(batch);
    return result;
}

tact_result tact_ray_batch_reserve(tact_gpu_scene* s, tact_ray_batch* batch, size_t count)
{
    if (count <= batch->capacity) return TACT_OK;
    tact_ray_batch_release(batch);
    tact_result result = create_batch(s, batch, count);
    if (make_way(s, result)) result = create_batch(s, batch, count);
    if (result != TACT_OK) return tact_fail_within(tact_device_env(s->device), result, "room for %zu rays: ", count);
    batch->capacity = count;
    return TACT_OK;
}

size_t tact_ray_batch_limit(const tact_device* device, size_t wanted)
{
    const uint64_t most = tact_device_describe(device)->max_buffer_bytes / (sizeof(tact_ray) + sizeof(uint32_t));
    return most > 0 && wanted > most ? (size_t)most : wanted;
}
