// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The CPU's fast tracer, with every set of instructions that this machine has, against the brute force: packets of rays
// side by side, streams of sorted ones, few one by one, and those rays that lanes are not for, by one instance and by
// many, byte for byte.

#include "tests/support/run.h"

#include "base/sanitizers.h"
#include "cpu_ref/trace/lanes.h"
#include "tact/tact.h"
#include "tests/support/calls.h"
#include "tests/support/effort.h"
#include "tests/support/mesh_soup.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
#include "tests/support/random.h"

// What every ray has to match is brute force, which sanitizers slow down most; what they look for needs fewer rays.
#if defined(TACT_SANITIZED)
enum { THINNED = 12 };
#else
enum { THINNED = 1 };
#endif

enum { MANY = 9000, WIDE = 2000 };  // more than a stream holds, more than go down a tree over instances together

static tact_context* make_context(void)
{
    const tact_context_desc desc = {.log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 3};
    return new_context(&desc);
}

static uint32_t add_mesh(tact_scene* scene, const soup* s)
{
    const tact_mesh_desc desc = {
        .positions = s->positions, .vertex_count = s->vertices, .indices = s->indices, .triangle_count = s->triangles};
    return put_mesh(scene, &desc);
}

/// A sheet of triangles with hills, that rays meet at all angles.
static void make_sheet(soup* s, test_random* r)
{
    enum { SIDE = 15 };
    *s = (soup){0};
    for (int y = 0; y <= SIDE; ++y) {
        for (int x = 0; x <= SIDE; ++x) {
            float* p = s->positions + 3 * s->vertices++;
            p[0] = (float)x / 7.5f - 1.0f;
            p[1] = (float)y / 7.5f - 1.0f;
            p[2] = 0.3f * test_random_unit(r);
        }
    }
    for (uint32_t y = 0; y < SIDE; ++y) {
        for (uint32_t x = 0; x < SIDE; ++x) {
            const uint32_t a = y * (SIDE + 1) + x,
                           corners[6] = {a, a + 1, a + SIDE + 1, a + 1, a + SIDE + 2, a + SIDE + 1};
            memcpy(s->indices + 3 * s->triangles, corners, sizeof corners);
            s->triangles += 2;
        }
    }
}

