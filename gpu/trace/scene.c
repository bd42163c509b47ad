// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "gpu/trace/bvh_build.h"
#include "gpu/trace/internal.h"

enum {
    // Slots of a triangle array that are put together at a time.
    PIECE = 4096,
    CHILD_BITS = 29  // as TACT_KIND_SHIFT in kernels/ray_lanes.h
};

uint64_t tact_gpu_scene_bytes(const tact_gpu_scene* s)
{
    const tact_buffer* all[] = {s->second.rays, s->second.hits, s->second.pending, s->world,       s->nodes,
                                s->triangles,   s->states,      s->spare.rays,     s->spare.hits,  s->spare.pending,
                                s->batch.rays,  s->batch.hits,  s->batch.pending,  s->nothing,     s->lists.places,
                                s->lists.kept,  s->lists.list,  s->lists.keys,     s->lists.order, s->order.keys,
                                s->order.places};
    uint64_t sum = tact_buffer_sizes(all, sizeof all / sizeof all[0]);
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
    tact_buffer_drop(&s->world);
    tact_buffer_drop(&s->nodes);
    tact_buffer_drop(&s->triangles);
    tact_buffer_drop(&s->states);
    tact_buffer_drop(&s->nothing);
    tact_ray_batch_release(&s->batch);
    tact_ray_batch_release(&s->second);
    tact_ray_batch_release(&s->spare);
    tact_buffer_drop(&s->lists.places);
    tact_buffer_drop(&s->lists.kept);
    tact_buffer_drop(&s->lists.list);
    tact_buffer_drop(&s->lists.keys);
    tact_buffer_drop(&s->lists.order);
    tact_ray_order_release(s);
    if (entered) tact_device_leave(s->device);
    tact_release(tact_device_env(s->device), s);
}

static tact_result hold(tact_gpu_scene* s, tact_buffer** buffer, const char* what, size_t count, size_t bytes)
{
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    tact_buffer_hold(s->device, buffer, bytes);
    return TACT_DEVICE_WITHIN(s->device, "uploading %zu %s: ", count, what);
}

/// A device reads a triangle at a time, so each lies in one piece there: three rows. Those of slots from `first` up to
/// `end`.
static tact_result fill_triangles(tact_gpu_scene* s, const tact_trace_scene* scene, size_t first, size_t end)
{
    tact_env* env = tact_device_env(s->device);
    tact_trace_triangle* piece = tact_allocate(env, PIECE, sizeof *piece);
    if (!piece) return tact_device_fail(s->device, TACT_ERROR_OUT_OF_MEMORY);
    TACT_ASSERT(env, first <= end && end <= scene->slot_count);
    for (size_t begin = first; begin < end; begin += PIECE) {
        const size_t count = end - begin < PIECE ? end - begin : PIECE;
        memset(piece, 0, count * sizeof *piece);
        for (size_t i = 0; i < count; ++i) {
            tact_trace_triangle* t = &piece[i];
            t->primitive = tact_trace_slot(scene, (uint32_t)(begin + i), t->a, t->b, t->c);
        }
        tact_buffer_write(s->triangles, begin * sizeof *piece, piece, count * sizeof *piece);
    }
    tact_release(env, piece);
    return tact_device_result(s->device);
}

/// Whether a mesh's tree, as it is, lies on this device already.
static bool is_here(const tact_gpu_scene* s, const tact_trace_mesh* mesh)
{
    return mesh->device_tree && tact_tree_builder_is_on(mesh->device_tree, s->device);
}

/// Nodes, and slots, of meshes that lie one behind the other.
typedef struct range {
    size_t begin, end;
} range;

static void write_nodes(tact_gpu_scene* s, const tact_trace_scene* scene, const range* r)
{
    tact_buffer_write(s->nodes, r->begin * sizeof *scene->wide, scene->wide + r->begin,
                      (r->end - r->begin) * sizeof *scene->wide);
}

