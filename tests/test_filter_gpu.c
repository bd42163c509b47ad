// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Scenes of many objects filtered on a device, OpenGL's or OpenCL's as the argument says.

#include "tests/support/run.h"

#include "base/platform.h"
#include "tests/support/effort.h"
#include "tests/support/filter_device.h"

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

// ---- How long ----

static void time_scene(const char* what, filter_scene* s)
{
    const tact_filter_job job = filter_job(s);
    tact_gpu_filter* filter = make_filter(device);
    double least = 1e30;
    tact_gpu_filter_told best = {0};
    for (int i = 0; i < 8; ++i) {
        const double start = tact_platform_milliseconds();
        run_job(what, filter, s, &job);
        const double took = tact_platform_milliseconds() - start;
        if (took < least) {
            least = took;
            best = *tact_gpu_filter_tell(filter);
        }
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

#include TEST_LIST

int main(int argc, char** argv)
{
    const int code = tested_open(argc, argv);
    if (code >= 0) return code;
    const struct CMUnitTest timed[] = {cmocka_unit_test(a_thousand_objects), cmocka_unit_test(two_large_ones)};
    const struct CMUnitTest tiny[] = {cmocka_unit_test(duplicates), cmocka_unit_test(nothing_at_all)};
    const char* which = argc > 1 ? argv[1] : "";
    if (argc > 2 && strcmp(argv[2], "time") == 0) {
        run_only(NULL);
        return tested_close(run_all(timed, NULL, NULL));
    }
    return tested_close(strcmp(which, "tiny") == 0 ? run_all(tiny, NULL, NULL) : run_all(all_tests, NULL, NULL));
}
