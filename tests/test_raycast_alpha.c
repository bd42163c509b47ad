// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Alpha masks on devices: the holes that rays go through are those of the definition, whatever image, wrap, threshold,
// coordinates and rules, by single rays and by pictures, and when a mask changes under a scene that is on the device.
// That the definition's holes are the image's is for test_ray_rules.

#include "tests/support/run.h"

#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"
#include "tests/support/random.h"

enum { TRIANGLES = 150, SIDE = 20, RAYS = SIDE * SIDE + 300, MOST_TEXELS = 300 * 7 };

typedef struct image {
    float uvs[6 * TRIANGLES];
    uint8_t texels[MOST_TEXELS];
    tact_alpha_desc desc;
} image;

static void make_image(image* a, test_random* r, uint32_t width, uint32_t height, tact_alpha_wrap wrap)
{
    static const float odd[] = {0.0f, 1.0f, -1.0f, 1e-40f, 1e20f, -3e38f, INFINITY, NAN, 0.99999994f};
    for (size_t i = 0; i < 6 * TRIANGLES; ++i) {
        a->uvs[i] = 4.0f * test_random_signed(r);
        if (test_random_below(r, 40) == 0) a->uvs[i] = odd[test_random_below(r, sizeof odd / sizeof odd[0])];
    }
    for (size_t i = 0; i < (size_t)width * height; ++i)
        a->texels[i] = (uint8_t)test_random_below(r, 256);
    a->desc = (tact_alpha_desc){
        .uvs = a->uvs, .texels = a->texels, .width = width, .height = height, .threshold = 128, .wrap = wrap};
}

static void make_rays(tact_ray* rays, test_random* r)
{
    for (int i = 0; i < RAYS; ++i) {
        if (i < SIDE * SIDE) {
            const float x = ((float)(i % SIDE) + 0.5f) / SIDE - 0.5f, y = ((float)(i / SIDE) + 0.5f) / SIDE - 0.5f;
            rays[i] = (tact_ray){0.1f, 0.2f, 3.0f, 0.0f, x, y, -1.0f, INFINITY};
        } else {
            rays[i] =
                (tact_ray){2.0f * test_random_signed(r), 2.0f * test_random_signed(r), test_random_signed(r), 0.0f,
                           test_random_signed(r),        test_random_signed(r),        test_random_signed(r), 4.0f};
        }
    }
}

/// Casts of all modes and lists of all hits by a device are the reference's. Returns how many hits there are.
static size_t compare(tact_scene* scene, tact_backend backend, const tact_ray* rays, const tact_ray_rules* rules)
{
    enum { CAPACITY = RAYS * TRIANGLES };
    static tact_hit expected[CAPACITY], hits[CAPACITY];
    static uint64_t expected_offsets[RAYS + 1], offsets[RAYS + 1];
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
    const tact_query_options device = {.backend = backend, .no_fallback = true};
    for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT; ++mode) {
        const tact_ray_mode m = (tact_ray_mode)mode;
        tact_query_report report;
        assert_int_equal(call_raycast_with(scene, m, rays, RAYS, rules, expected, &reference, NULL), TACT_OK);
        assert_int_equal(call_raycast_with(scene, m, rays, RAYS, rules, hits, &device, &report), TACT_OK);
        assert_int_equal(report.backend, backend);
        assert_memory_equal(hits, expected, RAYS * sizeof *hits);
    }
    assert_int_equal(
        call_raycast_all_with(scene, rays, RAYS, 0, rules, expected_offsets, expected, CAPACITY, &reference, NULL),
        TACT_OK);
    assert_int_equal(call_raycast_all_with(scene, rays, RAYS, 0, rules, offsets, hits, CAPACITY, &device, NULL),
                     TACT_OK);
    assert_memory_equal(offsets, expected_offsets, sizeof offsets);
    assert_memory_equal(hits, expected, (size_t)offsets[RAYS] * sizeof *hits);
    return (size_t)offsets[RAYS];
}

static uint32_t add_soup(tact_scene* scene, test_random* r)
{
    float positions[9 * TRIANGLES];
    for (size_t i = 0; i < 9 * TRIANGLES; ++i)
        positions[i] = test_random_signed(r);
    const tact_mesh_desc desc = {.positions = positions, .vertex_count = 3 * TRIANGLES, .triangle_count = TRIANGLES};
    return put_mesh(scene, &desc);
}

static void set(tact_scene* scene, uint32_t mesh, const tact_alpha_desc* desc)
{
    assert_int_equal(tact_scene_set_alpha(scene, mesh, desc), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
}

TEST_AS(ONE_DEVICE_TEST, devices_see_the_same_holes)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    test_random r = test_random_seeded(91);
    static image a, b;
    static tact_ray rays[RAYS];
    make_rays(rays, &r);
    for (int shapes = 0; shapes < 2; ++shapes) {
        uint32_t meshes[3];
        tact_scene* scene = new_scene(context);
        for (int i = 0; i < 3; ++i)
            meshes[i] = add_soup(scene, &r);
        const float raised[12] = {0.6f, -0.8f, 0, 0.1f, 0.8f, 0.6f, 0, 0, 0, 0, -1.5f, 0.2f};
        for (int i = 0; i < 3; ++i)
            put_instance(scene, meshes[i], i ? raised : NULL);
        if (shapes) {
            const tact_sphere ball = {{0.3f, 0.2f, 0.1f}, 0.4f};
            put_instance(scene, put_spheres(scene, &ball, 1), NULL);
        }
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        const size_t all = compare(scene, backend, rays, NULL);

        // The first and the last have masks, of more texels and fewer than a row of the device's holds.
        make_image(&a, &r, 300, 7, TACT_ALPHA_WRAP_REPEAT);
        make_image(&b, &r, 5, 3, TACT_ALPHA_WRAP_CLAMP);
        set(scene, meshes[0], &a.desc);
        set(scene, meshes[2], &b.desc);
        const size_t some = compare(scene, backend, rays, NULL);
        assert_in_range(some, all / 3 + 1, all - 1);
        const tact_ray_rules rules[] = {{.ignore_alpha = true}, {.cull = TACT_RAY_CULL_BACK}, {.mask = 1}};
        assert_int_equal(compare(scene, backend, rays, &rules[0]), all);
        for (size_t i = 1; i < 3; ++i)
            assert_in_range(compare(scene, backend, rays, &rules[i]), 1, some);

        // Another threshold, one that nothing reaches, and none.
        a.desc.threshold = 40;
        set(scene, meshes[0], &a.desc);
        const size_t more = compare(scene, backend, rays, NULL);
        assert_in_range(more, some + 1, all - 1);
        memset(a.texels, 0, sizeof a.texels);
        set(scene, meshes[0], &a.desc);
        assert_in_range(compare(scene, backend, rays, NULL), 1, some - 1);
        set(scene, meshes[0], NULL);
        set(scene, meshes[2], NULL);
        assert_int_equal(compare(scene, backend, rays, NULL), all);
        tact_scene_destroy(scene);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
