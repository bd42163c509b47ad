// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The signs of the four determinants against 113-bit arithmetic where that is exact (coordinates on lattices) or sure
// (coordinates of any exponent), and against reasoning where it is neither.

#include <float.h>

#include "tests/support/run.h"

#include "cpu_ref/geometry/predicates_internal.h"
#include "tact/geometry/predicates.h"
#include "tests/geometry/vectors.h"
#include "tests/geometry/wide.h"
#include "tests/support/random.h"

static const float tiny = 0x1p-149f;

/// The four predicates on one array of numbers, so that tests can go through them.
typedef struct predicate {
    int points, dimension;
    int (*sign)(const float* x);
    double (*value)(const float* x);
} predicate;

#define P2(i) v2(x[2 * (i)], x[2 * (i) + 1])
#define P3(i) v3(x[3 * (i)], x[3 * (i) + 1], x[3 * (i) + 2])

static int sign_orient2d(const float* x)
{
    return tact_orient2d(P2(0), P2(1), P2(2));
}

static double value_orient2d(const float* x)
{
    return tact_orient2d_value(P2(0), P2(1), P2(2));
}

static int sign_orient3d(const float* x)
{
    return tact_orient3d(P3(0), P3(1), P3(2), P3(3));
}

static double value_orient3d(const float* x)
{
    return tact_orient3d_value(P3(0), P3(1), P3(2), P3(3));
}

static int sign_incircle(const float* x)
{
    return tact_incircle(P2(0), P2(1), P2(2), P2(3));
}

static double value_incircle(const float* x)
{
    return tact_incircle_value(P2(0), P2(1), P2(2), P2(3));
}

static int sign_insphere(const float* x)
{
    return tact_insphere(P3(0), P3(1), P3(2), P3(3), P3(4));
}

static double value_insphere(const float* x)
{
    return tact_insphere_value(P3(0), P3(1), P3(2), P3(3), P3(4));
}

static const predicate predicates[] = {{3, 2, sign_orient2d, value_orient2d},
                                       {4, 3, sign_orient3d, value_orient3d},
                                       {4, 2, sign_incircle, value_incircle},
                                       {5, 3, sign_insphere, value_insphere}};

TEST(known_signs)
{
    assert_int_equal(tact_orient2d(v2(0, 0), v2(1, 0), v2(0, 1)), 1);
    assert_int_equal(tact_orient2d(v2(0, 0), v2(0, 1), v2(1, 0)), -1);
    assert_int_equal(tact_orient2d(v2(0, 0), v2(1, 1), v2(3, 3)), 0);
    assert_true(tact_signed_area(v2(0, 0), v2(4, 0), v2(0, 3)) == 6.0);
    const tact_vec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}, below = {0, 0, -1};
    assert_int_equal(tact_orient3d(o, x, y, z), -1);  // in front
    assert_int_equal(tact_orient3d(o, x, y, below), 1);
    assert_int_equal(tact_orient3d(o, x, y, v3(5, -3, 0)), 0);
    assert_true(tact_signed_volume(o, v3(6, 0, 0), y, below) == 1.0);
    assert_int_equal(tact_incircle(v2(1, 0), v2(0, 1), v2(-1, 0), v2(0, 0)), 1);
    assert_int_equal(tact_incircle(v2(1, 0), v2(0, 1), v2(-1, 0), v2(0, -1)), 0);
    assert_int_equal(tact_incircle(v2(1, 0), v2(0, 1), v2(-1, 0), v2(0, -2)), -1);
    assert_int_equal(tact_incircle(v2(-1, 0), v2(0, 1), v2(1, 0), v2(0, 0)), -1);
    const tact_vec3 w = {-1, 0, 0};
    const int side = tact_orient3d(x, y, z, w);
    assert_int_equal(tact_insphere(x, y, z, w, o), side);
    assert_int_equal(tact_insphere(x, y, z, w, below), 0);
    assert_int_equal(tact_insphere(x, y, z, w, v3(0, 0, -2)), -side);
}

TEST(points_on_a_line_have_it_for_their_circle)
{
    const tact_vec2 a = {0, 0}, b = {1, 0}, c = {3, 0};
    assert_int_equal(tact_incircle(a, b, c, v2(17, 0)), 0);
    assert_int_equal(tact_incircle(a, b, c, v2(2, 1)), -tact_incircle(a, b, c, v2(2, -1)));
    assert_int_not_equal(tact_incircle(a, b, c, v2(2, 1)), 0);
    assert_int_equal(tact_incircle(a, a, c, v2(2, 1)), 0);
    const tact_vec3 p = {0, 0, 0}, q = {1, 0, 0}, r = {0, 1, 0};
    assert_int_equal(tact_insphere(p, q, r, v3(1, 1, 0), v3(0, 0, 7)), 0);
    assert_int_not_equal(tact_insphere(p, q, r, v3(3, 1, 0), v3(0, 0, 7)), 0);
    assert_int_equal(tact_insphere(p, q, r, v3(3, 1, 0), v3(9, 5, 0)), 0);
}

