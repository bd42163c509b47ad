// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// bench_geometry [REPEATS]: nanoseconds a test of the batch functions, for each set of instructions. 4096 shapes at a
// time, which fit the second-level cache. A developers' program, not installed.
#include <stdio.h>
#include <stdlib.h>

#include "apps/random.h"
#include "core/platform.h"
#include "cpu_ref/geometry/batch_internal.h"

enum { SHAPES = 4096, ROUNDS = 200, ARRAYS = 31, TESTS = 7 };

static float numbers[ARRAYS][SHAPES];
static uint32_t bits[SHAPES / 32];
static float outputs[3][SHAPES];

static const char* const names[TESTS] = {"sphere, spheres", "sphere pairs", "sphere, boxes", "box, boxes",
                                         "box pairs",       "ray, boxes",   "ray, triangles"};

static void fill(void)
{
    tact_random r = {1};
    for (int a = 0; a < ARRAYS; ++a) {
        for (int i = 0; i < SHAPES; ++i)
            numbers[a][i] = 2.0f * (float)tact_random_fraction(&r) - 1.0f;
    }
    for (int i = 0; i < SHAPES; ++i) {
        numbers[3][i] = numbers[7][i] = 0.3f;  // radii
        for (int k = 0; k < 3; ++k) {
            numbers[11 + k][i] = numbers[8 + k][i] + 0.3f;
            numbers[17 + k][i] = numbers[14 + k][i] + 0.3f;
        }
    }
}

static size_t run(const tact_batch_tests* tests, int test)
{
    const tact_batch_spheres a = {numbers[0], numbers[1], numbers[2], numbers[3]};
    const tact_batch_spheres b = {numbers[4], numbers[5], numbers[6], numbers[7]};
    const tact_batch_aabbs p = {{numbers[8], numbers[9], numbers[10]}, {numbers[11], numbers[12], numbers[13]}};
    const tact_batch_aabbs q = {{numbers[14], numbers[15], numbers[16]}, {numbers[17], numbers[18], numbers[19]}};
    const tact_batch_triangles t = {{numbers[20], numbers[21], numbers[22]},
                                    {numbers[23], numbers[24], numbers[25]},
                                    {numbers[26], numbers[27], numbers[28]}};
    static const float ray[8] = {-2, 0.1f, 0.2f, 1, 0.05f, -0.1f, 0, 100};
    const tact_batch_rays rays = {{ray, ray + 1, ray + 2}, {ray + 3, ray + 4, ray + 5}, ray + 6, ray + 7};
    const tact_batch_shot shot = {
        tact_ray_frame(ray[0], ray[1], ray[2], ray[3], ray[4], ray[5]), 0, 100, outputs[0], outputs[1], outputs[2]};
    switch (test) {
        case 0:
            return tests->sphere_sphere(&a, &b, TACT_BATCH_FIRST, SHAPES, bits);
        case 1:
            return tests->sphere_sphere(&a, &b, TACT_BATCH_PAIRS, SHAPES, bits);
        case 2:
            return tests->sphere_aabb(&a, &p, TACT_BATCH_FIRST, SHAPES, bits);
        case 3:
            return tests->aabb_aabb(&p, &q, TACT_BATCH_FIRST, SHAPES, bits);
        case 4:
            return tests->aabb_aabb(&p, &q, TACT_BATCH_PAIRS, SHAPES, bits);
        case 5:
            return tests->ray_aabb(&rays, &p, TACT_BATCH_FIRST, SHAPES, bits, outputs[0]);
        default:
            return tests->ray_triangle(&shot, &t, SHAPES, bits);
    }
}

/// The least of the repeats, in nanoseconds a test.
static double measure(const tact_batch_tests* tests, int test, int repeats, size_t* yes)
{
    double least = 0.0;
    for (int i = 0; i < repeats; ++i) {
        const double start = tact_platform_milliseconds();
        for (int round = 0; round < ROUNDS; ++round)
            *yes = run(tests, test);
        const double ns = (tact_platform_milliseconds() - start) * 1e6 / ((double)ROUNDS * SHAPES);
        if (i == 0 || ns < least) least = ns;
    }
    return least;
}

int main(int argc, char** argv)
{
    const int repeats = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 9;
    char cpu[128];
    tact_platform_cpu_name(cpu, sizeof cpu);
    printf("%s; ns a test, least of %d\n%-16s", cpu, repeats, "test");
    for (int level = 0; level < TACT_BATCH_LEVELS; ++level) {
        const tact_batch_tests* const tests = tact_batch_level(level);
        if (tests) printf(" %9s", tests->name);
    }
    printf(" %9s\n", "yes");
    fill();
    for (int test = 0; test < TESTS; ++test) {
        size_t yes = 0;
        printf("%-16s", names[test]);
        for (int level = 0; level < TACT_BATCH_LEVELS; ++level) {
            const tact_batch_tests* const tests = tact_batch_level(level);
            if (tests) printf(" %9.3f", measure(tests, test, repeats, &yes));
        }
        printf(" %8.1f%%\n", 100.0 * (double)yes / SHAPES);
    }
    return 0;
}
