// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the filter's result means: every triangle of every object, moved, against every one of all other objects.

#include <stdlib.h>

#include "cpu_ref//filter/filter.h"
#include "tact/geometry/triangle_triangle.h"

void tact_filter_list_free(tact_env* env, tact_filter_list* list)
{
    tact_release(env, list->pairs);
    *list = (tact_filter_list){0};
}

tact_result tact_filter_list_add(tact_env* env, tact_filter_list* list, const tact_filter_pair* pair)
{
    if (list->count == list->capacity) {
        void* pairs = list->pairs;
        const size_t needed = list->count < 64 ? 64 : list->count + 1;
        if (!tact_reserve(env, &pairs, &list->capacity, list->count, needed, sizeof *list->pairs)) {
            return TACT_ERROR_OUT_OF_MEMORY;
        }
        list->pairs = pairs;
    }
    list->pairs[list->count++] = *pair;
    return TACT_OK;
}

/// All triangles that overlap anything at all, in order.
typedef struct soup {
    tact_triangle* triangles;
    uint32_t *objects, *ids;
    size_t count;
} soup;

static tact_result make_soup(tact_env* env, const tact_filter_job* job, soup* s)
{
    size_t total = 0;
    for (size_t i = 0; i < job->object_count; ++i)
        total += job->shapes[job->objects[i].shape].triangle_count;
    s->triangles = tact_allocate(env, total, sizeof *s->triangles);
    s->objects = tact_allocate(env, total, sizeof *s->objects);
    s->ids = tact_allocate(env, total, sizeof *s->ids);
    if (!s->triangles || !s->objects || !s->ids) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < job->object_count; ++i) {
        const tact_filter_shape* shape = &job->shapes[job->objects[i].shape];
        for (size_t k = 0; k < shape->triangle_count; ++k) {
            tact_vec3 p[3];
            for (size_t c = 0; c < 3; ++c)
                p[c] = tact_filter_move(job->objects[i].pose, tact_filter_corner(shape, k, c));
            if (!tact_filter_in_range(p[0]) || !tact_filter_in_range(p[1]) || !tact_filter_in_range(p[2])) continue;
            s->triangles[s->count] = (tact_triangle){p[0], p[1], p[2]};
            s->objects[s->count] = (uint32_t)i;
            s->ids[s->count++] = (uint32_t)k;
        }
    }
    return TACT_OK;
}

/// All pairs whose first triangle is number i. They do not come in the order of (object_a, object_b).
static tact_result search(tact_env* env, const soup* s, size_t i, tact_filter_list* list)
{
    tact_result result = TACT_OK;
    for (size_t k = i + 1; k < s->count && result == TACT_OK; ++k) {
        if (s->objects[k] == s->objects[i]) continue;
        if (!tact_triangle_overlaps_triangle(&s->triangles[i], &s->triangles[k])) continue;
        const tact_filter_pair pair = {s->objects[i], s->objects[k], s->ids[i], s->ids[k]};
        result = tact_filter_list_add(env, list, &pair);
    }
    return result;
}

static int compare(const void* left, const void* right)
{
    const tact_filter_pair *a = left, *b = right;
    if (a->object_a != b->object_a) return a->object_a < b->object_a ? -1 : 1;
    if (a->object_b != b->object_b) return a->object_b < b->object_b ? -1 : 1;
    if (a->triangle_a != b->triangle_a) return a->triangle_a < b->triangle_a ? -1 : 1;
    return a->triangle_b < b->triangle_b ? -1 : a->triangle_b > b->triangle_b;
}

tact_result tact_filter_reference(tact_env* env, const tact_filter_job* job, tact_filter_list* list)
{
    soup s = {0};
    list->count = 0;
    tact_result result = make_soup(env, job, &s);
    for (size_t i = 0; i < s.count && result == TACT_OK; ++i) {
        if (job->progress && i % 64 == 0 && !job->progress((double)i / (double)s.count, job->progress_user)) {
            result = tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
        } else {
            result = search(env, &s, i, list);
        }
    }
    if (result == TACT_OK && list->count > 1) qsort(list->pairs, list->count, sizeof *list->pairs, compare);
    tact_release(env, s.triangles);
    tact_release(env, s.objects);
    tact_release(env, s.ids);
    return result;
}
