// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the filter's result means: every triangle of every object, moved, against every one of all other objects.

#include "cpu_ref/filter/filter.h"
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
    TACT_ASSERT(list->count <= list->capacity);
    return TACT_OK;
}

/// All triangles that overlap anything at all, one object after the other.
typedef struct soup {
    tact_triangle* triangles;
    uint32_t* ids;
    size_t* first;  ///< of each object, and one more entry
    size_t rows;    ///< gone through, between two questions for progress
} soup;

static tact_result make_soup(tact_env* env, const tact_filter_job* job, soup* s)
{
    size_t total = 0, count = 0;
    for (size_t i = 0; i < job->object_count; ++i)
        total += job->shapes[job->objects[i].shape].triangle_count;
    s->triangles = tact_allocate(env, total, sizeof *s->triangles);
    s->ids = tact_allocate(env, total, sizeof *s->ids);
    s->first = tact_allocate(env, job->object_count + 1, sizeof *s->first);
    if (!s->triangles || !s->ids || !s->first) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < job->object_count; ++i) {
        const tact_mesh_desc* shape = &job->shapes[job->objects[i].shape];
        s->first[i] = count;
        for (size_t k = 0; k < shape->triangle_count; ++k) {
            tact_vec3 p[3];
            for (size_t c = 0; c < 3; ++c)
                p[c] = tact_overlap_move_point(job->objects[i].pose, tact_filter_corner(shape, k, c));
            if (!tact_overlap_in_range(p[0]) || !tact_overlap_in_range(p[1]) || !tact_overlap_in_range(p[2])) continue;
            s->triangles[count] = (tact_triangle){p[0], p[1], p[2]};
            s->ids[count++] = (uint32_t)k;
        }
    }
    s->first[job->object_count] = count;
    TACT_ASSERT(count <= total);
    return TACT_OK;
}

static tact_result ask(tact_env* env, const tact_filter_job* job, soup* s, uint32_t a)
{
    enum { ROWS = 64 };
    if (!job->progress || s->rows++ % ROWS != 0) return TACT_OK;
    if (job->progress((double)a / (double)job->object_count, job->progress_user)) return TACT_OK;
    return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
}

/// All pairs of two objects.
static tact_result search(tact_env* env, const tact_filter_job* job, soup* s, uint32_t a, uint32_t b,
                          tact_filter_list* list)
{
    TACT_ASSERT(a < b && b < job->object_count);
    tact_result result = TACT_OK;
    for (size_t i = s->first[a]; i < s->first[a + 1] && result == TACT_OK; ++i) {
        result = ask(env, job, s, a);
        for (size_t k = s->first[b]; k < s->first[b + 1] && result == TACT_OK; ++k) {
            if (!tact_triangle_overlaps_triangle(&s->triangles[i], &s->triangles[k])) continue;
            const tact_filter_pair pair = {a, b, s->ids[i], s->ids[k]};
            result = tact_filter_list_add(env, list, &pair);
        }
    }
    return result;
}

tact_result tact_filter_reference(tact_env* env, const tact_filter_job* job, tact_filter_list* list)
{
    soup s = {0};
    list->count = 0;
    tact_result result = make_soup(env, job, &s);
    for (uint32_t a = 0; a < job->object_count && result == TACT_OK; ++a) {
        for (uint32_t b = a + 1; b < job->object_count && result == TACT_OK; ++b)
            result = search(env, job, &s, a, b, list);
    }
    tact_release(env, s.triangles);
    tact_release(env, s.ids);
    tact_release(env, s.first);
    return result;
}
