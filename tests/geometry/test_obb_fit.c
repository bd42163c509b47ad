// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Boxes around points: all contain all points, known boxes are found, and the fits keep their order of quality.

#include "tact/geometry/obb_fit.h"

#include "tests/support/run.h"

#include "tact/geometry/obb.h"
#include "tests/geometry/boxes.h"
#include "tests/support/effort.h"

enum { ALL, GREATEST, LEAST, SURFACE, SOLID, SIMPLE, DITO, DITO_AREA, SEARCH, SEARCH_AREA, IMPROVED, EXACT, KINDS };

/// Triangles between successive points: some surface, for the fit that needs one.
static size_t strip(size_t count, uint32_t* triangles)
{
    size_t n = 0;
    for (uint32_t i = 0; i + 2 < count; ++i) {
        for (uint32_t k = 0; k < 3; ++k)
            triangles[n++] = i + k;
    }
    return n / 3;
}

static tact_result fit(int kind, const tact_vec3* points, size_t count, tact_obb* box)
{
    uint32_t triangles[3 * 256] = {0};
    tact_obb_search search = {
        .measure = kind == SEARCH_AREA ? TACT_OBB_AREA : TACT_OBB_VOLUME, .steps = 5, .levels = 5};
    switch (kind) {
        case ALL:
            return tact_obb_fit_principal(NULL, points, count, TACT_OBB_ALL_AXES, box);
        case GREATEST:
            return tact_obb_fit_principal(NULL, points, count, TACT_OBB_GREATEST_AXIS, box);
        case LEAST:
            return tact_obb_fit_principal(NULL, points, count, TACT_OBB_LEAST_AXIS, box);
        case SURFACE:
            return tact_obb_fit_surface(NULL, points, count, triangles, strip(count, triangles), TACT_OBB_LEAST_AXIS,
                                        box);
        case SOLID:
            return tact_obb_fit_solid(NULL, points, count, triangles, strip(count, triangles), TACT_OBB_ALL_AXES, box);
        case SIMPLE:
            return tact_obb_fit_simple(points, count, box);
        case DITO:
            return tact_obb_fit_dito(points, count, TACT_OBB_VOLUME, box);
        case DITO_AREA:
            return tact_obb_fit_dito(points, count, TACT_OBB_AREA, box);
        case IMPROVED: {
            const tact_result result = fit(LEAST, points, count, box);
            return result == TACT_OK ? tact_obb_improve(NULL, points, count, box) : result;
        }
        case EXACT:
            return tact_obb_fit_exact(NULL, points, count, box);
        default:
            return tact_obb_fit_search(points, count, &search, box);
    }
}

static double box_measure(int kind, const tact_obb* box)
{
    return kind == DITO_AREA || kind == SEARCH_AREA ? tact_obb_area(box) : tact_obb_volume(box);
}

static tact_obb aligned_box(const tact_vec3* p, size_t count)
{
    tact_aabb box = {p[0], p[0]};
    for (size_t i = 1; i < count; ++i) {
        box.lower = (tact_vec3){fminf(box.lower.x, p[i].x), fminf(box.lower.y, p[i].y), fminf(box.lower.z, p[i].z)};
        box.upper = (tact_vec3){fmaxf(box.upper.x, p[i].x), fmaxf(box.upper.y, p[i].y), fmaxf(box.upper.z, p[i].z)};
    }
    return tact_obb_from_aabb(box);
}

