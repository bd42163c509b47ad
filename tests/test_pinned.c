// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Memory that devices reach: what is sent from it and to it is what goes through rings, nothing is copied on the way,
// and it may be written again as soon as a call has returned. On devices that are software only tests pin memory.

#include "tests/support/run.h"

#include "core/context/context.h"
#include "core/scene/scene.h"
#include "gpu/device_backend.h"
#include "gpu/trace/raycast.h"
#include "tests/support/device_fixture.h"
#include "tests/support/meshes.h"
#include "tests/support/one_device.h"
#include "tests/support/random.h"

enum { SLOT = 1 << 13, BYTES = 20 * SLOT };

static void make_noise(test_random* r, void* data, size_t bytes)
{
    uint32_t* words = data;
    for (size_t i = 0; i < bytes / 4; ++i)
        words[i] = test_random_below(r, UINT32_MAX);
}

// ---- Transfers ----

TEST_AS(DEVICE_TEST, all_places_and_sizes)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    static const size_t sizes[] = {4, 4096, 4100, 65536, 65540, SLOT, 3 * SLOT + 8, BYTES - 256};
    test_random r = test_random_seeded(1);
    tact_device_use_rings(device, SLOT);
    tact_pinned_block* block = NULL;
    expect_ok(f, tact_device_pin(device, BYTES, &block));
    unsigned char *memory = tact_pinned_block_memory(block), *expected = scratch(BYTES), *back = scratch(BYTES);
    assert_int_equal((uintptr_t)memory % 64, 0);
    make_noise(&r, expected, BYTES);
    tact_buffer* buffer = make_buffer(f, device, BYTES, expected);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] * 3; ++i) {
        const size_t bytes = sizes[i / 3], place = i % 3 == 2 ? BYTES - bytes : i % 3 * 60, offset = i % 4 * 16;
        make_noise(&r, memory, BYTES);
        memcpy(expected + offset, memory + place, bytes);
        expect_ok(f, tact_buffer_write(buffer, offset, memory + place, bytes));
        // To memory of another kind, and back to it.
        expect_ok(f, tact_buffer_read(buffer, 0, back, BYTES));
        assert_memory_equal(back, expected, BYTES);
        memcpy(back, memory, BYTES);
        memcpy(back + place, expected + offset, bytes);
        memset(memory + place, 0, bytes);
        expect_ok(f, tact_buffer_read(buffer, offset, memory + place, bytes));
        assert_memory_equal(memory, back, BYTES);
    }
    tact_buffer_destroy(buffer);
    tact_device_unpin(block);
}

/// Ranges that lie in pinned memory beside others that do not, and one that is in it in part.
TEST_AS(DEVICE_TEST, mixed_readings)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    test_random r = test_random_seeded(2);
    tact_device_use_rings(device, SLOT);
    tact_pinned_block* blocks[2] = {NULL, NULL};
    unsigned char *memory[2], *expected = scratch(BYTES), *back = scratch(BYTES);
    for (int i = 0; i < 2; ++i) {
        expect_ok(f, tact_device_pin(device, BYTES, &blocks[i]));
        memory[i] = tact_pinned_block_memory(blocks[i]);
    }
    make_noise(&r, expected, BYTES);
    tact_buffer* buffer = make_buffer(f, device, BYTES, expected);
    for (int turn = 0; turn < 8; ++turn) {
        memset(memory[0], turn, BYTES);
        memset(memory[1], turn, BYTES);
        memset(back, turn, BYTES);
        const tact_read reads[] = {{buffer, 0, 3 * SLOT, turn & 1 ? memory[0] : back},
                                   {buffer, 3 * SLOT, 0, NULL},
                                   {buffer, 4 * SLOT, 8, turn & 2 ? memory[1] + 4 : back + 4 * SLOT},
                                   {buffer, 6 * SLOT, 5 * SLOT, turn & 4 ? memory[1] + SLOT : back + 6 * SLOT}};
        const tact_device_counts before = tact_device_counted(device);
        expect_ok(f, tact_device_read(device, reads, 4));
        const tact_device_counts after = tact_device_counted(device);
        assert_true(after.waits > before.waits);
        if (turn == 7) assert_int_equal(after.waits, before.waits + 1);
        assert_int_equal(after.bytes_down - before.bytes_down, 8 * SLOT + 8);
        for (int i = 0; i < 4; ++i)
            assert_memory_equal(reads[i].bytes ? reads[i].data : expected, expected + reads[i].offset, reads[i].bytes);
    }
    for (int i = 0; i < 2; ++i)
        tact_device_unpin(blocks[i]);
    tact_buffer_destroy(buffer);
}

