// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Scenes of many objects for tests of the filter, and which triangles overlap in them. Include after run.h.

#include "cpu_ref/filter/filter.h"
#include "cpu_ref/overlap/overlap.h"
#include "tests/support/mesh_soup.h"
#include "tests/support/meshes.h"

typedef struct filter_scene {
    tact_mesh_desc* shapes;
    size_t shape_count;
    tact_filter_object* objects;
    size_t object_count;
    tact_aabb* boxes;
    tact_pair* candidates;
    size_t candidate_count;
    tact_filter_pair* expected;  ///< once it `is_solved`
    size_t expected_count;
    bool is_solved;
} filter_scene;

static inline void* filter_grown(void* array, size_t count, size_t size)
{
    // Powers of two, seldom.
    void* more = (count & (count - 1)) == 0 ? realloc(array, (count ? 2 * count : 1) * size) : array;
    assert_non_null(more);
    return more;
}

static inline uint32_t filter_add_shape(filter_scene* s, const float* positions, size_t vertices, size_t stride,
                                        const uint32_t* indices, size_t triangles)
{
    s->shapes = filter_grown(s->shapes, s->shape_count, sizeof *s->shapes);
    const size_t row = stride ? stride : 12;
    float* p = malloc(vertices * row + 4);
    uint32_t* t = indices ? malloc(triangles * 12 + 4) : NULL;
    assert_non_null(p);
    memcpy(p, positions, vertices * row);
    if (t) memcpy(t, indices, triangles * 12);
    s->shapes[s->shape_count] = (tact_mesh_desc){
        .positions = p, .vertex_count = vertices, .position_stride = stride, .indices = t, .triangle_count = triangles};
    return (uint32_t)s->shape_count++;
}

static inline tact_filter_object* filter_add_object(filter_scene* s, uint32_t shape, float x, float y, float z)
{
    s->objects = filter_grown(s->objects, s->object_count, sizeof *s->objects);
    tact_filter_object* o = &s->objects[s->object_count++];
    *o = (tact_filter_object){shape, {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}};
    return o;
}

static inline uint32_t filter_add_box(filter_scene* s, float x, float y, float z)
{
    float p[24];
    box_corners((const float[3]){-x, -y, -z}, (const float[3]){x, y, z}, p);
    return filter_add_shape(s, p, 8, 0, box_indices, 12);
}

/// A grid of 2 `rows` x `columns` triangles; open: a bent sheet; else a ball, or a tube whose middle goes round a ring
/// or a knot. Ball and ring have the radius 1.
typedef enum filter_form { FILTER_SHEET, FILTER_BALL, FILTER_RING, FILTER_KNOT } filter_form;

static inline void filter_point(filter_form form, double u, double v, float p[3])
{
    const double turn = 6.283185307179586;
    if (form == FILTER_SHEET) {
        p[0] = (float)(2 * u - 1);
        p[1] = (float)(2 * v - 1);
        p[2] = (float)(0.2 * sin(5 * u) * cos(4 * v));
    } else if (form == FILTER_BALL) {
        p[0] = (float)(sin(turn / 2 * u) * cos(turn * v));
        p[1] = (float)(sin(turn / 2 * u) * sin(turn * v));
        p[2] = (float)cos(turn / 2 * u);
    } else if (form == FILTER_RING) {
        const double ring = 0.75 + 0.25 * cos(turn * u);
        p[0] = (float)(ring * cos(turn * v));
        p[1] = (float)(ring * sin(turn * v));
        p[2] = (float)(0.25 * sin(turn * u));
    } else {
        const double a = 2 * turn * u, b = 3 * turn * u, c = turn * v, r = 0.6 + 0.25 * cos(b) + 0.12 * cos(c);
        p[0] = (float)(r * cos(a));
        p[1] = (float)(r * sin(a));
        p[2] = (float)(0.4 * sin(b) + 0.12 * sin(c));
    }
}

