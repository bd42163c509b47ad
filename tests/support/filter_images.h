// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Runs the images of the filter on a device, checks that they leave what overlaps, and makes scenes for them. Include
/// after run.h.

#include "gpu/filter/image.h"
#include "tests/support/device_fixture.h"
#include "tests/support/filter_scenes.h"

typedef struct outcome {
    uint32_t* left;  // two words each
    uint32_t count;
    tact_filter_count counts[TACT_FILTER_STAGES];
    tact_filter_view view;
} outcome;

static inline outcome run_with(device_fixture* f, tact_gpu_filter_image* image, const tact_filter_job* job)
{
    tact_gpu_filter_scene scene = {0};
    tact_buffer* left = NULL;
    outcome o = {0};
    expect_ok(f, tact_gpu_filter_scene_make(f->device, job, &scene));
    expect_ok(f, tact_gpu_filter_image_run(image, &scene, job, &left, &o.count, o.counts));
    o.left = scratch((size_t)o.count * 8 + 8);
    if (o.count) expect_ok(f, tact_buffer_read(left, 0, o.left, (size_t)o.count * 8));
    o.view = *tact_gpu_filter_image_view(image);
    tact_gpu_filter_scene_release(&scene);
    return o;
}

/// The same triangles, and the same counts.
static inline void expect_same(const outcome* a, const outcome* b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->left, b->left, (size_t)a->count * 8);
    for (int s = TACT_FILTER_OBJECTS; s <= TACT_FILTER_TRIANGLES; ++s) {
        assert_int_equal(a->counts[s].objects, b->counts[s].objects);
        assert_int_equal(a->counts[s].triangles, b->counts[s].triangles);
        assert_int_equal(a->counts[s].rounds, b->counts[s].rounds);
    }
}

/// After so many images; 0: after all.
static inline outcome run(device_fixture* f, const tact_filter_job* job, uint32_t rounds)
{
    tact_gpu_filter_image* image = NULL;
    expect_ok(f, tact_gpu_filter_image_create(f->device, &image));
    if (rounds) tact_gpu_filter_image_limit(image, rounds);
    const outcome o = run_with(f, image, job);
    // The same once more, with buffers that are dirty now, and without waiting for how much there is.
    const outcome again = run_with(f, image, job);
    expect_same(&again, &o);
    tact_gpu_filter_image_destroy(image);
    return o;
}

/// The number of each object's first triangle among those of all, and the number of all.
static inline uint32_t* first_triangles(const filter_scene* s)
{
    uint32_t* first = scratch((s->object_count + 1) * sizeof *first);
    first[0] = 0;
    for (size_t i = 0; i < s->object_count; ++i)
        first[i + 1] = first[i] + (uint32_t)s->shapes[s->objects[i].shape].triangle_count;
    return first;
}

/// Of each triangle, whether it is left. They must be ascending, there, in range; and counted rightly.
static inline bool* check(const filter_scene* s, const outcome* o)
{
    const uint32_t *first = first_triangles(s), all = first[s->object_count];
    bool* is_left = scratch_zeroed(all + 1, sizeof *is_left);
    uint64_t objects = 0;
    for (uint32_t i = 0; i < o->count; ++i) {
        const uint32_t *e = &o->left[2 * i], *before = i ? e - 2 : NULL;
        assert_in_range(e[0], 0, s->object_count - 1);
        assert_in_range(e[1], 0, first[e[0] + 1] - first[e[0]] - 1);
        if (before) assert_true(before[0] < e[0] || (before[0] == e[0] && before[1] < e[1]));
        objects += !before || before[0] != e[0];
        is_left[first[e[0]] + e[1]] = true;
        const tact_triangle t = filter_triangle(s, e[0], e[1]);
        assert_true(tact_overlap_triangle_there(&t));
    }
    const tact_filter_count* c = &o->counts[TACT_FILTER_OBJECTS];
    uint64_t most_objects = s->object_count, most_triangles = all;
    for (; c <= &o->counts[TACT_FILTER_TRIANGLES]; ++c) {
        assert_true(c->ran && c->objects <= most_objects && c->triangles <= most_triangles);
        most_objects = c->objects;
        most_triangles = c->triangles;
    }
    assert_int_equal(most_triangles, o->count);
    assert_int_equal(most_objects, objects);
    return is_left;
}

