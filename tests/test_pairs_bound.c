// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Sets that read from the caller's buffers, and pairs left in one, in adopted OpenGL and OpenCL contexts.
#include "tests/support/run.h"

#include "apps/inputs/volume_input.h"
#include "core/context/context.h"
#include "gpu/device.h"
#include "tact/pairs.h"
#include "tests/support/caller.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"

/// A set that holds the same on the host; its pairs, by definition, are what is wanted.
static tact_volumes* make_like(caller* c, tact_volume_kind kind, const void* volumes, size_t count)
{
    const tact_volumes_desc desc = {.kind = kind};
    tact_volumes* set = KEEP(new_volumes(c->context, &desc));
    const tact_result result = kind == TACT_VOLUME_SPHERE
                                   ? tact_volumes_add_spheres(set, volumes, count, NULL, NULL, NULL)
                                   : tact_volumes_add_aabbs(set, volumes, count, NULL, NULL, NULL);
    assert_int_equal(result, TACT_OK);
    return set;
}

static void compare(caller* c, const char* what, tact_volumes* a, tact_volumes* b, tact_volumes* like_a,
                    tact_volumes* like_b)
{
    const tact_backend backends[] = {c->backend, TACT_BACKEND_CPU, TACT_BACKEND_REFERENCE};
    tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
    size_t expected_count = 0, count = 0;
    assert_int_equal(call_pairs_find(like_a, like_b, TACT_PAIRS_AUTO, NULL, 0, &expected_count, &options, NULL),
                     TACT_OK);
    const tact_pair* expected = tact_pairs_last(like_a, &expected_count);
    for (size_t i = 0; i < 3; ++i) {
        options = (tact_query_options){.backend = backends[i], .no_fallback = true, .shadow = i < 2};
        const tact_result result = call_pairs_find(a, b, TACT_PAIRS_AUTO, NULL, 0, &count, &options, NULL);
        if (result != TACT_OK) {
            fail_msg("%s on %s: %s: %s", what, tact_backend_name(backends[i]), tact_result_name(result),
                     tact_context_error(c->context));
        }
        assert_int_equal(count, expected_count);
        if (count > 0) assert_memory_equal(tact_pairs_last(a, &count), expected, count * sizeof *expected);
    }
    for (size_t k = 0; k < 3; ++k) {
        const size_t capacity = k == 0 ? expected_count : k == 1 && expected_count > 0 ? expected_count - 1 : 0;
        const tact_device_array target = caller_make_array(c, (expected_count + 8) * sizeof(tact_pair), 16);
        options = (tact_query_options){.no_fallback = true, .shadow = k == 2};
        size_t room = 0;
        const tact_result result =
            call_pairs_find_on_device(a, b, TACT_PAIRS_AUTO, &target, capacity, &count, &options, NULL);
        assert_int_equal(result, capacity < expected_count ? TACT_INCOMPLETE : TACT_OK);
        tact_pair one;
        const tact_pairs_work twice = {.b = b, .pairs = &one, .device_pairs = &target, .capacity = 1, .count = &room};
        assert_int_equal(tact_pairs_find(a, &twice, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(count, expected_count);
        tact_pair* got = scratch((capacity + 1) * sizeof *got);
        if (capacity > 0) {
            caller_read_array(c, &target, got, capacity * sizeof *got);
            assert_memory_equal(got, expected, capacity * sizeof *got);
        }
    }
}

TEST_AS(ON_BOTH, bound_sets_give_the_same_pairs)
{
    caller* c = caller_require(state);
    enum { N = 700, M = 300 };
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_sphere* spheres = scratch(N * sizeof *spheres);
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        tact_volume_scenes[s].make(N, 3, boxes);
        tact_input_volumes_to_spheres(boxes, N, spheres);
        spheres[5].radius = -1.0f;
        spheres[6].radius = NAN;
        spheres[8].center.y = INFINITY;
        for (int kind = 0; kind < 2; ++kind) {
            const void* volumes = kind ? (const void*)spheres : (const void*)boxes;
            const size_t size = kind ? sizeof *spheres : sizeof *boxes;
            const tact_device_array array = caller_make_array(c, 4 + N * size, 4);
            caller_write_array(c, &array, volumes, N * size);
            tact_volumes* like = make_like(c, (tact_volume_kind)kind, volumes, N);
            tact_volumes* part = make_like(c, TACT_VOLUME_AABB, boxes, M);
            const tact_volumes_desc desc = {.kind = (tact_volume_kind)kind};
            tact_volumes* set = KEEP(new_volumes(c->context, &desc));
            assert_int_equal(tact_volumes_bind(set, &array, N), TACT_OK);
            assert_int_equal(tact_volumes_count(set), N);
            compare(c, tact_volume_scenes[s].name, set, NULL, like, NULL);
            compare(c, tact_volume_scenes[s].name, set, part, like, part);
            compare(c, tact_volume_scenes[s].name, part, set, part, like);
            for (uint32_t i = 0; i < N; i += 3) {
                const tact_categories categories = {1u << (i % 5), 0x15u};
                assert_int_equal(tact_volumes_set_categories(set, &i, &categories, 1), TACT_OK);
                assert_int_equal(tact_volumes_set_categories(like, &i, &categories, 1), TACT_OK);
            }
            compare(c, tact_volume_scenes[s].name, set, NULL, like, NULL);
        }
    }
}

/// What the caller writes between queries is seen by the next one.
TEST_AS(ON_BOTH, a_moving_array_is_read_each_time)
{
    caller* c = caller_require(state);
    enum { N = 500 };
    tact_aabb boxes[N], moved[N];
    tact_input_volumes_uniform(N, 3, boxes);
    const tact_device_array array = caller_make_array(c, sizeof boxes, 0);
    tact_volumes* set = KEEP(new_volumes(c->context, NULL));
    assert_int_equal(tact_volumes_bind(set, &array, N), TACT_OK);
    for (unsigned frame = 0; frame < 8; ++frame) {
        tact_input_volumes_move(boxes, N, 1, frame, frame < 5 ? 0.1 : 5.0, moved);
        caller_write_array(c, &array, moved, sizeof moved);
        tact_volumes* like = make_like(c, TACT_VOLUME_AABB, moved, N);
        compare(c, "moving", set, NULL, like, NULL);
    }
    // Unbound it is an ordinary set again.
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, 3, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_volumes_bind(set, NULL, 0), TACT_OK);
    assert_int_equal(tact_volumes_count(set), 0);
    assert_int_equal(tact_volumes_add_aabbs(set, moved, N, NULL, NULL, NULL), TACT_OK);
    tact_volumes* like = make_like(c, TACT_VOLUME_AABB, moved, N);
    compare(c, "unbound", set, NULL, like, NULL);
}

