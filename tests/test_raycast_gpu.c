// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Ray casts on devices where they leave the beaten track: rays that take more steps than a launch allows or put more
// aside than the short stack holds, and lists of every hit. And that neither their order nor the tree matters.

#include "tests/support/run.h"

#include "core/scene/scene.h"
#include "tests/support/calls.h"
#include "tests/support/flushed.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"
#include "tests/support/random.h"

/// Fewer rays, for a device that is slow since it looks at every access.
static bool tiny;

static tact_scene* make_scene(tact_context* context, const float* positions, size_t triangles)
{
    const tact_mesh_desc mesh = {.positions = positions, .vertex_count = 3 * triangles, .triangle_count = triangles};
    tact_scene* scene = new_scene(context);
    const uint32_t id = put_mesh(scene, &mesh);
    put_instance(scene, id, NULL);
    const float turned[12] = {0, -1, 0, 0.1f, 1, 0, 0, 0.2f, 0, 0, 1, 0.3f};
    put_instance(scene, id, turned);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static tact_hit* cast(tact_scene* scene, tact_backend backend, tact_ray_mode mode, const tact_ray* rays, size_t count)
{
    tact_hit* hits = scratch(count * sizeof *hits);
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    tact_result result = tact_raycast(scene, mode, rays, count, hits, &options, NULL);
    if (left_to_cpu(scene->context, backend, result)) result = tact_raycast(scene, mode, rays, count, hits, NULL, NULL);
    assert_int_equal(result, TACT_OK);
    return hits;
}

/// Where hits are those of TACT_RAY_ANY.
static void same_occluded(tact_scene* scene, tact_backend backend, const tact_ray* rays, size_t count,
                          const tact_hit* hits)
{
    uint8_t* occluded = scratch(count + 1);
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    const tact_raycast_work work = {.mode = TACT_RAY_ANY, .count = count, .rays = rays, .occluded = occluded};
    memset(occluded, 0xdd, count + 1);
    const tact_result result = tact_raycast_with(scene, &work, &options, NULL);
    if (left_to_cpu(scene->context, backend, result)) return;
    assert_int_equal(result, TACT_OK);
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(occluded[i], hits[i].instance != TACT_NONE);
    assert_int_equal(occluded[count], 0xdd);
}

static void same_hits(tact_scene* scene, tact_backend backend, const tact_ray* rays, size_t count)
{
    for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT; ++mode) {
        tact_hit* expected = cast(scene, TACT_BACKEND_REFERENCE, (tact_ray_mode)mode, rays, count);
        tact_hit* hits = cast(scene, backend, (tact_ray_mode)mode, rays, count);
        assert_memory_equal(hits, expected, count * sizeof *hits);
        if (mode == TACT_RAY_ANY) same_occluded(scene, backend, rays, count, hits);
    }
}

static void same_lists(tact_scene* scene, tact_backend backend, const tact_ray* rays, size_t count, uint32_t max_hits,
                       size_t capacity)
{
    uint64_t* expected_offsets = scratch((count + 1) * sizeof *expected_offsets);
    uint64_t* offsets = scratch((count + 1) * sizeof *offsets);
    tact_hit* expected = scratch((capacity + 1) * sizeof *expected);
    tact_hit* hits = scratch((capacity + 1) * sizeof *hits);
    memset(hits, 0xdd, (capacity + 1) * sizeof *hits);
    const tact_query_options brute = {.backend = TACT_BACKEND_REFERENCE};
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    const tact_result wanted =
        call_raycast_all(scene, rays, count, max_hits, expected_offsets, expected, capacity, &brute, NULL);
    assert_true(wanted == TACT_OK || wanted == TACT_INCOMPLETE);
    tact_query_report report;
    const tact_result result =
        call_raycast_all(scene, rays, count, max_hits, offsets, hits, capacity, &options, &report);
    if (left_to_cpu(scene->context, backend, result)) return;
    assert_int_equal(result, wanted);
    assert_int_equal(report.backend, backend);
    assert_memory_equal(offsets, expected_offsets, (count + 1) * sizeof *offsets);
    const size_t there = offsets[count] < capacity ? (size_t)offsets[count] : capacity;
    assert_memory_equal(hits, expected, there * sizeof *hits);
    // And nothing past them.
    assert_int_equal(((unsigned char*)(hits + there))[0], 0xdd);
}

