// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Picks of scenes on devices, by rays and by drawing, and what becomes of picks when a device or memory fails.

#include "tests/support/run.h"

#include "core/context/context.h"
#ifdef TACT_HAVE_GL
#include "gpu/device.h"
#endif
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/pick_scenes.h"

/// One call with everything that can be kept; true when memory sufficed.
static bool pick_with(counting_allocator* counter, tact_pick_extent extent, size_t allowed)
{
    tact_context* where = make_context(false, counter);
    tact_scene* scene = make_layers(where, 9);
    const tact_pick_view view = facing_view(10, 10);
    const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = 4, .y = 4, .radius = 3};
    const tact_pick_options options = {.extent = extent, .keep = true};
    tact_pick picks[9];
    size_t count = 0;
    tact_picker* p = new_picker(where);
    counter->fail_at = counter->requests + allowed;
    const tact_result result = call_pick_scene(p, scene, &view, &region, &options, picks, 9, &count, NULL, NULL);
    counter->fail_at = 0;
    if (result != TACT_OK) {
        assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        assert_int_equal(count, 0);
        // And then there is enough again.
        assert_int_equal(call_pick_scene(p, scene, &view, &region, &options, picks, 9, &count, NULL, NULL), TACT_OK);
    }
    assert_int_equal(count, extent == TACT_PICK_VISIBLE ? 1 : 9);
    assert_true(extent == TACT_PICK_TOUCHED ? picks[0].pixels == 0 : picks[0].pixels >= 29);
    tact_picker_destroy(p);
    tact_scene_destroy(scene);
    tact_context_destroy(where);
    return result == TACT_OK;
}

/// Nothing is left behind wherever memory runs out.
TEST(out_of_memory)
{
    for (uint32_t extent = TACT_PICK_VISIBLE; extent <= TACT_PICK_TOUCHED; ++extent) {
        size_t allowed = 1;
        bool enough = false;
        for (; !enough && allowed < 1000; ++allowed) {
            counting_allocator counter = {0};
            enough = pick_with(&counter, (tact_pick_extent)extent, allowed);
            assert_int_equal(counter.live, 0);
        }
        assert_true(enough && allowed > 4);
    }
}

/// Devices that are there give the CPU's bytes; drawing gives what lies clear of edges.
TEST(devices)
{
    static tact_pick first[1024], other[1024];
    test_random r = test_random_seeded(9);
    tact_context* where = KEEP(make_context(true, NULL));
    tact_scene* scene = make_soup(where, &r, 30, 7);
    const tact_pick_view view = make_view(120, 90, 6.0f, 2.0f, 0);
    const tact_pick_region frame = {.shape = TACT_PICK_FRAME};
    size_t count = 0, again = 0;
    tact_picker* p = KEEP(new_picker(where));
    for (uint32_t extent = TACT_PICK_VISIBLE; extent <= TACT_PICK_TOUCHED; ++extent) {
        const tact_pick_options options = {.extent = (tact_pick_extent)extent, .group = TACT_PICK_BY_PRIMITIVE};
        tact_query_options query = {.backend = TACT_BACKEND_CPU};
        tact_query_report report;
        assert_int_equal(call_pick_scene(p, scene, &view, &frame, &options, first, 1024, &count, &query, NULL),
                         TACT_OK);
        for (int i = 0; i < 2; ++i) {
            query.backend = i ? TACT_BACKEND_CL : TACT_BACKEND_GL;
            if (device_missing(where, query.backend)) continue;
            assert_int_equal(call_pick_scene(p, scene, &view, &frame, &options, other, 1024, &again, &query, &report),
                             TACT_OK);
            assert_int_equal(report.backend, extent == TACT_PICK_TOUCHED ? TACT_BACKEND_CPU : query.backend);
            assert_int_equal(count, again);
            assert_memory_equal(first, other, count * sizeof *first);
            if (extent != TACT_PICK_TOUCHED) continue;
            assert_non_null(strstr(report.reason, "on the CPU"));
            query.no_fallback = true;
            assert_int_equal(call_pick_scene(p, scene, &view, &frame, &options, other, 1024, &again, &query, &report),
                             TACT_ERROR_UNSUPPORTED);
            query.no_fallback = false;
        }
    }
    tact_scene_destroy(scene);
    scene = make_layers(where, 4);
    const tact_pick_view facing = facing_view(40, 40);
    const tact_pick_region point = {.shape = TACT_PICK_POINT, .x = 7, .y = 22};
    for (uint32_t extent = TACT_PICK_VISIBLE; extent <= TACT_PICK_ALL; ++extent) {
        tact_pick_options options = {.extent = (tact_pick_extent)extent, .group = TACT_PICK_BY_PRIMITIVE};
        if (device_missing(where, TACT_BACKEND_GL)) continue;
        assert_int_equal(call_pick_scene(p, scene, &facing, &point, &options, first, 9, &count, NULL, NULL), TACT_OK);
        options.method = TACT_PICK_RASTER;
        tact_query_report report;
        assert_int_equal(call_pick_scene(p, scene, &facing, &point, &options, other, 9, &again, NULL, &report),
                         TACT_OK);
        assert_int_equal(report.backend, TACT_BACKEND_GL);
        assert_int_equal(count, again);
        assert_int_equal(count, extent == TACT_PICK_ALL ? 4 : 1);
        // Refined by the triangles, so equal where those are.
        assert_memory_equal(first, other, count * sizeof *first);
    }
    tact_scene_destroy(scene);
}