/// The CPU must fetch what lies on the device, which the dispatcher is to know.
TEST_AS(ON_BOTH, what_lies_on_the_device_costs_the_cpu_its_way)
{
    caller* c = caller_require(state);
    enum { N = 4000 };
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_input_volumes_uniform(N, 3, boxes);
    const tact_device_array array = caller_make_array(c, N * sizeof *boxes, 0);
    caller_write_array(c, &array, boxes, N * sizeof *boxes);
    tact_volumes *set = KEEP(new_volumes(c->context, NULL)), *other = KEEP(new_volumes(c->context, NULL));
    tact_volumes* like = make_like(c, TACT_VOLUME_AABB, boxes, N);
    assert_int_equal(tact_volumes_bind(set, &array, N), TACT_OK);
    assert_int_equal(tact_volumes_bind(other, &array, N), TACT_OK);
    size_t count = 0;
    assert_int_equal(call_pairs_find(like, NULL, TACT_PAIRS_AUTO, NULL, 0, &count, NULL, NULL), TACT_OK);
    assert_true(caller_download_ms(c, TACT_BACKEND_CPU) == 0.0);
    const double brought = caller_download_ms(c, c->backend);
    assert_int_equal(call_pairs_find(set, NULL, TACT_PAIRS_AUTO, NULL, 0, &count, NULL, NULL), TACT_OK);
    const double fetched = caller_download_ms(c, TACT_BACKEND_CPU);
    assert_true(fetched > 0.0);
    assert_true(caller_download_ms(c, c->backend) == brought);
    assert_int_equal(call_pairs_find(set, other, TACT_PAIRS_AUTO, NULL, 0, &count, NULL, NULL), TACT_OK);
    assert_true(caller_download_ms(c, TACT_BACKEND_CPU) > 1.5 * fetched);
}

/// Of a buffer that is larger than kernels reach, what they do reach is of use.
TEST_AS(ON_BOTH, buffers_beyond_the_reach_of_kernels)
{
    caller* c = caller_require(state);
    enum { N = 500 };
    tact_aabb boxes[N];
    tact_input_volumes_uniform(N, 3, boxes);
    tact_device* device = c->context->devices[tact_context_find(c->context, c->backend)];
    tact_device_info* info = (tact_device_info*)tact_device_describe(device);
    const uint64_t before = info->max_buffer_bytes;
    assert_true(before <= (uint64_t)1 << 34);
    const uint64_t reach = (uint64_t)1 << 20;
    const tact_device_array array = caller_make_array(c, (size_t)reach + sizeof boxes, (size_t)reach - sizeof boxes);
    caller_write_array(c, &array, boxes, sizeof boxes);
    tact_volumes *set = KEEP(new_volumes(c->context, NULL)), *like = make_like(c, TACT_VOLUME_AABB, boxes, N);
    info->max_buffer_bytes = reach;
    tact_device_array beyond = array;
    beyond.offset += 4;
    assert_int_equal(tact_volumes_bind(set, &beyond, N), TACT_ERROR_LIMIT);
    assert_int_equal(tact_volumes_bind(set, &array, N), TACT_OK);
    compare(c, "at the end of what is reached", set, NULL, like, NULL);
    info->max_buffer_bytes = before;
}

