// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays that a device sorts before it casts them: the keys are what raycast_order.kernel says they are, and no answer
// depends on them. That rays were sorted at all is seen by the memory that sorting holds.

#include "tests/support/run.h"

#include "core/context/context.h"
#include "gpu/trace/internal.h"
#include "kernels/morton.h"
#include "kernels/ray_triangle.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"
#include "tests/support/random.h"

enum { TRIANGLES = 400, SPHERES = 30, RAYS = 3001, SORT_BYTES = 16 /* of a ray */ };

static bool flushes;  ///< the device leaves a cast with very large numbers to the CPU

static tact_context* require(void** state)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = one_device_context(backend);
    assert_non_null(context);
    if (device_missing(context, backend)) {
        tact_context_destroy(context);
        skip_because("the device is missing");
    }
    flushes = tact_context_describe(context, 1)->probe.flushes_subnormals;
    return context;
}

/// Triangles in two places and, with shapes, spheres.
static tact_scene* make_scene(tact_context* context, bool shapes)
{
    test_random r = test_random_seeded(5);
    static float p[TRIANGLES * 9];
    static tact_sphere spheres[SPHERES];
    for (size_t i = 0; i < TRIANGLES; ++i) {
        const float centre[3] = {test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)};
        for (size_t k = 0; k < 9; ++k)
            p[9 * i + k] = centre[k % 3] + 0.2f * test_random_signed(&r);
    }
    for (size_t i = 0; i < SPHERES; ++i) {
        spheres[i] = (tact_sphere){{test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)},
                                   0.1f * test_random_unit(&r)};
    }
    uint32_t mesh = 0, instance = 0;
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 3 * TRIANGLES, .triangle_count = TRIANGLES};
    const float moved[12] = {0, -1, 0, 0.5f, 1, 0, 0, 0.2f, 0, 0, 1, 0.3f};
    tact_scene* scene = new_scene(context);
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, NULL, &instance), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, moved, &instance), TACT_OK);
    assert_int_equal(tact_scene_set_mask(scene, instance, 2), TACT_OK);
    if (shapes) {
        assert_int_equal(tact_scene_add_spheres(scene, spheres, SPHERES, &mesh), TACT_OK);
        assert_int_equal(tact_scene_add_instance(scene, mesh, NULL, &instance), TACT_OK);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

/// In no order, some of which miss the scene's box, end before it, begin behind it, or are no rays at all.
static void make_rays(tact_ray* rays, size_t count)
{
    test_random r = test_random_seeded(8);
    for (size_t i = 0; i < count; ++i) {
        rays[i] = (tact_ray){
            2.0f * test_random_signed(&r), 2.0f * test_random_signed(&r), 2.0f * test_random_signed(&r), 0.0f,
            test_random_signed(&r),        test_random_signed(&r),        test_random_signed(&r),        INFINITY};
        if (i % 3 == 0) rays[i].tmax = 1.0f;
        if (i % 41 == 1) rays[i].tmin = -INFINITY;
        if (i % 43 == 2) rays[i].tmin = INFINITY;
        if (i % 47 == 3) rays[i].tmin = NAN;
        if (i % 53 == 4) rays[i].tmax = NAN;
        if (i % 59 == 5) rays[i].tmax = -1.0f;
        if (i % 61 == 6) rays[i].tmin = -3.0f;
        if (i % 67 == 7) rays[i].ox = NAN;
        if (i % 71 == 8) rays[i].oy = INFINITY;
        if (i % 73 == 9) rays[i].dx = rays[i].dy = rays[i].dz = 0.0f;
        if (i % 79 == 10) rays[i].dz = NAN;
        if (i % 83 == 11) rays[i].dy = -INFINITY;
        if (i % 89 == 12) rays[i].dx = flushes ? 1e9f : 1e37f;
        if (i % 97 == 13) rays[i].oz = 1e9f;
        if (i % 11 == 0) rays[i].dx = -0.0f;
    }
}

/// What holds memory for rays that are sorted and would not otherwise.
static uint64_t bytes_of(tact_scene* scene, const tact_ray* rays, size_t count, tact_backend backend,
                         tact_ray_sort sort, tact_hit* hits)
{
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    const tact_raycast_work work = {.sort = sort, .count = count, .rays = rays, .hits = hits};
    tact_query_report report;
    assert_int_equal(tact_raycast_with(scene, &work, &options, &report), TACT_OK);
    assert_int_equal(report.backend, backend);
    return report.memory_bytes;
}

TEST_AS(ONE_DEVICE_TEST, sorted_rays_have_the_same_hits)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(require(state));
    static tact_ray rays[RAYS];
    static tact_hit expected[RAYS], hits[RAYS];
    static uint32_t masks[RAYS];
    make_rays(rays, RAYS);
    for (uint32_t i = 0; i < RAYS; ++i)
        masks[i] = i % 4;
    const tact_ray_rules rules[] = {{0},
                                    {.mask = 2},
                                    {.masks = masks},
                                    {.cull = TACT_RAY_CULL_BACK},
                                    {.masks = masks, .cull = TACT_RAY_CULL_FRONT}};
    static const size_t counts[] = {1, 2, 63, 64, 65, 255, RAYS};
    const tact_query_options brute = {.backend = TACT_BACKEND_REFERENCE};
    const tact_query_options sorted = {.backend = backend, .no_fallback = true};
    for (int shapes = 0; shapes < 2; ++shapes) {
        tact_scene* scene = make_scene(context, shapes != 0);
        for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
            for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT; ++mode) {
                const tact_ray_mode m = (tact_ray_mode)mode;
                assert_int_equal(
                    tact_raycast_with(scene,
                                      &(tact_raycast_work){
                                          .mode = m, .rays = rays, .count = RAYS, .rules = &rules[i], .hits = expected},
                                      &brute, NULL),
                    TACT_OK);
                // All of them first, so that fewer find buffers with other things in them.
                for (size_t k = sizeof counts / sizeof *counts; k-- > 0;) {
                    memset(hits, 0xdd, sizeof hits);
                    assert_int_equal(
                        tact_raycast_with(
                            scene,
                            &(tact_raycast_work){
                                .mode = m, .rays = rays, .count = counts[k], .rules = &rules[i], .hits = hits},
                            &sorted, NULL),
                        TACT_OK);
                    assert_memory_equal(hits, expected, counts[k] * sizeof *hits);
                }
            }
        }
        tact_scene_destroy(scene);
    }
}