static tact_scene* scene_of(tact_context* context, const soup* s)
{
    tact_scene* scene = new_scene(context);
    put_instance(scene, add_mesh(scene, s), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

/// Turned, stretched and mirrored instances of two meshes, some of which have masks, one of which is hidden.
static tact_scene* scene_of_many(tact_context* context, test_random* r, bool shapes)
{
    tact_scene* scene = new_scene(context);
    soup s;
    make_sheet(&s, r);
    const uint32_t sheet = add_mesh(scene, &s);
    fill_soup(r, SMOOTH, 60, &s);
    uint32_t other = add_mesh(scene, &s);
    if (shapes) {
        tact_capsule capsules[30];
        for (int i = 0; i < 30; ++i) {
            const float x = test_random_signed(r), y = test_random_signed(r), z = test_random_signed(r);
            capsules[i] = (tact_capsule){{x, y, z}, {x + 0.2f, y + 0.1f, z}, 0.1f * test_random_unit(r)};
        }
        assert_int_equal(tact_scene_add_capsules(scene, capsules, 30, &other), TACT_OK);
    }
    for (uint32_t i = 0; i < 40; ++i) {
        float m[12];
        for (int k = 0; k < 12; ++k)
            m[k] = (k % 4 == 3 ? 2.0f : 0.5f) * test_random_signed(r);
        if (i % 4 == 0) memcpy(m, (float[12]){0.5f, 0, 0, m[3], 0, 0.5f, 0, m[7], 0, 0, 0.5f, m[11]}, sizeof m);
        uint32_t instance = 0;
        if (tact_scene_add_instance(scene, i % 3 ? sheet : other, m, &instance) != TACT_OK) continue;
        if (i % 5 == 1) assert_int_equal(tact_scene_set_mask(scene, instance, 1u << i % 7), TACT_OK);
        if (i == 12) assert_int_equal(tact_scene_set_mask(scene, instance, 0), TACT_OK);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

typedef enum ray_kind { SCATTERED, CAMERA, PARALLEL, TOWARDS_ONE, ALONG_AXES, HOSTILE, RAY_KINDS } ray_kind;

static void make_hostile(test_random* r, tact_ray* ray)
{
    static const float strange[] = {0.0f,   -0.0f,    1e-40f, -1e-40f, 1e30f, 3e38f, -3e38f, 1e-30f,
                                    1e-38f, INFINITY, NAN,    -1.0f,   1e10f, 1e20f, -1e-5f, 1.0f};
    float part[8] = {ray->ox, ray->oy, ray->oz, ray->tmin, ray->dx, ray->dy, ray->dz, ray->tmax};
    const uint32_t changes = 1 + test_random_below(r, 3);
    for (uint32_t i = 0; i < changes; ++i)
        part[test_random_below(r, 8)] = strange[test_random_below(r, sizeof strange / sizeof strange[0])];
    *ray = (tact_ray){part[0], part[1], part[2], part[3], part[4], part[5], part[6], part[7]};
}

/// For meshes of about `unit`.
static void make_rays(ray_kind kind, test_random* r, float unit, tact_ray* rays, size_t count, size_t width)
{
    const bool scale = test_random_below(r, 2) == 0;
    for (size_t i = 0; i < count; ++i) {
        const float x = ((float)(i % width) + 0.5f) / (float)width * 2.0f - 1.0f;
        const float y = 1.0f - ((float)(i / width) + 0.5f) / ((float)count / (float)width) * 2.0f;
        tact_ray ray = {2 * test_random_signed(r), 2 * test_random_signed(r), 2 * test_random_signed(r), 0.0f,
                        test_random_signed(r),     test_random_signed(r),     test_random_signed(r),     INFINITY};
        if (kind == CAMERA) ray = (tact_ray){0.1f, 0.2f, 3.0f, 0.0f, x, y, -1.5f, INFINITY};
        if (kind == PARALLEL) ray = (tact_ray){x, y, 3.0f, 0.0f, 0.0f, 0.0f, -1.0f, 10.0f};
        if (kind == TOWARDS_ONE) ray = (tact_ray){x, y, 0.1f, 0.001f, 0.5f - x, 0.3f - y, 2.0f, 1.0f};
        if (kind == ALONG_AXES) {
            // From vertex to vertex of a lattice: through edges, in planes.
            const float to[3] = {(float)test_random_below(r, 5) - 2.0f, (float)test_random_below(r, 5) - 2.0f,
                                 (float)test_random_below(r, 5) - 2.0f};
            const float from[3] = {(float)test_random_below(r, 7) - 3.0f, (float)test_random_below(r, 7) - 3.0f, 3.0f};
            ray = (tact_ray){from[0], from[1], from[2], 0.0f, to[0] - from[0], to[1] - from[1], to[2] - from[2], 2.0f};
            if (i % 3 == 0) ray.dx = ray.dy = 0.0f;
        }
        ray.ox *= unit;
        ray.oy *= unit;
        ray.oz *= unit;
        if (scale) {
            ray.dx *= unit;
            ray.dy *= unit;
            ray.dz *= unit;
        }
        if (kind == HOSTILE) {
            if (i % 2) ray = (tact_ray){0.1f, 0.2f, 3.0f, 0.0f, x, y, -1.5f, INFINITY};
            make_hostile(r, &ray);
        }
        rays[i] = ray;
    }
}

static void say(const char* lanes, tact_ray_mode mode, ray_kind kind, const tact_ray* ray, const tact_hit* got,
                const tact_hit* expected)
{
    print_error(
        "%s, mode %d, rays of kind %d: o %a %a %a d %a %a %a t %a to %a: %u/%u t %a u %a v %a, not %u/%u t %a "
        "u %a v %a\n",
        lanes, (int)mode, (int)kind, (double)ray->ox, (double)ray->oy, (double)ray->oz, (double)ray->dx,
        (double)ray->dy, (double)ray->dz, (double)ray->tmin, (double)ray->tmax, got->instance, got->primitive,
        (double)got->t, (double)got->u, (double)got->v, expected->instance, expected->primitive, (double)expected->t,
        (double)expected->u, (double)expected->v);
}

/// Rays of the first of those that a batch repeats, for filters.
static size_t repeated;

static void cast_and_compare(tact_scene* scene, tact_ray_mode mode, const tact_ray_rules* rules, ray_kind kind,
                             const tact_ray* rays, size_t count, const tact_query_options* options,
                             const tact_hit* expected, tact_hit* hits)
{
    memset(hits, 0xee, count * sizeof *hits);
    assert_int_equal(call_raycast_with(scene, mode, rays, count, rules, hits, options, NULL), TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(&hits[i], &expected[i % repeated], sizeof *hits) == 0) continue;
        say(tact_trace_lanes()->name, mode, kind, &rays[i], &hits[i], &expected[i % repeated]);
        fail();
    }
    if (mode != TACT_RAY_ANY) return;
    uint8_t* occluded = (uint8_t*)hits;
    memset(occluded, 0xee, count + 1);
    const tact_raycast_work work = {.mode = mode, .count = count, .rays = rays, .rules = rules, .occluded = occluded};
    assert_int_equal(tact_raycast_with(scene, &work, options, NULL), TACT_OK);
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(occluded[i], expected[i % repeated].instance != TACT_NONE);
    assert_int_equal(occluded[count], 0xee);
}

/// All hits, or the nearest of each ray, with every set of instructions.
static void compare_lists(tact_scene* scene, const tact_ray_rules* rules, const tact_ray* rays, size_t count)
{
    static uint32_t turn;
    const uint32_t max_hits = turn++ % 3 * 2;
    uint64_t* expected_offsets = scratch((count + 1) * sizeof *expected_offsets);
    uint64_t* offsets = scratch((count + 1) * sizeof *offsets);
    tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
    (void)call_raycast_all_with(scene, rays, count, max_hits, rules, expected_offsets, NULL, 0, &options, NULL);
    const size_t all = (size_t)expected_offsets[count];
    tact_hit *expected = scratch((all + 1) * sizeof *expected), *hits = scratch((all + 1) * sizeof *hits);
    assert_int_equal(
        call_raycast_all_with(scene, rays, count, max_hits, rules, offsets, expected, all + 1, &options, NULL),
        TACT_OK);
    options.backend = TACT_BACKEND_CPU;
    for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
        if (!tact_lanes_limit(level)) continue;
        options.threads = 1 + level % 3;
        memset(hits, 0xee, all * sizeof *hits);
        assert_int_equal(
            call_raycast_all_with(scene, rays, count, max_hits, rules, offsets, hits, all + 1, &options, NULL),
            TACT_OK);
        assert_memory_equal(offsets, expected_offsets, (count + 1) * sizeof *offsets);
        assert_memory_equal(hits, expected, all * sizeof *hits);
    }
}

/// All modes, with every set of instructions, and where the rays are few enough to be cast one by one, also so often
/// that they are not; returns how many rays hit.
static size_t compare(tact_scene* scene, const tact_ray_rules* rules, ray_kind kind, const tact_ray* rays, size_t count)
{
    enum { NOT_FEW = 1030 };
    const size_t times = count < NOT_FEW ? (NOT_FEW + count - 1) / count : 1;
    tact_hit* expected = scratch(count * sizeof *expected);
    tact_hit* hits = scratch(times * count * sizeof *hits);
    tact_ray* again = scratch(times * count * sizeof *again);
    uint32_t* masks = scratch(times * count * sizeof *masks);
    tact_ray_rules rules_again = rules ? *rules : (tact_ray_rules){0};
    repeated = count;
    for (size_t i = 0; i < times * count; ++i) {
        again[i] = rays[i % count];
        if (rules_again.masks) masks[i] = rules->masks[i % count];
    }
    if (rules_again.masks) rules_again.masks = masks;
    static unsigned turn;
    size_t hit = 0;
    for (int m = 0; m <= TACT_RAY_COUNT; ++m) {
        const tact_ray_mode mode = (tact_ray_mode)m;
        tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
        assert_int_equal(call_raycast_with(scene, mode, rays, count, rules, expected, &options, NULL), TACT_OK);
        options.backend = TACT_BACKEND_CPU;
        for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
            if (!tact_lanes_limit(level)) continue;
            options.threads = 1 + level % 3;
            cast_and_compare(scene, mode, rules, kind, rays, count, &options, expected, hits);
            // Sanitizers: one in seven, so that all modes and levels have their turn.
            if (times == 1 || (THINNED > 1 && turn++ % 7 != 0)) continue;
            cast_and_compare(scene, mode, rules ? &rules_again : NULL, kind, again, times * count, &options, expected,
                             hits);
        }
        for (size_t i = 0; m == 0 && i < count; ++i)
            hit += expected[i].instance != TACT_NONE;
    }
    compare_lists(scene, rules, rays, count);
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
    return hit;
}

static void compare_kinds(tact_scene* scene, const tact_ray_rules* rules, test_random* r, float unit, size_t count,
                          size_t width)
{
    const size_t thinned = THINNED > 1 ? THINNED : effort(4, 1);
    if (count > 64 * thinned || count > 600) count /= thinned;
    tact_ray* rays = scratch(count * sizeof *rays);
    for (int kind = 0; kind < RAY_KINDS; ++kind) {
        make_rays((ray_kind)kind, r, unit, rays, count, width);
        (void)compare(scene, rules, (ray_kind)kind, rays, count);
    }
}

TEST(meshes_of_all_sorts)
{
    tact_context* context = KEEP(make_context());
    test_random r = test_random_seeded(71);
    for (int kind = 0; kind < SOUP_KINDS; ++kind) {
        for (int i = 0; i < 4; ++i) {
            soup s;
            fill_soup(&r, (soup_kind)kind, 20 + test_random_below(&r, 200), &s);
            tact_scene* scene = scene_of(context, &s);
            compare_kinds(scene, NULL, &r, kind == HUGE_ONES ? 0x1p58f : kind == TINY ? 1e-38f : 1.0f, 700, 37);
            tact_scene_destroy(scene);
        }
    }
}

TEST(numbers_of_rays)
{
    tact_context* context = KEEP(make_context());
    test_random r = test_random_seeded(72);
    soup s;
    make_sheet(&s, &r);
    tact_scene* scene = KEEP(scene_of(context, &s));
    static const size_t counts[] = {1, 7, 63, 64, 65, 511, 513, 1025}, widths[] = {1, 8, 9, 64, 100};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        for (size_t w = 0; w < sizeof widths / sizeof widths[0]; ++w)
            compare_kinds(scene, NULL, &r, 1.0f, counts[c], widths[w]);
    }
}

