// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Concave image tests of objects whose arrays lie in the caller's buffers, in adopted OpenGL and OpenCL contexts: the
/// results are those of the same arrays on the host.

#include "tests/support/run.h"

#include "tests/support/caller.h"
#include "tests/support/image_concave_check.h"

enum { WORDS = 5, OFFSET = 64, TESTS = 3, FIRST_INDEX = 5, RESOLUTION = 64 };

/// Which arrays lie on the device, a bit each.
enum { POSITIONS_OF_A = 1, INDICES_OF_A = 2, POSITIONS_OF_B = 4, INDICES_OF_B = 8, ARRAYS = 4, PLACES = 16 };

/// Two solids, their vertices WORDS words apart, on the host and in buffers of the caller's.
typedef struct pair {
    caller* owner;
    concave_solid solids[2];
    float* rows[2];
    size_t row_bytes[2], index_bytes[2];
    tact_device_array arrays[ARRAYS];
    float poses[2][TESTS][12];
    tact_image_bounds bounds[2];
    bool bounded;
} pair;

static void write_arrays(pair* p)
{
    for (int i = 0; i < 2; ++i) {
        caller_write_array(p->owner, &p->arrays[2 * i], p->rows[i], p->row_bytes[i]);
        caller_write_array(p->owner, &p->arrays[2 * i + 1], p->solids[i].indices, p->index_bytes[i]);
    }
}

/// Solids that grow and bend from frame to frame.
static void move(pair* p, int frame)
{
    for (int i = 0; i < 2; ++i) {
        for (size_t v = 0; v < p->solids[i].vertices; ++v) {
            const float* from = p->solids[i].positions + 3 * v;
            float* to = p->rows[i] + WORDS * v;
            to[0] = from[0] * (0.5f + 0.1f * (float)frame);
            to[1] = from[1] + 0.1f * sinf((float)(frame + i) + 3 * from[0]);
            to[2] = from[2];
        }
    }
    write_arrays(p);
}

static pair* make_pair(caller* c)
{
    pair* p = scratch_zeroed(1, sizeof *p);
    test_random r = test_random_seeded(9101);
    p->owner = c;
    p->solids[0] = concave_knot(24, 4, 0.12);
    p->solids[1] = concave_hollow(0.7f, 0.6f);
    for (int i = 0; i < 2; ++i) {
        const concave_solid* s = &p->solids[i];
        p->rows[i] = scratch_zeroed(s->vertices, WORDS * 4);
        p->row_bytes[i] = s->vertices * WORDS * 4;
        p->index_bytes[i] = s->triangles * 12;
        p->arrays[2 * i] = caller_make_array(c, p->row_bytes[i] + OFFSET, OFFSET);
        p->arrays[2 * i + 1] = caller_make_array(c, p->index_bytes[i] + OFFSET, OFFSET / 4);
        p->bounds[i] = (tact_image_bounds){.lower = {-9, -9, -9}, .upper = {9, 9, 9}};
        for (int t = 0; t < TESTS; ++t) {
            image_random_turn(&r, p->poses[i][t]);
            for (int k = 0; k < 3; ++k)
                p->poses[i][t][4 * k + 3] = 0.5f * test_random_signed(&r);
        }
    }
    move(p, 0);
    return p;
}

static tact_image_body body_of(const pair* p, int i, unsigned on_device)
{
    tact_image_body body = concave_body(&p->solids[i], (const float(*)[12])p->poses[i], TESTS);
    body.mesh.position_stride = WORDS * 4;
    body.mesh.positions = p->rows[i];
    body.closed = true;
    if (p->bounded) body.bounds = &p->bounds[i];
    if (on_device >> (2 * i) & 1u) {
        body.mesh.positions = NULL;
        body.mesh.device_positions = &p->arrays[2 * i];
    }
    if (on_device >> (2 * i + 1) & 1u) {
        body.mesh.indices = NULL;
        body.mesh.device_indices = &p->arrays[2 * i + 1];
    }
    return body;
}

