// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Casts that are given away and asked about later, and rays and hits in the caller's own buffers: the bytes of
// tact_raycast(), of the scene as it was.

#include "tests/support/run.h"

#include "core/context/context.h"
#include "tact/tact.h"
#include "tests/support/caller.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

enum { TRIANGLES = 4000, RAYS = 3000 };

static tact_ray rays[RAYS];
static tact_hit expected[3][RAYS];

/// Soup, and in front of it, for the rays along z, a pile of so many layers that one launch does not do.
static tact_scene* make_scene(tact_context* context)
{
    test_random r = test_random_seeded(21);
    static float p[TRIANGLES * 9];
    for (size_t i = 0; i < TRIANGLES; ++i) {
        const float centre[3] = {test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)};
        for (size_t k = 0; k < 9; ++k)
            p[9 * i + k] = centre[k % 3] + 0.1f * test_random_signed(&r);
        if (i < TRIANGLES / 2) continue;
        const float z = 2.0f + (float)i * 0.001f;
        const float layer[9] = {-0.1f, -0.1f, z, 0.1f, -0.1f, z, 0.0f, 0.2f, z};
        memcpy(p + 9 * i, layer, sizeof layer);
    }
    const tact_mesh_desc mesh = {.positions = p, .vertex_count = 3 * TRIANGLES, .triangle_count = TRIANGLES};
    tact_scene* scene = new_scene(context);
    const uint32_t id = put_mesh(scene, &mesh);
    for (int i = 0; i < 4; ++i)
        put_instance(scene, id, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    for (size_t i = 0; i < RAYS; ++i) {
        rays[i] =
            (tact_ray){test_random_signed(&r),         test_random_signed(&r),         20.0f, 0.0f,
                       0.02f * test_random_signed(&r), 0.02f * test_random_signed(&r), -1.0f, i % 13 ? INFINITY : NAN};
        if (i % 50 == 1) rays[i].ox = rays[i].oy = rays[i].dx = rays[i].dy = 0.0f;
    }
    return scene;
}

/// What the CPU says now.
static void expect(tact_scene* scene)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    for (int mode = 0; mode < 3; ++mode)
        assert_int_equal(tact_raycast(scene, (tact_ray_mode)mode, rays, RAYS, expected[mode], &options, NULL), TACT_OK);
}

