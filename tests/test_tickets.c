// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Queries that are submitted and waited for later: the bytes of those that are not, of ray casts on devices those of
// the scene as it was; and rays and hits in the caller's own buffers.

#include "tests/support/run.h"

#include "core/context/context.h"
#include "tact/tact.h"
#include "tests/support/caller.h"
#include "tests/support/calls.h"
#include "tests/support/every_query.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
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
    tact_ticket tickets[CASTS + 1];
    const tact_query_options options = {.backend = c->backend, .no_fallback = true};
    for (int i = 0; i < CASTS; ++i) {
        memcpy(passing, rays, sizeof rays);
        const tact_raycast_work job = {.mode = (tact_ray_mode)(i % 3),
                                       .sort = i % 2 ? TACT_RAY_SORT_AUTO : TACT_RAY_SORT_ALWAYS,
                                       .count = RAYS - (size_t)i * 100,
                                       .rays = passing,
                                       .hits = hits[i]};
        assert_int_equal(call_submit(scene, &job, &options, &tickets[i]), TACT_OK);
        memset(passing, 0, sizeof passing);
    }
    memset(hits, 0xdd, sizeof hits);
    change(scene);
    // Another cast takes the changed scene to the device.
    const tact_raycast_work later = {.mode = TACT_RAY_COUNT, .count = RAYS, .rays = rays, .hits = hits[CASTS]};
    assert_int_equal(call_submit(scene, &later, &options, &tickets[CASTS]), TACT_OK);
    static const int order[CASTS] = {3, 0, 4, 1, 2};
    for (int k = 0; k < CASTS; ++k) {
        const int i = order[k];
        const size_t count = RAYS - (size_t)i * 100;
        bool done = false;
        while (k == 1 && !done)
            assert_int_equal(tact_poll(c->context, tickets[i], &done), TACT_OK);
        tact_query_report report;
        assert_int_equal(((unsigned char*)hits[i])[0], 0xdd);
        assert_int_equal(tact_wait(c->context, tickets[i], &report), TACT_OK);
        assert_int_equal(report.backend, c->backend);
        assert_memory_equal(hits[i], expected[i % 3], count * sizeof **hits);
        assert_int_equal(((unsigned char*)(hits[i] + count))[0], 0xdd);
        assert_int_equal(tact_wait(c->context, tickets[i], NULL), TACT_ERROR_INVALID_ARGUMENT);
    }
    expect(scene);
    assert_int_equal(tact_wait(c->context, tickets[CASTS], NULL), TACT_OK);
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
    tact_cost_table* table = &c->context->costs[tact_context_find(c->context, c->backend)];
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
    tact_ticket ticket;
    assert_int_equal(call_submit(scene, &job, &options, &ticket), TACT_OK);
    assert_int_equal(tact_wait(c->context, ticket, NULL), TACT_OK);
    // The caller does something else after the cast is done: no time that the cast took.
    bool done = false;
    assert_int_equal(call_submit(scene, &job, &options, &ticket), TACT_OK);
    while (!done)
        assert_int_equal(tact_poll(c->context, ticket, &done), TACT_OK);
    now += 25.0;
    assert_int_equal(tact_wait(c->context, ticket, NULL), TACT_OK);
    assert_int_equal(count_learned(c, 25.0), 0);
    // A cast that must be waited for, as of PoCL, has taken the whole time, and one that the device had done before
    // submitting returned, as llvmpipe does, none of it.
    const int before = count_learned(c, 0.0);
    int tries = 0;
    for (; tries < 40 && count_learned(c, 0.0) + count_learned(c, 25.0) < before + 2; ++tries) {
        assert_int_equal(call_submit(scene, &job, &options, &ticket), TACT_OK);
        now += 25.0;
        assert_int_equal(tact_wait(c->context, ticket, NULL), TACT_OK);
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
                tact_ticket ticket = 0;
                tact_query_report report;
                assert_int_equal(call_submit(scene, &job, &options, &ticket), TACT_OK);
                assert_int_equal(tact_wait(c->context, ticket, &report), TACT_OK);
                assert_int_equal(report.backend, way == 0 ? c->backend : ways[way]);
                if (here != 2) caller_read_array(c, &whole, hits, sizeof hits);
                assert_memory_equal(hits + 1, expected[mode], count * sizeof *hits);
                assert_int_equal(((unsigned char*)hits)[19], 0xdd);
                assert_int_equal(((unsigned char*)(hits + 1 + count))[0], 0xdd);
            }
        }
    }
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
    // A byte a ray, by rules and without, at once and with a ticket, with rays here and there.
    static uint8_t occluded[RAYS + 1];
    for (int way = 0; way < 16; ++way) {
        const bool by = way % 2 == 1, shadow = way / 2 % 2 == 1, there = way / 4 % 2 == 1, submits = way / 8 == 1;
        tact_raycast_work work = {.mode = TACT_RAY_ANY, .count = shadow ? 200 : RAYS, .occluded = occluded};
        if (by) work.rules = &rules;
        if (there) work.device_rays = &from;
        if (!there) work.rays = rays;
        tact_query_options how = options;
        how.shadow = shadow;
        tact_query_report report;
        tact_ticket ticket = 0;
        memset(occluded, 0xdd, sizeof occluded);
        if (submits) assert_int_equal(call_submit(scene, &work, &how, &ticket), TACT_OK);
        assert_int_equal(
            submits ? tact_wait(c->context, ticket, &report) : tact_raycast_with(scene, &work, &how, &report), TACT_OK);
        assert_int_equal(report.backend, c->backend);
        for (size_t i = 0; i < work.count; ++i)
            assert_int_equal(occluded[i], right[by][i].instance != TACT_NONE);
        assert_int_equal(occluded[work.count], 0xdd);
    }
    // Submitted, with arrays here and there.
    for (int there = 0; there < 2; ++there) {
        tact_raycast_work work = {.count = RAYS, .rules = &rules, .hits = hits, .rays = there ? NULL : rays};
        if (there) work.device_rays = &from;
        tact_ticket ticket = 0;
        tact_query_report report;
        memset(hits, 0xdd, sizeof hits);
        assert_int_equal(call_submit(scene, &work, &options, &ticket), TACT_OK);
        assert_int_equal(tact_wait(c->context, ticket, &report), TACT_OK);
        assert_int_equal(report.backend, c->backend);
        assert_memory_equal(hits, right[1], sizeof hits);
    }
}

