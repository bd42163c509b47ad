// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The filter of many objects on a device, OpenGL's or OpenCL's as the argument says, against a brute force over the
// pairs of objects whose boxes meet.
#include "tests/support/run.h"

#include "base/platform.h"
#include "gpu/filter/filter.h"
#include "tests/support/caller.h"
#include "tests/support/effort.h"
#include "tests/support/filter_scenes.h"
#include "tests/support/flushed.h"
#include "tests/support/one_device.h"

static tact_backend tested = TACT_BACKEND_CL;
static tact_context* context;
static tact_device* device;

static tact_gpu_filter* make_filter(tact_device* on)
{
    tact_gpu_filter* filter = NULL;
    assert_int_equal(tact_gpu_filter_create(on, &filter), TACT_OK);
    return filter;
}

static void expect_ok(const char* what, tact_result result)
{
    if (result != TACT_OK) fail_msg("%s: %s: %s", what, tact_result_name(result), tact_context_error(context));
}

static void expect_list(const char* what, const filter_scene* s, const tact_filter_list* list)
{
    for (size_t i = 0; i < list->count && i < s->expected_count; ++i) {
        const tact_filter_pair g = list->pairs[i], e = s->expected[i];
        if (memcmp(&g, &e, sizeof g) == 0) continue;
        fail_msg("%s: pair %zu is (%u %u, %u %u), expected (%u %u, %u %u)", what, i, g.object_a, g.triangle_a,
                 g.object_b, g.triangle_b, e.object_a, e.triangle_a, e.object_b, e.triangle_b);
    }
    if (list->count != s->expected_count) {
        fail_msg("%s: %zu pairs, expected %zu", what, list->count, s->expected_count);
    }
}

static void run_job(const char* what, tact_gpu_filter* filter, const filter_scene* s, const tact_filter_job* job)
{
    tact_filter_list list = {0};
    tact_filter_count counts[TACT_FILTER_STAGES] = {{0}};
    tact_query_report report = {0};
    const tact_result result = tact_gpu_filter_run(filter, job, &list, counts, &report);
    expect_ok(what, result);
    expect_list(what, s, &list);
    assert_true(counts[TACT_FILTER_EXACT].ran);
    tact_release(&context->env, list.pairs);
}

/// Without images, then twice with them; frees the scene. How many pairs.
static size_t check(const char* what, tact_gpu_filter* filter, filter_scene* s)
{
    tact_filter_job job = filter_job(s);
    job.options.images = TACT_FILTER_IMAGES_NEVER;
    run_job(what, filter, s, &job);
    job.options.images = TACT_FILTER_IMAGES_ALWAYS;
    run_job(what, filter, s, &job);
    run_job(what, filter, s, &job);
    const size_t found = s->expected_count;
    filter_free(s);
    return found;
}

// ---- Scenes ----

static uint32_t any_shape(filter_scene* s, test_random* r)
{
    switch (test_random_below(r, 8)) {
        case 0:
            return filter_add_form(s, FILTER_BALL, 4 + test_random_below(r, 8), 6 + test_random_below(r, 8));
        case 1:
            return filter_add_form(s, FILTER_KNOT, 20 + test_random_below(r, 30), 4 + test_random_below(r, 5));
        case 2:
            return filter_add_form(s, FILTER_SHEET, 1 + test_random_below(r, 9), 1 + test_random_below(r, 9));
        case 3:
            return filter_add_soup(s, r, (soup_kind)test_random_below(r, 3), test_random_below(r, 200));
        case 4:
            return filter_add_shape(s, (const float[3]){0, 0, 0}, 1, 0, NULL, 0);
        default:
            return filter_add_box(s, 0.3f + test_random_unit(r), 0.3f + test_random_unit(r), 0.5f);
    }
}

TEST(random_scenes)
{
    static const size_t sizes[] = {2, 3, 5, 10, 25, 60, 150, 500};
    test_random r = test_random_seeded(6201);
    tact_gpu_filter* filter = make_filter(device);
    size_t total = 0;
    for (int round = 0; round < 16; ++round) {
        filter_scene s = {0};
        const size_t objects = sizes[round % 8];
        for (int i = 0; i < 5; ++i)
            any_shape(&s, &r);
        const float spread = 1.2f * cbrtf((float)objects);
        for (size_t i = 0; i < objects; ++i) {
            tact_filter_object* o = filter_add_object(&s, test_random_below(&r, 5), spread * test_random_signed(&r),
                                                      spread * test_random_signed(&r), spread * test_random_signed(&r));
            random_turn(&r, 0.5f + test_random_unit(&r), o->pose);
        }
        char what[32];
        snprintf(what, sizeof what, "round %d", round);
        total += check(what, filter, &s);
    }
    print_message("%zu pairs\n", total);
    assert_true(total > 10000);
    tact_gpu_filter_destroy(filter);
}

