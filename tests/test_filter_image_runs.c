// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Images of the filter after a run that was unlike: what the run before had is what is launched for, and of more there
/// is nothing missing.

#include "tests/support/run.h"

#include "tests/support/filter_images.h"

/// What is left after a run of an image made anew, and that of the image that has others behind it is the same.
static uint32_t run_both(device_fixture* f, tact_gpu_filter_image* image, const tact_filter_job* job, uint32_t rounds)
{
    const outcome fresh = run(f, job, rounds), after = run_with(f, image, job);
    expect_same(&after, &fresh);
    return fresh.count;
}

TEST_AS(DEVICE_TEST, test_what_the_last_run_had)
{
    device_fixture* f = *state;
    require_device(f);
    tact_gpu_filter_image* image = NULL;
    expect_ok(f, tact_gpu_filter_image_create(f->device, &image));
    for (int number = 0; number < 2 * SCENES; ++number) {
        test_random r = test_random_seeded(70 + (uint64_t)number);
        filter_scene s = scene_like(&r, number * 4 % SCENES);
        tact_filter_job job = filter_job_unsolved(&s);
        job.options.cells_log2 = number % 3 == 0 ? 12 : 20;
        job.options.fast = number % 5 == 4;
        run_both(f, image, &job, 0);
        filter_free(&s);
    }
    tact_gpu_filter_image_destroy(image);
}

/// Balls around balls: nothing is left unless the inner ones are as large as the outer ones, and yet they share cells.
static filter_scene balls_in_balls(float inner)
{
    test_random r = test_random_seeded(71);
    filter_scene s = {0};
    filter_add_form(&s, FILTER_BALL, 10, 16);
    for (uint32_t k = 0; k < 54; ++k)
        add_at(&s, &r, 0, k / 2, 3, 2.2f, k % 2 ? inner : 1.0f);
    return s;
}

/// Triangles two and two, so far away at most: they cross, or one lies above the other.
static filter_scene scattered_pairs(float reach, bool cross)
{
    static const float corners[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
    test_random r = test_random_seeded(72);
    filter_scene s = {0};
    add_triangle(&s, corners);
    for (uint32_t k = 0; k < 4000; ++k) {
        const float x = reach * test_random_signed(&r), y = reach * test_random_signed(&r),
                    z = reach * test_random_signed(&r);
        random_turn(&r, 1.0f, filter_add_object(&s, 0, x, y, z)->pose);
        float* pose = filter_add_object(&s, 0, x, y, z)->pose;
        if (cross) {
            random_turn(&r, 1.0f, pose);
            continue;
        }
        memcpy(pose, s.objects[2 * k].pose, sizeof s.objects[2 * k].pose);
        for (int m = 0; m < 3; ++m)
            pose[4 * m + 3] += 1.3f * pose[4 * m + 2];
    }
    return s;
}

/// What differs from the run before is how many triangles are left, or whether there is room for bricks, and that
/// alone.
TEST_AS(DEVICE_TEST, test_one_thing_differs)
{
    device_fixture* f = *state;
    require_device(f);
    static const struct {
        float inner, reach;  ///< of balls, else of pairs
        bool cross;
        uint32_t log2;
    } runs[] = {{0, 1, true, 20},   {0, 60, true, 20}, {0, 60, true, 13}, {0, 60, false, 13},
                {0, 60, false, 20}, {0.8f, 0, 0, 12},  {0.999f, 0, 0, 12}};
    tact_gpu_filter_image* image = NULL;
    expect_ok(f, tact_gpu_filter_image_create(f->device, &image));
    tact_gpu_filter_image_limit(image, 1);
    uint32_t left[sizeof runs / sizeof *runs];
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        filter_scene s =
            runs[i].inner > 0 ? balls_in_balls(runs[i].inner) : scattered_pairs(runs[i].reach, runs[i].cross);
        tact_filter_job job = filter_job_unsolved(&s);
        job.options.cells_log2 = runs[i].log2;
        left[i] = run_both(f, image, &job, 1);
        filter_free(&s);
    }
    // Without bricks more is left.
    assert_true(left[3] > left[4] + 1000 && left[6] > left[5] + 5000);
    tact_gpu_filter_image_destroy(image);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