/// Where double precision cannot see the answer, but a glance can.
TEST(extreme_exponents_do_not_hide_the_sign)
{
    const float big = 0x1p127f;
    for (int i = -2; i <= 2; ++i) {
        const float e = (float)i * tiny;
        const int s = (i > 0) - (i < 0);
        assert_int_equal(tact_orient2d(v2(-big, -big), v2(big, big), v2(0, e)), s);
        assert_int_equal(tact_orient2d(v2(FLT_MAX, e), v2(0, 0), v2(-FLT_MAX, 0)), -s);
        assert_int_equal(tact_orient3d(v3(big, 0, 0), v3(0, big, 0), v3(-big, -big, 0), v3(1, tiny, e)), -s);
        assert_int_equal(tact_incircle(v2(big, 0), v2(0, big), v2(-big, 0), v2(e, -big)), i == 0 ? 0 : -1);
        assert_int_equal(tact_incircle(v2(big, 0), v2(0, big), v2(-big, 0), v2(0, e - big)), 0);  // rounds to -big
        const int side = tact_orient3d(v3(big, 0, 0), v3(0, big, 0), v3(0, 0, big), v3(-big, 0, 0));
        assert_int_equal(tact_insphere(v3(big, 0, 0), v3(0, big, 0), v3(0, 0, big), v3(-big, 0, 0), v3(0, -big, e)),
                         i == 0 ? 0 : -side);
        // Next to a vertical line.
        assert_int_equal(tact_orient2d(v2(0, 0), v2(e, 1), v2(0, big)), s);
    }
    assert_true(tact_orient2d_value(v2(0, 0), v2(tiny, 0), v2(0, tiny)) == 0x1p-298);
    assert_true(tact_insphere_value(v3(tiny, 0, 0), v3(0, tiny, 0), v3(0, 0, tiny), v3(-tiny, 0, 0), v3(0, 0, 0)) != 0);
    const float m = FLT_MAX;
    assert_true(isfinite(tact_insphere_value(v3(m, m, m), v3(-m, -m, m), v3(-m, m, -m), v3(m, -m, -m), v3(0, 0, 0))));
}

TEST(points_that_are_not_finite_have_no_side)
{
    const float bad[] = {NAN, INFINITY, -INFINITY};
    test_random r = test_random_seeded(4);
    for (size_t p = 0; p < 4; ++p) {
        const int numbers = predicates[p].points * predicates[p].dimension;
        for (int k = 0; k < 3 * numbers; ++k) {
            float x[15];
            for (int j = 0; j < numbers; ++j)
                x[j] = test_random_signed(&r);
            x[k / 3] = bad[k % 3];
            assert_int_equal(predicates[p].sign(x), 0);
            assert_true(isnan(predicates[p].value(x)));
        }
    }
}

#ifdef __SIZEOF_FLOAT128__

typedef struct bounded {
    wide value, size;
} bounded;

/// The determinant of an n x n matrix by cofactors of the first column, and the sum of the magnitudes of its terms.
static bounded determinant(wide m[4][4], int n)
{
    if (n == 1) return (bounded){m[0][0], w_abs(m[0][0])};
    bounded total = {0, 0};
    for (int i = 0; i < n; ++i) {
        wide rest[4][4];
        for (int row = 0, to = 0; row < n; ++row) {
            if (row == i) continue;
            for (int k = 1; k < n; ++k)
                rest[to][k - 1] = m[row][k];
            ++to;
        }
        const bounded d = determinant(rest, n - 1);
        const wide term = m[i][0] * d.value;
        total.value += i & 1 ? -term : term;
        total.size += w_abs(m[i][0]) * d.size;
    }
    return total;
}

static bounded ask(const predicate* p, const float* x)
{
    const int d = p->dimension, last = p->points - 1;
    wide m[4][4] = {{0}};
    for (int i = 0; i < last; ++i) {
        wide lift = 0;
        for (int k = 0; k < d; ++k) {
            m[i][k] = (wide)x[d * i + k] - (wide)x[d * last + k];
            lift += m[i][k] * m[i][k];
        }
        if (last > d) m[i][d] = lift;
    }
    return determinant(m, last);
}

static int wide_sign(wide x)
{
    return (x > 0) - (x < 0);
}

