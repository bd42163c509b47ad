// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Space cut among ranks: each point lies in one part, a box meets the parts of all of its points, and parts hold about
// as much as others.

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "core/ranks/curve.h"
#include "tests/support/run.h"

enum { POINTS = 4000, BOXES = 400, INSIDE = 40, PARTS = 37 };

static tact_env env;

static int open_env(void** state)
{
    (void)state;
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    return 0;
}

static float between(tact_random* random, double low, double high)
{
    return (float)tact_random_between(random, low, high);
}

/// Points as they may lie: alike everywhere, in a few lumps, on a line, with some at the end of the world.
static void make_points(tact_vec3* points, int kind, uint64_t seed)
{
    tact_random random = {seed};
    for (size_t i = 0; i < POINTS; ++i) {
        tact_vec3 p = {between(&random, 0, 1), between(&random, 0, 1), between(&random, 0, 1)};
        if (kind == 1) {
            const float lump = (float)(i % 5);
            p = (tact_vec3){lump + 0.01f * p.x, lump * lump + 0.01f * p.y, 0.01f * p.z};
        } else if (kind == 2) {
            p = (tact_vec3){1e6f * p.x, 0.0f, -0.0f};
        } else if (kind == 3 && i % 100 == 7) {
            p.x = i % 200 == 7 ? FLT_MAX : -INFINITY;
        }
        points[i] = p;
    }
}

static tact_rank_curve cut(const tact_vec3* points, size_t count, uint32_t parts)
{
    tact_rank_curve curve;
    assert_int_equal(tact_rank_curve_cut(&env, points, count, parts, &curve), TACT_OK);
    return curve;
}

/// How many points each part holds; the largest.
static size_t fullest(const tact_rank_curve* curve, const tact_vec3* points)
{
    size_t held[PARTS] = {0}, most = 0;
    for (size_t i = 0; i < POINTS; ++i) {
        const uint32_t part = tact_rank_curve_part(curve, points[i]);
        assert_true(part < curve->parts);
        ++held[part];
    }
    for (size_t i = 0; i < PARTS; ++i)
        most = held[i] > most ? held[i] : most;
    return most;
}

TEST(parts_hold_as_many_points_as_others)
{
    tact_vec3* points = malloc(POINTS * sizeof *points);
    assert_non_null(points);
    for (int kind = 0; kind < 4; ++kind) {
        for (uint32_t parts = 1; parts <= PARTS; parts += 4) {
            make_points(points, kind, 1);
            tact_rank_curve curve = cut(points, POINTS, parts);
            // All places differ, so that parts do as the sample says.
            assert_in_range(fullest(&curve, points), POINTS / parts, POINTS / parts + 2);
            make_points(points, kind, 2);
            assert_in_range(fullest(&curve, points), POINTS / parts, POINTS / parts * 3 / 2 + 40);
            tact_rank_curve_free(&env, &curve);
        }
    }
    free(points);
}

static float some_coordinate(tact_random* random)
{
    static const float odd[] = {-INFINITY, INFINITY, FLT_MAX, -FLT_MAX, 0.0f, 1e-45f, 0.5f, 1.0f};
    const uint64_t which = tact_random_below(random, 24);
    return which < sizeof odd / sizeof odd[0] ? odd[which] : between(random, -0.5, 1.5);
}

static tact_aabb some_box(tact_random* random)
{
    float ends[2][3];
    const bool small = tact_random_below(random, 2) == 0;
    for (int k = 0; k < 3; ++k) {
        const float a = some_coordinate(random);
        const float b = small ? a + between(random, 0, 0.05) : some_coordinate(random);
        ends[0][k] = a < b ? a : b;
        ends[1][k] = a < b ? b : a;
    }
    return (tact_aabb){{ends[0][0], ends[0][1], ends[0][2]}, {ends[1][0], ends[1][1], ends[1][2]}};
}

/// A coordinate of an interval, its ends among them.
static float within(tact_random* random, float low, float high)
{
    const uint64_t which = tact_random_below(random, 4);
    const float middle =
        (float)((double)fmaxf(low, -FLT_MAX) +
                tact_random_fraction(random) * ((double)fminf(high, FLT_MAX) - (double)fmaxf(low, -FLT_MAX)));
    return which == 0 || !(middle >= low) ? low : which == 1 || middle > high ? high : middle;
}

TEST(a_box_meets_the_parts_of_its_points)
{
    tact_vec3* points = malloc(POINTS * sizeof *points);
    assert_non_null(points);
    tact_random random = {3};
    size_t alone = 0, several = 0;
    for (int kind = 0; kind < 4; ++kind) {
        make_points(points, kind, 1);
        tact_rank_curve curve = cut(points, POINTS, PARTS);
        for (int i = 0; i < BOXES; ++i) {
            const tact_aabb box = some_box(&random);
            uint32_t met[PARTS];
            bool is_met[PARTS] = {false};
            const uint32_t count = tact_rank_curve_meets(&curve, &box, met), home = tact_rank_curve_home(&curve, &box);
            assert_in_range(count, 1, PARTS);
            for (uint32_t k = 0; k < count; ++k) {
                assert_true(met[k] < PARTS && (k == 0 || met[k] > met[k - 1]));
                is_met[met[k]] = true;
            }
            assert_true(home == TACT_RANK_PARTS || (count == 1 && met[0] == home));
            alone += count == 1;
            several += count > 1;
            for (int k = 0; k < INSIDE; ++k) {
                const tact_vec3 p = {within(&random, box.lower.x, box.upper.x),
                                     within(&random, box.lower.y, box.upper.y),
                                     within(&random, box.lower.z, box.upper.z)};
                assert_true(is_met[tact_rank_curve_part(&curve, p)]);
            }
        }
        tact_rank_curve_free(&env, &curve);
    }
    assert_true(alone > BOXES / 4 && several > BOXES / 4);
    free(points);
}

/// Small boxes meet no more than a few parts, those that are near.
TEST(a_box_meets_no_part_that_is_elsewhere)
{
    tact_vec3* points = malloc(POINTS * sizeof *points);
    assert_non_null(points);
    make_points(points, 0, 1);
    tact_rank_curve curve = cut(points, POINTS, PARTS);
    for (size_t i = 0; i < POINTS; ++i) {
        uint32_t met[PARTS];
        const tact_aabb box = {points[i], points[i]};
        assert_int_equal(tact_rank_curve_meets(&curve, &box, met), 1);
        assert_int_equal(met[0], tact_rank_curve_part(&curve, points[i]));
    }
    tact_rank_curve_free(&env, &curve);
    free(points);
}

/// Nothing to cut by, one place, infinite places: all lies in one part, whichever it is.
TEST(a_sample_without_extent)
{
    const tact_vec3 samples[][2] = {
        {{1, 2, 3}, {1, 2, 3}}, {{INFINITY, -INFINITY, 0}, {INFINITY, -INFINITY, 0}}, {{0, 0, 0}, {1e-45f, 0, 0}}};
    for (size_t count = 0; count <= 2; ++count) {
        for (size_t i = 0; i < sizeof samples / sizeof samples[0]; ++i) {
            tact_rank_curve curve = cut(samples[i], count, 5);
            const tact_aabb all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
            uint32_t met[5];
            const uint32_t parts = tact_rank_curve_meets(&curve, &all, met);
            assert_in_range(parts, 1, 2);
            assert_true(tact_rank_curve_part(&curve, samples[i][0]) < 5);
            tact_rank_curve_free(&env, &curve);
        }
    }
}

#include TEST_LIST

RUN_ALL(open_env, NULL)
