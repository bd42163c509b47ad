// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// All hits along rays, by the trees and by the reference, against a list that is made here: every triangle tried by
// itself, its hits sorted by the C library.

#include <limits.h>

#include "tests/support/run.h"

#include "core/scene/scene.h"
#include "cpu_ref/trace/raycast_all.h"
#include "tests/support/calls.h"
#include "tests/support/counting_context.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

static uint32_t add(tact_scene* scene, const float* positions, size_t triangles, const float* matrix)
{
    const tact_mesh_desc mesh = {.positions = positions, .vertex_count = 3 * triangles, .triangle_count = triangles};
    const uint32_t id = put_mesh(scene, &mesh);
    put_instance(scene, id, matrix);
    return id;
}

/// Soup, with some triangles twice, in several instances of which two are in the same place.
static tact_scene* make_soup(tact_context* context, test_random* r, size_t triangles)
{
    tact_scene* scene = new_scene(context);
    float* p = scratch(triangles * 9 * sizeof *p);
    for (size_t i = 0; i < triangles; ++i) {
        const float centre[3] = {test_random_signed(r), test_random_signed(r), test_random_signed(r)};
        for (size_t k = 0; k < 9; ++k)
            p[9 * i + k] = centre[k % 3] + 0.5f * test_random_signed(r);
        if (i > 0 && i % 5 == 0) memcpy(p + 9 * i, p + 9 * (i - 1), 9 * sizeof *p);
        // Some lie in one plane, so that many hits have one t.
        if (i % 3 == 0) p[9 * i + 2] = p[9 * i + 5] = p[9 * i + 8] = 0.25f;
    }
    p[4] = NAN;
    const uint32_t mesh = add(scene, p, triangles, NULL);
    const float turned[12] = {0, -1, 0, 0.1f, 1, 0, 0, 0.2f, 0, 0, 1, 0.3f};
    put_instance(scene, mesh, NULL);
    put_instance(scene, mesh, turned);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static void make_rays(test_random* r, tact_ray* rays, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_ray ray = {test_random_signed(r),        test_random_signed(r),        3.0f,  0.0f,
                              0.3f * test_random_signed(r), 0.3f * test_random_signed(r), -1.0f, INFINITY};
        rays[i] = ray;
        if (i % 4 == 1) rays[i].dx = rays[i].dy = 0.0f;
        if (i % 17 == 3) rays[i].tmax = 2.75f;  // the common plane, met head on by some
        if (i % 19 == 4) rays[i].ox = NAN;
        if (i % 23 == 5) rays[i].dz = rays[i].dx = rays[i].dy = 0.0f;
        if (i % 29 == 6) rays[i].tmin = NAN;
        if (i % 31 == 7) rays[i].tmin = -10.0f;
    }
}

static int order(const void* a, const void* b)
{
    const tact_hit *x = a, *y = b;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    if (x->instance != y->instance) return x->instance < y->instance ? -1 : 1;
    return x->primitive < y->primitive ? -1 : x->primitive > y->primitive;
}