/// A triangle across the z axis.
static void put(float* p, float reach, float z)
{
    const float corners[9] = {-reach, -reach, z, reach, -reach, z, 0.0f, 2.0f * reach, z};
    memcpy(p, corners, sizeof corners);
}

TEST_AS(ONE_DEVICE_TEST, rays_that_pass_thousands_of_triangles)
{
    enum { LAYERS = 9000, BEAMS = 70 };
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    float* p = scratch((size_t)LAYERS * 9 * sizeof *p);
    for (size_t i = 0; i < LAYERS; ++i)
        put(p + 9 * i, 1.0f, -(float)(i % 4000));
    tact_scene* scene = KEEP(make_scene(context, p, LAYERS));
    static tact_ray beams[BEAMS];
    for (size_t i = 0; i < BEAMS; ++i)
        beams[i] = (tact_ray){0.002f * (float)i, 0.1f, 1.0f, 0.0f, 0.0f, 0.0f, i % 9 ? -1.0f : 1.0f, INFINITY};
    same_hits(scene, backend, beams, BEAMS);
    tact_hit* counts = cast(scene, backend, TACT_RAY_COUNT, beams, BEAMS);
    assert_int_equal(counts[1].primitive, 2 * LAYERS);
    assert_int_equal(counts[0].primitive, 0);
    same_lists(scene, backend, beams, BEAMS, 0, (size_t)BEAMS * LAYERS * 2);
    same_lists(scene, backend, beams, BEAMS, 100, (size_t)BEAMS * 100);
}

/// More rays that one launch does not finish than are carried to the next at a time (2,048), among others.
TEST_AS(ONE_DEVICE_TEST, thousands_of_rays_that_pass_thousands_of_triangles)
{
    enum { LAYERS = 3000, BEAMS = 2600 };
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    static float p[LAYERS * 9];
    for (size_t i = 0; i < LAYERS; ++i)
        put(p + 9 * i, 1.0f, -(float)i);
    tact_scene* scene = KEEP(make_scene(context, p, LAYERS));
    static tact_ray beams[BEAMS];
    for (size_t i = 0; i < BEAMS; ++i) {
        beams[i] = (tact_ray){0.0001f * (float)i, 0.1f, 1.0f, 0.0f, 0.0f, 0.0f, i % 9 ? -1.0f : 1.0f, INFINITY};
    }
    tact_hit* counts = cast(scene, backend, TACT_RAY_COUNT, beams, BEAMS);
    for (size_t i = 0; i < BEAMS; ++i)
        assert_int_equal(counts[i].primitive, i % 9 ? 2 * LAYERS : 0);
}

/// Each triangle is larger than those before it together: the tree is a chain, and all that is larger is put aside.
TEST_AS(ONE_DEVICE_TEST, stacks_that_grow_large)
{
    enum { CHAIN = 220, MOST = 40 };
    const size_t count = tiny ? 3 : MOST;
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    static float p[CHAIN * 9];
    for (size_t i = 0; i < CHAIN; ++i)
        put(p + 9 * i, exp2f((float)i / 4.0f), -exp2f((float)i / 4.0f));
    tact_scene* scene = KEEP(make_scene(context, p, CHAIN));
    static tact_ray beams[MOST];
    for (size_t i = 0; i < count; ++i)
        beams[i] = (tact_ray){0.01f * (float)i, 0.1f, 1.0f, 0.0f, 0.0f, 0.001f, -1.0f, INFINITY};
    same_hits(scene, backend, beams, count);
    same_lists(scene, backend, beams, count, 0, count * CHAIN * 2);
}