/// What is to be sent lies where it was given until the device is left, and is copied where the call does not wait.
TEST_AS(DEVICE_TEST, it_may_be_written_again)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    test_random r = test_random_seeded(3);
    tact_device_use_rings(device, SLOT);
    tact_pinned_block* block = NULL;
    expect_ok(f, tact_device_pin(device, BYTES, &block));
    unsigned char *memory = tact_pinned_block_memory(block), *expected = scratch(BYTES), *back = scratch(BYTES);
    tact_buffer *buffer = make_buffer(f, device, BYTES, NULL), *other = make_buffer(f, device, BYTES, NULL);
    for (int turn = 0; turn < 6; ++turn) {
        make_noise(&r, memory, BYTES);
        memcpy(expected, memory, BYTES);
        if (turn % 2) {
            expect_ok(f, tact_buffer_write_copied(buffer, 0, memory, BYTES));
            assert_true(device->pinned_taken == device->pinned_given);
        } else {
            expect_ok(f, tact_buffer_write(buffer, 0, memory, BYTES));
            assert_true(device->pinned_taken < device->pinned_given);
            // A reading that was begun before says nothing of it.
            tact_reading reading;
            const tact_read read = {other, 0, BYTES, back};
            tact_device_read_begin(device, &read, 1, &reading);
            expect_ok(f, tact_buffer_write(other, 0, memory, BYTES));
            expect_ok(f, tact_device_read_end(&reading));
            assert_int_equal(device->pinned_given - device->pinned_taken, 1);
            tact_device_leave(device);
            assert_true(device->pinned_taken == device->pinned_given);
            expect_ok(f, tact_device_enter(device));
        }
        memset(memory, 0, BYTES);
        expect_ok(f, tact_buffer_read(buffer, 0, back, BYTES));
        assert_memory_equal(back, expected, BYTES);
    }
    tact_device_unpin(block);
    tact_buffer_destroy(buffer);
    tact_buffer_destroy(other);
}

TEST_AS(DEVICE_TEST, memory_is_accounted_for)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    tact_pinned_block* block = NULL;
    tact_device_use_rings(device, 0);
    expect_failure(device, tact_device_pin(device, BYTES, &block), TACT_ERROR_UNSUPPORTED);
    assert_null(block);
    tact_device_use_rings(device, SLOT);
    expect_ok(f, tact_device_pin(device, 4, &block));
    tact_device_unpin(block);
    const uint64_t before = tact_device_bytes(device);
    for (uint32_t size = 1; size < 9; ++size) {
        expect_ok(f, tact_device_pin(device, size, &block));
        assert_int_equal(tact_device_bytes(device) - before, (size + 3) / 4 * 4);
        tact_device_unpin(block);
        assert_int_equal(tact_device_bytes(device), before);
    }
    tact_device_fail_buffer(device, 1);
    expect_failure(device, tact_device_pin(device, BYTES, &block), TACT_ERROR_DEVICE_OUT_OF_MEMORY);
    assert_null(block);
    assert_int_equal(tact_device_bytes(device), before);
    tact_device_unpin(NULL);
}

// ---- Queries ----

enum { COUNT = 30000, SLOT_BYTES = 1 << 20 };

static tact_scene* make_scene(tact_context* context)
{
    static const float low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    float corners[24];
    box_corners(low, high, corners);
    const tact_mesh_desc box = {.positions = corners, .vertex_count = 8, .indices = box_indices, .triangle_count = 12};
    tact_scene* scene = new_scene(context);
    const uint32_t mesh = put_mesh(scene, &box);
    for (int i = 0; i < 20; ++i) {
        const float pose[12] = {1, 0, 0, 3.0f * (float)(i % 5), 0, 1, 0, 3.0f * (float)(i / 5), 0, 0, 1, (float)i};
        put_instance(scene, mesh, pose);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static void make_rays(test_random* r, tact_ray* rays)
{
    for (int i = 0; i < COUNT; ++i)
        rays[i] = (tact_ray){6.0f + 8.0f * test_random_signed(r), 4.0f + 8.0f * test_random_signed(r), -20.0f, 0,
                             0.3f * test_random_signed(r),        0.3f * test_random_signed(r),        1,      100};
}

TEST_AS(ONE_DEVICE_TEST, queries_take_and_give_it)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    tact_device* device = context->devices[1];
    tact_scene* scene = KEEP(make_scene(context));
    test_random r = test_random_seeded(4);
    // Pinned by the first query at the latest; here software is treated as if it were not.
    assert_int_equal(tact_device_enter(device), TACT_OK);
    tact_device_use_rings(device, SLOT_BYTES);
    tact_device_leave(device);
    tact_pinned *rays = NULL, *hits = NULL;
    assert_int_equal(tact_pinned_create(context, backend, COUNT * sizeof(tact_ray), &rays), TACT_OK);
    assert_int_equal(tact_pinned_create(context, backend, COUNT * sizeof(tact_hit), &hits), TACT_OK);
    assert_true(tact_pinned_is_direct(rays) && tact_pinned_size(rays) == COUNT * sizeof(tact_ray));
    tact_hit* expected = scratch(COUNT * sizeof *expected);
    tact_ray* kept = scratch(COUNT * sizeof *kept);
    const tact_query_options options = {.backend = backend, .no_fallback = true},
                             reference = {.backend = TACT_BACKEND_REFERENCE};
    for (int turn = 0; turn < 6; ++turn) {
        make_rays(&r, tact_pinned_data(rays));
        memcpy(kept, tact_pinned_data(rays), COUNT * sizeof *kept);
        memset(tact_pinned_data(hits), turn, COUNT * sizeof(tact_hit));
        // Not all of them begin at the beginning.
        const size_t from = (size_t)turn * 7, count = COUNT - from;
        const tact_ray* at = (const tact_ray*)tact_pinned_data(rays) + from;
        tact_hit* to = (tact_hit*)tact_pinned_data(hits) + from;
        tact_ticket ticket = 0;
        tact_query_options how = options;
        if (turn >= 4) how.ticket = &ticket;
        const uint64_t waits = tact_device_counted(device).waits;
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, at, count, to, &how, NULL), TACT_OK);
        // What is submitted waits for nothing but room in a ring.
        if (turn >= 4) assert_true(tact_device_counted(device).waits - waits <= COUNT * sizeof(tact_ray) / SLOT_BYTES);
        // At once: also of a cast that is on its way.
        memset(tact_pinned_data(rays), 0x7f, COUNT * sizeof(tact_ray));
        if (turn >= 4) assert_int_equal(tact_wait(context, ticket, NULL), TACT_OK);
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, kept + from, count, expected, &reference, NULL),
                         TACT_OK);
        assert_memory_equal(to, expected, count * sizeof *to);
        // And the CPU, for which it is memory like any other.
        memcpy(tact_pinned_data(rays), kept, COUNT * sizeof *kept);
        memset(to, 0, count * sizeof *to);
        const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, at, count, to, &cpu, NULL), TACT_OK);
        assert_memory_equal(to, expected, count * sizeof *to);
    }
    tact_pinned_destroy(rays);
    tact_pinned_destroy(hits);
}