TEST(soups)
{
    static const char* const names[] = {"smooth", "lattice", "broken", "tiny", "huge", "needles"};
    test_random r = test_random_seeded(6202);
    tact_gpu_filter* filter = make_filter(device);
    for (int kind = 0; kind < SOUP_KINDS; ++kind) {
        size_t total = 0;
        for (int round = 0; round < (int)effort(2, 5); ++round) {
            filter_scene s = {0};
            for (uint32_t i = 0; i < 6; ++i) {
                filter_add_soup(&s, &r, (soup_kind)kind, test_random_below(&r, 3) ? 5 + test_random_below(&r, 150) : 1);
                random_pose(&r, (soup_kind)kind, filter_add_object(&s, i, 0, 0, 0)->pose);
                random_pose(&r, (soup_kind)kind, filter_add_object(&s, i, 0, 0, 0)->pose);
            }
            total += check(names[kind], filter, &s);
        }
        print_message("%s: %zu pairs\n", names[kind], total);
        assert_true(total > effort(40, 100));
    }
    tact_gpu_filter_destroy(filter);
}

/// Boxes side by side on a lattice have faces, edges and corners in common; some are there twice.
TEST(touching_boxes)
{
    tact_gpu_filter* filter = make_filter(device);
    filter_scene s = {0};
    const uint32_t box = filter_add_box(&s, 0.5f, 0.5f, 0.5f);
    for (int i = 0; i < 64; ++i) {
        for (int twice = 0; twice < (i % 9 == 0 ? 2 : 1); ++twice)
            filter_add_object(&s, box, (float)(i % 4), (float)(i / 4 % 4), (float)(i / 16));
    }
    // Just apart: the next number.
    filter_add_object(&s, box, nextafterf(4.0f, 5.0f), 0, 0);
    const size_t found = check("boxes", filter, &s);
    print_message("%zu pairs, %llu unsure\n", found, (unsigned long long)tact_gpu_filter_tell(filter)->unsure);
    assert_true(found > 5000);
    assert_true(tact_gpu_filter_tell(filter)->unsure > 5000);
    tact_gpu_filter_destroy(filter);
}

TEST(duplicates)
{
    tact_gpu_filter* filter = make_filter(device);
    test_random r = test_random_seeded(6203);
    filter_scene s = {0};
    const uint32_t knot = filter_add_form(&s, FILTER_KNOT, 40, 6), sheet = filter_add_form(&s, FILTER_SHEET, 5, 5);
    tact_filter_object* o = filter_add_object(&s, knot, 0.25f, 0, 0);
    random_turn(&r, 1.0f, o->pose);
    const tact_filter_object same = *o;
    *filter_add_object(&s, knot, 0, 0, 0) = same;
    *filter_add_object(&s, knot, 0, 0, 0) = same;
    filter_add_object(&s, sheet, 0, 0, 0);
    filter_add_object(&s, sheet, 2, 0, 0);
    assert_true(check("duplicates", filter, &s) > 1000);
    tact_gpu_filter_destroy(filter);
}

TEST(odd_shapes)
{
    tact_gpu_filter* filter = make_filter(device);
    test_random r = test_random_seeded(6204);
    filter_scene s = {0};
    // Rows of seven words, no indices, and vertices that are not numbers.
    static float rows[60 * 7];
    for (int i = 0; i < 60 * 7; ++i)
        rows[i] = test_random_signed(&r);
    rows[7 * 4] = NAN;
    rows[7 * 10 + 1] = INFINITY;
    rows[7 * 13 + 2] = -NAN;
    rows[7 * 16] = 0x1p100f;
    filter_add_shape(&s, rows, 60, 28, NULL, 20);
    filter_add_shape(&s, rows, 7, 0, (const uint32_t[6]){1, 1, 1, 1, 2, 2}, 2);
    filter_add_shape(&s, rows, 0, 0, NULL, 0);
    filter_add_shape(&s, rows + 28, 3, 0, NULL, 1);
    filter_add_form(&s, FILTER_BALL, 6, 8);
    for (uint32_t i = 0; i < 40; ++i) {
        const float at = 0.3f * test_random_signed(&r);
        tact_filter_object* o = filter_add_object(&s, i % 5, at, -at, 0);
        if (i > 20) random_turn(&r, 1.0f, o->pose);
        if (i % 11 == 3) memset(o->pose, 0, sizeof o->pose);
        if (i % 11 == 5) o->pose[0] = 3e38f;
    }
    assert_true(check("odd", filter, &s) > 500);
    tact_gpu_filter_destroy(filter);
}