static tact_result test_pair(const pair* p, tact_image_tester* tester, unsigned on_device, tact_backend backend,
                             const tact_image_options* how, tact_image_result results[TESTS], tact_query_report* report)
{
    const tact_image_body a = body_of(p, 0, on_device), b = body_of(p, 1, on_device);
    const tact_image_work work = {.a = &a, .b = &b, .options = how, .results = results, .count = TESTS};
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    memset(results, 1, TESTS * sizeof *results);
    return tact_image_concave(tester, &work, &options, report);
}

static void expect_same(const pair* p, tact_image_tester* tester, unsigned on_device, tact_backend backend,
                        const tact_image_options* how, const tact_image_result wanted[TESTS])
{
    tact_image_result got[TESTS];
    tact_query_report report;
    if (test_pair(p, tester, on_device, backend, how, got, &report) != TACT_OK) {
        fail_msg("arrays %u on %s: %s", on_device, tact_backend_name(backend), tact_context_error(p->owner->context));
    }
    if (backend != TACT_BACKEND_AUTO) assert_int_equal(report.backend, backend);
    for (int t = 0; t < TESTS; ++t) {
        if (memcmp(&got[t], &wanted[t], sizeof got[t]) == 0) continue;
        fail_msg("arrays %u on %s, test %d: samples %u %u, not %u %u; inside %u, not %u", on_device,
                 tact_backend_name(backend), t, (unsigned)got[t].samples[0], (unsigned)got[t].samples[1],
                 (unsigned)wanted[t].samples[0], (unsigned)wanted[t].samples[1], (unsigned)got[t].inside,
                 (unsigned)wanted[t].inside);
    }
}

/// Sets of arrays from `first` on, while what is in them changes.
static void compare_frames(caller* c, int frames, unsigned first, uint32_t resolution)
{
    static const tact_image_making makings[] = {TACT_IMAGE_COMPUTED, TACT_IMAGE_MADE_EITHER_WAY, TACT_IMAGE_DRAWN};
    pair* p = make_pair(c);
    tact_image_tester* tester = KEEP(new_image_tester(c->context));
    tact_image_result wanted[TESTS];
    size_t hits = 0;
    for (int frame = 0; frame < frames; ++frame) {
        p->bounded = frame % 3 == 2;
        move(p, frame);
        tact_image_options how = {.method = TACT_IMAGE_READBACK, .resolution = resolution >> frame % 2};
        assert_int_equal(test_pair(p, tester, 0, TACT_BACKEND_CPU, &how, wanted, NULL), TACT_OK);
        for (unsigned on_device = first; on_device < PLACES; ++on_device) {
            for (int m = 0; m < (c->backend == TACT_BACKEND_GL ? 3 : 2); ++m) {
                how.making = makings[m];
                expect_same(p, tester, on_device, c->backend, &how, wanted);
            }
            // Brought to the host; and whichever takes less time.
            how.making = TACT_IMAGE_MADE_EITHER_WAY;
            expect_same(p, tester, on_device, TACT_BACKEND_CPU, &how, wanted);
            expect_same(p, tester, on_device, TACT_BACKEND_AUTO, &how, wanted);
        }
        for (int t = 0; t < TESTS; ++t)
            hits += wanted[t].overlap;
    }
    assert_in_range(hits, 1, frames * TESTS);
}

TEST_AS(ON_BOTH, results_are_those_of_the_host)
{
    compare_frames(caller_require(state), 6, 1, RESOLUTION);
}

/// Little, for an interpreter of kernels.
TEST_AS(ON_BOTH, all_arrays_on_the_device)
{
    compare_frames(caller_require(state), 1, PLACES - 1, 8);
}

/// Of those the driver's rasteriser tells, the same for the same vertices.
TEST_AS(ON_GL, stencils_of_the_callers_buffers)
{
    caller* c = caller_require(state);
    pair* p = make_pair(c);
    tact_image_tester* tester = KEEP(new_image_tester(c->context));
    const tact_image_options how = {.method = TACT_IMAGE_STENCIL, .resolution = RESOLUTION};
    tact_image_result wanted[TESTS];
    for (int frame = 0; frame < 3; ++frame) {
        move(p, frame);
        assert_int_equal(test_pair(p, tester, 0, TACT_BACKEND_GL, &how, wanted, NULL), TACT_OK);
        for (unsigned on_device = 1; on_device < PLACES; ++on_device)
            expect_same(p, tester, on_device, TACT_BACKEND_GL, &how, wanted);
    }
}