TEST(boxes_contain_all_points)
{
    test_random r = test_random_seeded(1);
    for (int i = 0; i < 13000; ++i) {
        tact_vec3 points[64];
        const size_t count = test_cloud(&r, i % 9, points);
        for (int kind = 0; kind < KINDS; ++kind) {
            if ((kind == SEARCH || kind == SEARCH_AREA) && i % 8 != 0) continue;
            if (kind == EXACT && i % 31 != 0) continue;
            tact_obb box;
            if (fit(kind, points, count, &box) != TACT_OK) fail_msg("case %d, fit %d fails", i, kind);
            for (size_t k = 0; k < count; ++k) {
                if (!tact_obb_contains_point(&box, points[k])) fail_msg("case %d, fit %d leaves out %zu", i, kind, k);
            }
            // Axes of unit length, perpendicular, right-handed.
            for (int a = 0; a < 3; ++a) {
                const tact_vec3 u = box.axis[a], v = box.axis[(a + 1) % 3], w = box.axis[(a + 2) % 3];
                assert_true(fabsf(u.x * u.x + u.y * u.y + u.z * u.z - 1.0f) < 1e-6f);
                assert_true(fabsf(u.x * v.x + u.y * v.y + u.z * v.z) < 1e-6f);
                assert_true(fabsf(u.y * v.z - u.z * v.y - w.x) < 1e-6f);
            }
            const tact_obb aabb = aligned_box(points, count);
            const bool never_larger = kind == DITO || kind == DITO_AREA || kind == SEARCH || kind == SEARCH_AREA;
            // Flat and needle-like clouds: what is left is rounding of the centre.
            if (never_larger && i % 9 != 5 && i % 9 != 1 && i % 9 != 2)
                assert_true(box_measure(kind, &box) <= box_measure(kind, &aabb) * 1.001);
        }
    }
}

TEST(flat_clouds_get_flat_boxes)
{
    test_random r = test_random_seeded(2);
    for (int i = 0; i < 3000; ++i) {
        tact_vec3 points[64];
        const int variant = i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 6;
        const size_t count = test_cloud(&r, variant, points);
        for (int kind = 0; kind < KINDS; ++kind) {
            if (kind == SEARCH || kind == SEARCH_AREA || (kind == EXACT && i % 8 > 2)) continue;
            if (kind == SOLID && variant == 2) continue;  // nothing is closed here
            tact_obb box;
            assert_int_equal(fit(kind, points, count, &box), TACT_OK);
            float h[3] = {box.half.x, box.half.y, box.half.z};
            for (int k = 0; k < 4; ++k) {
                if (h[k & 1] <= h[(k & 1) + 1]) continue;
                const float swap = h[k & 1];
                h[k & 1] = h[(k & 1) + 1];
                h[(k & 1) + 1] = swap;
            }
            // A triangle of an almost straight cloud has its plane from rounded numbers, so few points leave leeway.
            if (count < 10 && variant != 6) continue;
            const bool area = kind == DITO_AREA;
            if (h[0] > 4e-6f && !(area && variant == 1)) fail_msg("case %d, fit %d: %g thick", i, kind, (double)h[0]);
            if (variant == 2) assert_true(h[1] < 4e-6f);
            if (variant == 6) assert_true(h[2] < 4e-6f);
        }
    }
}

/// The extremes of this one along 13 directions tell no plane: they lie along its length.
TEST(long_flat_clouds_get_flat_boxes)
{
    const tact_vec3 points[11] = {
        {0.166996315f, 0.155188859f, -1.21881807f}, {-0.73663187f, 0.550174177f, -1.39504504f},
        {-1.65652406f, 0.8188712f, -1.3544358f},    {-1.61530197f, 0.831703186f, -1.39727747f},
        {-0.100266621f, 0.26758945f, -1.26364565f}, {-0.273922414f, 0.253087521f, -1.14840424f},
        {-2.88581824f, 1.3155309f, -1.52708638f},   {-1.12852883f, 0.742001057f, -1.50532389f},
        {0.590005755f, -0.069431439f, -1.0708158f}, {-2.31527138f, 1.10201454f, -1.47498584f},
        {-1.34223115f, 0.734640598f, -1.3808006f}};
    for (int kind = DITO; kind <= DITO_AREA; ++kind) {
        tact_obb box;
        assert_int_equal(fit(kind, points, 11, &box), TACT_OK);
        assert_true(fminf(box.half.x, fminf(box.half.y, box.half.z)) < 1e-6f);
    }
}

