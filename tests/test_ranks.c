// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A group of one rank, and what functions refuse. What several ranks do is in tests/ranks.

#include "tests/support/run.h"

#include "tact/tact.h"
#include "tests/support/counting_context.h"
#include "tests/support/objects.h"
#include "tests/support/one_rank.h"
#include "tests/support/quiet.h"

static tact_context* fresh_context(void)
{
    return KEEP(new_context(&(tact_context_desc){.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .log = quiet}));
}

static tact_ranks* group_of(tact_context* context, const tact_ranks_calls* calls)
{
    tact_ranks* ranks = NULL;
    assert_int_equal(tact_ranks_create(context, calls, &ranks), TACT_OK);
    return ranks;
}

/// A block of spheres that touch.
static tact_particles* block(tact_context* context, tact_particle_response response)
{
    enum { COUNT = 64 };
    float positions[3 * COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        positions[3 * i] = 0.95f * (float)(i % 4);
        positions[3 * i + 1] = 0.95f * (float)(i / 4 % 4) + 0.5f;
        positions[3 * i + 2] = 0.95f * (float)(i / 16);
    }
    const tact_particles_desc desc = {.response = response, .gravity = {0, -9.81f, 0}};
    const tact_particle_arrays arrays = {.positions = positions};
    tact_particles* p = new_particles(context, &desc);
    const tact_collider floor = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}, .mask = 0xffffffffu};
    assert_int_equal(tact_particles_add_collider(p, &floor, NULL), TACT_OK);
    assert_int_equal(tact_particles_add(p, &arrays, COUNT, NULL), TACT_OK);
    return p;
}

static void* saved(tact_particles* p, size_t* size)
{
    assert_int_equal(tact_particles_save(p, NULL, 0, size), TACT_INCOMPLETE);
    void* bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(tact_particles_save(p, bytes, *size, size), TACT_OK);
    return bytes;
}

/// Contacts with forces, where the response has any, are the same bytes.
static void expect_same_forces(tact_particles* spread, tact_particles* alone, tact_particle_response response)
{
    enum { MOST = 1000 };
    static tact_contact_force a[MOST], b[MOST];
    size_t count = 0, expected = 0;
    if (response != TACT_RESPONSE_SPRING && response != TACT_RESPONSE_GRAINS) {
        assert_int_equal(tact_particles_contact_forces(spread, a, MOST, &count), TACT_ERROR_INVALID_ARGUMENT);
        return;
    }
    assert_int_equal(tact_particles_contact_forces(spread, NULL, 0, &count), TACT_INCOMPLETE);
    assert_int_equal(tact_particles_contact_forces(alone, b, MOST, &expected), TACT_OK);
    assert_true(count == expected && count > 50);
    assert_int_equal(tact_particles_contact_forces(spread, a, count - 1, &count), TACT_INCOMPLETE);
    assert_memory_equal(a, b, (expected - 1) * sizeof *a);
    assert_int_equal(tact_particles_contact_forces(spread, a, MOST, &count), TACT_OK);
    assert_int_equal(count, expected);
    assert_memory_equal(a, b, expected * sizeof *a);
}

TEST(a_group_of_one_changes_nothing)
{
    static const tact_particle_response responses[] = {TACT_RESPONSE_SPRING, TACT_RESPONSE_POSITION, TACT_RESPONSE_NONE,
                                                       TACT_RESPONSE_GRAINS};
    int released = 0;
    const tact_ranks_calls calls = lone_calls(&released);
    tact_context* context = fresh_context();
    for (size_t k = 0; k < sizeof responses / sizeof *responses; ++k) {
        tact_ranks* ranks = group_of(context, &calls);
        tact_particles *spread = block(context, responses[k]), *alone = block(context, responses[k]);
        assert_int_equal(tact_particles_spread(spread, ranks, NULL), TACT_OK);
        for (int step = 0; step < 10; ++step) {
            size_t size = 0, expected = 0;
            assert_int_equal(tact_particles_step(spread, 1e-3f, 2, 1, NULL, NULL), TACT_OK);
            assert_int_equal(tact_particles_step(alone, 1e-3f, 2, 1, NULL, NULL), TACT_OK);
            void *a = saved(spread, &size), *b = saved(alone, &expected);
            assert_int_equal(size, expected);
            assert_memory_equal(a, b, size);
            free(a);
            free(b);
        }
        expect_same_forces(spread, alone, responses[k]);
        tact_particles_destroy(spread);
        tact_particles_destroy(alone);
        tact_ranks_destroy(ranks);
        assert_int_equal(released, (int)k + 1);
    }
}