TEST_AS(ONE_DEVICE_TEST, nothing_to_hit)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(require(state));
    static tact_ray rays[RAYS];
    static tact_hit expected[RAYS], hits[RAYS];
    make_rays(rays, RAYS);
    tact_scene* scene = new_scene(context);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    bytes_of(scene, rays, RAYS, TACT_BACKEND_REFERENCE, TACT_RAY_SORT_AUTO, expected);
    bytes_of(scene, rays, RAYS, backend, TACT_RAY_SORT_ALWAYS, hits);
    assert_memory_equal(hits, expected, sizeof hits);
    bytes_of(scene, rays, 0, backend, TACT_RAY_SORT_ALWAYS, hits);
    tact_scene_destroy(scene);
    // One flat triangle: a box without depth.
    const float flat[9] = {-1, -1, 0.5f, 1, -1, 0.5f, 0, 1, 0.5f};
    const tact_mesh_desc desc = {.positions = flat, .vertex_count = 3, .triangle_count = 1};
    assert_int_equal(tact_scene_create(context, &scene), TACT_OK);
    const uint32_t mesh = put_mesh(scene, &desc);
    put_instance(scene, mesh, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    bytes_of(scene, rays, RAYS, TACT_BACKEND_REFERENCE, TACT_RAY_SORT_AUTO, expected);
    bytes_of(scene, rays, RAYS, backend, TACT_RAY_SORT_ALWAYS, hits);
    assert_memory_equal(hits, expected, sizeof hits);
    tact_scene_destroy(scene);
}

