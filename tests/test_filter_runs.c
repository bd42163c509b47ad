// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// What a filter on a device, OpenGL's or OpenCL's as the argument says, keeps from run to run, takes and reads: lists
/// as large as before, memory, vertices in a buffer of the caller's.

#include "tests/support/run.h"

#include "tests/support/caller.h"
#include "tests/support/filter_device.h"

/// Balls in a row, `apart` from each other.
static filter_scene make_row(float apart)
{
    test_random r = test_random_seeded(6215);
    filter_scene s = {0};
    const uint32_t ball = filter_add_form(&s, FILTER_BALL, 18, 20);
    for (int i = 0; i < 8; ++i)
        random_turn(&r, 1.0f, filter_add_object(&s, ball, apart * (float)i, 0, 0)->pose);
    return s;
}

/// What a run of the row is to do: all levels at once; more than was launched for; more than a list holds; more
/// findings than were read at once. And whether the run before has left all buffers as large as this one needs them.
typedef struct foreseen {
    float apart;
    bool at_once, more, anew, further, settled;
} foreseen;

static void run_row(tact_gpu_filter* filter, const foreseen* f)
{
    char what[32];
    filter_scene s = make_row(f->apart);
    tact_filter_job job = filter_job(&s);
    job.options.images = TACT_FILTER_IMAGES_NEVER;
    const tact_device_counts before = tact_device_counted(device);
    snprintf(what, sizeof what, "apart by %g", (double)f->apart);
    run_job(what, filter, &s, &job);
    const tact_device_counts now = tact_device_counted(device);
    const uint64_t waits = now.waits - before.waits, buffers = now.allocations - before.allocations;
    const tact_gpu_filter_told* told = tact_gpu_filter_tell(filter);
    print_message("          %s: %zu pairs, %llu items, %llu candidates, %llu waits, %llu buffers made\n", what,
                  s.expected_count, (unsigned long long)told->items, (unsigned long long)told->candidates,
                  (unsigned long long)waits, (unsigned long long)buffers);
    assert_int_equal(told->at_once, f->at_once);
    assert_int_equal(told->more, f->more);
    assert_int_equal(told->anew, f->anew);
    if (f->at_once && !f->more) assert_int_equal(waits, f->further ? 2 : 1);
    if (f->settled) assert_int_equal(buffers, 0);
    if (f->more) assert_true(waits > 2);
    filter_free(&s);
}

/// Whether few triangles come after many or many after few, all that overlap are found.
TEST(more_than_the_last_run_had_is_found)
{
    static const foreseen runs[] = {
        {1.95f, .at_once = false},
        {1.95f, .at_once = true, .settled = true},
        {1.8f, .at_once = true, .more = true},
        {1.8f, .at_once = true},
        {1.8f, .at_once = true, .settled = true},
        {1.95f, .at_once = true, .settled = true},
        {1.92f, .at_once = true, .further = true, .settled = true},
        {1.95f, .at_once = true, .settled = true},
        {1.8f, .at_once = true, .more = true},
        {0.01f, .at_once = true, .more = true, .anew = true},
        {0.01f, .at_once = true},
        {0.01f, .at_once = true, .settled = true},
        {1.95f, .at_once = true, .settled = true},
    };
    static const foreseen few = {1.95f, .at_once = true, .settled = true},
                          many = {1.8f, .at_once = true, .more = true, .anew = true};
    tact_gpu_filter* filter = make_filter(device);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i)
        run_row(filter, &runs[i]);
    // What comes beyond now has to go in pieces.
    tact_gpu_filter_limit(filter, 1000);
    run_row(filter, &few);
    run_row(filter, &many);
    tact_gpu_filter_destroy(filter);
}

/// Lists that would have to go in pieces are gone through level by level.
TEST(what_needs_pieces_is_not_done_at_once)
{
    static const foreseen as_before = {0.3f, .at_once = false};
    tact_gpu_filter* filter = make_filter(device);
    tact_gpu_filter_limit(filter, 3000);
    run_row(filter, &as_before);
    run_row(filter, &as_before);
    tact_gpu_filter_destroy(filter);
}

