// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Spheres: containment against 113-bit arithmetic, the smallest sphere against all circumspheres, the other fits
// against the smallest one.

#include <float.h>

#include "tests/support/run.h"

#include "cpu_ref/geometry/fit_internal.h"
#include "tact/geometry/batch.h"
#include "tact/geometry/bounding_sphere.h"
#include "tests/geometry/points.h"
#include "tests/geometry/wide.h"

static const float bad[] = {NAN, INFINITY, -INFINITY};

static tact_sphere sphere(float x, float y, float z, float r)
{
    return (tact_sphere){{x, y, z}, r};
}

static void same_sphere(tact_sphere a, tact_sphere b)
{
    if (a.center.x != b.center.x || a.center.y != b.center.y || a.center.z != b.center.z || a.radius != b.radius) {
        fail_msg("(%g %g %g) %.9g for (%g %g %g) %.9g", (double)a.center.x, (double)a.center.y, (double)a.center.z,
                 (double)a.radius, (double)b.center.x, (double)b.center.y, (double)b.center.z, (double)b.radius);
    }
}

/// A direction of length about 1.
static tact_vec3 direction(test_random* r)
{
    for (;;) {
        const tact_vec3 v = {test_random_signed(r), test_random_signed(r), test_random_signed(r)};
        const float d2 = v.x * v.x + v.y * v.y + v.z * v.z;
        if (d2 > 1 || d2 < 0.01f) continue;
        const float s = 1 / sqrtf(d2);
        return (tact_vec3){s * v.x, s * v.y, s * v.z};
    }
}

enum { FITS = 8 };

/// Fit 7 is the smallest.
static tact_sphere fit(int which, const tact_vec3* p, size_t n, size_t stride)
{
    switch (which) {
        case 0:
            return tact_sphere_fit_midpoint(p, n, stride);
        case 1:
            return tact_sphere_fit_distant(p, n, stride);
        case 2:
            return tact_sphere_fit_ritter(p, n, stride);
        case 3:
            return tact_sphere_fit_eigen(p, n, stride);
        case 4:
            return tact_sphere_fit_ritter_eigen(p, n, stride);
        case 5:
            return tact_sphere_fit_iterative(p, n, stride, 8, 1);
        case 6: {
            static tact_sphere s[64];
            for (size_t i = 0; i < n && i < 64; ++i) {
                memcpy(&s[i].center, (const char*)p + i * (stride ? stride : sizeof *p), sizeof *p);
                s[i].radius = 0;
            }
            return n <= 64 ? tact_sphere_around_spheres(s, n, 0) : tact_sphere_fit_smallest(p, n, stride);
        }
        default:
            return tact_sphere_fit_smallest(p, n, stride);
    }
}