TEST_AS(ONE_DEVICE_TEST, lists_of_every_hit)
{
    enum { TRIANGLES = 300, MOST = 3000 };
    const size_t count = tiny ? 60 : MOST;
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    test_random r = test_random_seeded(11);
    static float p[TRIANGLES * 9];
    for (size_t i = 0; i < TRIANGLES; ++i) {
        const float centre[3] = {test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)};
        for (size_t k = 0; k < 9; ++k)
            p[9 * i + k] = centre[k % 3] + 0.5f * test_random_signed(&r);
        // Twice the same, and many in one plane: hits with one t.
        if (i > 0 && i % 5 == 0) memcpy(p + 9 * i, p + 9 * (i - 1), 9 * sizeof *p);
        if (i % 3 == 0) p[9 * i + 2] = p[9 * i + 5] = p[9 * i + 8] = 0.25f;
    }
    tact_scene* scene = KEEP(make_scene(context, p, TRIANGLES));
    static tact_ray rays[MOST];
    for (size_t i = 0; i < count; ++i) {
        rays[i] = (tact_ray){test_random_signed(&r), test_random_signed(&r),   i % 7 ? 3.0f : 0.25f, -0.1f, 0.0f, 0.0f,
                             i % 2 ? -1.0f : 1.0f,   i % 11 ? INFINITY : 2.75f};
        if (i % 3) rays[i].dx = 0.3f * test_random_signed(&r), rays[i].dy = 0.3f * test_random_signed(&r);
        if (i % 19 == 4) rays[i].ox = NAN;
        if (i % 23 == 5) rays[i].tmax = NAN;
    }
    for (uint32_t max_hits = 0; max_hits < 4; ++max_hits) {
        same_lists(scene, backend, rays, count, max_hits, 200000);
        same_lists(scene, backend, rays, count, max_hits, 1234);
        same_lists(scene, backend, rays, count, max_hits, 0);
    }
    same_lists(scene, backend, rays, 0, 0, 5);
    same_hits(scene, backend, rays, count);
}

enum { SHAPES = 50, MIXED_RAYS = 2003 };