TEST(all_memory_is_reported)
{
    filter_scene s = {0};
    // Large enough to be sorted.
    const uint32_t ball = filter_add_form(&s, FILTER_BALL, 32, 40);
    filter_add_object(&s, ball, 0.0f, 0.0f, 0.0f);
    filter_add_object(&s, ball, 0.5f, 0.1f, 0.2f);
    tact_filter_job job = filter_job(&s);
    const uint64_t before = tact_device_bytes(device);
    tact_gpu_filter* filter = make_filter(device);
    for (int images = 0; images < 2; ++images) {
        job.options.images = images ? TACT_FILTER_IMAGES_ALWAYS : TACT_FILTER_IMAGES_NEVER;
        const tact_query_report report = run_job("memory", filter, &s, &job).report;
        assert_int_equal(report.memory_bytes, tact_device_bytes(device) - before);
    }
    tact_gpu_filter_destroy(filter);
    filter_free(&s);
}

static void write_rows(caller* c, const tact_device_array* array, const tact_mesh_desc* shape, float grown, float* rows)
{
    for (size_t i = 0; i < shape->vertex_count; ++i) {
        memcpy(rows + 5 * i, shape->positions + 3 * i, 12);
        rows[5 * i] *= grown;
    }
    // The last row ends with its vertex.
    caller_write_array(c, array, rows, shape->vertex_count * 20 - 8);
}

TEST_AS(ADOPTED, vertices_in_a_buffer_of_the_callers)
{
    caller* c = caller_require(state);
    tact_context* const own = context;
    context = c->context;
    tact_device* adopted = context->devices[tact_context_find(context, c->backend)];
    tact_gpu_filter* filter = make_filter(adopted);
    for (int frame = 0; frame < 3; ++frame) {
        test_random r = test_random_seeded(6212);
        filter_scene s = {0};
        filter_add_box(&s, 0.5f, 0.5f, 0.5f);
        const uint32_t knot = filter_add_form(&s, FILTER_KNOT, 40, 6);
        filter_add_form(&s, FILTER_BALL, 6, 7);
        const tact_mesh_desc plain = s.shapes[knot];
        float* rows = scratch_zeroed(plain.vertex_count, 20);
        const tact_device_array array = caller_make_array(c, plain.vertex_count * 20 + 60, 52);
        write_rows(c, &array, &plain, 1.0f + 0.3f * (float)frame, rows);
        if (frame == 2) {
            rows[5 * 9 + 1] = NAN;
            caller_write_array(c, &array, rows, plain.vertex_count * 20 - 8);
        }
        for (uint32_t i = 0; i < 12; ++i)
            random_turn(&r, 1.0f, filter_add_object(&s, i % 3, 0.2f * (float)i, 0, 0)->pose);
        filter_add_object(&s, knot, 0, 0, 0);
        filter_add_object(&s, knot, 0, 0, 0);
        s.shapes[knot].positions = rows;
        s.shapes[knot].position_stride = 20;
        tact_filter_job job = filter_job(&s);
        s.shapes[knot].positions = NULL;
        s.shapes[knot].device_positions = &array;
        run_job("in a buffer", filter, &s, &job);
        assert_true(s.expected_count > 500);

        tact_aabb box, expected = filter_nothing;
        expect_ok("box", tact_gpu_filter_shape_box(filter, &s.shapes[knot], &box));
        for (size_t i = 0; i < plain.vertex_count; ++i) {
            const tact_vec3 p = {rows[5 * i], rows[5 * i + 1], rows[5 * i + 2]};
            const tact_aabb one = {p, p};
            if (isfinite(p.y)) filter_include(&expected, &one);
        }
        assert_memory_equal(&box, &expected, sizeof box);

        s.shapes[knot].vertex_count += 5;  // past the buffer's end
        assert_int_equal(try_job("past the end", filter, &s, &job).result, TACT_ERROR_INVALID_ARGUMENT);
        s.shapes[knot] = plain;
        filter_free(&s);
    }
    tact_gpu_filter_destroy(filter);
    context = own;
}

static int set_up_adopted(void** state)
{
    return caller_setup(state, tested, 0);
}

#define ADOPTED(name) cmocka_unit_test_setup_teardown(name, set_up_adopted, caller_teardown)

#include TEST_LIST
RUN_ALL_TESTED