TEST(known_spheres)
{
    const tact_sphere unit = sphere(0, 0, 0, 1);
    assert_true(tact_sphere_overlaps_sphere(unit, sphere(3, 0, 0, 2)));
    assert_false(tact_sphere_overlaps_sphere(unit, sphere(3.001f, 0, 0, 2)));
    assert_true(tact_sphere_overlaps_sphere(unit, unit));
    assert_true(tact_sphere_overlaps_sphere(sphere(1, 2, 3, 0), sphere(1, 2, 3, 0)));
    assert_false(tact_sphere_overlaps_sphere(unit, tact_sphere_empty()));
    assert_false(tact_sphere_overlaps_sphere(sphere(0, 0, 0, 5), sphere(0, 0, 0, -1)));
    assert_true(tact_sphere_contains_point(sphere(0, 0, 0, 3), (tact_vec3){2, -2, 1}));
    assert_false(tact_sphere_contains_point(sphere(0, 0, 0, 3), (tact_vec3){2, -2, nextafterf(1, 2)}));
    assert_false(tact_sphere_contains_point(sphere(0, 0, 0, 1), (tact_vec3){1, 0x1p-70f, 0}));
    assert_true(tact_sphere_contains_sphere(sphere(0, 0, 0, 5), sphere(2, 2, -1, 2)));
    assert_false(tact_sphere_contains_sphere(sphere(0, 0, 0, 5), sphere(2, 2, -1, nextafterf(2, 3))));
    assert_false(tact_sphere_contains_sphere(unit, tact_sphere_empty()));
    same_sphere(tact_sphere_union(unit, sphere(4, 0, 0, 1)), sphere(2, 0, 0, 3));
    same_sphere(tact_sphere_union(unit, sphere(0, 0, 4, 2)), sphere(0, 0, 2.5f, 3.5f));
    same_sphere(tact_sphere_union(unit, sphere(0.5f, 0, 0, 0.5f)), unit);
    same_sphere(tact_sphere_union(sphere(0.5f, 0, 0, 0.5f), unit), unit);
    same_sphere(tact_sphere_union(unit, unit), unit);
    same_sphere(tact_sphere_union(tact_sphere_empty(), unit), unit);
    same_sphere(tact_sphere_union(unit, tact_sphere_empty()), unit);
    same_sphere(tact_sphere_include_point(unit, (tact_vec3){0, 5, 0}), sphere(0, 2, 0, 3));
    same_sphere(tact_sphere_include_point(tact_sphere_empty(), (tact_vec3){1, 2, 3}), sphere(1, 2, 3, 0));
    same_sphere(tact_sphere_from_aabb((tact_aabb){{1, 1, 1}, {3, 5, 5}}), sphere(2, 3, 3, 3));
    same_sphere(tact_sphere_from_aabb((tact_aabb){{1, 1, 2}, {3, 5, 1}}), tact_sphere_empty());
    const tact_vec3 octahedron[] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, 0, 1}, {0, -1, 0}, {0, 0, -1}};
    same_sphere(tact_sphere_around((tact_vec3){0, 0, 0}, octahedron, 6, 0), unit);
    same_sphere(tact_sphere_around((tact_vec3){3, 0, 0}, octahedron, 1, 0), sphere(3, 0, 0, 2));
    for (int which = 0; which < FITS; ++which) {
        same_sphere(fit(which, octahedron, 6, 0), unit);
        same_sphere(fit(which, octahedron, 1, 0), sphere(1, 0, 0, 0));
        same_sphere(fit(which, octahedron, 0, 0), tact_sphere_empty());
        const tact_vec3 alike[] = {{7, 8, 9}, {7, 8, 9}, {7, 8, 9}};
        same_sphere(fit(which, alike, 3, 0), sphere(7, 8, 9, 0));
        const tact_vec3 line[] = {{0, 0, 0}, {1, 2, 2}, {2, 4, 4}, {-2, -4, -4}};
        same_sphere(fit(which, line, 4, 0), sphere(0, 0, 0, 6));
    }
    // The box's midpoint is not the best centre: (0, 0, 0) for the regular tetrahedron and (1, 1, 0) for a right angle.
    const tact_vec3 corner[] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0.5f, 0.5f, 0.5f}};
    same_sphere(tact_sphere_fit_smallest(corner, 4, 0), sphere(1, 1, 0, 1.41421366f));
    // Larger than floats can say.
    const tact_vec3 ends[] = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};
    same_sphere(tact_sphere_fit_smallest(ends, 2, 0), tact_sphere_empty());
    same_sphere(tact_sphere_fit_smallest(ends, 1, 0), (tact_sphere){ends[0], 0});
    same_sphere(tact_sphere_around((tact_vec3){0, 0, 0}, ends, 2, 0), tact_sphere_empty());
    const tact_vec3 wide_ends[] = {{-FLT_MAX, 0, 0}, {FLT_MAX, 0, 0}, {0, 0x1p-149f, 0}};
    for (int which = 0; which < FITS; ++which)
        same_sphere(fit(which, wide_ends, 3, 0), sphere(0, 0, 0, FLT_MAX));
    same_sphere(tact_sphere_union(sphere(-FLT_MAX, 0, 0, FLT_MAX), sphere(FLT_MAX, 0, 0, FLT_MAX)),
                tact_sphere_empty());
}

