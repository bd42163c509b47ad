// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/filter/scene.h"

#include <math.h>
#include <string.h>

#include "gpu/device_array.h"

enum {
    STAGING = 1 << 20,  // bytes that go to the device together
    NAN_BITS = 0x7fc00000
};

typedef struct making {
    tact_device* device;
    tact_env* env;
    const tact_filter_job* job;
    tact_gpu_filter_scene* scene;
    uint32_t* first_triangle;  ///< of each shape
    uint64_t triangles;        ///< of the shapes used
} making;

// ---- What goes to the device in small pieces, one after the other ----

typedef struct writer {
    tact_buffer* buffer;
    uint64_t offset;  ///< in the buffer, of what is waiting
    size_t waiting;   ///< bytes
    unsigned char* staging;
} writer;

static tact_result writer_flush(writer* w)
{
    const size_t bytes = w->waiting;
    if (bytes == 0) return TACT_OK;
    w->waiting = 0;
    w->offset += bytes;
    return tact_buffer_write(w->buffer, (size_t)w->offset - bytes, w->staging, bytes);
}

/// Puts `bytes`, no more than STAGING, behind what is there.
static void writer_put(writer* w, const void* data, size_t bytes)
{
    if (w->waiting + bytes > STAGING) writer_flush(w);
    memcpy(w->staging + w->waiting, data, bytes);
    w->waiting += bytes;
}

// ---- Who takes part ----

static void mark_objects(const tact_filter_job* job, uint8_t* marks)
{
    for (size_t i = 0; i < job->candidate_count; ++i)
        marks[job->candidates[i].a] = marks[job->candidates[i].b] = 1;
}

static tact_result take_part(making* m)
{
    const size_t count = m->job->object_count;
    tact_gpu_filter_scene* s = m->scene;
    uint8_t* marks = tact_allocate_zeroed(m->env, count, 1);
    tact_release(m->env, s->taking_part);
    s->taking_part_count = 0;
    s->taking_part = tact_allocate(m->env, count, sizeof *s->taking_part);
    if (marks && s->taking_part) {
        mark_objects(m->job, marks);
        for (size_t i = 0; i < count; ++i)
            if (marks[i]) s->taking_part[s->taking_part_count++] = (uint32_t)i;
    }
    tact_release(m->env, marks);
    return marks && s->taking_part ? TACT_OK : tact_device_fail(m->device, TACT_ERROR_OUT_OF_MEMORY);
}

static tact_result too_many(const making* m, const char* what, uint64_t count)
{
    return TACT_DEVICE_FAIL(m->device, TACT_ERROR_LIMIT,
                            "%llu %s of objects that may overlap; at most 2^32 - 1 on a device",
                            (unsigned long long)count, what);
}

/// Where the shapes used lie, one after the other.
static tact_result place_shapes(making* m)
{
    const tact_filter_job* job = m->job;
    uint64_t vertices = 0, triangles = 0, all = 0;
    for (uint32_t i = 0; i < m->scene->taking_part_count; ++i) {
        const uint32_t shape = job->objects[m->scene->taking_part[i]].shape;
        m->scene->used[shape] = true;
        all += job->shapes[shape].triangle_count;
        if (all > UINT32_MAX) return too_many(m, "triangles", all);
    }
    for (size_t i = 0; i < job->shape_count; ++i) {
        m->scene->first_vertex[i] = (uint32_t)vertices;
        m->first_triangle[i] = (uint32_t)triangles;
        if (!m->scene->used[i]) continue;
        vertices += job->shapes[i].vertex_count;
        triangles += job->shapes[i].triangle_count;
        if (vertices > UINT32_MAX) return too_many(m, "vertices", vertices);
        if (triangles > UINT32_MAX / 3) return too_many(m, "corners", 3 * triangles);
    }
    m->scene->triangle_count = (uint32_t)all;
    m->scene->vertex_count = (uint32_t)vertices;
    m->triangles = triangles;
    return TACT_OK;
}