/// One ray's hits by asking for the closest one of each triangle: scenes of a single triangle under the same matrix
/// would round their gate boxes otherwise, so the arithmetic is called here.
static size_t list_hits(const tact_scene* scene, const tact_ray* ray, tact_hit* hits)
{
    const tact_trace_scene* s = &scene->trace;
    size_t count = 0;
    const TactRayFrame world = tact_ray_frame(ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
    if (!world.valid || !(ray->tmin <= ray->tmax)) return 0;
    for (uint32_t i = 0; i < s->by_id_count; ++i) {
        const tact_trace_instance* n = &s->by_id[i];
        const TactBox box = {n->lower[0], n->lower[1], n->lower[2], n->upper[0], n->upper[1], n->upper[2]};
        const TactInterval gate = tact_box_interval(world, box, TACT_INSTANCE_SLACK);
        const TactRayFrame frame = tact_trace_enter(n, ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
        const tact_trace_mesh* mesh = &s->meshes[n->mesh];
        for (uint32_t k = 0; k < mesh->triangle_count && frame.valid; ++k) {
            const float* v[3];
            bool good = true;
            for (int c = 0; c < 3; ++c) {
                v[c] = mesh->positions + (size_t)mesh->indices[3 * k + (uint32_t)c] * 3;
                good = good && isfinite(v[c][0]) && isfinite(v[c][1]) && isfinite(v[c][2]);
            }
            if (!good) continue;
            const TactTriangleHit h = tact_ray_triangle(frame, v[0][0], v[0][1], v[0][2], v[1][0], v[1][1], v[1][2],
                                                        v[2][0], v[2][1], v[2][2], gate, ray->tmin, ray->tmax);
            if (h.hit) hits[count++] = (tact_hit){i, k, h.t, h.u, h.v};
        }
    }
    qsort(hits, count, sizeof *hits, order);
    return count;
}

enum { RAYS = 600, TRIANGLES = 300, MOST = 3 * TRIANGLES };
static tact_ray rays[RAYS];
static uint64_t wanted_offsets[RAYS + 1];
static tact_hit wanted[(size_t)RAYS * MOST];

static void want(const tact_scene* scene, uint32_t max_hits)
{
    static tact_hit list[MOST];
    for (size_t i = 0; i < RAYS; ++i) {
        size_t count = list_hits(scene, &rays[i], list);
        if (max_hits && count > max_hits) count = max_hits;
        memcpy(wanted + wanted_offsets[i], list, count * sizeof *list);
        wanted_offsets[i + 1] = wanted_offsets[i] + count;
    }
}

TEST(every_hit_is_told_once_in_order)
{
    test_random r = test_random_seeded(1);
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_soup(context, &r, TRIANGLES));
    make_rays(&r, rays, RAYS);
    static uint64_t offsets[RAYS + 1];
    static tact_hit hits[(size_t)RAYS * MOST];
    size_t longest = 0, ties = 0;
    // 64 are kept while rays are cast, more are not.
    static const uint32_t mosts[] = {0, 1, 3, 7, 15, 31, 64, 65};
    for (size_t m = 0; m < sizeof mosts / sizeof *mosts; ++m) {
        const uint32_t max_hits = mosts[m];
        want(scene, max_hits);
        for (int threads = 1; threads <= 5; threads += 2) {
            for (int brute = 0; brute < 2; ++brute) {
                const tact_query_options options = {.backend = brute ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU,
                                                    .threads = threads};
                memset(hits, 0xee, sizeof hits);
                assert_int_equal(
                    call_raycast_all(scene, rays, RAYS, max_hits, offsets, hits, (size_t)RAYS * MOST, &options, NULL),
                    TACT_OK);
                assert_memory_equal(offsets, wanted_offsets, sizeof offsets);
                assert_memory_equal(hits, wanted, offsets[RAYS] * sizeof *hits);
            }
        }
        for (size_t i = 0; i < RAYS && max_hits == 0; ++i) {
            const size_t n = (size_t)(offsets[i + 1] - offsets[i]);
            longest = n > longest ? n : longest;
            for (uint64_t k = offsets[i] + 1; k < offsets[i + 1]; ++k)
                ties += hits[k].t == hits[k - 1].t;
        }
    }
    assert_true(longest > 16 && ties > 500);
}

TEST(the_first_is_the_closest_and_the_number_is_the_count)
{
    test_random r = test_random_seeded(2);
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_soup(context, &r, TRIANGLES));
    make_rays(&r, rays, RAYS);
    static uint64_t offsets[RAYS + 1];
    static tact_hit hits[(size_t)RAYS * MOST], closest[RAYS], counts[RAYS];
    tact_query_report report;
    const tact_query_options options = {.shadow = true};
    assert_int_equal(call_raycast_all(scene, rays, RAYS, 0, offsets, hits, (size_t)RAYS * MOST, &options, &report),
                     TACT_OK);
    assert_non_null(strstr(report.reason, "shadow: equal"));
    assert_int_equal(report.backend, TACT_BACKEND_CPU);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, closest, NULL, NULL), TACT_OK);
    assert_int_equal(tact_raycast(scene, TACT_RAY_COUNT, rays, RAYS, counts, NULL, NULL), TACT_OK);
    size_t misses = 0;
    for (size_t i = 0; i < RAYS; ++i) {
        assert_int_equal(offsets[i + 1] - offsets[i], counts[i].primitive);
        if (counts[i].primitive) {
            assert_memory_equal(&hits[offsets[i]], &closest[i], sizeof closest[i]);
        } else {
            assert_int_equal(closest[i].instance, TACT_NONE);
            ++misses;
        }
    }
    assert_true(misses > 50 && misses < RAYS / 2);
}