TEST(a_bad_number_anywhere_means_no)
{
    for (int which = 0; which < 3; ++which) {
        for (int k = 0; k < 4; ++k) {
            float f[4] = {0, 0, 0, 1};
            f[k] = bad[which];
            const tact_sphere s = sphere(f[0], f[1], f[2], f[3]), unit = sphere(0, 0, 0, 1);
            assert_false(tact_sphere_overlaps_sphere(s, unit) || tact_sphere_overlaps_sphere(unit, s));
            assert_false(tact_sphere_contains_sphere(s, unit) || tact_sphere_contains_sphere(unit, s));
            assert_false(tact_sphere_contains_point(s, unit.center));
            same_sphere(tact_sphere_union(s, unit), unit);
            same_sphere(tact_sphere_union(unit, s), unit);
            same_sphere(tact_sphere_union(s, s), tact_sphere_empty());
            const tact_sphere three[] = {unit, s, unit};
            same_sphere(tact_sphere_around_spheres(three, 3, 0), tact_sphere_empty());
            same_sphere(tact_sphere_around_spheres(three, 2, 0), tact_sphere_empty());
            if (k == 3) continue;
            const tact_vec3 points[] = {{1, 1, 1}, s.center, {2, 2, 2}};
            for (int how = 0; how < FITS; ++how)
                same_sphere(fit(how, points, 3, 0), tact_sphere_empty());
            same_sphere(tact_sphere_around(unit.center, points, 3, 0), tact_sphere_empty());
            same_sphere(tact_sphere_around(s.center, points, 1, 0), tact_sphere_empty());
            same_sphere(tact_sphere_include_point(unit, s.center), unit);
            assert_false(tact_sphere_contains_point(unit, s.center));
            size_t i = 5, j = 5;
            assert_false(tact_most_separated_points(points, 3, 0, &i, &j) || i != 5 || j != 5);
            const tact_aabb box[2] = {{s.center, {1, 1, 1}}, {{0, 0, 0}, s.center}};
            same_sphere(tact_sphere_from_aabb(box[0]), tact_sphere_empty());
            same_sphere(tact_sphere_from_aabb(box[1]), tact_sphere_empty());
        }
    }
    same_sphere(tact_sphere_around_spheres(NULL, 0, 0), tact_sphere_empty());
    const tact_sphere one[] = {{{0, 0, 0}, 1}, {{0, 0, 0}, -1}};
    same_sphere(tact_sphere_around_spheres(one, 2, 0), tact_sphere_empty());
    same_sphere(tact_sphere_around_spheres(one, 1, 0), one[0]);
}

/// The printed selection takes x, the shortest pair, when y and z tie.
TEST(a_tie_does_not_choose_the_shortest_pair)
{
    const tact_vec3 p[] = {{-1, 0, 0}, {1, 0, 0}, {0, -5, 0}, {0, 5, 0}, {0, 0, -5}, {0, 0, 5}};
    size_t i, j;
    assert_true(tact_most_separated_points(p, 6, 0, &i, &j));
    assert_true(i == 2 && j == 3);
    same_sphere(tact_sphere_fit_distant(p, 6, 0), sphere(0, 0, 0, 5));
    assert_true(tact_most_separated_points(p, 1, 0, &i, &j) && i == 0 && j == 0);
    assert_false(tact_most_separated_points(p, 0, 0, &i, &j));
}

/// Points along a diagonal and one to the side that is the extreme one along x. An absolute threshold for the
/// covariance takes the x axis for the principal one when the points are close together.
TEST(the_principal_axis_is_found_at_any_scale)
{
    const float scales[] = {1e-30f, 1e-6f, 0.01f, 0.1f, 1, 1e6f, 1e30f};
    for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
        const float l = scales[k];
        tact_vec3 p[22];
        for (int i = 0; i <= 20; ++i)
            p[i] = (tact_vec3){l * (float)(i - 10) * 0.1f, l * (float)(i - 10) * 0.1f, 0};
        p[21] = (tact_vec3){1.2f * l, 0.2f * l, 0};
        const tact_sphere s = tact_sphere_fit_eigen(p, 22, 0), t = tact_sphere_fit_ritter_eigen(p, 22, 0);
        assert_true(fabsf(s.center.x) < 1e-6f * l && fabsf(s.center.y) < 1e-6f * l);
        assert_true(s.radius < 1.4143f * l && t.radius < 1.4143f * l);
    }
}

TEST(overlap_has_the_bits_of_the_batch)
{
    test_random r = test_random_seeded(2);
    for (uint32_t i = 0; i < 1000000; ++i) {
        float f[8];
        for (int k = 0; k < 8; ++k)
            f[k] = i % 4 == 0 ? test_random_any(&r) : number(&r, i % 5);
        if (i % 4) f[3] = fabsf(f[3]), f[7] = fabsf(f[7]);
        const tact_sphere a = sphere(f[0], f[1], f[2], f[3]), b = sphere(f[4], f[5], f[6], f[7]);
        const tact_batch_spheres many = {&b.center.x, &b.center.y, &b.center.z, &b.radius};
        uint32_t bits;
        const bool got = tact_sphere_overlaps_sphere(a, b);
        assert_true(got == (tact_batch_sphere_spheres(a, &many, 1, &bits) == 1));
        assert_true(got == tact_sphere_overlaps_sphere(b, a));
    }
}