TEST(nothing_at_all)
{
    tact_gpu_filter* filter = make_filter(device);
    filter_scene s = {0};
    assert_int_equal(check("no objects", filter, &s), 0);
    const uint32_t box = filter_add_box(&s, 0.5f, 0.5f, 0.5f);
    filter_add_object(&s, box, 0, 0, 0);
    filter_add_object(&s, box, 9, 0, 0);
    assert_int_equal(check("apart", filter, &s), 0);
    // Candidates of which one has no triangles.
    static const float point[3] = {0, 0, 0};
    filter_add_object(&s, filter_add_shape(&s, point, 1, 0, NULL, 0), 0, 0, 0);
    filter_add_object(&s, filter_add_shape(&s, point, 1, 0, NULL, 0), 0, 0, 0);
    tact_filter_job job = filter_job(&s);
    job.candidates = &(const tact_pair){0, 1};
    job.candidate_count = 1;
    run_job("empty shapes", filter, &s, &job);
    filter_free(&s);
    tact_gpu_filter_destroy(filter);
}

/// A large scene in front of a small one: what is left in buffers must not count.
TEST(scenes_of_other_sizes)
{
    tact_gpu_filter* filter = make_filter(device);
    test_random r = test_random_seeded(6205);
    for (int round = 0; round < 4; ++round) {
        filter_scene s = {0};
        const uint32_t ball = filter_add_form(&s, FILTER_BALL, round % 2 ? 5 : 12, 12);
        filter_add_form(&s, FILTER_BALL, 50, 50);  // of no object
        for (int i = 0; i < (round % 2 ? 3 : 60); ++i)
            filter_add_object(&s, ball, 2.0f * test_random_signed(&r), 2.0f * test_random_signed(&r), 0);
        check("other sizes", filter, &s);
    }
    tact_gpu_filter_destroy(filter);
}

/// Each list a few hundred items: all goes in pieces.
TEST(lists_in_pieces)
{
    tact_gpu_filter* filter = make_filter(device);
    tact_gpu_filter_limit(filter, 1);
    test_random r = test_random_seeded(6206);
    filter_scene s = {0};
    const uint32_t knot = filter_add_form(&s, FILTER_KNOT, 150, 10), box = filter_add_box(&s, 0.3f, 0.3f, 0.3f);
    for (int i = 0; i < 4; ++i)
        random_turn(&r, 1.0f, filter_add_object(&s, knot, 0.3f * (float)i, 0, 0)->pose);
    for (int i = 0; i < 60; ++i)
        filter_add_object(&s, box, test_random_signed(&r), test_random_signed(&r), test_random_signed(&r));
    assert_true(check("pieces", filter, &s) > 1000);
    print_message("%llu launches\n", (unsigned long long)tact_gpu_filter_tell(filter)->launches);
    assert_true(tact_gpu_filter_tell(filter)->launches > 100);
    tact_gpu_filter_destroy(filter);
}

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

/// Triangles in no order.
static void mix_triangles(test_random* r, const tact_mesh_desc* shape)
{
    uint32_t* t = (uint32_t*)(uintptr_t)shape->indices;
    for (uint32_t i = (uint32_t)shape->triangle_count - 1; i > 0; --i) {
        uint32_t *a = t + 3 * (size_t)i, *b = t + 3 * (size_t)test_random_below(r, i + 1), keep[3];
        memcpy(keep, a, 12);
        memmove(a, b, 12);
        memcpy(b, keep, 12);
    }
}