/// Big triangles in a heap: every ray reaches every box, so lists of a stream outgrow the room that there is for them.
TEST(lists_that_do_not_fit)
{
    tact_context* context = KEEP(make_context());
    test_random r = test_random_seeded(73);
    static soup s;
    s = (soup){.vertices = 3 * MOST_TRIANGLES, .triangles = MOST_TRIANGLES};
    for (uint32_t i = 0; i < 3 * MOST_TRIANGLES; ++i) {
        s.indices[i] = i;
        for (int k = 0; k < 3; ++k)
            s.positions[3 * i + (uint32_t)k] = 20.0f * test_random_signed(&r);
    }
    tact_scene* scene = KEEP(scene_of(context, &s));
    tact_ray* rays = scratch(MANY * sizeof *rays);
    make_rays(SCATTERED, &r, 1.0f, rays, MANY, 1);
    assert_true(compare(scene, NULL, SCATTERED, rays, MANY) > MANY / 2);
}

/// Rules that look at each hit, and primitives that are no triangles.
static bool lets_through(size_t ray_index, const tact_ray* ray, const tact_hit* hit, void* user)
{
    return (ray_index % repeated * 7 + hit->instance * 3 + hit->primitive) % 5 != 0;
}

TEST(shapes_and_filters)
{
    tact_context* context = KEEP(make_context());
    test_random r = test_random_seeded(76);
    for (int shapes = 0; shapes < 2; ++shapes) {
        tact_scene* scene = scene_of_many(context, &r, shapes != 0);
        compare_kinds(scene, NULL, &r, 1.0f, 900, 30);
        const tact_ray_rules fronts = {.cull = TACT_RAY_CULL_BACK}, backs = {.cull = TACT_RAY_CULL_FRONT};
        compare_kinds(scene, &fronts, &r, 1.0f, 900, 30);
        compare_kinds(scene, &backs, &r, 1.0f, 900, 30);
        const tact_ray_rules filtered = {.accept = lets_through,
                                         .cull = shapes ? TACT_RAY_CULL_BACK : TACT_RAY_CULL_NONE};
        compare_kinds(scene, &filtered, &r, 1.0f, 900, 30);
        tact_scene_destroy(scene);
    }
}