TEST_AS(ONE_DEVICE_TEST, who_is_sorted)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(require(state));
    static tact_ray rays[RAYS];
    static tact_hit hits[RAYS];
    make_rays(rays, RAYS);
    for (int shapes = 0; shapes < 2; ++shapes) {
        tact_scene* scene = make_scene(context, shapes != 0);
        const uint64_t never = bytes_of(scene, rays, RAYS, backend, TACT_RAY_SORT_NEVER, hits);
        // Not for a software device, and for no device so few rays.
        assert_int_equal(bytes_of(scene, rays, RAYS, backend, TACT_RAY_SORT_AUTO, hits), never);
        const uint64_t always = bytes_of(scene, rays, RAYS, backend, TACT_RAY_SORT_ALWAYS, hits);
        assert_true(always >= never + (uint64_t)SORT_BYTES * RAYS);
        tact_scene_destroy(scene);
    }
    tact_scene* scene = make_scene(context, false);
    const tact_raycast_work wrong = {.sort = (tact_ray_sort)3, .count = RAYS, .rays = rays, .hits = hits};
    assert_int_equal(tact_raycast_with(scene, &wrong, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    tact_scene_destroy(scene);
}

TEST_AS(ONE_DEVICE_TEST, more_than_one_chunk)
{
    enum { COUNT = (1 << 20) + 77 };
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(require(state));
    tact_scene* scene = KEEP(make_scene(context, true));
    tact_ray* rays = scratch(COUNT * sizeof *rays);
    tact_hit *expected = scratch(COUNT * sizeof *expected), *hits = scratch(COUNT * sizeof *hits);
    make_rays(rays, COUNT);
    bytes_of(scene, rays, COUNT, TACT_BACKEND_CPU, TACT_RAY_SORT_AUTO, expected);
    bytes_of(scene, rays, COUNT, backend, TACT_RAY_SORT_ALWAYS, hits);
    assert_memory_equal(hits, expected, COUNT * sizeof *hits);
}

/// Whatever buffer cannot be had: without room to sort the device casts as they come, else the CPU answers.
TEST_AS(ONE_DEVICE_TEST, without_room)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(require(state));
    tact_device* device = context->devices[1];
    static tact_ray rays[RAYS];
    static tact_hit expected[RAYS], hits[RAYS];
    make_rays(rays, RAYS);
    const tact_query_options options = {.backend = backend};
    const tact_raycast_work work = {.sort = TACT_RAY_SORT_ALWAYS, .count = RAYS, .rays = rays, .hits = hits};
    uint32_t fell = 0, unsorted = 0;
    uint64_t whole = 0;
    for (uint32_t number = 0;; ++number) {
        tact_scene* scene = make_scene(context, true);
        tact_query_report report;
        if (number == 0) bytes_of(scene, rays, RAYS, TACT_BACKEND_REFERENCE, TACT_RAY_SORT_AUTO, expected);
        tact_device_fail_buffer(device, number);
        memset(hits, 0xdd, sizeof hits);
        assert_int_equal(tact_raycast_with(scene, &work, &options, &report), TACT_OK);
        tact_device_fail_buffer(device, 0);
        assert_memory_equal(hits, expected, sizeof hits);
        if (number == 0) whole = report.memory_bytes;
        const bool failed = report.backend != backend, less = !failed && report.memory_bytes < whole;
        if (failed) assert_int_equal(report.failures, 1);
        if (less) assert_true(report.memory_bytes + (uint64_t)SORT_BYTES * RAYS <= whole);
        fell += failed;
        unsorted += less;
        // The next cast is as if nothing had been.
        assert_int_equal(bytes_of(scene, rays, RAYS, backend, TACT_RAY_SORT_ALWAYS, hits), whole);
        assert_memory_equal(hits, expected, sizeof hits);
        tact_scene_destroy(scene);
        if (number > 0 && !failed && !less) break;
    }
    print_message("%u times the CPU answered, %u times rays were not sorted\n", (unsigned)fell, (unsigned)unsorted);
    // Keys, places, and what the sort (three buffers) and its scan (two) hold.
    assert_int_equal(unsorted, 7);
    assert_true(fell >= 5);
}

/// Once rays have been sorted, what that holds makes way for what a cast cannot do without.
TEST_AS(ONE_DEVICE_TEST, room_to_sort_is_given_up)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(require(state));
    tact_device* device = context->devices[1];
    static tact_ray rays[RAYS];
    static tact_hit expected[RAYS], hits[RAYS];
    make_rays(rays, RAYS);
    for (int what = 0; what < 2; ++what) {
        tact_scene* scene = make_scene(context, true);
        const size_t few = what == 0 ? RAYS / 2 : RAYS;
        bytes_of(scene, rays, few, backend, TACT_RAY_SORT_ALWAYS, hits);
        // More rays, or many more instances than there is room for.
        for (int i = 0; what == 1 && i < 40; ++i) {
            const float away[12] = {1, 0, 0, 0.5f * (float)i, 0, 1, 0, 0.25f, 0, 0, 1, 0.1f};
            put_instance(scene, 0, away);
        }
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        bytes_of(scene, rays, RAYS, TACT_BACKEND_REFERENCE, TACT_RAY_SORT_AUTO, expected);
        const uint64_t before = tact_device_bytes(device);
        tact_device_fail_buffer(device, 1);
        const uint64_t never = bytes_of(scene, rays, RAYS, backend, TACT_RAY_SORT_NEVER, hits);
        tact_device_fail_buffer(device, 0);
        assert_memory_equal(hits, expected, sizeof hits);
        if (what == 1) assert_true(tact_device_bytes(device) + (uint64_t)SORT_BYTES * RAYS <= before);
        assert_true(bytes_of(scene, rays, RAYS, backend, TACT_RAY_SORT_ALWAYS, hits) >=
                    never + (uint64_t)SORT_BYTES * RAYS);
        assert_memory_equal(hits, expected, sizeof hits);
        tact_scene_destroy(scene);
    }
}