/// What cannot be in the caller's buffers, by the device and by the CPU that brings it.
TEST_AS(ON_BOTH, wrong_arrays_are_refused)
{
    caller* c = caller_require(state);
    pair* p = make_pair(c);
    tact_image_tester* tester = KEEP(new_image_tester(c->context));
    const tact_backend backends[] = {c->backend, TACT_BACKEND_CPU};
    const tact_image_options how = {.method = TACT_IMAGE_READBACK, .resolution = 16, .making = TACT_IMAGE_COMPUTED};
    tact_image_result r[TESTS];
    for (int i = 0; i < 2; ++i) {
        for (int given = 0; given < 2; ++given) {
            p->bounded = given != 0;
            const tact_backend backend = backends[i];
            float* number = &p->rows[1][WORDS * 3 + 1];
            const float before = *number;
            const float wrong[] = {NAN, INFINITY, -2e18f};
            for (int k = 0; k < 3; ++k) {
                *number = wrong[k];
                write_arrays(p);
                assert_int_equal(test_pair(p, tester, POSITIONS_OF_B, backend, &how, r, NULL),
                                 TACT_ERROR_INVALID_ARGUMENT);
                assert_non_null(strstr(tact_context_error(c->context), "object B"));
            }
            *number = before;
            uint32_t* index = &p->solids[0].indices[FIRST_INDEX];
            const uint32_t right = *index;
            *index = (uint32_t)p->solids[0].vertices;
            write_arrays(p);
            assert_int_equal(test_pair(p, tester, INDICES_OF_A, backend, &how, r, NULL), TACT_ERROR_INVALID_ARGUMENT);
            assert_non_null(strstr(tact_context_error(c->context), "object A"));
            *index = right;
            // Past the buffer's end.
            write_arrays(p);
            p->arrays[2].offset += 8;
            assert_int_equal(test_pair(p, tester, POSITIONS_OF_B, backend, &how, r, NULL), TACT_OK);
            p->arrays[2].offset += 12;
            assert_int_equal(test_pair(p, tester, POSITIONS_OF_B, backend, &how, r, NULL), TACT_ERROR_INVALID_ARGUMENT);
            p->arrays[2].offset -= 20;
            // Of an API that is not here.
            p->arrays[2].backend = c->backend == TACT_BACKEND_GL ? TACT_BACKEND_CL : TACT_BACKEND_GL;
            assert_int_equal(test_pair(p, tester, POSITIONS_OF_B, backend, &how, r, NULL), TACT_ERROR_INVALID_ARGUMENT);
            p->arrays[2].backend = c->backend;
            assert_int_equal(test_pair(p, tester, PLACES - 1, backend, &how, r, NULL), TACT_OK);
        }
    }
}

/// Vertices stay on the device; the host waits for what is found of each object, and for the result.
TEST_AS(ON_BOTH, vertices_stay_on_the_device)
{
    caller* c = caller_require(state);
    pair* p = make_pair(c);
    tact_image_tester* tester = KEEP(new_image_tester(c->context));
    const tact_image_options how = {.method = TACT_IMAGE_READBACK, .resolution = 16, .making = TACT_IMAGE_COMPUTED};
    tact_image_result r[TESTS];
    for (int call = 0; call < 4; ++call) {
        tact_device_counts before, after;
        move(p, 5);
        assert_int_equal(tact_context_device_counts(c->context, c->backend, &before), TACT_OK);
        assert_int_equal(test_pair(p, tester, PLACES - 1, c->backend, &how, r, NULL), TACT_OK);
        assert_int_equal(tact_context_device_counts(c->context, c->backend, &after), TACT_OK);
        if (call == 0) continue;
        assert_in_range(after.waits - before.waits, 1, 3);
        assert_int_equal(after.allocations - before.allocations, 0);
        // Poses go up; bounds, what is found and how many rows there were come down.
        assert_true(after.bytes_up - before.bytes_up <= 2 * TESTS * 64);
        assert_true(after.bytes_down - before.bytes_down < 1024);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
