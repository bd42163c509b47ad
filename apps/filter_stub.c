// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// In place of functions of the library that are not there yet: boxes, then all triangles. To be deleted, with its line
// in CMakeLists.txt.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"
#include "kernels/pose.h"
#include "tact/mesh_filter.h"

struct tact_filter {
    tact_context* context;
};

tact_result tact_filter_create(tact_context* context, tact_filter** filter)
{
    *filter = malloc(sizeof **filter);
    if (!*filter) return TACT_ERROR_OUT_OF_MEMORY;
    (*filter)->context = context;
    return TACT_OK;
}

void tact_filter_destroy(tact_filter* filter)
{
    free(filter);
}

const char* tact_filter_stage_name(tact_filter_stage stage)
{
    static const char* const names[] = {"scene", "boxes", "objects", "parts", "triangles", "exact"};
    return (unsigned)stage < TACT_FILTER_STAGES ? names[stage] : "?";
}

static tact_triangle corners(const tact_filter_shape* shape, const float* m, size_t t)
{
    float p[9];
    for (size_t c = 0; c < 3; ++c) {
        const float* v = shape->positions + 3 * shape->indices[3 * t + c];
        for (size_t k = 0; k < 3; ++k)
            p[3 * c + k] = tact_pose_apply(m[4 * k], m[4 * k + 1], m[4 * k + 2], m[4 * k + 3], v[0], v[1], v[2]);
    }
    return (tact_triangle){{p[0], p[1], p[2]}, {p[3], p[4], p[5]}, {p[6], p[7], p[8]}};
}

static void grow(float box[6], const tact_triangle* t)
{
    const float* p = &t->a.x;
    for (int i = 0; i < 9; ++i) {
        box[i % 3] = fminf(box[i % 3], p[i]);
        box[3 + i % 3] = fmaxf(box[3 + i % 3], p[i]);
    }
}

static bool meet(const float* a, const float* b)
{
    for (int k = 0; k < 3; ++k)
        if (a[k] > b[3 + k] || b[k] > a[3 + k]) return false;
    return true;
}

static bool usable(const tact_triangle* t)
{
    const float* p = &t->a.x;
    for (int i = 0; i < 9; ++i)
        if (!(fabsf(p[i]) <= TACT_MAX_COORDINATE)) return false;
    return true;
}

static void box_of(const tact_filter_shape* shape, const float* pose, float box[6])
{
    for (int k = 0; k < 3; ++k) {
        box[k] = INFINITY;
        box[3 + k] = -INFINITY;
    }
    for (size_t t = 0; t < shape->triangle_count; ++t) {
        const tact_triangle c = corners(shape, pose, t);
        if (usable(&c)) grow(box, &c);
    }
}

tact_result tact_filter_run(tact_filter* filter, const tact_filter_shape* shapes, size_t shape_count,
                            const tact_filter_object* objects, size_t object_count, const tact_filter_options* options,
                            tact_filter_pair* pairs, size_t capacity, size_t* count, tact_filter_count* stages,
                            const tact_query_options* query, tact_query_report* report)
{
    (void)filter, (void)shape_count, (void)options;
    const double start = tact_system_milliseconds();
    *report =
        (tact_query_report){.backend = query->backend ? query->backend : TACT_BACKEND_CPU, .exact = true, .threads = 1};
    float(*boxes)[6] = malloc(object_count * sizeof *boxes + 1);
    for (size_t i = 0; i < object_count; ++i)
        box_of(&shapes[objects[i].shape], objects[i].pose, boxes[i]);
    memset(stages, 0, TACT_FILTER_STAGES * sizeof *stages);
    *count = 0;
    for (uint32_t i = 0; i < object_count; ++i) {
        const tact_filter_shape* a = &shapes[objects[i].shape];
        stages[0].triangles += a->triangle_count;
        for (uint32_t k = i + 1; k < object_count; ++k) {
            const tact_filter_shape* b = &shapes[objects[k].shape];
            if (!meet(boxes[i], boxes[k])) continue;
            for (uint32_t s = 0; s < a->triangle_count; ++s) {
                const tact_triangle p = corners(a, objects[i].pose, s);
                float box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
                if (!usable(&p)) continue;
                grow(box, &p);
                if (!meet(box, boxes[k])) continue;
                for (uint32_t t = 0; t < b->triangle_count; ++t) {
                    const tact_triangle q = corners(b, objects[k].pose, t);
                    if (!usable(&q) || !tact_triangle_overlaps_triangle(&p, &q)) continue;
                    if (*count < capacity) pairs[*count] = (tact_filter_pair){i, k, s, t};
                    ++*count;
                }
            }
        }
    }
    free(boxes);
    stages[0].ran = stages[5].ran = true;
    stages[0].objects = object_count;
    report->query_ms = report->total_ms = tact_system_milliseconds() - start;
    return *count > capacity ? TACT_INCOMPLETE : TACT_OK;
}