/// Two of 5,000 triangles, in the order of the surface and in none.
TEST(large_shapes)
{
    tact_gpu_filter* filter = make_filter(device);
    test_random r = test_random_seeded(6207);
    for (int mixed = 0; mixed < 2; ++mixed) {
        filter_scene s = {0};
        const uint32_t knot = filter_add_form(&s, FILTER_KNOT, 250, 10),
                       ball = filter_add_form(&s, FILTER_BALL, 50, 50);
        if (mixed) mix_triangles(&r, &s.shapes[knot]);
        random_turn(&r, 1.0f, filter_add_object(&s, knot, 0.1f, 0, 0)->pose);
        random_turn(&r, 1.0f, filter_add_object(&s, knot, 0, 0, 0.2f)->pose);
        filter_add_object(&s, ball, 0.9f, 0, 0);
        const size_t found = check(mixed ? "large, mixed" : "large", filter, &s);
        const tact_gpu_filter_told* told = tact_gpu_filter_tell(filter);
        print_message("%zu pairs, %llu items, %llu candidates\n", found, (unsigned long long)told->items,
                      (unsigned long long)told->candidates);
        assert_true(found > 500);
    }
    tact_gpu_filter_destroy(filter);
}

// ---- What goes wrong ----

static filter_scene make_some(test_random* r)
{
    filter_scene s = {0};
    const uint32_t ball = filter_add_form(&s, FILTER_BALL, 8, 10);
    for (int i = 0; i < 30; ++i)
        filter_add_object(&s, ball, 2 * test_random_signed(r), 2 * test_random_signed(r), test_random_signed(r));
    return s;
}

TEST(a_failing_buffer_loses_nothing)
{
    test_random r = test_random_seeded(6208);
    filter_scene s = make_some(&r);
    const tact_filter_job job = filter_job(&s);
    const uint64_t before = tact_device_bytes(device);
    tact_result result = TACT_ERROR_DEVICE_OUT_OF_MEMORY;
    uint32_t number = 1;
    for (; result != TACT_OK; ++number) {
        assert_true(number < 100);
        tact_gpu_filter* filter = make_filter(device);
        tact_filter_list list = {0};
        tact_filter_count counts[TACT_FILTER_STAGES] = {{0}};
        tact_query_report report = {0};
        tact_device_fail_buffer(device, number);
        result = tact_gpu_filter_run(filter, &job, &list, counts, &report);
        tact_device_fail_buffer(device, 0);
        if (result != TACT_OK) assert_int_equal(result, TACT_ERROR_DEVICE_OUT_OF_MEMORY);
        tact_release(&context->env, list.pairs);
        run_job("after a failure", filter, &s, &job);
        tact_gpu_filter_destroy(filter);
        assert_int_equal(tact_device_bytes(device), before);
    }
    assert_true(number > 10);
    filter_free(&s);
}

typedef struct asked {
    int calls, last;  ///< how often it was asked, and the call that stops the run, 0 for none
} asked;

static bool go_on(double done, void* user)
{
    asked* a = user;
    assert_true(done >= 0.0 && done <= 1.0);
    return ++a->calls != a->last;
}

static tact_result run_asked(tact_gpu_filter* filter, tact_filter_job* job, tact_filter_images images, asked* a)
{
    tact_filter_list list = {0};
    tact_filter_count counts[TACT_FILTER_STAGES] = {{0}};
    tact_query_report report = {0};
    job->options.images = images;
    job->progress = go_on;
    job->progress_user = a;
    const tact_result result = tact_gpu_filter_run(filter, job, &list, counts, &report);
    tact_release(&context->env, list.pairs);
    return result;
}

/// At each of the times it is asked: among images, and between launches of one batch.
TEST(a_run_can_be_stopped)
{
    test_random r = test_random_seeded(6209);
    filter_scene s = make_some(&r);
    tact_filter_job job = filter_job(&s);
    for (int images = 0; images < 2; ++images) {
        const tact_filter_images which = images ? TACT_FILTER_IMAGES_ALWAYS : TACT_FILTER_IMAGES_NEVER;
        tact_gpu_filter* filter = make_filter(device);
        // The first run makes some lists twice, for want of room.
        asked first = {0}, all = {0};
        assert_int_equal(run_asked(filter, &job, which, &first), TACT_OK);
        assert_int_equal(run_asked(filter, &job, which, &all), TACT_OK);
        print_message("          images %d: asked %d times\n", images, all.calls);
        assert_true(all.calls > 3);
        for (int last = 1; last <= all.calls; last += last < 4 ? 1 : all.calls / 4) {
            asked a = {.last = last};
            assert_int_equal(run_asked(filter, &job, which, &a), TACT_ERROR_CANCELLED);
            assert_int_equal(a.calls, last);
        }
        job.progress = NULL;
        run_job("after it was stopped", filter, &s, &job);
        tact_gpu_filter_destroy(filter);
    }
    filter_free(&s);
}