TEST_AS(ON_BOTH, wrong_arrays_are_refused)
{
    caller* c = caller_require(state);
    const tact_result bad = TACT_ERROR_INVALID_ARGUMENT;
    const tact_device_array array = caller_make_array(c, 240, 0);
    tact_device_array wrong = array;
    tact_aabb box = {{0, 0, 0}, {1, 1, 1}};
    tact_volumes* set = KEEP(new_volumes(c->context, NULL));
    assert_int_equal(tact_volumes_add_aabbs(set, &box, 1, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_bind(set, &array, 11), bad);
    wrong.offset = 4;
    assert_int_equal(tact_volumes_bind(set, &wrong, 10), bad);
    wrong.offset = 2;
    assert_int_equal(tact_volumes_bind(set, &wrong, 1), bad);
    wrong.offset = UINT64_MAX - 3;
    assert_int_equal(tact_volumes_bind(set, &wrong, 1), bad);
    wrong = (tact_device_array){.backend = c->backend};
    assert_int_equal(tact_volumes_bind(set, &wrong, 1), bad);
    wrong = array;
    wrong.backend = c->backend == TACT_BACKEND_GL ? TACT_BACKEND_CL : TACT_BACKEND_GL;
    assert_int_equal(tact_volumes_bind(set, &wrong, 1), bad);
    wrong.backend = TACT_BACKEND_CPU;
    assert_int_equal(tact_volumes_bind(set, &wrong, 1), bad);
    assert_int_equal(tact_volumes_count(set), 1);  // as it was
    size_t count = 0;
    // 240 bytes hold 30 pairs, and the bytes of the last counts come out small again.
    for (size_t i = 0; i < 3; ++i) {
        const size_t room = i == 0 ? 31 : i == 1 ? SIZE_MAX / sizeof(tact_pair) + 1 : SIZE_MAX;
        assert_int_equal(call_pairs_find_on_device(set, NULL, TACT_PAIRS_AUTO, &array, room, &count, NULL, NULL), bad);
        const size_t boxes = i == 0 ? 11 : i == 1 ? SIZE_MAX / sizeof box + 2 : SIZE_MAX;
        const tact_result result = tact_volumes_bind(set, &array, boxes);
        assert_true(result == bad || result == TACT_ERROR_LIMIT);
    }
    assert_int_equal(call_pairs_find_on_device(set, NULL, TACT_PAIRS_AUTO, NULL, 1, &count, NULL, NULL), bad);
    assert_int_equal(tact_volumes_bind(set, &array, 10), TACT_OK);
    assert_int_equal(tact_volumes_bind(set, &array, 0), TACT_OK);
    assert_int_equal(call_pairs_find(set, NULL, TACT_PAIRS_AUTO, NULL, 0, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 0);
    // A context that made its device itself.
    const tact_context_desc desc = {.gl = c->backend == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = c->backend == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE};
    tact_context* own = KEEP(new_context(&desc));
    assert_int_equal(tact_volumes_bind(KEEP(new_volumes(own, NULL)), &array, 1), bad);
}

/// The sample takes every stride-th box and writes no further: what lies behind stays as it was.
TEST_AS(ON_BOTH, a_sample_is_every_so_manieth_box)
{
    caller* c = caller_require(state);
    enum { WANTED = 300, STRIDE = 3, BOXES = WANTED * STRIDE + 1, ROOM = 2 * WANTED + 1 };
    tact_aabb *boxes = malloc(BOXES * sizeof *boxes), picked[ROOM], filled[ROOM];
    tact_input_volumes_uniform(BOXES, 3, boxes);
    memset(filled, 0x5a, sizeof filled);
    tact_device* device = c->context->devices[tact_context_find(c->context, c->backend)];
    assert_int_equal(tact_device_enter(device), TACT_OK);
    tact_buffer *from = NULL, *to = NULL;
    assert_int_equal(tact_buffer_create(device, BOXES * sizeof *boxes, boxes, &from), TACT_OK);
    assert_int_equal(tact_buffer_create(device, sizeof filled, filled, &to), TACT_OK);
    assert_int_equal(
        TACT_LAUNCH(device, pairs_sample, 2, .boxes = from, .picked = to, .count = WANTED, .stride = STRIDE), TACT_OK);
    assert_int_equal(tact_buffer_read(to, 0, picked, sizeof picked), TACT_OK);
    tact_buffer_destroy(to);
    tact_buffer_destroy(from);
    tact_device_leave(device);
    for (size_t i = 0; i < WANTED; ++i)
        assert_memory_equal(&picked[i], &boxes[i * STRIDE], sizeof *boxes);
    assert_memory_equal(picked + WANTED, filled + WANTED, (ROOM - WANTED) * sizeof *picked);
    free(boxes);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