/// More rays than a slice holds, all through thousands of layers of which many lie in one plane.
TEST(thousands_of_layers)
{
    enum { LAYERS = 7000, BEAMS = 40 };
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(new_scene(context));
    float* p = scratch(LAYERS * 9 * sizeof *p);
    for (size_t i = 0; i < LAYERS; ++i) {
        // The nearest come last; every seventh is where the one before was.
        const float z = -(float)((i - (i % 7 == 3)) * 37 % LAYERS);
        const float t[9] = {-1, -1, z, 3, -1, z, -1, 3, z};
        memcpy(p + 9 * i, t, sizeof t);
    }
    add(scene, p, LAYERS, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_ray beams[BEAMS];
    for (size_t i = 0; i < BEAMS; ++i)
        beams[i] = (tact_ray){0.01f * (float)i, 0.1f, 1.0f, 0.0f, 0.0f, 0.0f, -1.0f, INFINITY};
    static uint64_t offsets[BEAMS + 1];
    tact_hit* hits = scratch((size_t)BEAMS * LAYERS * sizeof *hits);
    assert_int_equal(call_raycast_all(scene, beams, BEAMS, 0, offsets, hits, (size_t)BEAMS * LAYERS, NULL, NULL),
                     TACT_OK);
    assert_int_equal(offsets[BEAMS], (uint64_t)BEAMS * LAYERS);
    unsigned char* seen = scratch_zeroed(LAYERS, 1);
    for (size_t i = 0; i < LAYERS; ++i) {
        ++seen[hits[i].primitive];
        if (i > 0) assert_true(order(&hits[i - 1], &hits[i]) < 0);
    }
    for (size_t i = 0; i < LAYERS; ++i)
        assert_int_equal(seen[i], 1);
    // The front alone, and a front in an array that is too small.
    tact_hit* front = scratch((size_t)BEAMS * LAYERS * sizeof *front);
    assert_int_equal(call_raycast_all(scene, beams, BEAMS, 1000, offsets, front, (size_t)BEAMS * 1000, NULL, NULL),
                     TACT_OK);
    for (size_t i = 0; i < BEAMS; ++i)
        assert_memory_equal(front + 1000 * i, hits + LAYERS * i, 1000 * sizeof *hits);
    memset(front, 0xcc, 6000 * sizeof *front);
    assert_int_equal(call_raycast_all(scene, beams, BEAMS, 0, offsets, front, 5000, NULL, NULL), TACT_INCOMPLETE);
    assert_int_equal(offsets[BEAMS], (uint64_t)BEAMS * LAYERS);
    assert_memory_equal(front, hits, 5000 * sizeof *hits);
    for (size_t i = 0; i < 1000 * sizeof *front; ++i)
        assert_int_equal(((unsigned char*)(front + 5000))[i], 0xcc);
}

TEST(every_capacity_holds_what_fits)
{
    test_random r = test_random_seeded(3);
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_soup(context, &r, 60));
    make_rays(&r, rays, RAYS);
    want(scene, 0);
    static uint64_t offsets[RAYS + 1];
    const size_t total = (size_t)wanted_offsets[RAYS];
    assert_int_equal(call_raycast_all(scene, rays, RAYS, 0, offsets, NULL, 0, NULL, NULL), TACT_INCOMPLETE);
    assert_memory_equal(offsets, wanted_offsets, sizeof offsets);
    tact_hit* hits = scratch((total + 1) * sizeof *hits);
    for (size_t capacity = 0; capacity <= total; capacity += capacity + 40 < total ? 37 : 1) {
        memset(hits, 0xdd, (total + 1) * sizeof *hits);
        const tact_query_options options = {.threads = 1 + (int)(capacity % 3), .shadow = capacity % 5 == 0};
        assert_int_equal(call_raycast_all(scene, rays, RAYS, 0, offsets, hits, capacity, &options, NULL),
                         capacity < total ? TACT_INCOMPLETE : TACT_OK);
        assert_memory_equal(offsets, wanted_offsets, sizeof offsets);
        assert_memory_equal(hits, wanted, capacity * sizeof *hits);
        assert_int_equal(((unsigned char*)(hits + capacity))[0], 0xdd);
    }
}