/// With images and without, then frees the scene. How many pairs of triangles the host decided in the end.
static uint64_t run_small(const char* what, tact_gpu_filter* filter, filter_scene* s)
{
    static const tact_filter_images ways[] = {TACT_FILTER_IMAGES_ALWAYS, TACT_FILTER_IMAGES_NEVER};
    tact_filter_job job = filter_job(s);
    for (int i = 0; i < 2; ++i) {
        job.options.images = ways[i];
        run_job(what, filter, s, &job);
    }
    assert_true(s->expected_count > 50);
    filter_free(s);
    return tact_gpu_filter_tell(filter)->unsure;
}

/// A device that makes zeros of numbers below 2^-126 would move some vertices elsewhere; those triangles are the
/// host's. With TACT_TEST_DEVICE=flushes it is such a device, else one that is taken for one.
TEST(numbers_that_would_be_flushed_count)
{
    test_random r = test_random_seeded(6210);
    tact_gpu_filter* filter = make_filter(device);
    const bool before = device->info.probe.flushes_subnormals;
    take_for_flushing(device, true);
    const float heights[] = {0, 0x1p-149f, -0x1p-149f, 0x1p-130f, -0x1p-127f, 0x1p-126f, 0x1.8p-125f, 0x1p-103f};
    enum { HEIGHTS = sizeof heights / sizeof *heights };
    uint64_t unsure = 0;
    for (int size = 0; size < 3; ++size) {
        filter_scene s = {0};
        const float half = size == 0 ? 0.5f : size == 1 ? 0x1p-100f : 0x1p-130f;
        const uint32_t box = filter_add_box(&s, half, half, half);
        for (int i = 0; i < HEIGHTS; ++i) {
            // On top of each other, just apart or just not, and a turn that is small in one entry.
            filter_add_object(&s, box, 0, heights[i] + (i % 2 ? 2 * half : 0), 0)->pose[1] = heights[HEIGHTS - 1 - i];
            if (i % 3 == 0) random_turn(&r, 1.0f, filter_add_object(&s, box, half, heights[i], half)->pose);
        }
        unsure += run_small("small", filter, &s);
    }
    for (int round = 0; round < 6; ++round) {
        filter_scene s = {0};
        for (int i = 0; i < 12; ++i) {
            const uint32_t shape = filter_add_soup(&s, &r, TINY, 60);
            random_pose(&r, TINY, filter_add_object(&s, shape, 0, 0, 0)->pose);
        }
        unsure += run_small("tiny", filter, &s);
    }
    // Where subnormal numbers are lost these are points, and apart.
    filter_scene s = {0};
    const uint32_t box = filter_add_box(&s, 0x1p-130f, 0x1p-130f, 0x1p-130f);
    for (int i = 0; i < HEIGHTS; ++i) {
        float* pose = filter_add_object(&s, box, (float)i * 0x1.8p-70f, 0, 0)->pose;
        for (int k = 0; k < 3; ++k)
            pose[5 * k] = 0x1p60f;
    }
    run_small("magnified", filter, &s);
    assert_true(unsure > 1000);
    take_for_flushing(device, before);
    tact_gpu_filter_destroy(filter);
}

TEST(a_device_with_other_arithmetic_is_refused)
{
    tact_gpu_filter* filter = make_filter(device);
    filter_scene s = {0};
    const uint32_t box = filter_add_box(&s, 0.5f, 0.5f, 0.5f);
    filter_add_object(&s, box, 0.25f, 0.25f, 0.25f);
    filter_add_object(&s, box, 0.5f, 0.5f, 0.5f);
    const tact_filter_job job = filter_job(&s);
    tact_device_info* info = &device->info;
    const tact_probe before = info->probe;
    tact_filter_list list = {0};
    tact_filter_count counts[TACT_FILTER_STAGES] = {{0}};
    tact_query_report report = {0};
    for (int i = 0; i < TACT_PROBE_OPERATIONS; ++i)
        info->probe.operations[i].differing = 1;
    assert_int_equal(tact_gpu_filter_run(filter, &job, &list, counts, &report), TACT_ERROR_UNSUPPORTED);
    info->probe = before;
    filter_free(&s);
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
        tact_filter_list list = {0};
        tact_filter_count counts[TACT_FILTER_STAGES] = {{0}};
        tact_query_report report = {0};
        job.options.images = images ? TACT_FILTER_IMAGES_ALWAYS : TACT_FILTER_IMAGES_NEVER;
        expect_ok("memory", tact_gpu_filter_run(filter, &job, &list, counts, &report));
        tact_release(&context->env, list.pairs);
        assert_int_equal(report.memory_bytes, tact_device_bytes(device) - before);
    }
    tact_gpu_filter_destroy(filter);
    filter_free(&s);
}