/// Sets of all kinds: 1 to 9 points, or `n` if that is not 0.
static size_t random_points(test_random* r, uint32_t kind, tact_vec3* p, size_t n)
{
    if (n == 0) n = 1 + test_random_below(r, 9);
    const uint32_t shape = test_random_below(r, 6), scale = kind % 5;
    const tact_vec3 d = direction(r), e = direction(r);
    for (size_t i = 0; i < n; ++i) {
        p[i] = point(r, scale);
        if (shape == 1) p[i] = direction(r);  // cospherical
        if (shape == 2) p[i].z = p[0].z;      // coplanar
        if (shape == 3) {                     // a needle
            const float t = number(r, scale), s = 1e-5f * number(r, scale);
            p[i] = (tact_vec3){t * d.x + s * e.x, t * d.y + s * e.y, t * d.z + s * e.z};
        }
        if (shape == 4) {  // cocircular
            const float a = 6.28f * test_random_unit(r);
            p[i] = (tact_vec3){cosf(a), sinf(a), 0.5f};
        }
        if (i > 0 && test_random_below(r, 10) == 0) p[i] = p[test_random_below(r, (uint32_t)i)];
    }
    return n;
}

TEST(points_may_lie_apart)
{
    test_random r = test_random_seeded(4);
    for (int i = 0; i < 2000; ++i) {
        tact_vec3 p[16];
        float spread[16 * 5];
        const size_t n = random_points(&r, (uint32_t)i, p, 0);
        for (size_t k = 0; k < n; ++k) {
            memcpy(spread + 5 * k, &p[k], sizeof *p);
            spread[5 * k + 3] = spread[5 * k + 4] = NAN;
        }
        for (int which = 0; which < FITS; ++which)
            same_sphere(fit(which, (const tact_vec3*)(const void*)spread, n, 20), fit(which, p, n, 0));
    }
    const float spheres[] = {0, 0, 0, 1, NAN, 4, 0, 0, 1, NAN, 2, 0, 0, 1, NAN};
    same_sphere(tact_sphere_around_spheres((const tact_sphere*)(const void*)spheres, 3, 20), sphere(2, 0, 0, 3));
}

/// A power of two changes no bit of a mantissa.
TEST(scaling_scales)
{
    test_random r = test_random_seeded(5);
    for (int i = 0; i < 4000; ++i) {
        tact_vec3 p[16], q[16];
        const size_t n = random_points(&r, (uint32_t)i, p, 0);
        const int by = i % 2 ? 20 : -20;
        for (size_t k = 0; k < n; ++k)
            q[k] = (tact_vec3){ldexpf(p[k].x, by), ldexpf(p[k].y, by), ldexpf(p[k].z, by)};
        for (int which = 0; which < FITS; ++which) {
            const tact_sphere s = fit(which, p, n, 0);
            same_sphere(fit(which, q, n, 0), sphere(ldexpf(s.center.x, by), ldexpf(s.center.y, by),
                                                    ldexpf(s.center.z, by), ldexpf(s.radius, by)));
        }
    }
}

/// Turned about the origin and moved, the smallest sphere has the same radius up to the rounding of the points.
TEST(motions_keep_the_radius)
{
    test_random r = test_random_seeded(6);
    for (int i = 0; i < 4000; ++i) {
        tact_vec3 p[16], q[16];
        const size_t n = random_points(&r, (uint32_t)i, p, 0);
        const float a = 3 * test_random_unit(&r), c = cosf(a), s = sinf(a);
        float size = 0;
        for (size_t k = 0; k < n; ++k) {
            q[n - 1 - k] = (tact_vec3){p[k].y, c * p[k].x - s * p[k].z, s * p[k].x + c * p[k].z};
            size = fmaxf(size, fmaxf(fabsf(p[k].x), fmaxf(fabsf(p[k].y), fabsf(p[k].z))));
        }
        const float before = tact_sphere_fit_smallest(p, n, 0).radius, after = tact_sphere_fit_smallest(q, n, 0).radius;
        assert_true(fabsf(before - after) <= 2e-6f * size);
    }
}

enum { MANY = 1000000 };