/// Triangles, spheres, boxes and capsules, each in two places, with masks, and one that moves.
static tact_scene* make_mixed(tact_context* context, test_random* r)
{
    static float p[SHAPES * 9];
    static tact_sphere spheres[SHAPES];
    static tact_aabb boxes[SHAPES];
    static tact_capsule capsules[SHAPES];
    for (size_t i = 0; i < SHAPES; ++i) {
        float c[9];
        for (size_t k = 0; k < 9; ++k) {
            c[k] = test_random_signed(r);
            p[9 * i + k] = c[k % 3] + 0.4f * test_random_signed(r);
        }
        spheres[i] = (tact_sphere){{c[0], c[1], c[2]}, 0.2f * test_random_unit(r)};
        boxes[i] = (tact_aabb){{c[3], c[4], c[5]}, {c[3] + 0.2f, c[4] + 0.1f, c[5] + 0.3f * test_random_unit(r)}};
        capsules[i] = (tact_capsule){{c[6], c[7], c[8]}, {c[0], c[1], c[2]}, 0.1f * test_random_unit(r)};
    }
    uint32_t mesh[4], instance = 0;
    const tact_mesh_desc triangles = {.positions = p, .vertex_count = 3 * SHAPES, .triangle_count = SHAPES};
    tact_scene* scene = new_scene(context);
    assert_int_equal(tact_scene_add_spheres(scene, spheres, SHAPES, &mesh[0]), TACT_OK);
    assert_int_equal(tact_scene_add_mesh(scene, &triangles, &mesh[1]), TACT_OK);
    assert_int_equal(tact_scene_add_boxes(scene, boxes, SHAPES, &mesh[2]), TACT_OK);
    assert_int_equal(tact_scene_add_capsules(scene, capsules, SHAPES, &mesh[3]), TACT_OK);
    const float squashed[12] = {-0.5f, 0, 0, 0.3f, 0, 1.5f, 0.2f, 0, 0, 0, 1, 0.25f};
    for (uint32_t i = 0; i < 8; ++i) {
        assert_int_equal(tact_scene_add_instance(scene, mesh[i / 2], i % 2 ? squashed : NULL, &instance), TACT_OK);
        assert_int_equal(tact_scene_set_mask(scene, instance, i == 5 ? 0 : 1u << i | 0x80000000u), TACT_OK);
    }
    assert_int_equal(tact_scene_set_dynamic(scene, 3, true), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static void same_by_rules(tact_scene* scene, tact_backend backend, const tact_ray_rules* rules, const tact_ray* rays)
{
    enum { CAPACITY = 200000 };
    static tact_hit expected[CAPACITY], hits[CAPACITY];
    static uint64_t expected_offsets[MIXED_RAYS + 1], offsets[MIXED_RAYS + 1];
    const tact_query_options brute = {.backend = TACT_BACKEND_REFERENCE};
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT; ++mode) {
        const tact_ray_mode m = (tact_ray_mode)mode;
        assert_int_equal(call_raycast_with(scene, m, rays, MIXED_RAYS, rules, expected, &brute, NULL), TACT_OK);
        assert_int_equal(call_raycast_with(scene, m, rays, MIXED_RAYS, rules, hits, &options, NULL), TACT_OK);
        assert_memory_equal(hits, expected, MIXED_RAYS * sizeof *hits);
    }
    assert_int_equal(
        call_raycast_all_with(scene, rays, MIXED_RAYS, 3, rules, expected_offsets, expected, CAPACITY, &brute, NULL),
        TACT_OK);
    assert_int_equal(call_raycast_all_with(scene, rays, MIXED_RAYS, 3, rules, offsets, hits, CAPACITY, &options, NULL),
                     TACT_OK);
    assert_memory_equal(offsets, expected_offsets, sizeof offsets);
    assert_memory_equal(hits, expected, (size_t)offsets[MIXED_RAYS] * sizeof *hits);
    assert_true(offsets[MIXED_RAYS] > 100);
}

TEST_AS(ONE_DEVICE_TEST, shapes_and_rules)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    test_random r = test_random_seeded(31);
    tact_scene* scene = KEEP(make_mixed(context, &r));
    static tact_ray rays[MIXED_RAYS];
    static uint32_t masks[MIXED_RAYS];
    for (size_t i = 0; i < MIXED_RAYS; ++i) {
        rays[i] =
            (tact_ray){test_random_signed(&r),  test_random_signed(&r), i % 3 ? 3.0f : 0.0f, 0.0f, 0.0f, 0.0f, -1.0f,
                       i % 11 ? INFINITY : 2.0f};
        if (i % 2) rays[i].dx = 0.5f * test_random_signed(&r), rays[i].dy = 0.5f * test_random_signed(&r);
        masks[i] = i % 5 ? 1u << i % 8 : (uint32_t)i;
    }
    const tact_ray_rules rules[] = {
        {0},
        {.mask = 0x0fu},
        {.masks = masks},
        {.cull = TACT_RAY_CULL_BACK},
        {.cull = TACT_RAY_CULL_FRONT, .mask = 0x3cu},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
        same_by_rules(scene, backend, &rules[i], rays);
}

enum { GRID = 40, BATCH = 6000, SIDE = 64 };

/// A sheet of GRID x GRID squares, raised here and there by `height`.
static void make_sheet(float* positions, uint32_t* indices, float height)
{
    for (uint32_t y = 0; y <= GRID; ++y) {
        for (uint32_t x = 0; x <= GRID; ++x) {
            float* p = positions + 3 * (y * (GRID + 1) + x);
            p[0] = 2.0f * (float)x / GRID - 1.0f;
            p[1] = 2.0f * (float)y / GRID - 1.0f;
            p[2] = height * (float)((x * 7 + y * 13) % 11) / 11.0f;
        }
    }
    for (uint32_t i = 0; i < GRID * GRID; ++i) {
        const uint32_t at = i / GRID * (GRID + 1) + i % GRID;
        const uint32_t square[6] = {at, at + 1, at + GRID + 1, at + 1, at + GRID + 2, at + GRID + 1};
        memcpy(indices + 6 * (size_t)i, square, sizeof square);
    }
}

/// A picture, row after row; then rays that have nothing to do with each other, among them some of no use and some that
/// begin before their origin.
static void make_batch(tact_ray* rays, test_random* r)
{
    for (size_t i = 0; i < BATCH; ++i) {
        if (i < SIDE * SIDE) {
            const float x = 1.2f * ((float)(i % SIDE) / SIDE - 0.5f), y = 1.2f * ((float)(i / SIDE) / SIDE - 0.5f);
            rays[i] = (tact_ray){0.1f, 0.2f, 2.0f, 0.0f, x, y, -1.0f, INFINITY};
            continue;
        }
        rays[i] = (tact_ray){2.0f * test_random_signed(r), 2.0f * test_random_signed(r), test_random_signed(r), 0.0f,
                             test_random_signed(r),        test_random_signed(r),        test_random_signed(r), 4.0f};
        if (i % 50 == 0) rays[i].tmin = -2.0f;
        if (i % 97 == 0) rays[i].dx = 0.0f;
        if (i % 101 == 0) rays[i].dy = NAN;
        if (i % 103 == 0) rays[i].tmax = NAN;
        if (i % 107 == 0) rays[i].dx = rays[i].dy = rays[i].dz = 0.0f;
        if (i % 109 == 0) rays[i].dz = 1e32f;
    }
}

/// Rays and hits that begin at no multiple of 16 bytes, where a device cannot work in the caller's memory, and what is
/// beside the hits.
static void same_from_odd_places(tact_scene* scene, tact_backend backend, tact_ray_mode mode, const tact_ray* rays,
                                 const tact_hit* expected)
{
    static uint32_t from[BATCH * (sizeof(tact_ray) / 4) + 4], to[BATCH * (sizeof(tact_hit) / 4) + 8];
    const tact_query_options device = {.backend = backend, .no_fallback = true};
    for (size_t place = 0; place < 5; place += 3) {
        tact_ray* moved = (tact_ray*)(void*)(from + place % 4);
        memcpy(moved, rays, BATCH * sizeof *rays);
        memset(to, 0xdd, sizeof to);
        tact_hit* hits = (tact_hit*)(void*)(to + place);
        const tact_result result = tact_raycast(scene, mode, moved, BATCH, hits, &device, NULL);
        if (left_to_cpu(scene->context, backend, result)) continue;
        assert_int_equal(result, TACT_OK);
        assert_memory_equal(hits, expected, BATCH * sizeof *hits);
        for (size_t i = 0; i < place; ++i)
            assert_int_equal(to[i], 0xdddddddd);
        for (size_t i = place + BATCH * sizeof *hits / 4; i < sizeof to / 4; ++i)
            assert_int_equal(to[i], 0xdddddddd);
    }
}

/// The device's hits are the CPU's, whose first are the reference's, and each ray's are the same in another order.
static void same_in_any_order(tact_scene* scene, tact_backend backend, const tact_ray_rules* rules,
                              const tact_ray* rays, const uint32_t* order)
{
    enum { FIRST = 300 };
    static tact_ray shuffled[BATCH];
    static uint32_t masks[BATCH];
    static tact_hit brute[BATCH], expected[BATCH], hits[BATCH];
    tact_ray_rules moved = rules ? *rules : (tact_ray_rules){0};
    for (size_t i = 0; i < BATCH; ++i) {
        shuffled[i] = rays[order[i]];
        masks[i] = moved.masks ? moved.masks[order[i]] : 0;
    }
    if (moved.masks) moved.masks = masks;
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE}, cpu = {.backend = TACT_BACKEND_CPU};
    const tact_query_options device = {.backend = backend, .no_fallback = true};
    for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT; ++mode) {
        const tact_ray_mode m = (tact_ray_mode)mode;
        assert_int_equal(call_raycast_with(scene, m, rays + BATCH - FIRST, FIRST, NULL, brute, &reference, NULL),
                         TACT_OK);
        assert_int_equal(call_raycast_with(scene, m, rays, BATCH, NULL, expected, &cpu, NULL), TACT_OK);
        assert_memory_equal(expected + BATCH - FIRST, brute, FIRST * sizeof *brute);
        if (!rules) same_from_odd_places(scene, backend, m, rays, expected);
        assert_int_equal(call_raycast_with(scene, m, rays, BATCH, rules, expected, &cpu, NULL), TACT_OK);
        assert_int_equal(call_raycast_with(scene, m, rays, BATCH, rules, hits, &device, NULL), TACT_OK);
        assert_memory_equal(hits, expected, sizeof hits);
        assert_int_equal(call_raycast_with(scene, m, shuffled, BATCH, &moved, hits, &device, NULL), TACT_OK);
        size_t found = 0;
        for (size_t i = 0; i < BATCH; ++i) {
            assert_memory_equal(&hits[i], &expected[order[i]], sizeof *hits);
            found += m == TACT_RAY_COUNT ? hits[i].primitive > 0 : hits[i].instance != TACT_NONE;
        }
        assert_in_range(found, BATCH / 8, BATCH - 1);
    }
}

