// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Shapes whose vertices lie in the caller's buffers, in adopted OpenGL and OpenCL contexts.
#include "tests/support/run.h"

#include "core/context/context.h"
#include "tests/support/caller.h"
#include "tests/support/calls.h"
#include "tests/support/mesh_soup.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

enum { SHAPES = 3, OBJECTS = 10, OFFSET = 16, STRIDE = 16 };

/// Shapes on the host, and the same with the first two on the device, the second one with a stride.
typedef struct scene {
    soup soups[SHAPES];
    float padded[4 * 9 * MOST_TRIANGLES];
    tact_mesh_desc host[SHAPES], device[SHAPES];
    tact_device_array arrays[2];
    tact_filter_object objects[OBJECTS];
} scene;

static scene made;

static void write_arrays(caller* c)
{
    const soup* s = made.soups;
    caller_write_array(c, &made.arrays[0], s[0].positions, s[0].vertices * 12);
    for (size_t i = 0; i < s[1].vertices; ++i)
        memcpy(made.padded + 4 * i, s[1].positions + 3 * i, 12);
    caller_write_array(c, &made.arrays[1], made.padded, s[1].vertices * STRIDE);
}

static void make_scene(caller* c)
{
    test_random r = test_random_seeded(5);
    for (int i = 0; i < SHAPES; ++i) {
        soup* s = &made.soups[i];
        fill_soup(&r, i == 1 ? BROKEN : SMOOTH, 150, s);
        made.host[i] = (tact_mesh_desc){.positions = s->positions,
                                        .vertex_count = s->vertices,
                                        .indices = s->indices,
                                        .triangle_count = s->triangles};
        made.device[i] = made.host[i];
        if (i == 2) continue;
        made.arrays[i] = caller_make_array(c, s->vertices * STRIDE + OFFSET, OFFSET);
        made.device[i].positions = NULL;
        made.device[i].device_positions = &made.arrays[i];
    }
    made.device[1].position_stride = STRIDE;
    for (uint32_t i = 0; i < OBJECTS; ++i) {
        made.objects[i].shape = i % SHAPES;
        random_pose(&r, SMOOTH, made.objects[i].pose);
    }
    write_arrays(c);
}

static size_t find(caller* c, tact_filter* f, const tact_mesh_desc* shapes, tact_backend backend,
                   tact_filter_pair* pairs, size_t capacity)
{
    const tact_query_options how = {.backend = backend, .no_fallback = true};
    size_t count = 0;
    const tact_result result =
        call_filter_meshes(f, shapes, SHAPES, made.objects, OBJECTS, NULL, pairs, capacity, &count, NULL, &how, NULL);
    if (result == TACT_ERROR_UNSUPPORTED) return SIZE_MAX;
    if (result != TACT_OK) {
        fail_msg("%s: %s: %s", tact_backend_name(backend), tact_result_name(result), tact_context_error(c->context));
    }
    return count;
}

/// False when the device that lends the arrays has no filter: the others have been compared.
static bool compare(caller* c, tact_filter* f)
{
    enum { MOST = 100000 };
    static tact_filter_pair expected[MOST], got[MOST];
    const size_t wanted = find(c, f, made.host, TACT_BACKEND_REFERENCE, expected, MOST);
    assert_true(wanted > 100 && wanted < MOST);
    const tact_backend backends[] = {TACT_BACKEND_REFERENCE, TACT_BACKEND_CPU, c->backend};
    for (int i = 0; i < 3; ++i) {
        const size_t count = find(c, f, made.device, backends[i], got, MOST);
        if (i == 2 && count == SIZE_MAX) return false;
        assert_int_equal(count, wanted);
        assert_memory_equal(got, expected, count * sizeof *got);
    }
    return true;
}