TEST(many_instances)
{
    tact_context* context = KEEP(make_context());
    test_random r = test_random_seeded(74);
    tact_scene* scene = KEEP(scene_of_many(context, &r, false));
    compare_kinds(scene, NULL, &r, 1.0f, WIDE, 50);
    const tact_ray_rules fronts = {.cull = TACT_RAY_CULL_BACK}, backs = {.cull = TACT_RAY_CULL_FRONT, .mask = 7};
    compare_kinds(scene, &fronts, &r, 1.0f, 900, 30);
    compare_kinds(scene, &backs, &r, 1.0f, 900, 30);
    const tact_ray_rules one = {.mask = 6};
    compare_kinds(scene, &one, &r, 1.0f, 900, 30);
    uint32_t masks[900];
    for (size_t i = 0; i < 900; ++i)
        masks[i] = (uint32_t)test_random_bits(&r) & (uint32_t)test_random_bits(&r);
    const tact_ray_rules each = {.masks = masks};
    compare_kinds(scene, &each, &r, 1.0f, 900, 30);
}

/// A picture from `from`, whose middle looks along `ahead`, to the sides and up and down of which rays go by `wide`.
/// Where it crosses an axis rays side by side have different octants, and one coordinate is a negative zero.
static void make_picture(const float from[3], const float ahead[3], float wide, size_t side, tact_ray* rays)
{
    for (size_t i = 0; i < side * side; ++i) {
        const float x = wide * (2.0f * (float)(i % side) / (float)side - 1.0f);
        const float z = wide * (1.0f - 2.0f * (float)(i / side) / (float)side);
        rays[i] = (tact_ray){from[0], from[1], from[2], 0.0f, x, ahead[1], ahead[2] + z, i % 5 ? INFINITY : 2.0f};
    }
}