TEST(millions_of_points)
{
    tact_vec3* p = scratch(MANY * sizeof *p);
    test_random r = test_random_seeded(8);
    for (int shape = 0; shape < 6; ++shape) {
        for (size_t i = 0; i < MANY; ++i) {
            const tact_vec3 d = direction(&r);
            const float s = shape == 0 ? 0.999f * test_random_unit(&r) : 1;
            p[i] = (tact_vec3){s * d.x, s * d.y, s * d.z};
            if (shape == 2) {  // in order around a circle
                const float a = 6.2831853f * (float)i / MANY;
                p[i] = (tact_vec3){cosf(a), 0, sinf(a)};
            }
            if (shape == 3) p[i] = (tact_vec3){(float)i / (MANY - 1) * 2 - 1, 0, 0};
            if (shape == 4)  // a grid, whose corners are 8 of 1000000
                p[i] =
                    (tact_vec3){(float)(i % 100) - 49.5f, (float)(i / 100 % 100) - 49.5f, (float)(i / 10000) - 49.5f};
            if (shape == 5) p[i].z = 0.01f * p[i].z;
        }
        if (shape == 0) {  // four points decide, the last of all
            const float t = 1 / sqrtf(3);
            const tact_vec3 four[4] = {{t, t, t}, {t, -t, -t}, {-t, t, -t}, {-t, -t, t}};
            memcpy(p + MANY - 4, four, sizeof four);
        }
        const double exact = shape == 4 ? 49.5 * sqrt(3.0) : 1;
        for (int which = 0; which < FITS; ++which) {
            if (which != 7 && shape != 0 && shape != 5) continue;
            const tact_sphere s = fit(which, p, MANY, 0);
            assert_true((double)s.radius > exact * 0.9998);
            assert_true((double)s.radius < exact * (which == 7 ? 1.000001 : 1.3));
            if (shape != 5) assert_true((double)s.radius >= exact * 0.999999);
            for (size_t i = 0; i < MANY; i += which == 7 ? 1 : 7)
                if (!tact_sphere_contains_point(s, p[i])) fail_msg("point %u", (unsigned)i);
        }
    }
}

/// What the documentation says of the fits' sizes, on clouds of a few hundred points.
TEST(fits_keep_their_promises)
{
    test_random r = test_random_seeded(10);
    double mean[FITS] = {0}, worst[FITS] = {0};
    enum { ROUNDS = 600 };
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        tact_vec3 p[60];
        for (int k = 0; k < 60; ++k) {
            const tact_vec3 d = direction(&r);
            const float s = i % 3 ? test_random_unit(&r) : 1, flat = i % 2 ? 0.3f : 1;
            p[k] = (tact_vec3){s * d.x, s * d.y, flat * s * d.z};
        }
        const double least = (double)fit(7, p, 60, 0).radius;
        const double single = (double)tact_sphere_fit_iterative(p, 60, 0, 0, 1).radius;
        assert_true((double)fit(5, p, 60, 0).radius <= single * 1.0000001);
        for (int which = 0; which < FITS; ++which) {
            const double ratio = (double)fit(which, p, 60, 0).radius / least;
            assert_true(ratio >= 1);
            mean[which] += ratio / ROUNDS;
            worst[which] = fmax(worst[which], ratio);
        }
    }
    if (getenv("TACT_TEST_VERBOSE")) {
        for (int which = 0; which < FITS; ++which)
            printf("fit %d: mean %.4f, worst %.4f\n", which, mean[which], worst[which]);
    }
    for (int which = 0; which < FITS; ++which)
        assert_true(worst[which] < (which == 1 || which == 3 ? 1.8 : 1.3) && mean[which] < 1.2);
    assert_true(mean[5] < 1.02 && mean[6] < 1.02);
    const tact_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    same_sphere(tact_sphere_fit_iterative(p, 4, 0, 20, 7), tact_sphere_fit_iterative(p, 4, 0, 20, 7));
}

#ifdef __SIZEOF_FLOAT128__

static wide wide_square_distance(tact_vec3 a, tact_vec3 b)
{
    const wide3 d = w_sub(w_of(a), w_of(b));
    return w_dot(d, d);
}

static bool wide_holds(tact_sphere s, tact_sphere t)
{
    const wide slack = (wide)s.radius - (wide)t.radius;
    return slack >= 0 && wide_square_distance(s.center, t.center) <= slack * slack;
}

/// No case outside of a band of 2^-20 of the squared reach may differ; the test computes in single precision.
TEST(overlap_is_right)
{
    test_random r = test_random_seeded(11);
    size_t yes = 0, near = 0;
    for (uint32_t i = 0; i < 1200000; ++i) {
        const tact_vec3 p = point(&r, i % 5), q = point(&r, i % 5);
        const double d = sqrt((double)wide_square_distance(p, q));
        float ra = fabsf(number(&r, i % 5)), rb = fabsf(number(&r, i % 5));
        if (i % 2) {  // touching, or nearly
            ra = (float)((double)test_random_unit(&r) * d);
            rb = (float)(d * (1 + ((int)test_random_below(&r, 3) - 1) * 1e-6)) - ra;
        }
        const wide reach = (wide)ra + (wide)rb, d2 = wide_square_distance(p, q), r2 = reach * reach;
        const bool got = tact_sphere_overlaps_sphere((tact_sphere){p, ra}, (tact_sphere){q, rb});
        const wide off = d2 > r2 ? d2 - r2 : r2 - d2;
        if (rb < 0 || ra < 0) {
            assert_false(got);
        } else if (off > (wide)0x1p-20 * r2) {
            if (got != (d2 <= r2)) fail_msg("case %u", (unsigned)i);
        } else {
            ++near;
        }
        yes += got;
    }
    assert_in_range(yes, 200000, 1000000);
    assert_in_range(near, 1000, 600000);
}