TEST_AS(ON_BOTH, arrays_give_the_same_pairs)
{
    caller* c = caller_require(state);
    tact_filter* f = new_filter(c->context);
    make_scene(c);
    bool compared = compare(c, f);
    // The dispatcher knows that the CPU must fetch them.
    const tact_mesh_desc* const where[] = {made.host, made.device};
    for (int i = 0; i < 2; ++i) {
        size_t count = 0;
        assert_int_equal(
            call_filter_meshes(f, where[i], SHAPES, made.objects, OBJECTS, NULL, NULL, 0, &count, NULL, NULL, NULL),
            TACT_INCOMPLETE);
        const double fetched = caller_download_ms(c, TACT_BACKEND_CPU);
        assert_true(i == 0 ? fetched == 0.0 : fetched > 0.0);
    }
    // Each run reads them anew.
    for (size_t i = 0; i < 3 * made.soups[0].vertices; ++i)
        made.soups[0].positions[i] = 0.5f * made.soups[0].positions[i] + 0.125f;
    write_arrays(c);
    compared = compare(c, f) && compared;
    tact_filter_destroy(f);
    if (!compared) skip_because("the device answers no filter");
}

static void expect_refused(caller* c, tact_filter* f)
{
    size_t count = 3;
    assert_int_equal(
        call_filter_meshes(f, made.device, SHAPES, made.objects, OBJECTS, NULL, NULL, 0, &count, NULL, NULL, NULL),
        TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(count, 0);
    assert_non_null(strstr(tact_context_error(c->context), "shape 1: "));
}

TEST_AS(ON_BOTH, wrong_arrays_are_refused)
{
    caller* c = caller_require(state);
    tact_filter* f = KEEP(new_filter(c->context));
    make_scene(c);
    const tact_device_array right = made.arrays[1];
    made.device[1].position_stride = STRIDE + 4;  // beyond the end
    expect_refused(c, f);
    made.device[1].position_stride = STRIDE;
    made.arrays[1].offset = OFFSET + 1;
    expect_refused(c, f);
    made.arrays[1] = (tact_device_array){.backend = c->backend};
    expect_refused(c, f);
    made.arrays[1] = right;
    made.arrays[1].backend = c->backend == TACT_BACKEND_GL ? TACT_BACKEND_CL : TACT_BACKEND_GL;
    expect_refused(c, f);
    made.arrays[1] = right;
}

#ifdef TACT_HAVE_GL
/// A count of the caller's own would count what is drawn: images are computed, so it counts nothing.
TEST_AS(ON_GL, a_counting_context_counts_nothing)
{
    enum { MOST = 100000 };
    static tact_filter_pair pairs[MOST];
    caller* c = caller_require(state);
    tact_filter* f = KEEP(new_filter(c->context));
    make_scene(c);
    const tact_query_options how = {.backend = TACT_BACKEND_GL, .no_fallback = true};
    size_t wanted = 0;
    for (int counting = 0; counting < 2; ++counting) {
        for (int fast = 0; fast < 2; ++fast) {
            const tact_filter_options options = {.images = TACT_FILTER_IMAGES_ALWAYS, .fast = fast != 0};
            tact_filter_count stages[TACT_FILTER_STAGES] = {{0}};
            size_t count = 0;
            GLuint query = 0, samples = 0;
            c->gl.GenQueries(1, &query);
            if (counting) c->gl.BeginQuery(GL_SAMPLES_PASSED, query);
            const tact_result result = call_filter_meshes(f, made.host, SHAPES, made.objects, OBJECTS, &options, pairs,
                                                          MOST, &count, stages, &how, NULL);
            if (counting) {
                c->gl.EndQuery(GL_SAMPLES_PASSED);
                c->gl.GetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
            }
            c->gl.DeleteQueries(1, &query);
            if (result == TACT_ERROR_UNSUPPORTED) skip_because("the device flushes subnormal numbers");
            assert_int_equal(result, TACT_OK);
            assert_true(stages[TACT_FILTER_OBJECTS].ran);
            assert_int_equal(samples, 0);
            if (fast) continue;
            if (counting) assert_int_equal(count, wanted);
            wanted = count;
        }
    }
}
#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