TEST(misuse_is_told)
{
    test_random r = test_random_seeded(4);
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_soup(context, &r, 20));
    make_rays(&r, rays, RAYS);
    static uint64_t offsets[RAYS + 1];
    tact_query_report report;
    offsets[0] = 7;
    assert_int_equal(call_raycast_all(scene, NULL, 0, 0, offsets, NULL, 0, NULL, &report), TACT_OK);
    assert_int_equal(offsets[0], 0);
    assert_int_equal(call_raycast_all(NULL, rays, 1, 0, offsets, NULL, 0, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_raycast_all(scene, rays, 1, 0, NULL, NULL, 0, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_raycast_all(scene, NULL, 1, 0, offsets, NULL, 0, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_raycast_all(scene, rays, 1, 0, offsets, NULL, 1, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    const tact_query_options elsewhere = {.backend = TACT_BACKEND_GL};
    assert_int_equal(call_raycast_all(scene, rays, RAYS, 0, offsets, NULL, 0, &elsewhere, NULL), TACT_ERROR_NO_DEVICE);
    put_instance(scene, 0, NULL);
    assert_int_equal(call_raycast_all(scene, rays, 1, 0, offsets, NULL, 0, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
}

static bool stop(double fraction, void* user)
{
    ++*(int*)user;
    return false;
}

/// Rays side by side, which go as packets, rows that are cut off among them, and each number of rays about the one from
/// which on they go together.
TEST(pictures_and_few_rays)
{
    enum { SIDE = 60, PICTURE = SIDE * SIDE, CAPACITY = PICTURE * 60 };
    test_random r = test_random_seeded(7);
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_soup(context, &r, 500));
    static tact_ray picture[PICTURE];
    static uint64_t offsets[PICTURE + 1], expected_offsets[PICTURE + 1];
    tact_hit *hits = scratch(CAPACITY * sizeof *hits), *expected = scratch(CAPACITY * sizeof *expected);
    for (size_t i = 0; i < PICTURE; ++i) {
        const float x = (float)(i % SIDE) / SIDE - 0.4f, y = (float)(i / SIDE) / SIDE - 0.6f;
        picture[i] = (tact_ray){0.1f, 0.2f, 4.0f, 0.0f, 0.5f * x, 0.5f * y, -1.0f, INFINITY};
    }
    picture[PICTURE / 2].dz = NAN;
    static const size_t counts[] = {1, 63, 64, 65, 1000, PICTURE - SIDE / 2, PICTURE};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        const size_t n = counts[c];
        for (uint32_t max_hits = 0; max_hits < 3; ++max_hits) {
            const tact_query_options brute = {.backend = TACT_BACKEND_REFERENCE}, cpu = {.backend = TACT_BACKEND_CPU};
            memset(hits, 0xee, CAPACITY * sizeof *hits);
            assert_int_equal(
                call_raycast_all(scene, picture, n, max_hits, expected_offsets, expected, CAPACITY, &brute, NULL),
                TACT_OK);
            assert_int_equal(call_raycast_all(scene, picture, n, max_hits, offsets, hits, CAPACITY, &cpu, NULL),
                             TACT_OK);
            assert_memory_equal(offsets, expected_offsets, (n + 1) * sizeof *offsets);
            assert_memory_equal(hits, expected, offsets[n] * sizeof *hits);
        }
    }
    assert_true(expected_offsets[PICTURE] > PICTURE);
}

static bool lets_most_through(size_t ray_index, const tact_ray* ray, const tact_hit* hit, void* user)
{
    (void)ray;
    ++*(size_t*)user;
    return (ray_index * 7 + hit->primitive) % 5 != 0;
}

/// More rays than one round has, with a mask each and a filter, which is called once for each hit: no ray is cast
/// again.
TEST(rules_of_many_rays)
{
    enum { MANY = 9000, CAPACITY = 10 * MANY };
    test_random r = test_random_seeded(8);
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_soup(context, &r, 60));
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(tact_scene_set_mask(scene, i, 1u << i), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_ray* many = scratch(MANY * sizeof *many);
    uint32_t* masks = scratch(MANY * sizeof *masks);
    uint64_t *offsets = scratch((MANY + 1) * sizeof *offsets),
             *expected_offsets = scratch((MANY + 1) * sizeof *offsets);
    tact_hit *hits = scratch(CAPACITY * sizeof *hits), *expected = scratch(CAPACITY * sizeof *expected);
    for (size_t i = 0; i < MANY; ++i) {
        make_rays(&r, &many[i], 1);
        many[i].dx += 0.2f * test_random_signed(&r);
        masks[i] = (uint32_t)test_random_bits(&r) & 7u;
    }
    size_t calls = 0, expected_calls = 0;
    tact_ray_rules rules = {.masks = masks, .accept = lets_most_through, .accept_user = &expected_calls};
    tact_query_options options = {.backend = TACT_BACKEND_REFERENCE, .threads = 1};
    assert_int_equal(
        call_raycast_all_with(scene, many, MANY, 0, &rules, expected_offsets, expected, CAPACITY, &options, NULL),
        TACT_OK);
    rules.accept_user = &calls;
    options.backend = TACT_BACKEND_CPU;
    assert_int_equal(call_raycast_all_with(scene, many, MANY, 0, &rules, offsets, hits, CAPACITY, &options, NULL),
                     TACT_OK);
    assert_memory_equal(offsets, expected_offsets, (MANY + 1) * sizeof *offsets);
    assert_memory_equal(hits, expected, offsets[MANY] * sizeof *hits);
    assert_true(offsets[MANY] > MANY / 2 && offsets[MANY] < expected_calls);
    assert_int_equal(calls, expected_calls);
}

/// More hits than are held beside the answer: those of one ray, and those of all.
TEST(hits_may_be_more_than_there_is_room_for_meanwhile)
{
    enum { LEAVES = 700, COLUMN_RAYS = 9000, ALL = COLUMN_RAYS * LEAVES };
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(new_scene(context));
    float* p = scratch_zeroed(LEAVES * 9, sizeof *p);
    for (size_t i = 0; i < LEAVES; ++i) {
        const float z = (float)(i * 37 % LEAVES) / 1024.0f, leaf[9] = {-2, -2, z, 5, -2, z, -2, 5, z};
        memcpy(p + 9 * i, leaf, sizeof leaf);
    }
    add(scene, p, LEAVES, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_ray* column = scratch(COLUMN_RAYS * sizeof *column);
    for (size_t i = 0; i < COLUMN_RAYS; ++i) {
        const tact_ray ray = {(float)(i % 90) / 90.0f, (float)(i / 90) / 100.0f, 2.0f, 0, 0, 0, -1, INFINITY};
        column[i] = ray;
        if (i % 3 == 1) column[i].ox = 9.0f;  // misses
    }
    uint64_t* offsets = scratch((COLUMN_RAYS + 1) * sizeof *offsets);
    tact_hit* hits = scratch(ALL * sizeof *hits);
    tact_trace_all_job job = {.scene = &scene->trace, .rays = column, .count = COLUMN_RAYS, .threads = 3};
    static const uint32_t mosts[] = {0, 10, 400};
    for (size_t m = 0; m < sizeof mosts / sizeof *mosts; ++m) {
        job.max_hits = mosts[m];
        const size_t each = mosts[m] ? mosts[m] : LEAVES;
        tact_trace_hits out = {offsets, hits, ALL};
        memset(hits, 0xee, ALL * sizeof *hits);
        assert_int_equal(tact_trace_all(&context->env, &job, &out), TACT_OK);
        for (size_t i = 0; i < COLUMN_RAYS; ++i) {
            assert_int_equal(offsets[i + 1] - offsets[i], i % 3 == 1 ? 0 : each);
            for (uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
                const size_t level = LEAVES - 1 - (size_t)(k - offsets[i]);
                assert_int_equal(hits[k].primitive * 37 % LEAVES, level);
                assert_true(fabsf(hits[k].t - (2.0f - (float)level / 1024.0f)) < 1e-5f);
            }
        }
    }
}

/// More rays than are cast between two reports, every allocation failed once.
TEST(memory_may_run_out_and_the_caller_may_cancel)
{
    enum { MANY = 40000, CAPACITY = 100 * MANY };
    test_random r = test_random_seeded(5);
    counting_allocator counter = {0};
    tact_context* context = counting_context(0, &counter);
    tact_scene* scene = make_soup(context, &r, 200);
    tact_ray* many = scratch(MANY * sizeof *many);
    make_rays(&r, many, MANY);
    // Pools that the first rays make so large are too small for the others.
    for (size_t i = 0; i < MANY / 4; ++i)
        many[i].tmax = 0.5f;
    tact_env* env = &context->env;
    tact_hit* all = scratch(2 * (size_t)CAPACITY * sizeof *all);
    uint64_t* offsets = scratch(2 * (MANY + 1) * sizeof *offsets);
    tact_trace_hits whole = {offsets, all, CAPACITY}, hits = {offsets + MANY + 1, all + CAPACITY, CAPACITY};
    for (uint32_t max_hits = 0; max_hits < 3; max_hits += 2) {
        tact_trace_all_job job = {
            .scene = &scene->trace, .rays = many, .count = MANY, .max_hits = max_hits, .threads = 2};
        assert_int_equal(tact_trace_all(env, &job, &whole), TACT_OK);
        assert_true(whole.offsets[MANY] > MANY && whole.offsets[MANY] < CAPACITY);
        const size_t before = counter.live;
        size_t failures = 0;
        for (size_t n = 1;; ++n) {
            counter.fail_at = counter.requests + n;
            counter.failed = false;
            const tact_result result = tact_trace_all(env, &job, &hits);
            counter.fail_at = 0;
            assert_int_equal(result, counter.failed ? TACT_ERROR_OUT_OF_MEMORY : TACT_OK);
            assert_int_equal(counter.live, before);
            if (!counter.failed) break;
            ++failures;
        }
        assert_memory_equal(hits.offsets, whole.offsets, (MANY + 1) * sizeof *hits.offsets);
        assert_memory_equal(hits.hits, whole.hits, whole.offsets[MANY] * sizeof *hits.hits);
        assert_true(failures >= 10);
        int calls = 0;
        job.progress = stop;
        job.progress_user = &calls;
        assert_int_equal(tact_trace_all(env, &job, &whole), TACT_ERROR_CANCELLED);
        assert_int_equal(calls, 1);
        // More threads than there is work for cost nothing.
        job.progress = NULL;
        job.count = 10;
        job.threads = INT_MAX;
        const size_t requests = counter.requests;
        assert_int_equal(tact_trace_all(env, &job, &whole), TACT_OK);
        assert_true(counter.requests - requests < 8);
        assert_int_equal(counter.live, before);
    }
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