TEST_AS(ON_BOTH, misuse_is_told)
{
    caller* c = caller_require(state);
    tact_scene* scene = KEEP(make_scene(c->context));
    static tact_hit hits[RAYS];
    tact_ticket ticket = 7, tickets[TACT_MAX_TICKETS];
    tact_raycast_work job = {.count = 100, .rays = rays, .hits = hits};
    const tact_query_options options = {.backend = c->backend, .no_fallback = true};
    bool done = true;
    assert_int_equal(call_submit(NULL, &job, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_submit(scene, NULL, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ticket, 0);
    assert_int_equal(tact_poll(c->context, 0, &done), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_poll(c->context, 99, &done), TACT_ERROR_INVALID_ARGUMENT);
    assert_false(done);
    assert_int_equal(tact_wait(c->context, 0, NULL), TACT_ERROR_INVALID_ARGUMENT);
    tact_cancel(c->context, 99);
    tact_cancel(c->context, 0);
    tact_device_array small = caller_make_array(c, 100 * sizeof *rays - 4, 0), large = caller_make_array(c, 8000, 2);
    tact_raycast_work bad = {.count = 100, .device_rays = &small, .hits = hits};
    assert_int_equal(call_submit(scene, &bad, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    bad.device_rays = &large;
    assert_int_equal(call_submit(scene, &bad, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    bad.rays = rays;
    assert_int_equal(call_submit(scene, &bad, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    bad.device_rays = NULL;
    bad.hits = NULL;
    assert_int_equal(call_submit(scene, &bad, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    bad.count = 0;
    assert_int_equal(call_submit(scene, &bad, &options, &ticket), TACT_OK);
    assert_int_equal(tact_poll(c->context, ticket, &done), TACT_OK);
    assert_true(done);
    assert_int_equal(tact_wait(c->context, ticket, NULL), TACT_OK);
    for (int i = 0; i < TACT_MAX_TICKETS; ++i)
        assert_int_equal(call_submit(scene, &job, &options, &tickets[i]), TACT_OK);
    // Refused before anything is done, whatever is asked.
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    const tact_query_options one_more = {.backend = TACT_BACKEND_CPU, .ticket = &ticket};
    const tact_closest_query point = {.x = 1.0f, .max_distance = INFINITY};
    tact_closest_hit near;
    memset(hits, 0xdd, sizeof hits);
    memset(&near, 0xdd, sizeof near);
    assert_int_equal(call_submit(scene, &job, &options, &ticket), TACT_ERROR_LIMIT);
    assert_int_equal(call_submit(scene, &job, &cpu, &ticket), TACT_ERROR_LIMIT);
    assert_int_equal(((unsigned char*)hits)[0], 0xdd);
    assert_int_equal(tact_closest_points(scene, &point, 1, &near, &one_more, NULL), TACT_ERROR_LIMIT);
    assert_int_equal(((unsigned char*)&near)[0], 0xdd);
    assert_int_equal(ticket, 0);
    assert_int_equal(tact_closest_points(scene, &point, 1, &near, &cpu, NULL), TACT_OK);
    tact_cancel(c->context, tickets[3]);
    assert_int_equal(tact_poll(c->context, tickets[3], &done), TACT_ERROR_INVALID_ARGUMENT);
    // On the CPU it is done at once.
    expect(scene);
    assert_int_equal(call_submit(scene, &job, &cpu, &ticket), TACT_OK);
    assert_memory_equal(hits, expected[TACT_RAY_CLOSEST], 100 * sizeof *hits);
    assert_int_equal(tact_poll(c->context, ticket, &done), TACT_OK);
    assert_true(done);
    put_instance(scene, 0, NULL);
    assert_int_equal(call_submit(scene, &job, &options, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    // With casts on their way.
}

TEST_AS(ON_BOTH, a_scene_that_goes_takes_its_casts_along)
{
    caller* c = caller_require(state);
    tact_scene* scene = make_scene(c->context);
    tact_scene* other = KEEP(make_scene(c->context));
    expect(other);
    static tact_hit hits[2][RAYS];
    tact_query_report reports[2];
    tact_ticket tickets[3];
    for (int i = 0; i < 2; ++i) {
        const tact_query_options options = {.backend = c->backend, .no_fallback = true, .ticket = &tickets[i]};
        assert_int_equal(tact_raycast(i ? other : scene, TACT_RAY_CLOSEST, rays, RAYS, hits[i], &options, &reports[i]),
                         TACT_OK);
    }
    memset(hits, 0xdd, sizeof hits);
    tact_scene_destroy(scene);
    assert_int_equal(tact_wait(c->context, tickets[0], NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(((unsigned char*)hits[0])[0], 0xdd);
    // The report that the query was given is written by waiting too.
    tact_query_report waited;
    memset(&reports[1], 0xdd, sizeof reports[1]);
    assert_int_equal(tact_wait(c->context, tickets[1], &waited), TACT_OK);
    assert_memory_equal(hits[1], expected[TACT_RAY_CLOSEST], sizeof hits[1]);
    assert_memory_equal(&reports[1], &waited, sizeof waited);
    assert_int_equal(waited.backend, c->backend);
    // Shadow checking waits for the cast.
    const tact_query_options shadow = {
        .backend = c->backend, .no_fallback = true, .shadow = true, .ticket = &tickets[2]};
    bool done = false;
    assert_int_equal(tact_raycast(other, TACT_RAY_CLOSEST, rays, 100, hits[0], &shadow, NULL), TACT_OK);
    assert_memory_equal(hits[0], expected[TACT_RAY_CLOSEST], 100 * sizeof *hits[0]);
    assert_int_equal(tact_poll(c->context, tickets[2], &done), TACT_OK);
    assert_true(done);
    assert_int_equal(tact_wait(c->context, tickets[2], &waited), TACT_OK);
    assert_non_null(strstr(waited.reason, "shadow: equal"));
}

// Every query

static tact_ticket last;
static size_t given_out;
static tact_query_report kept;

/// Waits for a query that was submitted, and puts what waiting returned in place of what submitting did.
static tact_result wait_for(query_world* w, tact_result result, const tact_query_report* report)
{
    if (last == 0) return result;
    const tact_ticket ticket = last;
    bool done = false;
    last = 0;
    ++given_out;
    assert_true(result >= TACT_OK);
    while (!done)
        assert_int_equal(tact_poll(w->context, ticket, &done), TACT_OK);
    assert_int_equal(tact_wait(w->context, ticket, &kept), result);
    assert_int_equal(tact_wait(w->context, ticket, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_not_equal(kept.backend, TACT_BACKEND_AUTO);
    if (!report) return result;
    assert_int_equal(kept.backend, report->backend);
    assert_int_equal(kept.failures, report->failures);
    assert_int_equal(kept.memory_bytes, report->memory_bytes);
    assert_int_equal(kept.threads, report->threads);
    assert_true(kept.query_ms == report->query_ms && kept.total_ms == report->total_ms);
    assert_string_equal(kept.device, report->device);
    assert_string_equal(kept.reason, report->reason);
    return result;
}

/// Whether none is left: there is room for as many as there are.
static void check_room(tact_context* context)
{
    tact_ticket tickets[TACT_MAX_TICKETS];
    tact_scene* scene = new_scene(context);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    for (int k = 0; k <= TACT_MAX_TICKETS; ++k) {
        const tact_query_options options = {.backend = TACT_BACKEND_CPU, .ticket = &tickets[k % TACT_MAX_TICKETS]};
        const tact_result result = tact_closest_points(scene, NULL, 0, NULL, &options, NULL);
        assert_int_equal(result, k < TACT_MAX_TICKETS ? TACT_OK : TACT_ERROR_LIMIT);
        if (k < TACT_MAX_TICKETS) assert_int_not_equal(tickets[k], 0);
    }
    const tact_ticket first = tickets[1] - 1;
    for (tact_ticket k = 0; k < TACT_MAX_TICKETS; ++k)
        tact_cancel(context, first + k);
    tact_scene_destroy(scene);
}

TEST(every_query_is_submitted_with_the_same_answer)
{
    const tact_context_desc desc = {.log = quiet, .threads = 2, .disable_calibration = true};
    tact_context* context = new_context(&desc);
    static query_world at_once, submitted;
    for (size_t i = 0; i < every_query_count; ++i) {
        const every_query* q = &every_queries[i];
        for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_CL; ++backend) {
            // Separation takes no options.
            if (q->no_query || q->row == &tact_query_separation) continue;
            if (device_missing(context, (tact_backend)backend)) continue;
            if (!every_query_runs_on(q, (tact_backend)backend)) continue;
            at_once = (query_world){.context = context, .options.backend = (tact_backend)backend, .seed = 3};
            submitted = at_once;
            submitted.options.ticket = &last;
            submitted.returned = wait_for;
            given_out = 0;
            assert_int_equal(every_query_run(q, &at_once), TACT_OK);
            assert_int_equal(every_query_run(q, &submitted), TACT_OK);
            if (strcmp(q->name, "rays submitted") != 0 && given_out < submitted.part_count)
                fail_msg("%s: %zu tickets of %zu queries", q->name, given_out, submitted.part_count);
            assert_true(submitted.part_count > 0);
            assert_int_equal(submitted.part_count, at_once.part_count);
            assert_int_equal(submitted.size, at_once.size);
            if (memcmp(submitted.answer, at_once.answer, at_once.size) != 0) fail_msg("%s: another answer", q->name);
            check_room(context);
        }
    }
    tact_context_destroy(context);
}

/// Answers that have no room, which is known after they are there.
TEST(waiting_returns_what_the_query_did)
{
    tact_context* context =
        new_context(&(tact_context_desc){.log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE});
    tact_scene* scene = make_scene(context);
    tact_ticket ticket = 5;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .ticket = &ticket};
    const tact_query_options bad = {.backend = TACT_BACKEND_COUNT, .ticket = &ticket};
    size_t count = 0;
    uint64_t offsets[RAYS + 1];
    const tact_cull_room room = {.count = &count};
    assert_int_equal(tact_cull_scene(scene, &(tact_cull_scene_work){0}, &room, &bad, NULL),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ticket, 0);
    assert_int_equal(tact_cull_scene(scene, &(tact_cull_scene_work){0}, &room, &options, NULL), TACT_INCOMPLETE);
    assert_int_equal(tact_wait(context, ticket, NULL), TACT_INCOMPLETE);
    assert_true(count > 0);
    assert_int_equal(call_raycast_all(scene, rays, RAYS, 0, offsets, NULL, 0, &options, NULL), TACT_INCOMPLETE);
    assert_int_equal(tact_wait(context, ticket, NULL), TACT_INCOMPLETE);
    const tact_aabb boxes[2] = {{{0, 0, 0}, {2, 2, 2}}, {{1, 1, 1}, {3, 3, 3}}};
    tact_volumes* set = new_volumes(context, &(tact_volumes_desc){0});
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, 2, NULL, NULL, NULL), TACT_OK);
    tact_pair pair;
    const tact_result found = call_pairs_find(set, NULL, TACT_PAIRS_AUTO, &pair, 0, &count, &options, NULL);
    assert_int_equal(found, TACT_INCOMPLETE);
    assert_int_equal(tact_wait(context, ticket, NULL), TACT_INCOMPLETE);
    assert_int_equal(count, 1);
    // Nobody waits for this one.
    assert_int_equal(call_pairs_find(set, NULL, TACT_PAIRS_AUTO, &pair, 1, &count, &options, NULL), TACT_OK);
    tact_volumes_destroy(set);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
}

typedef struct asked_within {
    tact_scene* scene;
    tact_ticket ticket;
} asked_within;

static bool ask_within(const tact_pair* pairs, size_t count, void* user)
{
    asked_within* a = user;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .ticket = &a->ticket};
    return a->ticket != 0 || tact_closest_points(a->scene, NULL, 0, NULL, &options, NULL) == TACT_OK;
}

/// A receiver of pairs submits a query of its own while its query is under way.
TEST(a_query_within_a_query_has_its_own_ticket)
{
    tact_context* context =
        new_context(&(tact_context_desc){.log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE});
    asked_within within = {.scene = make_scene(context)};
    const tact_aabb boxes[2] = {{{0, 0, 0}, {2, 2, 2}}, {{1, 1, 1}, {3, 3, 3}}};
    tact_volumes* set = new_volumes(context, &(tact_volumes_desc){0});
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, 2, NULL, NULL, NULL), TACT_OK);
    tact_ticket ticket = 0;
    uint64_t count = 0;
    const tact_query_options options = {.ticket = &ticket};
    const tact_pairs_each_work work = {.receive = ask_within, .user = &within, .count = &count};
    assert_int_equal(tact_pairs_each(set, &work, &options, NULL), TACT_OK);
    assert_int_equal(count, 1);
    assert_true(ticket != 0 && within.ticket != 0 && ticket != within.ticket);
    assert_int_equal(tact_wait(context, ticket, NULL), TACT_OK);
    assert_int_equal(tact_wait(context, within.ticket, NULL), TACT_OK);
    tact_volumes_destroy(set);
    tact_scene_destroy(within.scene);
    tact_context_destroy(context);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