/// Images need larger buffers than the tests do that they spare.
TEST(images_that_find_no_room_are_left_out)
{
    tact_device_info* info = (tact_device_info*)tact_device_describe(device);
    const tact_device_info before = *info;
    test_random r = test_random_seeded(6212);
    filter_scene s = make_some(&r);
    tact_filter_job job = filter_job(&s);
    tact_gpu_filter* filter = make_filter(device);
    int without = 0;
    for (uint64_t bytes = 4096; bytes < 1 << 24; bytes += bytes / effort(2, 4)) {
        tact_result results[3];
        bool drew[3];
        for (int i = 0; i < 3; ++i) {
            tact_filter_list list = {0};
            tact_filter_count counts[TACT_FILTER_STAGES] = {{0}};
            tact_query_report report = {0};
            job.options.images = i == 1 ? TACT_FILTER_IMAGES_ALWAYS : TACT_FILTER_IMAGES_AUTO;
            job.options.fast = i == 2;
            info->max_buffer_bytes = bytes;
            results[i] = tact_gpu_filter_run(filter, &job, &list, counts, &report);
            *info = before;
            drew[i] = counts[TACT_FILTER_OBJECTS].ran;
            if (results[i] == TACT_OK && i < 2) expect_list("little room", &s, &list);
            if (results[i] != TACT_OK) assert_int_equal(results[i], TACT_ERROR_LIMIT);
            tact_release(&context->env, list.pairs);
        }
        if (results[0] != TACT_OK || results[1] == TACT_OK) continue;
        assert_false(drew[0]);
        ++without;
    }
    print_message("          %d sizes at which images were left out\n", without);
    assert_true(without > 0);
    tact_gpu_filter_destroy(filter);
    filter_free(&s);
}

TEST(too_much_is_a_limit)
{
    test_random r = test_random_seeded(6211);
    filter_scene s = make_some(&r);
    const tact_filter_job job = filter_job(&s);
    tact_device_info* info = (tact_device_info*)tact_device_describe(device);
    const uint64_t before = info->max_buffer_bytes;
    tact_result result = TACT_ERROR_LIMIT;
    size_t refused = 0;
    for (uint64_t bytes = 256; result != TACT_OK && bytes < 1 << 24; bytes *= 2) {
        // Lists of a few items suffice, so that only what must be there is refused.
        tact_gpu_filter* filter = make_filter(device);
        tact_filter_list list = {0};
        tact_filter_count counts[TACT_FILTER_STAGES] = {{0}};
        tact_query_report report = {0};
        info->max_buffer_bytes = bytes;
        result = tact_gpu_filter_run(filter, &job, &list, counts, &report);
        info->max_buffer_bytes = before;
        if (result != TACT_OK) {
            assert_int_equal(result, TACT_ERROR_LIMIT);
            ++refused;
        } else {
            expect_list("small buffers", &s, &list);
        }
        tact_release(&context->env, list.pairs);
        tact_gpu_filter_destroy(filter);
    }
    assert_int_equal(result, TACT_OK);
    assert_true(refused > 3);
    filter_free(&s);
}

// ---- The caller's buffers ----

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

        tact_filter_list list = {0};
        tact_filter_count counts[TACT_FILTER_STAGES] = {{0}};
        tact_query_report report = {0};
        s.shapes[knot].vertex_count += 5;  // past the buffer's end
        assert_int_equal(tact_gpu_filter_run(filter, &job, &list, counts, &report), TACT_ERROR_INVALID_ARGUMENT);
        s.shapes[knot] = plain;
        filter_free(&s);
    }
    tact_gpu_filter_destroy(filter);
    context = own;
}

// ---- How long ----

