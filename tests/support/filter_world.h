// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Shapes and objects of a filter as a job, and which of their triangles overlap, by trying all. Include after
/// run.h.

#include "cpu_ref/filter/filter.h"
#include "kernels/pose.h"
#include "tact/geometry/triangle_triangle.h"
#include "tests/support/mesh_soup.h"

typedef struct world_shape {
    float* positions;
    uint32_t* indices;
    uint32_t vertices, triangles;
} world_shape;

typedef struct filter_world {
    world_shape* shapes;
    tact_mesh_desc* described;
    tact_filter_object* objects;
    tact_aabb* boxes;
    tact_pair* candidates;
    uint32_t shape_count, object_count;
    size_t candidate_count, room;
    uint32_t* first;          ///< number of each object's first triangle
    uint32_t triangle_count;  ///< of all objects
    tact_triangle* placed;    ///< of all objects, moved
    bool* counts;             ///< of each triangle: it is in range
} filter_world;

static inline filter_world world_make(uint32_t shapes, uint32_t objects)
{
    filter_world w = {.shape_count = shapes, .object_count = objects};
    w.shapes = calloc(shapes, sizeof *w.shapes);
    w.described = calloc(shapes, sizeof *w.described);
    w.objects = calloc(objects, sizeof *w.objects);
    w.boxes = calloc(objects, sizeof *w.boxes);
    w.first = calloc(objects + 1, sizeof *w.first);
    assert_true(w.shapes && w.described && w.objects && w.boxes && w.first);
    return w;
}

static inline void world_free(filter_world* w)
{
    for (uint32_t i = 0; i < w->shape_count; ++i) {
        free(w->shapes[i].positions);
        free(w->shapes[i].indices);
    }
    free(w->shapes);
    free(w->described);
    free(w->objects);
    free(w->boxes);
    free(w->candidates);
    free(w->first);
    free(w->placed);
    free(w->counts);
}

static inline void world_shape_room(world_shape* s, uint32_t vertices, uint32_t triangles)
{
    s->vertices = vertices;
    s->triangles = triangles;
    s->positions = malloc((size_t)vertices * 12 + 12);
    s->indices = malloc((size_t)triangles * 12 + 12);
    assert_true(s->positions && s->indices);
}

static inline void world_soup(world_shape* to, test_random* r, soup_kind kind, uint32_t triangles)
{
    soup s;
    fill_soup(r, kind, triangles, &s);
    world_shape_room(to, (uint32_t)s.vertices, (uint32_t)s.triangles);
    memcpy(to->positions, s.positions, s.vertices * 12);
    memcpy(to->indices, s.indices, s.triangles * 12);
}

/// A surface around the origin or around a ring, of 2 * rows * columns triangles. `tube`: the ring's inner radius, or 0
/// for a ball of radius 1.
static inline void world_surface(world_shape* to, uint32_t rows, uint32_t columns, float tube)
{
    world_shape_room(to, (rows + 1) * columns, 2 * rows * columns);
    for (uint32_t i = 0; i < to->vertices; ++i) {
        const double along = 6.283185307179586 * (i % columns) / columns;
        const double across = (tube > 0 ? 2 : 1) * 3.141592653589793 * (i / columns) / rows;
        const double ring = tube > 0 ? 1.0 - (double)tube * (1 - cos(across)) : sin(across);
        to->positions[3 * i] = (float)(ring * cos(along));
        to->positions[3 * i + 1] = (float)(ring * sin(along));
        to->positions[3 * i + 2] = (float)(tube > 0 ? (double)tube * sin(across) : cos(across));
    }
    for (uint32_t t = 0; t < to->triangles; ++t) {
        const uint32_t row = t / 2 / columns, column = t / 2 % columns, next = (column + 1) % columns;
        const uint32_t a = row * columns + column, b = row * columns + next;
        const uint32_t corners[2][3] = {{a, b, a + columns}, {b, b + columns, a + columns}};
        memcpy(&to->indices[3 * t], corners[t % 2], 12);
    }
}

static inline void world_turn(test_random* r, float scale, const float place[3], float pose[12])
{
    float q[4], length = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = test_random_signed(r);
        length += q[i] * q[i];
    }
    length = sqrtf(length) + 1e-9f;
    for (int i = 0; i < 4; ++i)
        q[i] /= length;
    const float x = q[0], y = q[1], z = q[2], w = q[3];
    const float m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                        2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                        2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            pose[4 * i + k] = scale * m[3 * i + k];
        pose[4 * i + 3] = place[i];
    }
}

static inline tact_vec3 world_moved(const float m[12], const float* p)
{
    return (tact_vec3){tact_pose_apply(m[0], m[1], m[2], m[3], p[0], p[1], p[2]),
                       tact_pose_apply(m[4], m[5], m[6], m[7], p[0], p[1], p[2]),
                       tact_pose_apply(m[8], m[9], m[10], m[11], p[0], p[1], p[2])};
}