static inline uint32_t filter_add_form(filter_scene* s, filter_form form, uint32_t rows, uint32_t columns)
{
    const uint32_t across = columns + 1;
    float* p = scratch((size_t)(rows + 1) * across * 12);
    uint32_t* t = scratch((size_t)rows * columns * 24);
    for (uint32_t i = 0; i < (rows + 1) * across; ++i)
        filter_point(form, (double)(i / across) / rows, (double)(i % across) / columns, p + 3 * (size_t)i);
    for (uint32_t i = 0; i < rows * columns; ++i) {
        const uint32_t here = i / columns * across + i % columns, below = here + across;
        const uint32_t corners[6] = {here, below, here + 1, here + 1, below, below + 1};
        memcpy(t + 6 * (size_t)i, corners, sizeof corners);
    }
    return filter_add_shape(s, p, (size_t)(rows + 1) * across, 0, t, (size_t)2 * rows * columns);
}

/// An icosahedron whose faces are cut in four `times` times, without indices.
static inline uint32_t filter_add_round(filter_scene* s, int times)
{
    static const unsigned char faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                               {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                               {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                               {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const float t = 1.618034f;
    const float corners[12][3] = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                                  {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
    const size_t count = (size_t)20 << 2 * times;
    float* p = scratch(count * 36);
    for (size_t i = 0; i < count; ++i) {
        float c[3][3];
        for (size_t k = 0; k < 9; ++k)
            c[k / 3][k % 3] = corners[faces[i >> 2 * times][k / 3]][k % 3];
        for (int cut = times - 1; cut >= 0; --cut) {
            const size_t part = i >> 2 * cut & 3;
            float m[3][3];  // the middle of the edge across
            for (size_t k = 0; k < 9; ++k)
                m[k / 3][k % 3] = 0.5f * (c[(k / 3 + 1) % 3][k % 3] + c[(k / 3 + 2) % 3][k % 3]);
            for (size_t k = 0; k < 9; ++k)
                if (part == 3 || k / 3 != part) c[k / 3][k % 3] = m[part == 3 ? k / 3 : 3 - part - k / 3][k % 3];
        }
        for (size_t k = 0; k < 3; ++k) {
            const float length = sqrtf(c[k][0] * c[k][0] + c[k][1] * c[k][1] + c[k][2] * c[k][2]);
            for (size_t j = 0; j < 3; ++j)
                p[9 * i + 3 * k + j] = c[k][j] / length;
        }
    }
    return filter_add_shape(s, p, 3 * count, 0, NULL, count);
}

static inline uint32_t filter_add_soup(filter_scene* s, test_random* r, soup_kind kind, size_t triangles)
{
    static soup made;
    fill_soup(r, kind, triangles, &made);
    return filter_add_shape(s, made.positions, made.vertices, 0, made.indices, made.triangles);
}

// ---- What overlaps ----

static inline tact_triangle filter_triangle(const filter_scene* s, uint32_t object, size_t triangle)
{
    const tact_filter_object* o = &s->objects[object];
    const tact_mesh_desc* h = &s->shapes[o->shape];
    tact_vec3 p[3];
    for (size_t k = 0; k < 3; ++k) {
        const size_t v = h->indices ? h->indices[3 * triangle + k] : 3 * triangle + k;
        memcpy(&p[k], (const char*)h->positions + v * (h->position_stride ? h->position_stride : 12), sizeof p[k]);
        p[k] = tact_overlap_move_point(o->pose, p[k]);
    }
    return (tact_triangle){p[0], p[1], p[2]};
}

static const tact_aabb filter_nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline void filter_include(tact_aabb* box, const tact_aabb* more)
{
    float *l = &box->lower.x, *h = &box->upper.x;
    const float *a = &more->lower.x, *b = &more->upper.x;
    for (int k = 0; k < 3; ++k) {
        l[k] = a[k] < l[k] ? a[k] : l[k];
        h[k] = b[k] > h[k] ? b[k] : h[k];
    }
}

static inline bool filter_boxes_meet(const tact_aabb* a, const tact_aabb* b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

/// Empty for a triangle that overlaps nothing.
static inline tact_aabb filter_triangle_box(const tact_triangle* t)
{
    tact_aabb box = filter_nothing;
    if (!tact_overlap_triangle_there(t)) return box;
    const tact_aabb corners[3] = {{t->a, t->a}, {t->b, t->b}, {t->c, t->c}};
    for (int k = 0; k < 3; ++k)
        filter_include(&box, &corners[k]);
    return box;
}

static inline void filter_find_candidates(filter_scene* s)
{
    s->boxes = malloc((s->object_count + 1) * sizeof *s->boxes);
    assert_non_null(s->boxes);
    for (uint32_t i = 0; i < s->object_count; ++i) {
        s->boxes[i] = filter_nothing;
        for (size_t t = 0; t < s->shapes[s->objects[i].shape].triangle_count; ++t) {
            const tact_triangle triangle = filter_triangle(s, i, t);
            const tact_aabb box = filter_triangle_box(&triangle);
            filter_include(&s->boxes[i], &box);
        }
    }
    for (uint32_t a = 0; a < s->object_count; ++a) {
        for (uint32_t b = a + 1; b < s->object_count; ++b) {
            if (!filter_boxes_meet(&s->boxes[a], &s->boxes[b])) continue;
            s->candidates = filter_grown(s->candidates, s->candidate_count, sizeof *s->candidates);
            s->candidates[s->candidate_count++] = (tact_pair){a, b};
        }
    }
}

/// An object's triangles that come near a box.
typedef struct filter_near {
    tact_triangle* triangles;
    tact_aabb* boxes;
    uint32_t* numbers;
    size_t count;
} filter_near;

static inline filter_near filter_find_near(const filter_scene* s, uint32_t object, const tact_aabb* box)
{
    const size_t count = s->shapes[s->objects[object].shape].triangle_count;
    filter_near n = {malloc(count * sizeof *n.triangles + 1), malloc(count * sizeof *n.boxes + 1),
                     malloc(count * sizeof *n.numbers + 1), 0};
    assert_true(n.triangles && n.boxes && n.numbers);
    for (size_t t = 0; t < count; ++t) {
        n.triangles[n.count] = filter_triangle(s, object, t);
        n.boxes[n.count] = filter_triangle_box(&n.triangles[n.count]);
        n.numbers[n.count] = (uint32_t)t;
        n.count += filter_boxes_meet(&n.boxes[n.count], box);
    }
    return n;
}

static inline void filter_free_near(filter_near* n)
{
    free(n->triangles);
    free(n->boxes);
    free(n->numbers);
}

static inline void filter_find_expected(filter_scene* s)
{
    for (size_t c = 0; c < s->candidate_count; ++c) {
        const tact_pair p = s->candidates[c];
        filter_near a = filter_find_near(s, p.a, &s->boxes[p.b]), b = filter_find_near(s, p.b, &s->boxes[p.a]);
        for (size_t i = 0; i < a.count; ++i) {
            for (size_t k = 0; k < b.count; ++k) {
                if (!filter_boxes_meet(&a.boxes[i], &b.boxes[k]) ||
                    !tact_triangle_overlaps_triangle(&a.triangles[i], &b.triangles[k])) {
                    continue;
                }
                s->expected = filter_grown(s->expected, s->expected_count, sizeof *s->expected);
                s->expected[s->expected_count++] = (tact_filter_pair){p.a, p.b, a.numbers[i], b.numbers[k]};
            }
        }
        filter_free_near(&a);
        filter_free_near(&b);
    }
}

/// Without what is expected.
static inline tact_filter_job filter_job_unsolved(filter_scene* s)
{
    if (!s->boxes) filter_find_candidates(s);
    return (tact_filter_job){.shapes = s->shapes,
                             .shape_count = s->shape_count,
                             .objects = s->objects,
                             .object_count = s->object_count,
                             .boxes = s->boxes,
                             .candidates = s->candidates,
                             .candidate_count = s->candidate_count,
                             .threads = 2};
}

static inline tact_filter_job filter_job(filter_scene* s)
{
    const tact_filter_job job = filter_job_unsolved(s);
    if (!s->is_solved) filter_find_expected(s);
    s->is_solved = true;
    return job;
}

static inline void filter_free(filter_scene* s)
{
    for (size_t i = 0; i < s->shape_count; ++i) {
        free((void*)(uintptr_t)s->shapes[i].positions);
        free((void*)(uintptr_t)s->shapes[i].indices);
    }
    free(s->shapes);
    free(s->objects);
    free(s->boxes);
    free(s->candidates);
    free(s->expected);
    memset(s, 0, sizeof *s);
}