TEST(known_boxes_are_found)
{
    test_random r = test_random_seeded(3);
    double worst[KINDS] = {0};
    for (int i = 0; i < 300; ++i) {
        const tact_obb made = test_obb(&r, i % 2 ? 2.0f : 0.0f, 0.2f, 2.0f);
        tact_vec3 points[128];
        for (int k = 0; k < 128; ++k) {
            const double s = k < 8 ? 1.0 : 0.95 * (double)test_random_unit(&r);
            points[k] = test_at(&made, k & 1 ? s : -s, k & 2 ? s : -s, k & 4 ? s : -s);
        }
        for (int kind = 0; kind < KINDS; ++kind) {
            tact_obb box;
            assert_int_equal(fit(kind, points, 128, &box), TACT_OK);
            const double ratio = box_measure(kind, &box) / box_measure(kind, &made);
            assert_true(ratio > 1.0 - 1e-4);
            worst[kind] = fmax(worst[kind], ratio);
        }
    }
    print_message("known boxes, worst: all %.3f greatest %.3f least %.3f dito %.3f search %.4f improved %.4f\n",
                  worst[ALL], worst[GREATEST], worst[LEAST], worst[DITO], worst[SEARCH], worst[IMPROVED]);
    assert_true(worst[DITO] < 1.7 && worst[SEARCH] < 1.1);
}

TEST(fits_keep_their_order)
{
    test_random r = test_random_seeded(4);
    double sum[KINDS] = {0}, worst[KINDS] = {0};
    uint64_t candidates = 0, early = 0;
    const int clouds = 100;
    for (int i = 0; i < clouds; ++i) {
        tact_vec3 points[100];
        const tact_obb made = test_obb(&r, 2.0f, 0.2f, 2.0f);
        for (int k = 0; k < 100; ++k) {
            tact_vec3 f[3];
            test_frame(&r, f);  // on an ellipsoid, or in a brick
            const tact_vec3 at = i % 2 ? f[0] : test_vec3(&r, 1.0f);
            points[k] = test_at(&made, (double)at.x, (double)at.y, (double)at.z);
        }
        tact_obb_search fine = {TACT_OBB_VOLUME, 13, 10, 0, 0};
        tact_obb best;
        assert_int_equal(tact_obb_fit_search(points, 100, &fine, &best), TACT_OK);
        candidates += fine.candidates;
        early += fine.early;
        double volume[KINDS];
        for (int kind = 0; kind < KINDS; ++kind) {
            tact_obb box;
            assert_int_equal(fit(kind, points, 100, &box), TACT_OK);
            if (kind == SEARCH) assert_int_equal(tact_obb_fit_search(points, 100, NULL, &box), TACT_OK);
            volume[kind] = tact_obb_volume(&box);
            const double ratio = volume[kind] / tact_obb_volume(&best);
            sum[kind] += ratio / clouds;
            worst[kind] = fmax(worst[kind], ratio);
        }
        // One axis is the same; across it they have the least rectangle. Which of the two is better is chance.
        assert_true(volume[GREATEST] <= volume[ALL] * 1.00001 && volume[LEAST] <= volume[ALL] * 1.00001);
    }
    for (int kind = 0; kind < KINDS; ++kind)
        print_message("fit %d: volume %.4f of a fine search's, at worst %.3f\n", kind, sum[kind], worst[kind]);
    print_message("given up early: %.2f %%\n", 100.0 * (double)early / (double)candidates);
    assert_true(candidates == 100u * (13 * 13 * 13 * 10 + 3) && (double)early > 0.9 * (double)candidates);
    assert_true(sum[DITO] < sum[ALL] && sum[IMPROVED] < sum[LEAST] && worst[EXACT] < 1.00001);
    assert_true(sum[SEARCH] < 1.01 && sum[IMPROVED] < 1.05 && sum[DITO] < 1.25 && sum[ALL] < 1.4);
}