TEST(groups_are_refused)
{
    tact_context* context = fresh_context();
    int released = 0;
    tact_ranks* ranks = NULL;
    tact_ranks_calls calls = lone_calls(&released);
    calls.rank = 1;
    assert_int_equal(tact_ranks_create(context, &calls, &ranks), TACT_ERROR_INVALID_ARGUMENT);
    calls = lone_calls(&released);
    calls.count = 0;
    assert_int_equal(tact_ranks_create(context, &calls, &ranks), TACT_ERROR_INVALID_ARGUMENT);
    calls = lone_calls(&released);
    calls.combine = NULL;
    assert_int_equal(tact_ranks_create(context, &calls, &ranks), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(ranks);
    // What was handed over is released all the same.
    assert_int_equal(released, 3);
    tact_ranks_info info;
    assert_int_equal(tact_ranks_get_info(NULL, &info), TACT_OK);
    assert_true(info.count == 1 && info.rank == 0);
}

TEST(systems_are_refused)
{
    tact_context *context = fresh_context(), *other = fresh_context();
    const tact_ranks_calls calls = lone_calls(NULL);
    tact_ranks *ranks = group_of(context, &calls), *elsewhere = group_of(other, &calls);
    tact_particles* p = block(context, TACT_RESPONSE_GRAINS);
    tact_particle_totals totals;
    assert_int_equal(tact_particles_spread(p, elsewhere, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_spread(p, ranks, &(tact_particle_ranks_desc){.imbalance = 0.5f}),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_spread(p, ranks, &(tact_particle_ranks_desc){.margin = 5.0f}),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_measure(p, &totals), TACT_OK);
    assert_int_equal(tact_particles_spread(p, ranks, NULL), TACT_OK);
    assert_int_equal(tact_particles_spread(p, ranks, NULL), TACT_ERROR_INVALID_ARGUMENT);
    // What needs all particles in one place.
    assert_int_equal(tact_particles_measure(p, &totals), TACT_ERROR_UNSUPPORTED);
    assert_int_equal(tact_particles_bond_near(p, 0, 0.0f, NULL), TACT_ERROR_UNSUPPORTED);
    assert_int_equal(tact_particles_step(p, 1e-3f, 1, 1, &(tact_query_options){.shadow = true}, NULL),
                     TACT_ERROR_UNSUPPORTED);
    assert_int_equal(tact_particles_step(p, 1e-3f, 1, 1, NULL, NULL), TACT_OK);
    tact_particles_destroy(p);
    tact_ranks_destroy(elsewhere);
    tact_ranks_destroy(ranks);
}

// ---- Files ----

enum { OFFSET = 3 };

static void expect_file(const char* path, const void* bytes, size_t size)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    char* there = malloc(size + OFFSET + 1);
    assert_int_equal(fread(there, 1, size + OFFSET + 1, file), size + OFFSET);
    fclose(file);
    assert_memory_equal(there, "abc", OFFSET);
    assert_memory_equal(there + OFFSET, bytes, size);
    free(there);
}

TEST(a_file_of_a_group_is_that_of_one_process)
{
    static const char* const path = "test_ranks.saved";
    const tact_ranks_calls calls = lone_calls(NULL);
    tact_context* context = fresh_context();
    tact_ranks* ranks = group_of(context, &calls);
    for (int spread = 0; spread < 2; ++spread) {
        tact_particles *p = block(context, TACT_RESPONSE_GRAINS), *again = NULL;
        size_t size = 0, later = 0;
        if (spread) assert_int_equal(tact_particles_spread(p, ranks, NULL), TACT_OK);
        assert_int_equal(tact_particles_step(p, 1e-3f, 2, 5, NULL, NULL), TACT_OK);
        void* bytes = saved(p, &size);
        assert_int_equal(tact_particles_save_file(p, path, "abc", OFFSET), TACT_OK);
        expect_file(path, bytes, size);
        for (int to = 0; to < 2; ++to) {
            assert_int_equal(
                tact_particles_restore_file(context, to ? ranks : NULL, path, OFFSET, TACT_BACKEND_CPU, NULL, &again),
                TACT_OK);
            void* same = saved(again, &later);
            assert_int_equal(later, size);
            assert_memory_equal(same, bytes, size);
            free(same);
            tact_particles_destroy(again);
            assert_int_equal(tact_particles_restore_file(context, to ? ranks : NULL, path, OFFSET - 1, TACT_BACKEND_CPU,
                                                         NULL, &again),
                             TACT_ERROR_INVALID_ARGUMENT);
            assert_null(again);
        }
        free(bytes);
        tact_particles_destroy(p);
    }
    remove(path);
    tact_ranks_destroy(ranks);
}

/// Which call of the functions for files fails; counts down.
static int calls_left;

static tact_result failing_write(void* user, void* file, uint64_t at, const void* bytes, uint64_t size)
{
    return calls_left-- > 0 ? lone_file_write(user, file, at, bytes, size) : TACT_ERROR_INVALID_ARGUMENT;
}

static tact_result failing_read(void* user, void* file, uint64_t at, void* bytes, uint64_t size)
{
    return calls_left-- > 0 ? lone_file_read(user, file, at, bytes, size) : TACT_ERROR_INVALID_ARGUMENT;
}

static tact_result failing_flush(void* user, void* file)
{
    return calls_left-- > 0 ? lone_file_flush(user, file) : TACT_ERROR_INVALID_ARGUMENT;
}

static tact_result failing_close(void* user, void* file)
{
    const tact_result result = lone_file_close(user, file);
    return calls_left-- > 0 ? result : TACT_ERROR_INVALID_ARGUMENT;
}

static tact_result failing_open(void* user, const char* path, bool writes, void** file, uint64_t* size)
{
    return calls_left-- > 0 ? lone_file_open(user, path, writes, file, size) : TACT_ERROR_INVALID_ARGUMENT;
}

/// Whatever fails, what was there stays.
TEST(a_file_that_cannot_be_written_leaves_the_one_before)
{
    static const char* const path = "test_ranks.kept";
    tact_context* context = fresh_context();
    tact_ranks_calls calls = lone_calls(NULL);
    calls.file_open = failing_open;
    calls.file_write = failing_write;
    calls.file_read = failing_read;
    calls.file_flush = failing_flush;
    calls.file_close = failing_close;
    tact_ranks* ranks = group_of(context, &calls);
    tact_particles *p = block(context, TACT_RESPONSE_GRAINS), *again = NULL;
    assert_int_equal(tact_particles_spread(p, ranks, NULL), TACT_OK);
    size_t size = 0;
    void* bytes = saved(p, &size);
    calls_left = 100;
    assert_int_equal(tact_particles_save_file(p, path, "abc", OFFSET), TACT_OK);
    assert_int_equal(tact_particles_step(p, 1e-3f, 2, 5, NULL, NULL), TACT_OK);
    int tries = 0;
    for (bool done = false; !done; ++tries) {
        calls_left = tries;
        const tact_result result = tact_particles_save_file(p, path, "abc", OFFSET);
        done = result == TACT_OK;
        if (done) break;
        assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(tact_last_error(), path));
        expect_file(path, bytes, size);
    }
    // To open, one block, the digests, what it begins with, to flush, to close.
    assert_int_equal(tries, 6);
    for (tries = 0; !again; ++tries) {
        calls_left = tries;
        const tact_result result =
            tact_particles_restore_file(context, ranks, path, OFFSET, TACT_BACKEND_CPU, NULL, &again);
        if (!again) assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
    }
    // To open, the header, the digests, one block.
    assert_int_equal(tries, 5);
    remove(path);
    free(bytes);
    tact_particles_destroy(again);
    tact_particles_destroy(p);
    tact_ranks_destroy(ranks);
}