TEST_AS(ONE_DEVICE_TEST, pictures_and_other_rays_in_any_order)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    test_random r = test_random_seeded(77);
    static float positions[3 * (GRID + 1) * (GRID + 1)];
    static uint32_t indices[6 * GRID * GRID];
    static tact_ray rays[BATCH];
    static uint32_t order[BATCH], masks[BATCH];
    make_batch(rays, &r);
    for (uint32_t i = 0; i < BATCH; ++i) {
        const uint32_t k = test_random_below(&r, i + 1);
        order[i] = order[k];
        order[k] = i;
        masks[i] = i % 3;
    }
    const tact_ray_rules rules[] = {{.masks = masks}, {.cull = TACT_RAY_CULL_BACK}, {.cull = TACT_RAY_CULL_FRONT}};
    const tact_mesh_quality qualities[] = {TACT_MESH_MEDIUM, TACT_MESH_FAST, TACT_MESH_HIGH};
    for (size_t q = 0; q < 3; ++q) {
        make_sheet(positions, indices, 0.3f);
        const tact_mesh_desc sheet = {.positions = positions,
                                      .vertex_count = (GRID + 1) * (GRID + 1),
                                      .indices = indices,
                                      .triangle_count = 2 * GRID * GRID};
        uint32_t mesh = 0, instance = 0;
        tact_scene* scene = new_scene(context);
        assert_int_equal(tact_scene_add_mesh(scene, &sheet, &mesh), TACT_OK);
        assert_int_equal(tact_scene_set_quality(scene, mesh, qualities[q]), TACT_OK);
        const float turned[12] = {0.6f, -0.8f, 0, 0.1f, 0.8f, 0.6f, 0, 0, 0, 0, -1.5f, 0.2f};
        assert_int_equal(tact_scene_add_instance(scene, mesh, turned, &instance), TACT_OK);
        assert_int_equal(tact_scene_set_mask(scene, instance, 3), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        same_in_any_order(scene, backend, NULL, rays, order);
        same_in_any_order(scene, backend, &rules[q], rays, order);
        // Vertices that moved, and then more instances, two of them in one place.
        make_sheet(positions, indices, 0.7f);
        assert_int_equal(tact_scene_update_mesh(scene, mesh, positions, 0, TACT_UPDATE_REFIT), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        same_in_any_order(scene, backend, NULL, rays, order);
        const float raised[12] = {1, 0, 0, 0.3f, 0, 1, 0, -0.2f, 0, 0, 1, -0.6f};
        for (int i = 0; i < 3; ++i)
            assert_int_equal(tact_scene_add_instance(scene, mesh, i ? raised : NULL, &instance), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        same_in_any_order(scene, backend, NULL, rays, order);
        same_in_any_order(scene, backend, &rules[q], rays, order);
        tact_scene_destroy(scene);
    }
}

#include TEST_LIST

int main(int argc, char** argv)
{
    const struct CMUnitTest few[] = {
        ONE_DEVICE_TEST_CL(stacks_that_grow_large),
        ONE_DEVICE_TEST_CL(lists_of_every_hit),
    };
    tiny = argc > 1 && strcmp(argv[1], "tiny") == 0;
    if (tiny) return run_all(few, NULL, NULL);
    return run_all(all_tests, NULL, NULL);
}
