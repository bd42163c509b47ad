// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a device found, on the host: exact tests of what was unsure, and the order.
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/blocks.h"
#include "gpu/filter/internal.h"
#include "gpu/overlap/internal.h"

enum { GRAIN = 256 };

static uint32_t unsure_bit(const uint32_t finding[4])
{
    return finding[0] & TACT_FILTER_UNSURE;
}

// ---- Judging ----

tact_result tact_gpu_filter_read_vertices(tact_gpu_filter_work* w)
{
    if (w->vertices) return TACT_OK;
    const tact_gpu_filter_scene* s = &w->f->scene;
    w->vertices = tact_allocate(w->env, s->vertex_count, 16);
    if (!w->vertices) return tact_device_fail(w->device, TACT_ERROR_OUT_OF_MEMORY);
    return tact_buffer_read(s->vertices, 0, w->vertices, (size_t)s->vertex_count * 16);
}

tact_vec3 tact_gpu_filter_vertex(const tact_gpu_filter_work* w, uint32_t shape, uint32_t vertex)
{
    const tact_mesh_desc* s = &w->job->shapes[shape];
    tact_vec3 p;
    if (tact_gpu_filter_on_device(w->device, s)) {
        memcpy(&p, w->vertices + 4 * ((size_t)w->f->scene.first_vertex[shape] + vertex), sizeof p);
    } else {
        memcpy(&p, (const char*)s->positions + vertex * tact_gpu_filter_stride(s), sizeof p);
    }
    return p;
}

static tact_triangle triangle_of(const tact_gpu_filter_work* w, uint32_t object, uint32_t triangle)
{
    const tact_filter_object* o = &w->job->objects[object];
    const uint32_t* indices = w->job->shapes[o->shape].indices;
    tact_vec3 p[3];
    for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t corner = indices ? indices[3 * (size_t)triangle + k] : 3 * triangle + k;
        p[k] = tact_overlap_move_point(o->pose, tact_gpu_filter_vertex(w, o->shape, corner));
    }
    return (tact_triangle){p[0], p[1], p[2]};
}

/// The number of the candidate pair, which are in order.
static uint32_t candidate_of(const tact_filter_job* job, uint32_t a, uint32_t b)
{
    size_t low = 0, high = job->candidate_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        const tact_pair p = job->candidates[middle];
        const bool past = p.a != a ? p.a > a : p.b > b;
        *(past ? &high : &low) = middle;
    }
    return (uint32_t)low;
}

/// Leaves the number of the candidate in a finding's first word.
static void judge_piece(size_t begin, size_t end, int worker, void* user)
{
    const tact_gpu_filter_work* w = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        uint32_t* f = w->findings[i];
        const uint32_t object_a = f[0] & ~TACT_FILTER_UNSURE;
        w->verdicts[i] = 1;
        if (unsure_bit(f)) {
            const tact_triangle a = triangle_of(w, object_a, f[2]), b = triangle_of(w, f[1], f[3]);
            w->verdicts[i] = tact_triangle_overlaps_triangle(&a, &b);
        }
        f[0] = candidate_of(w->job, object_a, f[1]);
    }
}

tact_result tact_gpu_filter_hold_findings(tact_gpu_filter_work* w, size_t count, size_t there)
{
    void *findings = w->findings, *verdicts = w->verdicts;
    const bool enough = tact_reserve(w->env, &findings, &w->finding_capacity, there, count, sizeof *w->findings) &&
                        tact_reserve(w->env, &verdicts, &w->verdict_capacity, 0, count, 1);
    w->findings = findings;
    w->verdicts = verdicts;
    return enough ? TACT_OK : tact_device_fail(w->device, TACT_ERROR_OUT_OF_MEMORY);
}

static tact_result add_findings(tact_gpu_filter_work* w, size_t count)
{
    tact_overlap_list* list = &w->found;
    void* pairs = list->pairs;
    if (!tact_reserve(w->env, &pairs, &list->capacity, list->count, list->count + count, sizeof *list->pairs)) {
        return tact_device_fail(w->device, TACT_ERROR_OUT_OF_MEMORY);
    }
    list->pairs = pairs;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t* f = w->findings[i];
        if (w->verdicts[i]) list->pairs[list->count++] = (tact_mesh_pair){f[0], f[2], f[3]};
    }
    if (list->count <= TACT_BLOCK_LIMIT) return TACT_OK;
    // Said now, before more memory fills with pairs that cannot be sorted.
    return TACT_DEVICE_FAIL(w->device, TACT_ERROR_LIMIT, "%zu pairs of triangles and more; at most 2^31 on a device",
                            list->count);
}

tact_result tact_gpu_filter_collect(tact_gpu_filter_work* w, uint32_t count, uint32_t before)
{
    const double start = tact_device_milliseconds(w->device);
    const size_t row = sizeof *w->findings;
    if (tact_gpu_filter_hold_findings(w, count, before < count ? before : count) != TACT_OK)
        return tact_device_result(w->device);
    if (before < count) tact_buffer_read(w->f->found, before * row, w->findings + before, (count - before) * row);
    if (tact_device_result(w->device) != TACT_OK) return tact_device_result(w->device);
    bool there = true;
    uint64_t unsure = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t* f = w->findings[i];
        if (!unsure_bit(f)) continue;
        const tact_filter_object* o = w->job->objects;
        const tact_mesh_desc* s = w->job->shapes;
        there = there && !tact_gpu_filter_on_device(w->device, &s[o[f[0] & ~TACT_FILTER_UNSURE].shape]) &&
                !tact_gpu_filter_on_device(w->device, &s[o[f[1]].shape]);
        ++unsure;
    }
    if (!there && tact_gpu_filter_read_vertices(w) != TACT_OK) return tact_device_result(w->device);
    tact_parallel_for(w->job->threads, count, GRAIN, judge_piece, w);
    add_findings(w, count);
    w->f->told.unsure += unsure;
    w->f->told.host_ms += tact_device_milliseconds(w->device) - start;
    return tact_device_result(w->device);
}

// ---- The end ----

static tact_result give(tact_gpu_filter_work* w, tact_filter_list* list)
{
    void* pairs = list->pairs;
    if (!tact_reserve(w->env, &pairs, &list->capacity, 0, w->found.count, sizeof *list->pairs)) {
        return tact_device_fail(w->device, TACT_ERROR_OUT_OF_MEMORY);
    }
    list->pairs = pairs;
    list->count = w->found.count;
    for (size_t i = 0; i < list->count; ++i) {
        const tact_mesh_pair f = w->found.pairs[i];
        const tact_pair objects = w->job->candidates[f.pose];
        list->pairs[i] = (tact_filter_pair){objects.a, objects.b, f.a, f.b};
    }
    return TACT_OK;
}

tact_result tact_gpu_filter_finish(tact_gpu_filter_work* w, tact_filter_list* list)
{
    const double start = tact_device_milliseconds(w->device);
    tact_result result = tact_gpu_overlap_sort(w->env, w->job->threads, &w->found);
    if (result == TACT_OK) result = give(w, list);
    w->f->told.order_ms += tact_device_milliseconds(w->device) - start;
    return result;
}