/// Nothing that overlaps is left out, after one image as after all; frees the scene. The number of pairs.
static inline uint64_t expect_all(device_fixture* f, filter_scene* s, uint32_t cells_log2)
{
    tact_filter_job job = filter_job(s);
    const uint32_t* first = first_triangles(s);
    uint32_t before = UINT32_MAX;
    job.options.cells_log2 = cells_log2;
    for (int all = 0; all < 2; ++all) {
        const outcome o = run(f, &job, all ? 0 : 1);
        const bool* is_left = check(s, &o);
        for (size_t i = 0; i < s->expected_count; ++i) {
            const tact_filter_pair p = s->expected[i];
            assert_true(is_left[first[p.object_a] + p.triangle_a] && is_left[first[p.object_b] + p.triangle_b]);
        }
        assert_true(o.count <= before);
        before = o.count;
    }
    const uint64_t pairs = s->expected_count;
    filter_free(s);
    return pairs;
}

// ---- Scenes ----

/// Adds an object, turned, at one of the places of a lattice with so many along x and along y.
static inline void add_at(filter_scene* s, test_random* r, uint32_t shape, uint32_t place, uint32_t across, float apart,
                          float size)
{
    tact_filter_object* o =
        filter_add_object(s, shape, apart * (float)(place % across), apart * (float)(place / across % across),
                          apart * (float)(place / (across * across)));
    random_turn(r, size, o->pose);
}

/// Adds so many objects, turned and of other sizes, of each shape in turn.
static inline void scatter(filter_scene* s, test_random* r, uint32_t objects, float width)
{
    for (uint32_t k = 0; k < objects; ++k) {
        const float x = width * test_random_signed(r), y = width * test_random_signed(r),
                    z = width * test_random_signed(r);
        tact_filter_object* o = filter_add_object(s, k % (uint32_t)s->shape_count, x, y, z);
        random_turn(r, 0.5f + test_random_unit(r), o->pose);
    }
}

static inline uint32_t add_triangle(filter_scene* s, const float corners[9])
{
    return filter_add_shape(s, corners, 3, 0, (const uint32_t[3]){0, 1, 2}, 1);
}

/// Many small balls, and triangles that go through all of them: across, along the view, or as thin as a hair.
static inline filter_scene large_ones(test_random* r, int kind, uint32_t balls, uint32_t large)
{
    static const float corners[3][9] = {{-3, -3, 0, 3, -2, 0.1f, 0, 4, -0.2f},
                                        {0, -3, -3, 0.001f, -2, 3, 0, 3, 2},
                                        {0, 0, -30, 0.001f, 0, 30, 0, 0.002f, 20}};
    filter_scene s = {0};
    const uint32_t ball = filter_add_form(&s, FILTER_BALL, 6, 10), triangle = add_triangle(&s, corners[kind]);
    for (uint32_t k = 0; k < balls + large; ++k) {
        const float size = k < balls ? 2.0f : 0.6f, x = size * test_random_signed(r), y = size * test_random_signed(r),
                    z = size * test_random_signed(r) * (kind == 2 ? 10.0f : 1.0f);
        tact_filter_object* o = filter_add_object(&s, k < balls ? ball : triangle, x, y, z);
        if (k < balls) random_turn(r, 0.1f, o->pose);
    }
    return s;
}

/// So many scenes unlike each other: soups, with what is huge, what is degenerate and objects without triangles; and
/// large triangles.
enum { SCENES = SOUP_KINDS + 3 };
static inline filter_scene scene_like(test_random* r, int number)
{
    if (number >= SOUP_KINDS) return large_ones(r, number - SOUP_KINDS, 60, 12);
    const soup_kind kind = (soup_kind)number;
    filter_scene s = {0};
    filter_add_soup(&s, r, kind, 20);
    filter_add_soup(&s, r, kind, 90);
    filter_add_soup(&s, r, kind, 0);
    for (int k = 0; k < 30; ++k)
        random_pose(r, kind, filter_add_object(&s, test_random_below(r, 3), 0, 0, 0)->pose);
    return s;
}