/// So many small instances on a large one that packets leave them to streams, seen from above, where the large one
/// stops most rays, and from the side.
TEST(pictures_of_many_instances)
{
    enum { SIDE = THINNED > 1 ? 60 : 100, SMALL = THINNED > 1 ? 300 : 700 };
    tact_context* context = KEEP(make_context());
    test_random r = test_random_seeded(77);
    tact_scene* scene = KEEP(new_scene(context));
    soup s, ground = {.positions = {-1, -1, -0.0f, 1, -1, -0.0f, 1, 1, -0.0f, -1, 1, -0.0f},
                      .indices = {0, 1, 2, 0, 2, 3},
                      .vertices = 4,
                      .triangles = 2};
    fill_soup(&r, SMOOTH, 6, &s);
    const uint32_t mesh = add_mesh(scene, &s);
    // Three times, so that hits tie.
    const uint32_t plane = add_mesh(scene, &ground);
    for (int i = 0; i < 3; ++i)
        put_instance(scene, plane, NULL);
    for (int i = 0; i < SMALL; ++i) {
        const float x = test_random_signed(&r), y = test_random_signed(&r), z = 0.02f + 0.05f * test_random_unit(&r);
        put_instance(scene, mesh, (float[12]){0, 0.02f, 0, x, 0.02f, 0, 0, y, 0, 0, 0.03f, z});
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_ray* rays = scratch(SIDE * SIDE * sizeof *rays);
    make_picture((float[3]){-0.0f, -1.8f, 1.5f}, (float[3]){0, 1.8f, -1.5f}, 0.9f, SIDE, rays);
    assert_true(compare(scene, NULL, CAMERA, rays, SIDE * SIDE) > SIDE * SIDE / 2);
    make_picture((float[3]){-0.0f, -2.0f, 0.06f}, (float[3]){0, 1.0f, -0.0f}, 0.3f, SIDE, rays);
    const size_t hit = compare(scene, NULL, CAMERA, rays, SIDE * SIDE);
    assert_true(hit > SIDE && hit < SIDE * SIDE / 2);
    tact_scene* one = KEEP(scene_of(context, &ground));
    assert_true(compare(one, NULL, CAMERA, rays, SIDE * SIDE) > SIDE);
    // In the ground's plane: which zero it is that rays are hit at depends on which zero they begin at.
    make_picture((float[3]){0.3f, 0.2f, -0.0f}, (float[3]){0, 0.1f, -1.0f}, 0.5f, SIDE, rays);
    assert_true(compare(one, NULL, CAMERA, rays, SIDE * SIDE) == SIDE * SIDE);
    // Side by side from either zero; the matrix, of ones and zeros, keeps the negative one where the others are
    // negative.
    make_picture((float[3]){-0.3f, -0.2f, -0.0f}, (float[3]){0, 0.1f, -1.0f}, 0.5f, SIDE, rays);
    for (size_t i = 0; i < SIDE * SIDE; i += 3)
        rays[i].oz = 0.0f;
    assert_true(compare(one, NULL, CAMERA, rays, SIDE * SIDE) == SIDE * SIDE);
}

/// Two instances, one of which makes directions so long that their reciprocals are no normal numbers.
TEST(instances_that_stretch)
{
    tact_context* context = KEEP(make_context());
    test_random r = test_random_seeded(75);
    static const float sizes[] = {1e-9f, 1e-12f, 1e-15f, 1e3f};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        tact_scene* scene = new_scene(context);
        soup s;
        fill_soup(&r, SMOOTH, 100, &s);
        const uint32_t mesh = add_mesh(scene, &s);
        const float m[12] = {sizes[i], 0, 0, 0, 0, sizes[i], 0, 0, 0, 0, sizes[i], 0};
        put_instance(scene, mesh, m);
        put_instance(scene, mesh, NULL);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        const float lengths[] = {1.0f, 1e15f, 1e25f, 9e29f};
        for (size_t k = 0; k < 4; ++k) {
            tact_ray rays[300];
            make_rays(k % 2 ? SCATTERED : CAMERA, &r, 1.0f, rays, 300, 20);
            for (size_t n = 0; n < 300; ++n) {
                rays[n].dx *= lengths[k];
                rays[n].dy *= lengths[k];
                rays[n].dz *= lengths[k];
            }
            (void)compare(scene, NULL, SCATTERED, rays, 300);
        }
        tact_scene_destroy(scene);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
