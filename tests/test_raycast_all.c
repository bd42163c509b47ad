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
    for (uint32_t max_hits = 0; max_hits < 40; max_hits = max_hits * 2 + 1) {
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

/// More rays than are cast between two reports, growing arrays, every allocation failed once.
/// More hits than are held beside the answer: those of one ray, and those of all.
TEST(hits_may_be_more_than_there_is_room_for_meanwhile)
{
    enum { LEAVES = 700, COLUMN_RAYS = 9000 };
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
    tact_trace_all_job job = {.scene = &scene->trace, .rays = column, .count = COLUMN_RAYS, .threads = 3};
    for (uint32_t max_hits = 0; max_hits <= 400; max_hits += 400) {
        job.max_hits = max_hits;
        const size_t each = max_hits ? max_hits : LEAVES;
        tact_trace_hits hits = {0};
        assert_int_equal(tact_trace_all(&context->env, &job, &hits), TACT_OK);
        for (size_t i = 0; i < COLUMN_RAYS; ++i) {
            assert_int_equal(hits.offsets[i + 1] - hits.offsets[i], i % 3 == 1 ? 0 : each);
            for (uint64_t k = hits.offsets[i]; k < hits.offsets[i + 1]; ++k) {
                const size_t level = LEAVES - 1 - (size_t)(k - hits.offsets[i]);
                assert_int_equal(hits.hits[k].primitive * 37 % LEAVES, level);
                assert_true(fabsf(hits.hits[k].t - (2.0f - (float)level / 1024.0f)) < 1e-5f);
            }
        }
        tact_trace_hits_free(&context->env, &hits);
    }
}

TEST(memory_may_run_out_and_the_caller_may_cancel)
{
    enum { MANY = 40000 };
    test_random r = test_random_seeded(5);
    counting_allocator counter = {0};
    tact_context* context = counting_context(0, &counter);
    tact_scene* scene = make_soup(context, &r, 40);
    tact_ray* many = scratch(MANY * sizeof *many);
    make_rays(&r, many, MANY);
    tact_trace_all_job job = {.scene = &scene->trace, .rays = many, .count = MANY, .threads = 2};
    tact_env* env = &context->env;
    tact_trace_hits whole = {0};
    assert_int_equal(tact_trace_all(env, &job, &whole), TACT_OK);
    assert_true(whole.offsets[MANY] > MANY / 4);
    const size_t before = counter.live;
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        counter.fail_at = counter.requests + n;
        counter.failed = false;
        tact_trace_hits hits = {0};
        const tact_result result = tact_trace_all(env, &job, &hits);
        counter.fail_at = 0;
        assert_int_equal(result, counter.failed ? TACT_ERROR_OUT_OF_MEMORY : TACT_OK);
        if (result == TACT_OK) {
            assert_memory_equal(hits.offsets, whole.offsets, (MANY + 1) * sizeof *hits.offsets);
            assert_memory_equal(hits.hits, whole.hits, whole.offsets[MANY] * sizeof *hits.hits);
        }
        tact_trace_hits_free(env, &hits);
        assert_int_equal(counter.live, before);
        if (!counter.failed) break;
        ++failures;
    }
    assert_true(failures >= 5);
    int calls = 0;
    job.progress = stop;
    job.progress_user = &calls;
    // Memory of an earlier answer is used again.
    counter.fail_at = 0;
    const size_t requests = counter.requests;
    assert_int_equal(tact_trace_all(env, &job, &whole), TACT_ERROR_CANCELLED);
    assert_int_equal(calls, 1);
    assert_int_equal(counter.requests, requests + 3);
    // More threads than there is work for cost nothing.
    job.progress = NULL;
    job.count = 10;
    job.threads = INT_MAX;
    assert_int_equal(tact_trace_all(env, &job, &whole), TACT_OK);
    tact_trace_hits_free(env, &whole);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