TEST(containment_is_exact)
{
    test_random r = test_random_seeded(12);
    size_t yes[2] = {0};
    for (uint32_t i = 0; i < 1200000; ++i) {
        const tact_vec3 p = point(&r, i % 5), q = point(&r, i % 5);
        float ra = 2 * fabsf(number(&r, i % 5)), rb = fabsf(number(&r, i % 5));
        const double d = sqrt((double)wide_square_distance(p, q));
        if (i % 2) ra = (float)(d + (i % 4 == 1 ? (double)rb : 0));  // touches from inside up to the last bit
        if (i % 16 < 2) ra = nextafterf(ra, i % 32 < 16 ? 0 : INFINITY);
        const tact_sphere a = {p, ra}, b = {q, rb}, at = {q, 0};
        const bool got = tact_sphere_contains_sphere(a, b), point_got = tact_sphere_contains_point(a, q);
        if (got != wide_holds(a, b) || point_got != wide_holds(a, at)) fail_msg("case %u", (unsigned)i);
        yes[0] += got;
        yes[1] += point_got;
    }
    assert_in_range(yes[0], 100000, 1000000);
    assert_in_range(yes[1], 100000, 1000000);
}

static void is_least_about_its_center(tact_sphere s, const tact_vec3* p, size_t n)
{
    tact_sphere less = s;
    less.radius = nextafterf(s.radius, -1);
    bool smaller_too = true;
    for (size_t i = 0; i < n; ++i) {
        const tact_sphere at = {p[i], 0};
        if (!wide_holds(s, at)) fail_msg("a point is outside");
        smaller_too = smaller_too && wide_holds(less, at);
    }
    assert_false(smaller_too);
}

TEST(every_fit_holds_its_points)
{
    test_random r = test_random_seeded(13);
    for (uint32_t i = 0; i < 20000; ++i) {
        tact_vec3 p[16];
        const size_t n = random_points(&r, i, p, 0);
        for (int which = 0; which < FITS; ++which)
            is_least_about_its_center(fit(which, p, n, 0), p, n);
        is_least_about_its_center(tact_sphere_around(point(&r, i % 5), p, n, 0), p, n);
        const tact_aabb box = {{fminf(p[0].x, p[n - 1].x), fminf(p[0].y, p[n - 1].y), fminf(p[0].z, p[n - 1].z)},
                               {fmaxf(p[0].x, p[n - 1].x), fmaxf(p[0].y, p[n - 1].y), fmaxf(p[0].z, p[n - 1].z)}};
        const tact_vec3 corner[8] = {
            box.lower,
            {box.upper.x, box.lower.y, box.lower.z},
            {box.lower.x, box.upper.y, box.lower.z},
            {box.upper.x, box.upper.y, box.lower.z},
            {box.lower.x, box.lower.y, box.upper.z},
            {box.upper.x, box.lower.y, box.upper.z},
            {box.lower.x, box.upper.y, box.upper.z},
            box.upper,
        };
        is_least_about_its_center(tact_sphere_from_aabb(box), corner, 8);
    }
}