TEST(improving_never_makes_larger)
{
    test_random r = test_random_seeded(5);
    int further = 0;
    for (int i = 0; i < 3000; ++i) {
        tact_vec3 points[64];
        const int variant = i % 3 == 0 ? 0 : i % 3 == 1 ? 7 : 8;
        const size_t count = test_cloud(&r, variant, points);
        tact_obb box, better;
        assert_int_equal(fit(i % SEARCH, points, count, &box), TACT_OK);
        better = box;
        assert_int_equal(tact_obb_improve(NULL, points, count, &better), TACT_OK);
        if (count < 8) continue;
        assert_true(tact_obb_volume(&better) <= tact_obb_volume(&box) * (1.0 + 1e-4));
        tact_obb again = better;
        assert_int_equal(tact_obb_improve(NULL, points, count, &again), TACT_OK);
        // Rounding the axes may break a tie between two rectangles, and the other one may lead on.
        further += tact_obb_volume(&again) < tact_obb_volume(&better) * 0.999;
        assert_true(tact_obb_volume(&again) <= tact_obb_volume(&better) * (1.0 + 1e-4));
    }
    assert_true(further < 30);
    // From a box elsewhere: it contains the points all the same. From the bad one of a tilted cube: the cube.
    tact_obb box = {{100, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}, cube = box;
    cube.half = (tact_vec3){1, 1, 1};
    cube.axis[0] = (tact_vec3){0.8f, 0.6f, 0};
    cube.axis[1] = (tact_vec3){-0.6f, 0.8f, 0};
    tact_vec3 corners[8];
    tact_obb_corners(&cube, corners);
    assert_int_equal(tact_obb_improve(NULL, corners, 8, &box), TACT_OK);
    assert_true(fabs(tact_obb_volume(&box) - 8.0) < 1e-4);
}

/// The printed eigen solver leaves small matrices alone, whose entries are below its absolute threshold.
TEST(small_clouds_are_turned_too)
{
    const float sizes[5] = {1e6f, 1.0f, 0.01f, 1e-6f, 1e-18f};
    for (int i = 0; i < 5; ++i) {
        tact_vec3 points[5];
        for (int k = 0; k < 5; ++k)
            points[k] = (tact_vec3){sizes[i] * (float)(k - 2) / 2, sizes[i] * (float)(k - 2) / 2, 0};
        tact_obb box;
        for (int kind = 0; kind < KINDS; ++kind) {
            assert_int_equal(fit(kind, points, 5, &box), TACT_OK);
            if (kind != ALL) continue;
            assert_true(fabs(fabs((double)box.axis[0].x) - sqrt(0.5)) < 1e-6);
            assert_true(fabs(fabs((double)box.axis[0].y) - sqrt(0.5)) < 1e-6 && fabsf(box.axis[0].z) < 1e-6f);
            assert_true(fabsf(box.half.x - sizes[i] * sqrtf(2.0f)) < 1e-5f * sizes[i]);
            assert_true(box.half.y < 1e-6f * sizes[i]);
        }
    }
}

TEST(covariance_keeps_its_digits_far_away)
{
    test_random r = test_random_seeded(6);
    for (int i = 0; i < 2000; ++i) {
        tact_vec3 points[50];
        const float away = i % 2 ? 1e6f : 0.0f;
        for (int k = 0; k < 50; ++k) {
            const tact_vec3 p = test_vec3(&r, 8.0f);
            points[k] = (tact_vec3){away + floorf(p.x), floorf(p.y) - away, floorf(p.z)};
        }
        double mean[3], c[3][3];
        assert_true(tact_covariance_of_points(points, 50, mean, c));
        // In integers: 50 sum p_i p_j - sum p_i sum p_j.
        int64_t sum[3] = {0}, product[3][3] = {{0}};
        for (int k = 0; k < 50; ++k) {
            const int64_t p[3] = {(int64_t)points[k].x, (int64_t)points[k].y, (int64_t)points[k].z};
            for (int a = 0; a < 9; ++a)
                product[a / 3][a % 3] += p[a / 3] * p[a % 3];
            for (int a = 0; a < 3; ++a)
                sum[a] += p[a];
        }
        for (int a = 0; a < 9; ++a) {
            const double expected = (double)(50 * product[a / 3][a % 3] - sum[a / 3] * sum[a % 3]) / 2500.0;
            assert_true(fabs(c[a / 3][a % 3] - expected) < 1e-12);
        }
        for (int a = 0; a < 3; ++a)
            assert_true(fabs(mean[a] - (double)sum[a] / 50.0) < 1e-9);
    }
}

static const uint32_t cube_surface[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

TEST(surface_covariance_is_that_of_the_surface)
{
    tact_obb cube = {{5, 6, 7}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};
    tact_vec3 corners[40];
    tact_obb_corners(&cube, corners);
    double mean[3], c[3][3];
    assert_true(tact_covariance_of_surface(corners, 8, cube_surface, 12, mean, c));
    // x^2 is 1 on two of six faces and 1/3 in the mean on the others.
    for (int i = 0; i < 9; ++i)
        assert_true(fabs(c[i / 3][i % 3] - (i % 4 == 0 ? 5.0 / 9.0 : 0.0)) < 1e-14);
    assert_true(fabs(mean[0] - 5.0) < 1e-14 && fabs(mean[1] - 6.0) < 1e-14 && fabs(mean[2] - 7.0) < 1e-14);

    // A triangle cut in four is the same surface; a dense cluster inside changes the points' covariance alone.
    const tact_vec3 cut[6] = {{0, 0, 0}, {4, 0, 2}, {0, 8, 2}, {2, 0, 1}, {2, 4, 2}, {0, 4, 1}};
    const uint32_t whole[3] = {0, 1, 2}, parts[12] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
    double d[3][3];
    assert_true(tact_covariance_of_surface(cut, 6, whole, 1, mean, c));
    assert_true(tact_covariance_of_surface(cut, 6, parts, 4, mean, d));
    for (int i = 0; i < 9; ++i)
        assert_true(fabs(c[i / 3][i % 3] - d[i / 3][i % 3]) < 1e-13);

    tact_obb stick = {{0, 0, 0}, {{0.8f, 0.6f, 0}, {-0.6f, 0.8f, 0}, {0, 0, 1}}, {4, 2, 1}}, box;
    tact_obb_corners(&stick, corners);
    for (int k = 8; k < 40; ++k)
        corners[k] = corners[k & 1 ? 1 : 6];  // many vertices in two corners
    assert_int_equal(tact_obb_fit_surface(NULL, corners, 40, cube_surface, 12, TACT_OBB_ALL_AXES, &box), TACT_OK);
    assert_true(fabs(tact_obb_volume(&box) / 64.0 - 1.0) < 1e-5);
    assert_int_equal(tact_obb_fit_principal(NULL, corners, 40, TACT_OBB_ALL_AXES, &box), TACT_OK);
    assert_true(tact_obb_volume(&box) > 1.1 * 64.0);
    // No area: as the points.
    const uint32_t thin[3] = {0, 0, 0};
    assert_false(tact_covariance_of_surface(corners, 8, thin, 1, mean, c));
    assert_int_equal(tact_obb_fit_surface(NULL, corners, 8, thin, 1, TACT_OBB_GREATEST_AXIS, &box), TACT_OK);
    for (int k = 0; k < 8; ++k)
        assert_true(tact_obb_contains_point(&box, corners[k]));
}

TEST(solid_covariance_is_that_of_the_inside)
{
    double mean[3], c[3][3], d[3][3];
    const tact_obb cube = {{5, 6, 7}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 2, 3}};
    tact_vec3 corners[8];
    tact_obb_corners(&cube, corners);
    assert_true(tact_covariance_of_solid(corners, 8, cube_surface, 12, mean, c));
    for (int i = 0; i < 9; ++i)
        assert_true(fabs(c[i / 3][i % 3] - (i % 4 ? 0.0 : (i / 4 + 1) * (i / 4 + 1) / 3.0)) < 1e-13);
    assert_true(fabs(mean[0] - 5.0) < 1e-13 && fabs(mean[1] - 6.0) < 1e-13 && fabs(mean[2] - 7.0) < 1e-13);
    // Turned inside out it is the same; a point far away that no triangle uses changes nothing.
    uint32_t reversed[36];
    for (int i = 0; i < 36; ++i)
        reversed[i] = cube_surface[35 - i];
    tact_vec3 more[9];
    for (int i = 0; i < 9; ++i)
        more[i] = i < 8 ? corners[i] : (tact_vec3){100, -50, 30};
    assert_true(tact_covariance_of_solid(more, 9, reversed, 12, mean, d));
    for (int i = 0; i < 9; ++i)
        assert_true(fabs(c[i / 3][i % 3] - d[i / 3][i % 3]) < 1e-11);
    tact_obb stick = {{0, 0, 0}, {{0.8f, 0.6f, 0}, {-0.6f, 0.8f, 0}, {0, 0, 1}}, {4, 2, 1}}, box;
    tact_obb_corners(&stick, corners);
    for (int axes = 0; axes < 3; ++axes) {
        assert_int_equal(tact_obb_fit_solid(NULL, corners, 8, cube_surface, 12, (tact_obb_axes)axes, &box), TACT_OK);
        assert_true(fabs(tact_obb_volume(&box) / 64.0 - 1.0) < 1e-5);
    }
    // A tetrahedron by counting points in it.
    const tact_vec3 v[4] = {{0, 0, 0}, {3, 0, 0}, {0, 2, 0}, {0, 0, 1}};
    const uint32_t sides[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    assert_true(tact_covariance_of_solid(v, 4, sides, 4, mean, c));
    test_random r = test_random_seeded(11);
    double n = 0, sum[3] = {0}, product[3][3] = {{0}};
    for (int i = 0; i < 1000000; ++i) {
        const double x[3] = {3 * (double)test_random_unit(&r), 2 * (double)test_random_unit(&r),
                             (double)test_random_unit(&r)};
        if (x[0] / 3 + x[1] / 2 + x[2] > 1.0) continue;
        n += 1;
        for (int a = 0; a < 3; ++a) {
            sum[a] += x[a];
            for (int b = 0; b < 3; ++b)
                product[a][b] += x[a] * x[b];
        }
    }
    for (int i = 0; i < 9; ++i)
        assert_true(fabs(product[i / 3][i % 3] / n - sum[i / 3] / n * (sum[i % 3] / n) - c[i / 3][i % 3]) < 0.01);
    // No volume: as the surface.
    const uint32_t two_sided[6] = {1, 2, 3, 1, 3, 2};
    assert_false(tact_covariance_of_solid(v, 4, two_sided, 2, mean, c));
    assert_false(tact_covariance_of_solid(v, 4, sides, 0, mean, c));
    assert_int_equal(tact_obb_fit_solid(NULL, v, 4, two_sided, 2, TACT_OBB_LEAST_AXIS, &box), TACT_OK);
    for (int k = 0; k < 4; ++k)
        assert_true(tact_obb_contains_point(&box, v[k]));
}

TEST(simple_box_lies_along_the_farthest_pairs)
{
    // Along x; then, as x no longer counts, the last pair is the longest.
    const tact_vec3 points[6] = {{10, 0, 0}, {-10, 0, 0}, {9, 2, 0.5f}, {-9, -2, -0.5f}, {0, 0.3f, 3}, {0, -0.3f, -3}};
    tact_obb box;
    assert_int_equal(tact_obb_fit_simple(points, 6, &box), TACT_OK);
    assert_true(fabsf(box.axis[0].x) == 1.0f && fabsf(box.half.x - 10.0f) < 1e-5f);
    assert_true(fabs((double)box.axis[1].y / (double)box.axis[1].z - 0.1) < 1e-6);
}

/// The smallest box of a regular tetrahedron is the cube whose corners it has. An AABB is not to be found here.
TEST(search_finds_the_cube_of_a_tetrahedron)
{
    test_random r = test_random_seeded(7);
    for (int i = 0; i < 20; ++i) {
        const tact_obb cube = {{1, 2, 3}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};
        tact_obb turned = cube;
        test_frame(&r, turned.axis);
        tact_vec3 p[8];
        tact_obb_corners(&turned, p);
        const tact_vec3 points[4] = {p[0], p[3], p[5], p[6]};
        tact_obb box;
        tact_obb_search search = {TACT_OBB_VOLUME, 11, 10, 0, 0};
        assert_int_equal(tact_obb_fit_search(points, 4, &search, &box), TACT_OK);
        assert_true(tact_obb_volume(&box) < 8.02);
    }
}

TEST(the_exact_box_of_a_tetrahedron_and_of_boxes)
{
    test_random r = test_random_seeded(17);
    for (int i = 0; i < 60; ++i) {
        const tact_obb cube = {{1, 2, 3}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};
        tact_obb turned = i % 3 == 0 ? cube : test_obb(&r, 2.0f, 0.2f, 2.0f), box;
        if (i % 3 == 0 && i > 0) test_frame(&r, turned.axis);
        tact_vec3 p[8];
        tact_obb_corners(&turned, p);
        assert_int_equal(tact_obb_fit_exact(NULL, p, 8, &box), TACT_OK);
        assert_true(fabs(tact_obb_volume(&box) / tact_obb_volume(&turned) - 1.0) < 1e-5);
        if (i % 3 != 0) continue;
        const tact_vec3 points[4] = {p[0], p[3], p[5], p[6]};
        assert_int_equal(tact_obb_fit_exact(NULL, points, 4, &box), TACT_OK);
        assert_true(fabs(tact_obb_volume(&box) - 8.0) < 1e-4);
    }
}

/// Of all boxes that the search finds none is smaller, and turns of the points change nothing.
TEST(no_box_is_smaller_than_the_exact_one)
{
    test_random r = test_random_seeded(18);
    double more = 0.0;
    for (size_t i = 0; i < effort(60, 600); ++i) {
        tact_vec3 points[40], moved[40];
        const size_t count = 4 + test_random_below(&r, 37);
        float axes[9];
        test_random_rotation(&r, axes);
        for (size_t k = 0; k < count; ++k) {
            points[k] = test_vec3(&r, 1.0f);
            if (i % 3 == 1)
                points[k] = (tact_vec3){floorf(3 * points[k].x), floorf(3 * points[k].y), floorf(3 * points[k].z)};
            const tact_vec3 q = points[k];
            moved[k] = (tact_vec3){q.x * axes[0] + q.y * axes[3] + q.z * axes[6],
                                   q.x * axes[1] + q.y * axes[4] + q.z * axes[7],
                                   q.x * axes[2] + q.y * axes[5] + q.z * axes[8]};
        }
        tact_obb box, other, found;
        tact_obb_search search = {TACT_OBB_VOLUME, 11, 10, 0, 0};
        if (tact_obb_fit_exact(NULL, points, count, &box) != TACT_OK) fail_msg("%s", tact_last_error());
        if (tact_obb_fit_exact(NULL, moved, count, &other) != TACT_OK) fail_msg("%s", tact_last_error());
        assert_int_equal(tact_obb_fit_search(points, count, &search, &found), TACT_OK);
        assert_int_equal(tact_obb_improve(NULL, points, count, &found), TACT_OK);
        const double volume = tact_obb_volume(&box), size = tact_obb_area(&box) + 1e-30;
        assert_true(volume <= tact_obb_volume(&found) + 1e-6 * size);
        assert_true(fabs(volume - tact_obb_volume(&other)) < 1e-5 * size);
        more += tact_obb_volume(&found) / (volume + 1e-12);
    }
    print_message("search and improvement: %.6f of the exact box\n", more / (double)effort(60, 600));
}

TEST(exact_boxes_of_large_hulls_are_refused)
{
    static tact_vec3 points[2000];
    test_random r = test_random_seeded(19);
    for (size_t i = 0; i < 2000; ++i) {
        tact_vec3 f[3];
        test_frame(&r, f);
        points[i] = f[0];
    }
    tact_obb box = {.half = {5, 5, 5}};
    assert_int_equal(tact_obb_fit_exact(NULL, points, 2000, &box), TACT_ERROR_LIMIT);
    assert_true(box.half.x == 5.0f && strstr(tact_last_error(), "3072 edges") != NULL);
}

/// Renaming coordinates, mirroring and powers of two change no volume by more than rounding.
TEST(exact_motions_change_no_volume)
{
    test_random r = test_random_seeded(8);
    for (int i = 0; i < 2000; ++i) {
        tact_vec3 points[64], moved[64];
        const size_t count = test_cloud(&r, 0, points);
        if (count < 12) continue;
        const float s = i % 2 ? 0x1p-20f : 0x1p20f;
        for (size_t k = 0; k < count; ++k)
            moved[k] = test_times((tact_vec3){-points[k].y, points[k].z, -points[k].x}, s);
        const int kind = i % SURFACE;  // DiTO and searches may fall to another local minimum
        tact_obb a, b;
        assert_int_equal(fit(kind, points, count, &a), TACT_OK);
        assert_int_equal(fit(kind, moved, count, &b), TACT_OK);
        const double cubed = (double)s * (double)s * (double)s;
        assert_true(fabs(tact_obb_volume(&b) / cubed / tact_obb_volume(&a) - 1.0) < 1e-4);
    }
}

typedef struct limit {
    int left;
} limit;

static void* limited_allocate(size_t size, size_t alignment, void* user)
{
    limit* l = user;
    return l->left-- > 0 ? malloc(size) : NULL;
}

static void limited_release(void* memory, void* user)
{
    free(memory);
}

TEST(lack_of_memory_is_reported)
{
    const tact_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    const uint32_t triangle[3] = {0, 1, 2};
    for (int n = 0; n < 3; ++n) {
        limit l = {n};
        const tact_allocator allocator = {limited_allocate, limited_release, &l};
        const tact_result expected = n == 2 ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
        tact_obb box = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};
        assert_int_equal(tact_obb_fit_principal(&allocator, points, 4, TACT_OBB_LEAST_AXIS, &box), expected);
        l.left = n;
        assert_int_equal(tact_obb_fit_surface(&allocator, points, 4, triangle, 1, TACT_OBB_GREATEST_AXIS, &box),
                         expected);
        l.left = n;
        assert_int_equal(tact_obb_improve(&allocator, points, 4, &box), expected);
    }
    limit none = {0};
    const tact_allocator allocator = {limited_allocate, limited_release, &none};
    tact_obb box;
    assert_int_equal(tact_obb_fit_principal(&allocator, points, 4, TACT_OBB_ALL_AXES, &box), TACT_OK);
}

TEST(broken_arguments_are_refused)
{
    const tact_obb mark = {{7, 7, 7}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {7, 7, 7}};
    tact_obb box = mark;
    double mean[3], c[3][3];
    const float bad[3] = {NAN, INFINITY, -INFINITY};
    const uint32_t triangle[3] = {0, 1, 2}, outside[3] = {0, 1, 3};
    const tact_vec3 good[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    for (int i = 0; i < 27; ++i) {
        float p[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        p[i / 3] = bad[i % 3];
        const tact_vec3 points[3] = {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}, {p[6], p[7], p[8]}};
        for (int kind = 0; kind < KINDS; ++kind) {
            assert_int_equal(fit(kind, points, 3, &box), TACT_ERROR_INVALID_ARGUMENT);
            assert_int_equal(fit(kind, points, 0, &box), TACT_ERROR_INVALID_ARGUMENT);
        }
        assert_int_equal(tact_obb_improve(NULL, points, 3, &box), TACT_ERROR_INVALID_ARGUMENT);
        assert_false(tact_covariance_of_points(points, 3, mean, c));
        assert_false(tact_covariance_of_surface(points, 3, triangle, 1, mean, c));
        assert_false(tact_covariance_of_solid(points, 3, triangle, 1, mean, c));
    }
    assert_int_equal(tact_obb_fit_solid(NULL, good, 3, triangle, 1, (tact_obb_axes)3, &box),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_obb_fit_surface(NULL, good, 3, outside, 1, TACT_OBB_ALL_AXES, &box),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_obb_fit_surface(NULL, good, 3, triangle, 1, (tact_obb_axes)3, &box),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_obb_fit_principal(NULL, good, 3, (tact_obb_axes)3, &box), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_obb_fit_dito(good, 3, (tact_obb_measure)2, &box), TACT_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 4; ++i) {
        tact_obb_search search = {TACT_OBB_VOLUME, 5, 5, 0, 0};
        if (i == 0) search.steps = 3;
        if (i == 1) search.steps = 101;
        if (i == 2) search.levels = 31;
        if (i == 3) search.measure = (tact_obb_measure)2;
        assert_int_equal(tact_obb_fit_search(good, 3, &search, &box), TACT_ERROR_INVALID_ARGUMENT);
    }
    const tact_vec3 huge[2] = {{-3.4e38f, -3.4e38f, -3.4e38f}, {3.4e38f, 3.4e38f, 3.4e38f}};
    assert_int_equal(fit(ALL, huge, 2, &box), TACT_ERROR_INVALID_ARGUMENT);  // a half length does not fit
    assert_true(box.center.x == 7.0f && box.half.z == 7.0f);
    tact_obb broken = mark;
    broken.axis[1].y = NAN;
    assert_int_equal(tact_obb_improve(NULL, good, 3, &broken), TACT_ERROR_INVALID_ARGUMENT);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