/// The rule of AUTO, of which a software device shows but one side.
TEST(what_pays)
{
    enum { MANY = 1 << 17, LARGE = 32 << 20 };
    const tact_device_info hardware = {.backend = TACT_BACKEND_CL}, software = {.software = true};
    assert_true(tact_ray_order_pays(&hardware, MANY, LARGE, true));
    assert_false(tact_ray_order_pays(&hardware, MANY - 1, LARGE, true));
    assert_false(tact_ray_order_pays(&hardware, MANY, LARGE - 1, true));
    assert_false(tact_ray_order_pays(&hardware, MANY, LARGE, false));
    assert_false(tact_ray_order_pays(&software, MANY, LARGE, true));
}

/// As kernels/raycast_order.kernel says, bit by bit.
static uint32_t key_of(const tact_ray* ray, TactBox b)
{
    const TactRayFrame frame = tact_ray_frame(ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
    const TactInterval inside = tact_box_interval(frame, b, TACT_INSTANCE_SLACK);
    const float t[2] = {tact_max(inside.enter, ray->tmin), tact_min(inside.leave, ray->tmax)};
    if (!frame.valid || !(fabsf(ray->tmin) <= TACT_LARGEST) || !(ray->tmin <= ray->tmax) || !(t[0] <= t[1])) {
        return 0xffff;
    }
    const float o[3] = {ray->ox, ray->oy, ray->oz}, d[3] = {ray->dx, ray->dy, ray->dz};
    const float lower[3] = {b.lx, b.ly, b.lz}, upper[3] = {b.hx, b.hy, b.hz};
    uint32_t key = 0;
    for (int level = 2; level >= 0; --level) {
        for (int end = 0; end < 2; ++end) {
            for (int k = 0; k < 3; ++k) {
                const float along = d[k] * t[end], at = o[k] + along;
                const uint32_t cell =
                    tact_morton_cell(at, at, lower[k], upper[k], tact_morton_scale(lower[k], upper[k], 8), 8);
                key = key << 1 | ((cell >> level) & 1u);
            }
        }
    }
    return key >> 2;
}

TEST_AS(ONE_DEVICE_TEST, keys_are_what_they_are_said_to_be)
{
    tact_context* context = KEEP(require(state));
    tact_device* device = context->devices[1];
    static tact_ray rays[RAYS];
    static uint32_t keys[RAYS + 1];
    make_rays(rays, RAYS);
    static const TactBox boxes[] = {
        {-1, -1.5f, -0.5f, 1, 1, 2}, {-2, -2, 0.5f, 2, 2, 0.5f}, {-1e30f, -1e30f, -1, 1e30f, 1e30f, 1}};
    assert_int_equal(tact_device_enter(device), TACT_OK);
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; ++i) {
        const TactBox b = boxes[i];
        tact_buffer *in = NULL, *out = NULL;
        memset(keys, 0xdd, sizeof keys);
        assert_int_equal(tact_buffer_create(device, sizeof rays, rays, &in), TACT_OK);
        assert_int_equal(tact_buffer_create(device, sizeof keys, keys, &out), TACT_OK);
        assert_int_equal(
            TACT_LAUNCH(device, raycast_order, RAYS / 64 + 1, .rays = in, .keys = out, .count = RAYS, .lower_x = b.lx,
                        .lower_y = b.ly, .lower_z = b.lz, .upper_x = b.hx, .upper_y = b.hy, .upper_z = b.hz),
            TACT_OK);
        assert_int_equal(tact_buffer_read(out, 0, keys, sizeof keys), TACT_OK);
        size_t last = 0;
        for (size_t k = 0; k < RAYS; ++k) {
            if (keys[k] != key_of(&rays[k], b)) {
                fail_msg("box %zu, ray %zu: %u, not %u", i, k, (unsigned)keys[k], (unsigned)key_of(&rays[k], b));
            }
            last += keys[k] == 0xffff;
        }
        assert_int_equal(keys[RAYS], 0xdddddddd);
        assert_in_range(last, RAYS / 20, RAYS - RAYS / 20);
        tact_buffer_destroy(in);
        tact_buffer_destroy(out);
    }
    tact_device_leave(device);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