/// Solves a.row[i] . x = right[i] of size n by elimination with pivots; false when a pivot is 0.
static bool wide_solve(wide a[3][4], int n, wide* x)
{
    for (int k = 0; k < n; ++k) {
        int top = k;
        for (int i = k + 1; i < n; ++i) {
            const wide u = a[i][k] < 0 ? -a[i][k] : a[i][k], v = a[top][k] < 0 ? -a[top][k] : a[top][k];
            if (u > v) top = i;
        }
        if (a[top][k] == 0) return false;
        for (int j = 0; j < 4; ++j) {
            const wide swap = a[k][j];
            a[k][j] = a[top][j];
            a[top][j] = swap;
        }
        for (int i = k + 1; i < n; ++i) {
            const wide f = a[i][k] / a[k][k];
            for (int j = k; j < 4; ++j)
                a[i][j] -= f * a[k][j];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        x[k] = a[k][3];
        for (int j = k + 1; j < n; ++j)
            x[k] -= a[k][j] * x[j];
        x[k] /= a[k][k];
    }
    return true;
}

/// The least squared radius among the circumspheres of up to four points that hold all (RTCD 4.3.5, brute force).
static wide least_square_radius(const tact_vec3* p, size_t n)
{
    wide best = -1;
    for (unsigned mask = 1; mask < 1u << n; ++mask) {
        wide3 at[4] = {{0, 0, 0}};
        int count = 0;
        for (size_t i = 0; i < n && count <= 4; ++i) {
            if (!(mask >> i & 1u)) continue;
            if (count < 4) at[count] = w_of(p[i]);
            ++count;
        }
        if (count > 4) continue;
        wide a[3][4] = {{0}}, x[3] = {0};
        wide3 c = at[0];
        for (int i = 1; i < count; ++i) {
            const wide3 u = w_sub(at[i], at[0]);
            for (int j = 1; j < count; ++j)
                a[i - 1][j - 1] = 2 * w_dot(u, w_sub(at[j], at[0]));
            a[i - 1][3] = w_dot(u, u);
        }
        if (!wide_solve(a, count - 1, x)) continue;
        for (int i = 1; i < count; ++i) {
            const wide3 u = w_sub(at[i], at[0]);
            c = (wide3){c.x + x[i - 1] * u.x, c.y + x[i - 1] * u.y, c.z + x[i - 1] * u.z};
        }
        wide r2 = 0;
        for (size_t i = 0; i < n; ++i) {
            const wide3 d = w_sub(w_of(p[i]), c);
            if (w_dot(d, d) > r2) r2 = w_dot(d, d);
        }
        // Any centre's farthest point bounds the least radius from above, and the best centre is among these.
        if (best < 0 || r2 < best) best = r2;
    }
    return best;
}

TEST(the_smallest_is_the_smallest)
{
    test_random r = test_random_seeded(14);
    for (uint32_t i = 0; i < 8000; ++i) {
        tact_vec3 p[16];
        const size_t n = random_points(&r, i, p, i % 20 ? 2 + i % 4 : 7);
        const tact_sphere s = tact_sphere_fit_smallest(p, n, 0);
        const double least = sqrt((double)least_square_radius(p, n));
        const double away = fmax(fabs((double)s.center.x), fmax(fabs((double)s.center.y), fabs((double)s.center.z)));
        if ((double)s.radius < least * (1 - 1e-15) || (double)s.radius > least * (1 + 0x1p-22) + away * 0x1p-23) {
            fail_msg("case %u, %u points: %.9g for %.12g", (unsigned)i, (unsigned)n, (double)s.radius, least);
        }
    }
}

/// Any two points may begin. The ties are those of whole numbers: centres that are points, more than four points at the
/// radius, three of them together on one side.
TEST(the_smallest_from_any_start)
{
    const tact_vec3 tie[4] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 1.25f, 0}};
    const size_t first_two[2] = {0, 1};
    const double least = sqrt((double)least_square_radius(tie, 4));
    const dvec c = tact_smallest_ball_center(tie, 4, sizeof *tie, first_two);
    assert_true(fabs(c.x) < 1e-12 && fabs(1.25 - c.y - least) < 1e-12 && c.z == 0);

    test_random r = test_random_seeded(17);
    for (int i = 0; i < 10000; ++i) {
        tact_vec3 p[7];
        const size_t n = 3 + (size_t)i % 5;
        for (size_t k = 0; k < n; ++k) {
            do {
                p[k] = (tact_vec3){(float)test_random_below(&r, 7) - 3, (float)test_random_below(&r, 7) - 3,
                                   i % 2 ? (float)test_random_below(&r, 7) - 3 : 0};
            } while ((i % 3 == 0 || k % 4 != 3) &&
                     p[k].x * p[k].x + p[k].y * p[k].y + p[k].z * p[k].z != (i % 2 ? 9.0f : 5.0f));
        }
        const size_t pair[2] = {test_random_below(&r, (uint32_t)n), test_random_below(&r, (uint32_t)n)};
        const dvec at = tact_smallest_ball_center(p, n, sizeof *p, pair);
        double far = 0;
        for (size_t k = 0; k < n; ++k)
            far = fmax(far, d_length(d_sub(d_from(p[k]), at)));
        assert_true(far <= sqrt((double)least_square_radius(p, n)) * (1 + 1e-11));
    }
}