/// Adds a mesh's to a range that is empty or ends where they begin. Returns false for another one.
static bool extend(range* r, size_t begin, size_t count)
{
    if (r->begin == r->end) *r = (range){begin, begin};
    if (r->end != begin) return false;
    r->end += count;
    return true;
}

/// All trees: those that lie on this device are copied there, and the others go up.
static void write_trees(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    range nodes = {0, 0}, slots = {0, 0};
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        const tact_trace_mesh* m = &scene->meshes[i];
        if (is_here(s, m)) {
            tact_tree_builder_put(m->device_tree, s->nodes, m->wide_root, s->triangles, (uint32_t)m->first_slot);
            continue;
        }
        if (!extend(&nodes, m->wide_root, m->wide_count)) {
            write_nodes(s, scene, &nodes);
            nodes = (range){m->wide_root, m->wide_root + m->wide_count};
        }
        if (m->slot_count > 0 && !extend(&slots, m->first_slot, m->slot_count)) {
            fill_triangles(s, scene, slots.begin, slots.end);
            slots = (range){m->first_slot, m->first_slot + m->slot_count};
        }
    }
    write_nodes(s, scene, &nodes);
    fill_triangles(s, scene, slots.begin, slots.end);
}

static tact_result update_meshes(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    if (scene->wide_count >> CHILD_BITS || scene->slot_count >> CHILD_BITS) {
        return TACT_DEVICE_FAIL(s->device, TACT_ERROR_LIMIT, "%zu tree nodes and %zu triangles", scene->wide_count,
                                scene->slot_count);
    }
    s->mesh_version = UINT64_MAX;  // until both are there
    const size_t nodes = scene->wide_count * sizeof *scene->wide;
    const size_t shapes = scene->shape_slot_count * sizeof *scene->shapes;
    const size_t alphas = tact_gpu_alpha_rows(scene), alpha_row = (nodes + shapes) / 16;
    if (alphas > UINT32_MAX - alpha_row) {
        return TACT_DEVICE_FAIL(s->device, TACT_ERROR_LIMIT, "alpha masks of %zu bytes", alphas * 16);
    }
    hold(s, &s->nodes, "tree nodes", scene->wide_count, (alpha_row + alphas) * 16);
    tact_buffer_write(s->nodes, nodes, scene->shapes, shapes);
    if (alphas > 0) tact_gpu_alpha_write(s->device, s->nodes, alpha_row, scene);
    hold(s, &s->triangles, "triangles", scene->slot_count, scene->slot_count * sizeof(tact_trace_triangle));
    write_trees(s, scene);
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    s->shape_row = (uint32_t)(nodes / 16);
    s->alpha_row = alphas > 0 ? (uint32_t)alpha_row : 0;
    s->mesh_version = scene->mesh_version;
    s->layout_version = scene->layout_version;
    return TACT_OK;
}

/// Whether all that is there but what was fitted since lies where it lies in the scene.
static bool has_layout(const tact_gpu_scene* s, const tact_trace_scene* scene)
{
    return s->nodes && s->triangles && s->mesh_version != UINT64_MAX && s->layout_version == scene->layout_version;
}

/// The trees that were fitted since: those that this device has fitted it copies.
static tact_result update_fitted(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    const uint64_t before = s->mesh_version;
    s->mesh_version = UINT64_MAX;
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        const tact_trace_mesh* m = &scene->meshes[i];
        if (m->fitted <= before) continue;
        if (is_here(s, m)) {
            tact_tree_builder_put(m->device_tree, s->nodes, m->wide_root, s->triangles, (uint32_t)m->first_slot);
            continue;
        }
        tact_buffer_write(s->nodes, m->wide_root * sizeof *scene->wide, scene->wide + m->wide_root,
                          m->wide_count * sizeof *scene->wide);
        fill_triangles(s, scene, m->first_slot, m->first_slot + m->slot_count);
    }
    if (tact_device_result(s->device) == TACT_OK) s->mesh_version = scene->mesh_version;
    return tact_device_result(s->device);
}