/// A point moved by a step of the lattice onto or next to the line, plane, circle or sphere of the others.
static void place_last(test_random* r, const predicate* p, float* x)
{
    const int d = p->dimension, last = p->points - 1;
    float* end = x + d * last;
    const uint32_t from = test_random_below(r, (uint32_t)last), to = test_random_below(r, (uint32_t)last);
    for (int k = 0; k < d; ++k) {
        if (last == d) {  // on the line of two of the others, inside the lattice
            end[k] = floorf(0.5f * (x[d * (int)from + k] + x[d * (int)to + k]));
        } else {  // the mirror image of another in the origin, or a permutation of its coordinates
            end[k] = -x[d * (int)from + (k + (int)(to & 1)) % d];
        }
    }
    if (test_random_bits(r) & 1) end[test_random_below(r, (uint32_t)d)] += (float)test_random_below(r, 3) - 1.0f;
}

/// All points permutations of one point's coordinates with any signs: on one sphere around the origin.
static void place_on_sphere(test_random* r, const predicate* p, float* x)
{
    const int d = p->dimension;
    for (int i = 1; i < p->points; ++i) {
        const int turn = (int)test_random_below(r, (uint32_t)d);
        for (int k = 0; k < d; ++k)
            x[d * i + k] = test_random_bits(r) >> 20 & 1 ? x[(k + turn) % d] : -x[(k + turn) % d];
    }
}

static void lattice_points(test_random* r, const predicate* p, int kind, float* x)
{
    // Differences of 21 bits and 5 factors, sums of at most 48 terms: less than 113 bits.
    const int32_t range = kind == 0 ? 3 : kind == 1 ? 50 : (1 << 19);
    for (int k = 0; k < p->points * p->dimension; ++k)
        x[k] = (float)((int32_t)test_random_below(r, (uint32_t)(2 * range + 1)) - range);
    if (kind == 3) place_last(r, p, x);
    if (kind >= 4 && p->points > p->dimension + 1) {
        place_on_sphere(r, p, x);
        if (kind == 4) x[test_random_below(r, 2)] += 1.0f;
    }
}

static void check_lattice(const predicate* p, uint64_t seed, int cases)
{
    test_random r = test_random_seeded(seed);
    int zeros = 0;
    for (int i = 0; i < cases; ++i) {
        float x[15], scaled[15];
        lattice_points(&r, p, i % 6, x);
        const bounded exact = ask(p, x);
        const int sign = p->sign(x);
        zeros += sign == 0;
        if (sign != wide_sign(exact.value)) fail_msg("case %d: sign %d, not %d", i, sign, wide_sign(exact.value));
        if (i % 4 == 0 && p->value(x) != (double)exact.value) fail_msg("case %d: value %a", i, p->value(x));
        const int exponent = (i & 7) == 0 ? 107 : (i & 7) == 1 ? -149 : -20;
        for (int k = 0; k < p->points * p->dimension; ++k)
            scaled[k] = ldexpf(x[k], exponent);
        if (p->sign(scaled) != sign) fail_msg("case %d: another sign at scale 2^%d", i, exponent);
    }
    assert_true(zeros > cases / 50 && zeros < cases / 2);
}

TEST(signs_and_values_are_exact_on_lattices)
{
    for (size_t p = 0; p < 4; ++p)
        check_lattice(&predicates[p], 17 + p, p == 3 ? 150000 : 300000);
}

/// Neighbours in float of points on a line through the origin and of a unit circle's: 24-bit mantissas that are not on
/// a coarse lattice.
TEST(signs_are_exact_next_to_zero)
{
    test_random r = test_random_seeded(23);
    int blind = 0;
    for (int i = 0; i < 500000; ++i) {
        const predicate* p = &predicates[i & 1];
        const int d = p->dimension;
        float x[15];
        for (int k = 0; k < d * (p->points - 1); ++k)
            x[k] = 1.0f + test_random_unit(&r);
        float weight[3] = {test_random_unit(&r), test_random_unit(&r), 0};
        weight[d - 1] = 1.0f;
        for (int k = 0; k < d - 1; ++k)
            weight[d - 1] -= weight[k];
        for (int k = 0; k < d; ++k) {
            float* end = &x[d * (p->points - 1) + k];
            *end = 0;
            for (int j = 0; j < d; ++j)
                *end += weight[j] * x[d * j + k];
        }
        // Differences of at most 26 bits, three factors: exact in 113 bits.
        const bounded exact = ask(p, x);
        blind += (double)w_abs(exact.value) < 1e-7;
        if (p->sign(x) != wide_sign(exact.value)) fail_msg("case %d: sign %d", i, p->sign(x));
        if (i % 16 < 2 && p->value(x) != (double)exact.value) fail_msg("case %d: value %a", i, p->value(x));
    }
    assert_true(blind > 200000);
}