TEST(memory_may_run_out_for_files)
{
    enum { MOST = 400 };
    static const char* const path = "test_ranks.memory";
    for (int spread = 0; spread < 2; ++spread) {
        bool done = false;
        for (uint64_t k = 0; k < MOST && !done; ++k) {
            counting_allocator counter = {0};
            tact_context* context = counting_context(1, &counter);
            const tact_ranks_calls calls = lone_calls(NULL);
            tact_ranks* ranks = group_of(context, &calls);
            tact_particles *p = block(context, TACT_RESPONSE_GRAINS), *again = NULL;
            if (spread) assert_int_equal(tact_particles_spread(p, ranks, NULL), TACT_OK);
            counter.fail_at = counter.requests + k + 1;
            tact_result result = tact_particles_save_file(p, path, NULL, 0);
            if (result == TACT_OK)
                result = tact_particles_restore_file(context, spread ? ranks : NULL, path, 0, TACT_BACKEND_CPU, NULL,
                                                     &again);
            done = result == TACT_OK;
            if (!done) assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
            assert_true(done == (again != NULL));
            tact_particles_destroy(again);
            tact_particles_destroy(p);
            tact_ranks_destroy(ranks);
            tact_context_destroy(context);
            assert_int_equal(counter.live, 0);
            remove(path);
        }
        assert_true(done);
    }
}

TEST(memory_may_run_out)
{
    enum { MOST = 400 };
    bool done = false;
    for (uint64_t k = 0; k < MOST && !done; ++k) {
        counting_allocator counter = {0};
        tact_context* context = counting_context(1, &counter);
        const tact_ranks_calls calls = lone_calls(NULL);
        tact_ranks* ranks = group_of(context, &calls);
        tact_particles* p = block(context, TACT_RESPONSE_GRAINS);
        counter.fail_at = counter.requests + k + 1;
        tact_result result = tact_particles_spread(p, ranks, NULL);
        if (result == TACT_OK) result = tact_particles_step(p, 1e-3f, 2, 2, NULL, NULL);
        done = result == TACT_OK;
        if (!done) assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        tact_particles_destroy(p);
        tact_ranks_destroy(ranks);
        tact_context_destroy(context);
        assert_int_equal(counter.live, 0);
    }
    assert_true(done);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