static inline bool world_in_range(tact_vec3 p)
{
    return fabsf(p.x) <= 0x1p60f && fabsf(p.y) <= 0x1p60f && fabsf(p.z) <= 0x1p60f;
}

static inline tact_aabb world_join(tact_aabb a, tact_vec3 p)
{
    return (tact_aabb){{fminf(a.lower.x, p.x), fminf(a.lower.y, p.y), fminf(a.lower.z, p.z)},
                       {fmaxf(a.upper.x, p.x), fmaxf(a.upper.y, p.y), fmaxf(a.upper.z, p.z)}};
}

static inline bool world_meet(const tact_aabb* a, const tact_aabb* b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static const tact_aabb world_nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline tact_aabb world_box(const tact_triangle* t)
{
    return world_join(world_join(world_join(world_nothing, t->a), t->b), t->c);
}

static inline void world_place(filter_world* w, uint32_t object)
{
    const tact_filter_object* o = &w->objects[object];
    const world_shape* s = &w->shapes[o->shape];
    tact_aabb box = world_nothing;
    for (uint32_t t = 0; t < s->triangles; ++t) {
        tact_vec3 c[3];
        for (int k = 0; k < 3; ++k)
            c[k] = world_moved(o->pose, &s->positions[3 * s->indices[3 * t + (uint32_t)k]]);
        const uint32_t at = w->first[object] + t;
        w->placed[at] = (tact_triangle){c[0], c[1], c[2]};
        w->counts[at] = world_in_range(c[0]) && world_in_range(c[1]) && world_in_range(c[2]);
        for (int k = 0; k < 3; ++k)
            if (w->counts[at]) box = world_join(box, c[k]);
    }
    w->boxes[object] = box;
}

static inline void world_candidate(filter_world* w, uint32_t a, uint32_t b)
{
    if (!world_meet(&w->boxes[a], &w->boxes[b])) return;
    if (w->candidate_count == w->room) {
        w->room = 2 * w->room + 64;
        w->candidates = realloc(w->candidates, w->room * sizeof *w->candidates);
        assert_non_null(w->candidates);
    }
    w->candidates[w->candidate_count++] = (tact_pair){a, b};
}

/// When shapes and objects are there: triangles, boxes, candidates.
static inline tact_filter_job world_finish(filter_world* w)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < w->object_count; ++i) {
        w->first[i] = all;
        all += w->shapes[w->objects[i].shape].triangles;
    }
    w->first[w->object_count] = w->triangle_count = all;
    w->placed = malloc(((size_t)all + 1) * sizeof *w->placed);
    w->counts = calloc(all + 1, sizeof *w->counts);
    assert_true(w->placed && w->counts);
    for (uint32_t i = 0; i < w->object_count; ++i)
        world_place(w, i);
    for (uint32_t a = 0; a < w->object_count; ++a)
        for (uint32_t b = a + 1; b < w->object_count; ++b)
            world_candidate(w, a, b);
    for (uint32_t i = 0; i < w->shape_count; ++i) {
        w->described[i] = (tact_mesh_desc){.positions = w->shapes[i].positions,
                                           .vertex_count = w->shapes[i].vertices,
                                           .indices = w->shapes[i].indices,
                                           .triangle_count = w->shapes[i].triangles};
    }
    return (tact_filter_job){.shapes = w->described,
                             .shape_count = w->shape_count,
                             .objects = w->objects,
                             .object_count = w->object_count,
                             .boxes = w->boxes,
                             .candidates = w->candidates,
                             .candidate_count = w->candidate_count,
                             .threads = 1};
}

/// hit[i]: triangle i of all is in some pair. The number of pairs.
static inline uint64_t world_exact(const filter_world* w, bool* hit)
{
    uint64_t pairs = 0;
    for (size_t c = 0; c < w->candidate_count; ++c) {
        const tact_pair p = w->candidates[c];
        for (uint32_t i = w->first[p.a]; i < w->first[p.a + 1]; ++i) {
            const tact_aabb box = world_box(&w->placed[i]);
            if (!w->counts[i] || !world_meet(&box, &w->boxes[p.b])) continue;
            for (uint32_t k = w->first[p.b]; k < w->first[p.b + 1]; ++k) {
                const tact_aabb other = world_box(&w->placed[k]);
                if (!w->counts[k] || !world_meet(&box, &other)) continue;
                if (!tact_triangle_overlaps_triangle(&w->placed[i], &w->placed[k])) continue;
                hit[i] = hit[k] = true;
                ++pairs;
            }
        }
    }
    return pairs;
}
