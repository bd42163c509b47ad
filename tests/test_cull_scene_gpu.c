// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "core/context/context.h"
#include "core/scene/scene.h"
#include "gpu/device.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"
#include "tests/support/scene_in_view.h"
#include "tests/support/test_context.h"

// Culling a scene on devices gives what the definition gives, also after the scene has changed, and when the device has
// no room.

static tact_backend backend;
static int open_own(tact_backend of)
{
    backend = of;
    context = one_device_context(of);
    return context ? 0 : -1;
}

static int open_gl(void** state)
{
    return open_own(TACT_BACKEND_GL);
}

static int open_cl(void** state)
{
    return open_own(TACT_BACKEND_CL);
}

/// The device's ids and classes are the reference's; without classes the ids too. Returns how many are in view.
static size_t compare(tact_scene* scene, const tact_cull_scene_work* work, tact_query_report* report)
{
    static uint32_t ids[2][MOST];
    static uint8_t classes[2][MOST];
    size_t count[2];
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
    const tact_query_options device = {.backend = backend, .no_fallback = true};
    assert_int_equal(call_cull_scene(scene, work, ids[0], MOST, &count[0], classes[0], &reference, NULL), TACT_OK);
    for (int without = 0; without < 2; ++without) {
        memset(ids[1], 0, sizeof ids[1]);
        const tact_result result =
            call_cull_scene(scene, work, ids[1], MOST, &count[1], without ? NULL : classes[1], &device, report);
        if (result != TACT_OK) fail_msg("%s: %s", tact_result_name(result), tact_context_error(context));
        assert_int_equal(report->backend, backend);
        assert_int_equal(count[1], count[0]);
        assert_memory_equal(ids[1], ids[0], count[0] * sizeof ids[0][0]);
        if (!without) assert_memory_equal(classes[1], classes[0], count[0]);
    }
    return count[0];
}

TEST(devices_find_what_the_definition_keeps)
{
    need_device(context, backend);
    test_random r = test_random_seeded(21);
    static const uint32_t counts[] = {0, 1, 9, 300, 2500};
    size_t in_view = 0, asked = 0;
    for (int round = 0; round < 10; ++round) {
        const uint32_t count = counts[round % 5];
        tact_scene* scene = make_view_scene(context, &r, count);
        for (int view = 0; view < 12; ++view) {
            tact_plane planes[8];
            const uint32_t plane_count = (uint32_t)view % 8u;
            random_planes(&r, planes, plane_count);
            const tact_cull_scene_work work = {
                .planes = planes, .plane_count = plane_count, .first = view % 3 ? 0 : count / 2};
            tact_query_report report;
            in_view += compare(scene, &work, &report);
            asked += count;
        }
        tact_scene_destroy(scene);
    }
    assert_true(in_view > asked / 50 && in_view < asked);
}

TEST(a_scene_that_changes)
{
    need_device(context, backend);
    test_random r = test_random_seeded(22);
    const tact_plane planes[2] = {{{1, 0, 0}, 3}, {{0, -1, 0}, 5}};
    const tact_cull_scene_work work = {.planes = planes, .plane_count = 2, .first = 0};
    tact_scene* scene = KEEP(make_view_scene(context, &r, 400));
    size_t before = 0;
    int differing = 0;
    for (int frame = 0; frame < 8; ++frame) {
        tact_query_report report;
        const size_t in_view = compare(scene, &work, &report);
        differing += in_view != before;
        before = in_view;
        // Another scene of the same context in between has boxes of its own.
        tact_scene* other = make_view_scene(context, &r, 30);
        compare(other, &work, &report);
        tact_scene_destroy(other);
        compare(scene, &work, &report);
        float m[12];
        for (int i = 0; i < 60; ++i) {
            random_place(&r, 1, m);
            const uint32_t which = 4 + test_random_below(&r, 300);
            if (scene->instances[which].mesh != TACT_NONE)
                assert_int_equal(tact_scene_move_instance(scene, which, m), TACT_OK);
        }
        // Sometimes more of them than before, sometimes only other ones.
        for (int i = 0; frame % 2 && i < 40; ++i)
            put_instance(scene, 0, m);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
    }
    assert_true(differing > 3);
}

TEST(what_does_not_fit_and_shadow_checks)
{
    need_device(context, backend);
    test_random r = test_random_seeded(23);
    tact_scene* scene = KEEP(make_view_scene(context, &r, 500));
    const tact_plane plane = {{1, 0, 0}, 3};
    const tact_cull_scene_work work = {.planes = &plane, .plane_count = 1, .first = 0};
    const tact_query_options device = {.backend = backend, .shadow = true, .no_fallback = true};
    expect_same_in_pieces(scene, work, &device);
}

TEST(devices_without_room)
{
    need_device(context, backend);
    test_random r = test_random_seeded(24);
    const tact_plane plane = {{1, 0, 0}, 3};
    const tact_cull_scene_work work = {.planes = &plane, .plane_count = 1, .first = 0};
    tact_device* device = context->devices[1];
    uint32_t failed = 0;
    for (uint32_t number = 1;; ++number) {
        tact_scene* scene = make_view_scene(context, &r, 200);
        const tact_query_options options = {.backend = backend};
        static uint32_t ids[MOST];
        tact_query_report report;
        size_t count = 0;
        tact_device_fail_buffer(device, number);
        assert_int_equal(call_cull_scene(scene, &work, ids, MOST, &count, NULL, &options, &report), TACT_OK);
        tact_device_fail_buffer(device, 0);
        const bool fell = report.backend != backend;
        failed += fell;
        // What was left half made is made whole.
        assert_int_equal(compare(scene, &work, &report), count);
        tact_scene_destroy(scene);
        if (!fell) break;
    }
    assert_true(failed >= 5);
}

#include TEST_LIST

int main(void)
{
    (void)run_all_named("gl", all_tests, open_gl, close_context);
    return run_all_named("cl", all_tests, open_cl, close_context);
}