static void time_scene(const char* what, filter_scene* s)
{
    const tact_filter_job job = filter_job(s);
    tact_gpu_filter* filter = make_filter(device);
    double least = 1e30;
    tact_gpu_filter_told best = {0};
    for (int i = 0; i < 8; ++i) {
        tact_filter_list list = {0};
        tact_filter_count counts[TACT_FILTER_STAGES] = {{0}};
        tact_query_report report = {0};
        const double start = tact_platform_milliseconds();
        expect_ok(what, tact_gpu_filter_run(filter, &job, &list, counts, &report));
        const double took = tact_platform_milliseconds() - start;
        if (took < least) {
            least = took;
            best = *tact_gpu_filter_tell(filter);
        }
        expect_list(what, s, &list);
        tact_release(&context->env, list.pairs);
    }
    print_message(
        "%s: %zu object pairs, %zu pairs; %.1f ms: scene %.1f, image %.1f, plan %.1f, walk %.1f (%llu items, %llu "
        "candidates), host %.1f (%llu unsure), order %.1f\n",
        what, s->candidate_count, s->expected_count, least, best.scene_ms, best.image_ms, best.plan_ms, best.walk_ms,
        (unsigned long long)best.items, (unsigned long long)best.candidates, best.host_ms,
        (unsigned long long)best.unsure, best.order_ms);
    tact_gpu_filter_destroy(filter);
    filter_free(s);
}

static void measure(const char* what, float spacing)
{
    test_random r = test_random_seeded(6213);
    filter_scene s = {0};
    const uint32_t ball = filter_add_round(&s, 2);
    for (int i = 0; i < 1000; ++i) {
        tact_filter_object* o = filter_add_object(&s, ball, spacing * ((float)(i % 10) + 0.3f * test_random_signed(&r)),
                                                  spacing * ((float)(i / 10 % 10) + 0.3f * test_random_signed(&r)),
                                                  spacing * ((float)(i / 100) + 0.3f * test_random_signed(&r)));
        random_turn(&r, 1.0f, o->pose);
    }
    time_scene(what, &s);
}

static void two_large_ones(void** state)
{
    for (int mixed = 0; mixed < 2; ++mixed) {
        test_random r = test_random_seeded(6214);
        filter_scene s = {0};
        const uint32_t knot = filter_add_form(&s, FILTER_KNOT, 1100, 32);
        if (mixed) mix_triangles(&r, &s.shapes[knot]);
        random_turn(&r, 1.0f, filter_add_object(&s, knot, 0.1f, 0, 0)->pose);
        random_turn(&r, 1.0f, filter_add_object(&s, knot, 0, 0.1f, 0)->pose);
        time_scene(mixed ? "70,400 x 70,400, mixed" : "70,400 x 70,400", &s);
    }
}

static void a_thousand_objects(void** state)
{
    measure("loose", 2.0f);
    measure("dense", 1.3f);
}

static int set_up_adopted(void** state)
{
    return tested == TACT_BACKEND_GL ? caller_setup_gl(state) : caller_setup_cl(state);
}

#define ADOPTED(name) cmocka_unit_test_setup_teardown(name, set_up_adopted, caller_teardown)

#include TEST_LIST

int main(int argc, char** argv)
{
    const char* arguments[3] = {"", "", ""};
    for (int i = 1; i < argc && i < 3; ++i)
        arguments[i] = argv[i];
    if (strcmp(arguments[1], "gl") == 0) tested = TACT_BACKEND_GL;
    const bool time = strcmp(arguments[1], "time") == 0 || strcmp(arguments[2], "time") == 0;
    if (arguments[2][0] && !time) run_only(arguments[2]);
    context = one_device_context(tested);
    if (!context) return 1;
    if (device_missing(context, tested)) {
        tact_context_destroy(context);
        return run_nothing("the device is missing");
    }
    device = context->devices[tact_context_find(context, tested)];
    const struct CMUnitTest timed[] = {cmocka_unit_test(a_thousand_objects), cmocka_unit_test(two_large_ones)};
    const struct CMUnitTest tiny[] = {cmocka_unit_test(duplicates), cmocka_unit_test(nothing_at_all)};
    int failed = 0;
    if (time) {
        failed = run_all(timed, NULL, NULL);
    } else if (strcmp(arguments[1], "tiny") == 0) {
        failed = run_all(tiny, NULL, NULL);
    } else {
        failed = run_all(all_tests, NULL, NULL);
    }
    tact_context_destroy(context);
    return failed;
}