static tact_result update_world(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    s->top_version = UINT64_MAX;
    const size_t top = scene->wide_top_count * sizeof *scene->wide_top;
    const size_t instances = scene->instance_count * sizeof *scene->instances;
    hold(s, &s->world, "instances", scene->instance_count, top + instances);
    tact_buffer_write(s->world, 0, scene->wide_top, top);
    tact_buffer_write(s->world, top, scene->instances, instances);
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
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

/// Bytes of meshes that must go up.
static uint64_t missing_meshes(const tact_gpu_scene* s, const tact_trace_scene* scene)
{
    const bool all = !s || !has_layout(s, scene);
    uint64_t bytes = all ? scene->shape_slot_count * sizeof *scene->shapes : 0;
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        const tact_trace_mesh* m = &scene->meshes[i];
        if ((!all && m->fitted <= s->mesh_version) || (s && is_here(s, m))) continue;
        bytes += m->wide_count * sizeof *scene->wide + m->slot_count * sizeof(tact_trace_triangle);
    }
    return bytes;
}

uint64_t tact_gpu_scene_missing(const tact_gpu_scene* s, const tact_trace_scene* scene)
{
    const uint64_t world =
        scene->wide_top_count * sizeof *scene->wide_top + scene->instance_count * sizeof *scene->instances;
    return (!s || lacks_meshes(s, scene) ? missing_meshes(s, scene) : 0) + (!s || lacks_world(s, scene) ? world : 0);
}

static tact_result update(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    const bool meshes = lacks_meshes(s, scene), world = lacks_world(s, scene);
    if (meshes || world) tact_gpu_casts_settle(s);
    if (meshes) has_layout(s, scene) ? update_fitted(s, scene) : update_meshes(s, scene);
    if (world) update_world(s, scene);
    if (!s->nothing) tact_buffer_create(s->device, 16, NULL, &s->nothing);
    return tact_device_result(s->device);
}

tact_result tact_gpu_scene_update(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    const tact_result result = update(s, scene);
    return make_way(s, result) ? update(s, scene) : result;
}

void tact_ray_batch_release(tact_ray_batch* batch)
{
    tact_buffer_drop(&batch->rays);
    tact_buffer_drop(&batch->hits);
    tact_buffer_drop(&batch->pending);
    batch->capacity = 0;
}

static tact_result create_batch(tact_gpu_scene* s, tact_ray_batch* batch, size_t count)
{
    tact_buffer_create(s->device, (count * (sizeof(tact_ray) + sizeof(uint32_t)) + 15) / 16 * 16, NULL, &batch->rays);
    tact_buffer_create(s->device, count * sizeof(tact_hit), NULL, &batch->hits);
    tact_buffer_create(s->device, (count + 1) * sizeof(uint32_t), NULL, &batch->pending);
    if (tact_device_result(s->device) != TACT_OK) tact_ray_batch_release(batch);
    return tact_device_result(s->device);
}

tact_result tact_ray_batch_reserve(tact_gpu_scene* s, tact_ray_batch* batch, size_t count)
{
    if (count <= batch->capacity) return TACT_OK;
    tact_ray_batch_release(batch);
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    if (make_way(s, create_batch(s, batch, count))) create_batch(s, batch, count);
    if (tact_device_result(s->device) == TACT_OK) batch->capacity = count;
    return TACT_DEVICE_WITHIN(s->device, "room for %zu rays: ", count);
}

size_t tact_ray_batch_limit(const tact_device* device, size_t wanted)
{
    const uint64_t most = tact_device_describe(device)->max_buffer_bytes / (sizeof(tact_ray) + sizeof(uint32_t));
    return most > 0 && wanted > most ? (size_t)most : wanted;
}