/// Points of the circle x x + y y = n (243061325 has many), and points outside of it by so little that the radius of
/// the next support set is the same number: then many sets of points look alike, and the wrong ones, whose points lie
/// together on one side, must not be taken.
TEST(the_smallest_among_near_ties)
{
    enum { N = 243061325, MOST = 2000 };
    static tact_vec3 on[MOST], near[MOST];
    uint32_t on_count = 0, near_count = 0;
    for (int x = -15590; x <= 15590; ++x) {
        const int y = (int)ceil(sqrt((double)(N - x * x)));
        const int over = x * x + y * y - N;
        const float sign = x % 2 ? 1.0f : -1.0f;
        const tact_vec3 p = {(float)x, sign * (float)y, 0}, q = {(float)x, -sign * (float)y, 0};
        if (over == 0 && on_count + 2 < MOST) {
            on[on_count++] = p;
            on[on_count++] = q;
        } else if (over < 100 && near_count < MOST) {
            near[near_count++] = p;
        }
    }
    assert_true(on_count > 100 && near_count > 50);
    test_random r = test_random_seeded(18);
    for (uint32_t i = 0; i < 6000; ++i) {
        tact_vec3 p[7];
        const size_t n = 4 + i % 4;
        for (size_t k = 0; k < n; ++k) {
            p[k] = on[test_random_below(&r, on_count)];
            if (k == 1 || k == 2) p[k] = near[test_random_below(&r, near_count)];
            if (k == 5) p[k].z = 0.5f * (float)test_random_below(&r, 100);
        }
        const size_t pair[2] = {test_random_below(&r, (uint32_t)n), test_random_below(&r, (uint32_t)n)};
        const dvec at = tact_smallest_ball_center(p, n, sizeof *p, pair);
        double far = 0;
        for (size_t k = 0; k < n; ++k)
            far = fmax(far, d_length(d_sub(d_from(p[k]), at)));
        if (!(far <= sqrt((double)least_square_radius(p, n)) * (1 + 1e-8))) fail_msg("case %u", (unsigned)i);
    }
}

/// Unions hold both; a step smaller does not; the union of two is the least.
TEST(unions_of_spheres)
{
    test_random r = test_random_seeded(15);
    for (uint32_t i = 0; i < 300000; ++i) {
        const tact_sphere a = {point(&r, i % 5), fabsf(number(&r, i % 5))},
                          b = {point(&r, i % 5), i % 3 ? fabsf(number(&r, i % 5)) : 0};
        const tact_sphere u = i % 3 ? tact_sphere_union(a, b) : tact_sphere_include_point(a, b.center);
        assert_true(wide_holds(u, a) && wide_holds(u, b));
        same_sphere(tact_sphere_union(a, tact_sphere_union(a, a)), a);
        const tact_sphere two[2] = {a, b};
        same_sphere(tact_sphere_around_spheres(two, 2, 0), tact_sphere_union(a, b));
        const double d = sqrt((double)wide_square_distance(a.center, b.center)), ra = (double)a.radius,
                     rb = (double)b.radius;
        const double least = fmax(fmax(ra, rb), 0.5 * (d + ra + rb));
        const double away = fmax(fabs((double)u.center.x), fmax(fabs((double)u.center.y), fabs((double)u.center.z)));
        assert_true((double)u.radius >= least * (1 - 1e-15));
        assert_true((double)u.radius <= least * (1 + 0x1p-22) + away * 0x1p-23);
    }
}

/// Against walking toward the farthest sphere by ever smaller steps.
TEST(spheres_of_many_spheres)
{
    test_random r = test_random_seeded(16);
    double worst = 0;
    for (uint32_t i = 0; i < 4000; ++i) {
        tact_sphere s[12];
        const size_t n = 1 + i % 12;
        for (size_t k = 0; k < n; ++k) {
            s[k] = (tact_sphere){point(&r, i % 5), fabsf(number(&r, i % 5))};
            if (i % 5 == 4) s[k].radius -= 999999;
            if (s[k].radius < 0) s[k].radius = 0;
        }
        const tact_sphere u = tact_sphere_around_spheres(s, n, 0);
        for (size_t k = 0; k < n; ++k)
            assert_true(wide_holds(u, s[k]));
        double c[3] = {(double)u.center.x, (double)u.center.y, (double)u.center.z}, best = (double)u.radius;
        for (int step = 1; step < 2000; ++step) {
            double far = -1, to[3] = {0};
            for (size_t k = 0; k < n; ++k) {
                const double x = (double)s[k].center.x - c[0], y = (double)s[k].center.y - c[1],
                             z = (double)s[k].center.z - c[2], d = sqrt(x * x + y * y + z * z);
                if (d + (double)s[k].radius <= far) continue;
                far = d + (double)s[k].radius;
                to[0] = d > 0 ? x / d : 0;
                to[1] = d > 0 ? y / d : 0;
                to[2] = d > 0 ? z / d : 0;
            }
            best = fmin(best, far);
            for (int k = 0; k < 3; ++k)
                c[k] += to[k] * (double)u.radius * 0.3 / step;
        }
        worst = fmax(worst, (double)u.radius / best);
    }
    if (getenv("TACT_TEST_VERBOSE")) printf("spheres: worst %.4f\n", worst);
    assert_true(worst < 1.1);
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