/// On a device that is lost calls fail, and the memory stays the caller's.
TEST_AS(ONE_DEVICE_TEST, a_lost_device_leaves_it)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    tact_device* device = context->devices[1];
    tact_scene* scene = KEEP(make_scene(context));
    test_random r = test_random_seeded(5);
    assert_int_equal(tact_device_enter(device), TACT_OK);
    tact_device_use_rings(device, 1 << 16);
    tact_device_leave(device);
    tact_pinned *rays = NULL, *more = NULL;
    assert_int_equal(tact_pinned_create(context, backend, COUNT * sizeof(tact_ray), &rays), TACT_OK);
    tact_hit *hits = scratch(COUNT * sizeof *hits), *expected = scratch(COUNT * sizeof *hits);
    make_rays(&r, tact_pinned_data(rays));
    const tact_query_options options = {.backend = backend, .no_fallback = true}, cpu = {.backend = TACT_BACKEND_CPU};
    tact_device_fail_launch(device, 2);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, tact_pinned_data(rays), COUNT, hits, &options, NULL),
                     TACT_ERROR_DEVICE_LOST);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, tact_pinned_data(rays), COUNT, hits, &cpu, NULL), TACT_OK);
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, tact_pinned_data(rays), COUNT, expected, &reference, NULL),
                     TACT_OK);
    assert_memory_equal(hits, expected, COUNT * sizeof *hits);
    // There is memory still, of the ordinary kind.
    assert_int_equal(tact_pinned_create(context, backend, 100, &more), TACT_OK);
    assert_false(tact_pinned_is_direct(more));
    memset(tact_pinned_data(more), 1, 100);
    tact_pinned_destroy(more);
    tact_pinned_destroy(rays);
}

TEST(ordinary_memory_where_nothing_is_pinned)
{
    tact_context* context =
        KEEP(new_context(&(tact_context_desc){.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .log = quiet}));
    static const size_t sizes[] = {0, 1, 63, 64, 4096, 1000003};
    for (int backend = 0; backend < TACT_BACKEND_COUNT; ++backend) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            tact_pinned* p = NULL;
            assert_int_equal(tact_pinned_create(context, (tact_backend)backend, sizes[i], &p), TACT_OK);
            assert_false(tact_pinned_is_direct(p));
            assert_int_equal(tact_pinned_size(p), sizes[i]);
            assert_int_equal((uintptr_t)tact_pinned_data(p) % 64, 0);
            memset(tact_pinned_data(p), 1, sizes[i]);
            tact_pinned_destroy(p);
        }
    }
    tact_pinned* p = NULL;
    assert_int_equal(tact_pinned_create(NULL, TACT_BACKEND_AUTO, 1, &p), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pinned_create(context, TACT_BACKEND_AUTO, 1, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pinned_create(context, (tact_backend)77, 1, &p), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pinned_create(context, TACT_BACKEND_AUTO, SIZE_MAX, &p), TACT_ERROR_LIMIT);
    assert_null(p);
    assert_null(tact_pinned_data(NULL));
    assert_int_equal(tact_pinned_size(NULL), 0);
    assert_false(tact_pinned_is_direct(NULL));
    tact_pinned_destroy(NULL);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