TEST(signs_are_exact_for_any_exponents)
{
    test_random r = test_random_seeded(29);
    int decided = 0;
    for (int i = 0; i < 1000000; ++i) {
        const predicate* p = &predicates[i & 3];
        const int numbers = p->points * p->dimension;
        float x[15];
        for (int k = 0; k < numbers; ++k) {
            do {
                x[k] = test_random_any(&r);
            } while (!isfinite(x[k]));
            if (i & 4) x[k] = ldexpf(test_random_signed(&r), (int)test_random_below(&r, 60) - 30);
        }
        const bounded answer = ask(p, x);
        // 113-bit sums of at most 96 terms, each of few roundings.
        if (w_abs(answer.value) < answer.size * (wide)0x1p-100) continue;
        ++decided;
        if (p->sign(x) != wide_sign(answer.value)) fail_msg("case %d: sign %d", i, p->sign(x));
        if (i % 32 < 4) {
            const double value = p->value(x), expected = (double)answer.value;
            const double slack = (double)(answer.size * (wide)0x1p-105);
            if (fabs(value - expected) > 1e-15 * fabs(expected) + slack) fail_msg("case %d: value %a", i, value);
        }
    }
    assert_true(decided > 900000);
}

TEST(fast_determinants_have_five_digits_and_the_sign)
{
    test_random r = test_random_seeded(31);
    for (int i = 0; i < 200000; ++i) {
        float x[15];
        lattice_points(&r, &predicates[1], i % 4, x);
        const double exact = (double)ask(&predicates[1], x).value;
        const double fast = tact_orient3d_fast(P3(0), P3(1), P3(2), P3(3));
        if (fabs(fast - exact) > 1e-5 * fabs(exact)) fail_msg("case %d: %g, not %g", i, fast, exact);
        const double exact2 = (double)ask(&predicates[0], x).value;
        const double fast2 = tact_orient2d_fast(P2(0), P2(1), P2(2));
        if (fabs(fast2 - exact2) > 1e-5 * fabs(exact2)) fail_msg("case %d: %g, not %g", i, fast2, exact2);
    }
}

#endif

TEST(swapping_two_points_changes_the_sign_alone)
{
    test_random r = test_random_seeded(37);
    for (int i = 0; i < 200000; ++i) {
        const predicate* p = &predicates[i & 3];
        const int d = p->dimension;
        float x[15], y[15];
        for (int k = 0; k < p->points * d; ++k) {
            x[k] = i & 4 ? (float)test_random_below(&r, 4) : test_random_any(&r);
            if (!isfinite(x[k])) x[k] = 0.0f;
        }
        memcpy(y, x, sizeof x);
        const int a = (int)test_random_below(&r, (uint32_t)p->points);
        const int b = (a + 1 + (int)test_random_below(&r, (uint32_t)p->points - 1)) % p->points;
        memcpy(y + d * a, x + d * b, sizeof(float) * (size_t)d);
        memcpy(y + d * b, x + d * a, sizeof(float) * (size_t)d);
        assert_int_equal(p->sign(x), -p->sign(y));
        assert_true(p->value(x) == -p->value(y));
        memcpy(y + d * b, y + d * a, sizeof(float) * (size_t)d);
        assert_int_equal(p->sign(y), 0);  // a point twice
    }
}

TEST(exact_translations_and_turns_change_nothing)
{
    test_random r = test_random_seeded(41);
    for (int i = 0; i < 200000; ++i) {
        const predicate* p = &predicates[i & 3];
        const int d = p->dimension;
        float x[15], moved[15], turned[15];
        for (int k = 0; k < p->points * d; ++k) {
            x[k] = (float)test_random_below(&r, i & 4 ? 8 : 1024);
            moved[k] = x[k] + (float)(0x800000 - 1024 * (k % d));  // as far out as the lattice goes
        }
        for (int j = 0; j < p->points; ++j) {  // a quarter turn in the plane, a cyclic exchange of axes in space
            for (int k = 0; k < d; ++k)
                turned[d * j + k] = d == 3 ? x[d * j + (k + 1) % d] : k == 0 ? -x[d * j + 1] : x[d * j];
        }
        const int sign = p->sign(x);
        assert_int_equal(p->sign(moved), sign);
        assert_int_equal(p->sign(turned), sign);
        assert_true(p->value(moved) == p->value(x) && p->value(turned) == p->value(x));
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