static void bound_all(making* m)
{
    tact_gpu_filter_scene* s = m->scene;
    for (int k = 0; k < 3; ++k) {
        s->lower[k] = INFINITY;
        s->upper[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < s->taking_part_count; ++i) {
        const tact_aabb* b = &m->job->boxes[s->taking_part[i]];
        const float low[3] = {b->lower.x, b->lower.y, b->lower.z}, high[3] = {b->upper.x, b->upper.y, b->upper.z};
        if (!(low[0] <= high[0] && low[1] <= high[1] && low[2] <= high[2])) continue;
        for (int k = 0; k < 3; ++k) {
            s->lower[k] = fminf(s->lower[k], low[k]);
            s->upper[k] = fmaxf(s->upper[k], high[k]);
        }
    }
    for (int k = 0; k < 3 && !(s->lower[0] <= s->upper[0]); ++k)
        s->lower[k] = s->upper[k] = 0;
}

// ---- Shapes ----

bool tact_gpu_filter_on_device(tact_device* device, const tact_mesh_desc* shape)
{
    const tact_device_info* info = tact_device_describe(device);
    return shape->device_positions && shape->device_positions->backend == info->backend && info->adopted;
}

typedef struct gathering {
    tact_device* device;
    tact_buffer* vertices;
    uint32_t first;
} gathering;

static void gather(tact_buffer* rows, uint32_t words, uint32_t first, uint32_t count, void* user)
{
    const gathering* g = user;
    TACT_LAUNCH_ITEMS(g->device, image_gather, count, .source = rows, .target = g->vertices, .count = count,
                      .words = words, .first = g->first + first, .mark = NAN_BITS);
}

tact_result tact_gpu_filter_gather(tact_device* device, const tact_mesh_desc* shape, tact_buffer** raw,
                                   tact_buffer* vertices, uint32_t first)
{
    gathering g = {device, vertices, first};
    return tact_device_array_rows(device, shape->device_positions, shape->vertex_count, tact_gpu_filter_stride(shape),
                                  raw, gather, &g);
}

static void write_vertices(writer* w, const tact_mesh_desc* shape)
{
    const size_t stride = tact_gpu_filter_stride(shape);
    for (size_t i = 0; i < shape->vertex_count; ++i) {
        float v[4] = {0, 0, 0, 0};
        memcpy(v, (const char*)shape->positions + i * stride, 12);
        writer_put(w, v, sizeof v);
    }
}

static tact_result bring_vertices(making* m, writer* w)
{
    w->buffer = m->scene->vertices;
    w->offset = 0;
    for (size_t i = 0; i < m->job->shape_count && tact_device_result(m->device) == TACT_OK; ++i) {
        const tact_mesh_desc* shape = &m->job->shapes[i];
        if (!m->scene->used[i] || shape->vertex_count == 0) continue;
        if (!tact_gpu_filter_on_device(m->device, shape)) {
            if (!shape->positions) {
                return TACT_DEVICE_FAIL(m->device, TACT_ERROR_INVALID_ARGUMENT,
                                        "shape %zu: its vertices are in a buffer that is not of this device", i);
            }
            write_vertices(w, shape);
            continue;
        }
        if (writer_flush(w) != TACT_OK) break;
        w->offset += (uint64_t)shape->vertex_count * 16;
        tact_gpu_filter_gather(m->device, shape, &m->scene->raw, m->scene->vertices, m->scene->first_vertex[i]);
        TACT_DEVICE_WITHIN(m->device, "vertices of shape %zu: ", i);
    }
    return writer_flush(w);
}

static void write_indices(writer* w, const tact_mesh_desc* shape, uint32_t first)
{
    for (size_t i = 0; i < shape->triangle_count; ++i) {
        uint32_t corners[3];
        for (size_t k = 0; k < 3; ++k)
            corners[k] = first + (shape->indices ? shape->indices[3 * i + k] : (uint32_t)(3 * i + k));
        writer_put(w, corners, sizeof corners);
    }
}

static void bring_indices(making* m, writer* w)
{
    w->buffer = m->scene->indices;
    w->offset = 0;
    for (size_t i = 0; i < m->job->shape_count; ++i)
        if (m->scene->used[i]) write_indices(w, &m->job->shapes[i], m->scene->first_vertex[i]);
    writer_flush(w);
}

// ---- Objects ----

typedef struct object_row {
    float pose[12];
    uint32_t words[4];
} object_row;

_Static_assert(sizeof(object_row) == TACT_FILTER_OBJECT_VECTORS * 16, "kernels/filter_layout.h has it so");

static void bring_objects(making* m, writer* w)
{
    const tact_filter_job* job = m->job;
    const tact_gpu_filter_scene* s = m->scene;
    w->buffer = s->objects;
    w->offset = 0;
    uint32_t next = 0, number = 0;
    for (size_t i = 0; i < job->object_count; ++i) {
        const tact_filter_object* o = &job->objects[i];
        object_row row = {.words = {0, 0, number, 0}};
        memcpy(row.pose, o->pose, sizeof row.pose);
        if (next < s->taking_part_count && s->taking_part[next] == i) {
            row.words[0] = m->first_triangle[o->shape];
            row.words[1] = (uint32_t)job->shapes[o->shape].triangle_count;
            number += row.words[1];
            ++next;
        }
        writer_put(w, &row, sizeof row);
    }
    writer_flush(w);
}

// ---- All ----

static tact_result bring_all(making* m)
{
    tact_gpu_filter_scene* s = m->scene;
    writer w = {.staging = tact_allocate(m->env, STAGING, 1)};
    if (!w.staging) return tact_device_fail(m->device, TACT_ERROR_OUT_OF_MEMORY);
    tact_buffer_hold(m->device, &s->vertices, (uint64_t)s->vertex_count * 16);
    tact_buffer_hold(m->device, &s->indices, m->triangles * 12);
    tact_buffer_hold(m->device, &s->objects, (uint64_t)m->job->object_count * sizeof(object_row));
    if (bring_vertices(m, &w) == TACT_OK) {
        bring_indices(m, &w);
        bring_objects(m, &w);
    }
    tact_release(m->env, w.staging);
    if (tact_device_result(m->device) == TACT_ERROR_INVALID_ARGUMENT) return TACT_ERROR_INVALID_ARGUMENT;
    return TACT_DEVICE_WITHIN(m->device,
                              "bringing %zu objects, %llu triangles of shapes and %u vertices: ", m->job->object_count,
                              (unsigned long long)m->triangles, (unsigned)s->vertex_count);
}

tact_result tact_gpu_filter_scene_make(tact_device* device, const tact_filter_job* job, tact_gpu_filter_scene* scene)
{
    tact_env* env = tact_device_env(device);
    scene->device = device;
    making m = {.device = device, .env = env, .job = job, .scene = scene};
    tact_release(env, scene->first_vertex);
    tact_release(env, scene->used);
    scene->first_vertex = tact_allocate(env, job->shape_count, sizeof *scene->first_vertex);
    scene->used = tact_allocate_zeroed(env, job->shape_count, sizeof *scene->used);
    m.first_triangle = tact_allocate(env, job->shape_count, sizeof *m.first_triangle);
    if (!scene->first_vertex || !scene->used || !m.first_triangle) {
        tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    } else if (take_part(&m) == TACT_OK && place_shapes(&m) == TACT_OK) {
        bound_all(&m);
        bring_all(&m);
    }
    tact_release(env, m.first_triangle);
    return tact_device_result(device);
}

void tact_gpu_filter_scene_release(tact_gpu_filter_scene* scene)
{
    if (!scene->device) return;
    tact_env* env = tact_device_env(scene->device);
    tact_buffer_destroy(scene->vertices);
    tact_buffer_destroy(scene->indices);
    tact_buffer_destroy(scene->objects);
    tact_buffer_destroy(scene->raw);
    tact_release(env, scene->taking_part);
    tact_release(env, scene->first_vertex);
    tact_release(env, scene->used);
    memset(scene, 0, sizeof *scene);
}