/// Changes all that a device keeps of a scene.
static void change(tact_scene* scene)
{
    const float away[12] = {1, 0, 0, 0.5f, 0, 1, 0, 0.25f, 0, 0, 1, 3.0f};
    const float corners[9] = {-5.0f, -5.0f, 15.0f, 5.0f, -5.0f, 15.0f, 0.0f, 5.0f, 15.0f};
    const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    assert_int_equal(tact_scene_move_instance(scene, 0, away), TACT_OK);
    const uint32_t id = put_mesh(scene, &mesh);
    put_instance(scene, id, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
}

TEST_AS(ON_BOTH, casts_on_their_way_see_the_scene_as_it_was)
{
    enum { CASTS = 5 };
    caller* c = caller_require(state);
    tact_scene* scene = KEEP(make_scene(c->context));
    expect(scene);
    static tact_hit hits[CASTS + 1][RAYS + 1];
    static tact_ray passing[RAYS];
    tact_raycast_ticket tickets[CASTS + 1];
    const tact_query_options options = {.backend = c->backend, .no_fallback = true};
    for (int i = 0; i < CASTS; ++i) {
        memcpy(passing, rays, sizeof rays);
        const tact_raycast_work job = {.mode = (tact_ray_mode)(i % 3),
                                       .sort = i % 2 ? TACT_RAY_SORT_AUTO : TACT_RAY_SORT_ALWAYS,
                                       .count = RAYS - (size_t)i * 100,
                                       .rays = passing,
                                       .hits = hits[i]};
        assert_int_equal(tact_raycast_submit(scene, &job, &options, &tickets[i]), TACT_OK);
        memset(passing, 0, sizeof passing);
    }
    memset(hits, 0xdd, sizeof hits);
    change(scene);
    // Another cast takes the changed scene to the device.
    const tact_raycast_work later = {.mode = TACT_RAY_COUNT, .count = RAYS, .rays = rays, .hits = hits[CASTS]};
    assert_int_equal(tact_raycast_submit(scene, &later, &options, &tickets[CASTS]), TACT_OK);
    static const int order[CASTS] = {3, 0, 4, 1, 2};
    for (int k = 0; k < CASTS; ++k) {
        const int i = order[k];
        const size_t count = RAYS - (size_t)i * 100;
        bool done = false;
        while (k == 1 && !done)
            assert_int_equal(tact_raycast_poll(scene, tickets[i], &done), TACT_OK);
        tact_query_report report;
        assert_int_equal(((unsigned char*)hits[i])[0], 0xdd);
        assert_int_equal(tact_raycast_wait(scene, tickets[i], &report), TACT_OK);
        assert_int_equal(report.backend, c->backend);
        assert_memory_equal(hits[i], expected[i % 3], count * sizeof **hits);
        assert_int_equal(((unsigned char*)(hits[i] + count))[0], 0xdd);
        assert_int_equal(tact_raycast_wait(scene, tickets[i], NULL), TACT_ERROR_INVALID_ARGUMENT);
    }
    expect(scene);
    assert_int_equal(tact_raycast_wait(scene, tickets[CASTS], NULL), TACT_OK);
    assert_memory_equal(hits[CASTS], expected[TACT_RAY_COUNT], sizeof expected[0]);
}

static double now;

static double read_clock(void)
{
    return now;
}

/// How many of the submitted casts that were learned took `ms`.
static int count_learned(const caller* c, double ms)
{
    const tact_cost_table* table = &c->context->costs[tact_context_find(c->context, c->backend)];
    const tact_cost_entry* entry = tact_cost_find(table, "submitting rays/closest");
    int count = 0;
    for (uint64_t i = 0; entry && i < entry->runs && i < TACT_COST_RUNS; ++i)
        count += fabs((double)(entry->ratio[i] * entry->expected[i]) - ms) < 1e-3;
    return count;
}

TEST_AS(ON_BOTH, a_cast_is_learned_by_the_time_until_its_hits_are_there)
{
    caller* c = caller_require(state);
    tact_device_info info;
    const int device = tact_context_find(c->context, c->backend);
    assert_int_equal(tact_context_device(c->context, (uint32_t)device, &info), TACT_OK);
    // Of hardware nothing is learned from submitted casts.
    if (!info.software) skip();
    tact_scene* scene = KEEP(make_scene(c->context));
    enum { REPEATS = 4 };
    static tact_ray many[REPEATS * RAYS];
    static tact_hit hits[REPEATS * RAYS];
    for (int i = 0; i < REPEATS; ++i)
        memcpy(many + i * RAYS, rays, sizeof rays);
    const tact_raycast_work job = {.mode = TACT_RAY_CLOSEST, .count = REPEATS * RAYS, .rays = many, .hits = hits};
    const tact_query_options options = {.backend = c->backend, .no_fallback = true};
    c->context->clock = read_clock;
    now = 0.0;
    tact_raycast_ticket ticket;
    assert_int_equal(tact_raycast_submit(scene, &job, &options, &ticket), TACT_OK);
    assert_int_equal(tact_raycast_wait(scene, ticket, NULL), TACT_OK);
    // The caller does something else after the cast is done: no time that the cast took.
    bool done = false;
    assert_int_equal(tact_raycast_submit(scene, &job, &options, &ticket), TACT_OK);
    while (!done)
        assert_int_equal(tact_raycast_poll(scene, ticket, &done), TACT_OK);
    now += 25.0;
    assert_int_equal(tact_raycast_wait(scene, ticket, NULL), TACT_OK);
    assert_int_equal(count_learned(c, 25.0), 0);
    // A cast that must be waited for, as of PoCL, has taken the whole time, and one that the device had done before
    // submitting returned, as llvmpipe does, none of it.
    const int before = count_learned(c, 0.0);
    int tries = 0;
    for (; tries < 40 && count_learned(c, 0.0) + count_learned(c, 25.0) < before + 2; ++tries) {
        assert_int_equal(tact_raycast_submit(scene, &job, &options, &ticket), TACT_OK);
        now += 25.0;
        assert_int_equal(tact_raycast_wait(scene, ticket, NULL), TACT_OK);
    }
    assert_in_range(tries, 2, 39);
    c->context->clock = NULL;
}

TEST_AS(ON_BOTH, rays_and_hits_in_the_callers_buffers)
{
    caller* c = caller_require(state);
    tact_scene* scene = KEEP(make_scene(c->context));
    expect(scene);
    static tact_hit hits[RAYS + 2];
    tact_device_array from = caller_make_array(c, sizeof rays + 36, 36);
    tact_device_array to = caller_make_array(c, sizeof hits, 20);
    caller_write_array(c, &from, rays, sizeof rays);
    const tact_backend ways[] = {TACT_BACKEND_AUTO, c->backend, TACT_BACKEND_CPU, TACT_BACKEND_REFERENCE};
    for (size_t way = 0; way < sizeof ways / sizeof *ways; ++way) {
        for (int mode = 0; mode < 3; ++mode) {
            // Both there, then one of them here.
            for (int here = 0; here < 3; ++here) {
                const size_t count = ways[way] == TACT_BACKEND_REFERENCE ? 300 : RAYS;
                tact_raycast_work job = {.mode = (tact_ray_mode)mode, .count = count};
                if (here == 1)
                    job.rays = rays;
                else
                    job.device_rays = &from;
                if (here == 2)
                    job.hits = hits + 1;
                else
                    job.device_hits = &to;
                memset(hits, 0xdd, sizeof hits);
                tact_device_array whole = to;
                whole.offset = 0;
                caller_write_array(c, &whole, hits, sizeof hits);
                const tact_query_options options = {.backend = ways[way], .no_fallback = true};
                job.sort = (tact_ray_sort)mode;
                tact_raycast_ticket ticket = 0;
                tact_query_report report;
                assert_int_equal(tact_raycast_submit(scene, &job, &options, &ticket), TACT_OK);
                assert_int_equal(tact_raycast_wait(scene, ticket, &report), TACT_OK);
                assert_int_equal(report.backend, way == 0 ? c->backend : ways[way]);
                if (here != 2) caller_read_array(c, &whole, hits, sizeof hits);
                assert_memory_equal(hits + 1, expected[mode], count * sizeof *hits);
                assert_int_equal(((unsigned char*)hits)[19], 0xdd);
                assert_int_equal(((unsigned char*)(hits + 1 + count))[0], 0xdd);
            }
        }
    }
    caller_free_array(c, &from);
    caller_free_array(c, &to);
}

/// tact_raycast_with() takes arrays of devices; with rules and shadow checking too, and so do submitted casts rules.
TEST_AS(ON_BOTH, arrays_of_devices_by_rules_and_at_once)
{
    caller* c = caller_require(state);
    tact_scene* scene = KEEP(make_scene(c->context));
    static tact_hit hits[RAYS], right[2][RAYS];
    static uint32_t masks[RAYS];
    for (size_t i = 0; i < RAYS; ++i)
        masks[i] = i % 3 ? 1u : 0u;
    const tact_ray_rules rules = {.masks = masks, .cull = TACT_RAY_CULL_BACK};
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    for (int by = 0; by < 2; ++by) {
        const tact_raycast_work work = {.count = RAYS, .rays = rays, .hits = right[by], .rules = by ? &rules : NULL};
        assert_int_equal(tact_raycast_with(scene, &work, &cpu, NULL), TACT_OK);
    }
    assert_memory_not_equal(right[0], right[1], sizeof right[0]);
    tact_device_array from = caller_make_array(c, sizeof rays, 0), to = caller_make_array(c, sizeof hits, 0);
    caller_write_array(c, &from, rays, sizeof rays);
    const tact_query_options options = {.backend = c->backend, .no_fallback = true};
    for (int way = 0; way < 12; ++way) {
        const bool by = way % 2 == 1, shadow = way / 2 % 2 == 1;
        const int here = way / 4;
        tact_raycast_work work = {.count = shadow ? 200 : RAYS, .rules = by ? &rules : NULL};
        if (here == 1) work.rays = rays;
        if (here != 1) work.device_rays = &from;
        if (here == 2) work.hits = hits;
        if (here != 2) work.device_hits = &to;
        memset(hits, 0xdd, sizeof hits);
        caller_write_array(c, &to, hits, sizeof hits);
        tact_query_options how = options;
        how.shadow = shadow;
        tact_query_report report;
        assert_int_equal(tact_raycast_with(scene, &work, &how, &report), TACT_OK);
        assert_int_equal(report.backend, c->backend);
        if (here != 2) caller_read_array(c, &to, hits, sizeof hits);
        assert_memory_equal(hits, right[by], work.count * sizeof *hits);
        work.count = 0;
        assert_int_equal(tact_raycast_with(scene, &work, &how, NULL), TACT_OK);
    }
    // Submitted, with arrays here and there.
    for (int there = 0; there < 2; ++there) {
        tact_raycast_work work = {.count = RAYS, .rules = &rules, .hits = hits, .rays = there ? NULL : rays};
        if (there) work.device_rays = &from;
        tact_raycast_ticket ticket = 0;
        tact_query_report report;
        memset(hits, 0xdd, sizeof hits);
        assert_int_equal(tact_raycast_submit(scene, &work, &options, &ticket), TACT_OK);
        assert_int_equal(tact_raycast_wait(scene, ticket, &report), TACT_OK);
        assert_int_equal(report.backend, c->backend);
        assert_memory_equal(hits, right[1], sizeof hits);
    }
    caller_free_array(c, &from);
    caller_free_array(c, &to);
}

TEST_AS(ON_BOTH, misuse_is_told)
{
    caller* c = caller_require(state);
    tact_scene* scene = KEEP(make_scene(c->context));
    static tact_hit hits[RAYS];
    tact_raycast_ticket ticket = 7, tickets[TACT_MAX_SUBMITTED_CASTS];
    tact_raycast_work job = {.count = 100, .rays = rays, .hits = hits};
    const tact_query_options options = {.backend = c->backend, .no_fallback = true};
    const tact_query_options shadow = {.shadow = true};
    bool done = true;
    assert_int_equal(tact_raycast_submit(NULL, &job, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_raycast_submit(scene, NULL, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_raycast_submit(scene, &job, &shadow, &ticket), TACT_ERROR_UNSUPPORTED);
    assert_int_equal(ticket, 0);
    assert_int_equal(tact_raycast_poll(scene, 0, &done), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_raycast_poll(scene, 99, &done), TACT_ERROR_INVALID_ARGUMENT);
    assert_false(done);
    tact_raycast_cancel(scene, 99);
    tact_device_array small = caller_make_array(c, 100 * sizeof *rays - 4, 0), large = caller_make_array(c, 8000, 2);
    tact_raycast_work bad = {.count = 100, .device_rays = &small, .hits = hits};
    assert_int_equal(tact_raycast_submit(scene, &bad, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    bad.device_rays = &large;
    assert_int_equal(tact_raycast_submit(scene, &bad, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    bad.rays = rays;
    assert_int_equal(tact_raycast_submit(scene, &bad, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    bad.device_rays = NULL;
    bad.hits = NULL;
    assert_int_equal(tact_raycast_submit(scene, &bad, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    bad.count = 0;
    assert_int_equal(tact_raycast_submit(scene, &bad, &options, &ticket), TACT_OK);
    assert_int_equal(tact_raycast_poll(scene, ticket, &done), TACT_OK);
    assert_true(done);
    assert_int_equal(tact_raycast_wait(scene, ticket, NULL), TACT_OK);
    for (int i = 0; i < TACT_MAX_SUBMITTED_CASTS; ++i)
        assert_int_equal(tact_raycast_submit(scene, &job, &options, &tickets[i]), TACT_OK);
    assert_int_equal(tact_raycast_submit(scene, &job, &options, &ticket), TACT_ERROR_LIMIT);
    tact_raycast_cancel(scene, tickets[3]);
    assert_int_equal(tact_raycast_poll(scene, tickets[3], &done), TACT_ERROR_INVALID_ARGUMENT);
    // On the CPU it is done at once.
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    expect(scene);
    assert_int_equal(tact_raycast_submit(scene, &job, &cpu, &ticket), TACT_OK);
    assert_memory_equal(hits, expected[TACT_RAY_CLOSEST], 100 * sizeof *hits);
    assert_int_equal(tact_raycast_poll(scene, ticket, &done), TACT_OK);
    assert_true(done);
    put_instance(scene, 0, NULL);
    assert_int_equal(tact_raycast_submit(scene, &job, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    caller_free_array(c, &small);
    caller_free_array(c, &large);
    // With casts on their way.
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