#ifdef TACT_HAVE_GL

/// Where OpenGL fails midway rays answer, and the report says so; or the call fails, and has no answer.
TEST(drawing_fails)
{
    tact_context* where = make_context(true, NULL);
    if (device_missing(where, TACT_BACKEND_GL)) {
        tact_context_destroy(where);
        skip_because("the device is missing");
    }
    tact_device* device = where->devices[tact_context_find(where, TACT_BACKEND_GL)];
    const tact_pick_view facing = facing_view(40, 40);
    const tact_pick_region point = {.shape = TACT_PICK_POINT, .x = 7, .y = 22};
    for (uint32_t k = 0; k < 8; ++k) {
        tact_pick_options options = {.extent = k & 1 ? TACT_PICK_ALL : TACT_PICK_VISIBLE};
        tact_query_options query = {.backend = TACT_BACKEND_CPU, .no_fallback = k & 2};
        tact_query_report report;
        tact_pick cast[9], drawn[9];
        size_t count = 0, again = 0, kept = 0;
        tact_scene* scene = make_layers(where, 4);
        tact_picker* p = new_picker(where);
        assert_int_equal(call_pick_scene(p, scene, &facing, &point, &options, cast, 9, &count, &query, NULL), TACT_OK);
        assert_true(count > 0);
        options.method = TACT_PICK_RASTER;
        query.backend = TACT_BACKEND_AUTO;
        tact_device_fail_buffer(device, k & 4 ? 3 : 1);
        const tact_result result =
            call_pick_scene(p, scene, &facing, &point, &options, drawn, 9, &again, &query, &report);
        tact_device_fail_buffer(device, 0);
        if (query.no_fallback) {
            assert_int_equal(result, TACT_ERROR_DEVICE_OUT_OF_MEMORY);
            assert_int_equal(again, 0);
            assert_null(tact_pick_last(p, &kept));
        } else {
            assert_int_equal(result, TACT_OK);
            assert_int_equal(report.backend, TACT_BACKEND_CPU);
            assert_int_equal(report.failures, 1);
            assert_int_equal(again, count);
            assert_memory_equal(cast, drawn, count * sizeof *cast);
        }
        // Of a scene that is not there nothing is counted, either.
        const tact_pick_region outside = {.shape = TACT_PICK_RECTANGLE, .rectangle = {-20, -20, -10, -10}};
        assert_int_equal(call_pick_scene(p, scene, &facing, &outside, &options, drawn, 9, &again, &query, &report),
                         TACT_OK);
        assert_int_equal(again, 0);
        // Only OpenGL draws.
        for (int backend = TACT_BACKEND_AUTO + 1; backend < TACT_BACKEND_COUNT; ++backend) {
            query.backend = (tact_backend)backend;
            if (backend == TACT_BACKEND_GL) continue;
            assert_int_equal(call_pick_scene(p, scene, &facing, &point, &options, drawn, 9, &again, &query, &report),
                             TACT_ERROR_INVALID_ARGUMENT);
        }
        tact_picker_destroy(p);
        tact_scene_destroy(scene);
    }
    tact_context_destroy(where);
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
