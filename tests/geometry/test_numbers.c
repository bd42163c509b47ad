// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Intervals against the exact result in wider numbers: it is inside, and no double is between it and a bound; fractions
// and division against numbers of 128 bits.

#include "tests/support/run.h"

#include <float.h>
#include <math.h>

#include "tact/geometry/numbers.h"
#include "tests/geometry/wide.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"

/// Products of two doubles must be exact in it.
static void need_wide(void)
{
    const wide small = (wide)0x1p-110;
    if ((wide)1 + small == (wide)1) skip();
}

/// A number of about 1 with all bits, or few, of either sign.
static double any(test_random* r)
{
    const double x = ldexp((double)(test_random_bits(r) >> 11), (int)test_random_below(r, 50) - 78);
    const double few = (double)test_random_below(r, 9) * 0.25;
    const double y = test_random_below(r, 4) ? x : few;
    return test_random_below(r, 2) ? -y : y;
}

static tact_interval any_interval(test_random* r)
{
    const double a = any(r), b = test_random_below(r, 3) ? any(r) : a;
    return a < b ? (tact_interval){a, b} : (tact_interval){b, a};
}

static bool same(tact_interval a, double low, double high)
{
    return a.low == low && a.high == high;
}

static bool all_numbers(tact_interval a)
{
    return same(a, -HUGE_VAL, HUGE_VAL);
}

// ---- Against wider numbers ----

/// The bounds are the doubles next to the least and the greatest of exact numbers, or these.
static void check_bounds(tact_interval got, const wide* exact, int count)
{
    wide low = exact[0], high = exact[0];
    for (int i = 1; i < count; ++i) {
        if (exact[i] < low) low = exact[i];
        if (exact[i] > high) high = exact[i];
    }
    assert_true((wide)got.low <= low && (wide)nextafter(got.low, HUGE_VAL) > low);
    assert_true((wide)got.high >= high && (wide)nextafter(got.high, -HUGE_VAL) < high);
}

TEST(sums_and_products_have_the_tightest_bounds)
{
    need_wide();
    test_random r = test_random_seeded(1);
    for (size_t i = 0; i < effort(100000, 2000000); ++i) {
        const tact_interval x = any_interval(&r), y = any_interval(&r);
        const wide sum[2] = {(wide)x.low + (wide)y.low, (wide)x.high + (wide)y.high};
        const wide difference[2] = {(wide)x.low - (wide)y.high, (wide)x.high - (wide)y.low};
        const wide product[4] = {(wide)x.low * (wide)y.low, (wide)x.low * (wide)y.high, (wide)x.high * (wide)y.low,
                                 (wide)x.high * (wide)y.high};
        check_bounds(tact_interval_add(x, y), sum, 2);
        check_bounds(tact_interval_subtract(x, y), difference, 2);
        check_bounds(tact_interval_multiply(x, y), product, 4);
    }
}

/// The quotient is not less than a double, by products.
static bool not_less(double a, double b, double than)
{
    const wide product = (wide)than * (wide)b;
    return b > 0.0 ? (wide)a >= product : (wide)a <= product;
}

static bool not_greater(double a, double b, double than)
{
    return not_less(-a, b, -than);
}

TEST(quotients_and_roots_have_the_tightest_bounds)
{
    need_wide();
    test_random r = test_random_seeded(2);
    size_t divided = 0;
    for (size_t i = 0; i < effort(100000, 2000000); ++i) {
        const tact_interval x = any_interval(&r), y = any_interval(&r);
        if (y.low > 0.0 || y.high < 0.0) {
            const tact_interval q = tact_interval_divide(x, y);
            const double a[2] = {x.low, x.high}, b[2] = {y.low, y.high};
            bool low = false, high = false;
            for (int k = 0; k < 4; ++k) {
                assert_true(not_less(a[k / 2], b[k % 2], q.low) && not_greater(a[k / 2], b[k % 2], q.high));
                low = low || !not_less(a[k / 2], b[k % 2], nextafter(q.low, HUGE_VAL));
                high = high || !not_greater(a[k / 2], b[k % 2], nextafter(q.high, -HUGE_VAL));
            }
            assert_true(low && high);
            ++divided;
        }
        const tact_interval root = tact_interval_sqrt(x);
        if (x.high < 0.0) {
            assert_true(tact_interval_is_empty(root));
            continue;
        }
        const double from = x.low > 0.0 ? x.low : 0.0, more = nextafter(root.low, HUGE_VAL),
                     less = nextafter(root.high, -HUGE_VAL);
        assert_true((wide)root.low * (wide)root.low <= (wide)from && (wide)more * (wide)more > (wide)from);
        assert_true((wide)root.high * (wide)root.high >= (wide)x.high);
        assert_true(root.high == 0.0 || (wide)less * (wide)less < (wide)x.high);
    }
    assert_true(divided > 1000);
}

/// A double of any size: all of these have products that are exact in wider numbers.
static double any_size(test_random* r)
{
    const double x = ldexp(1.0 + (double)(test_random_bits(r) >> 12) * 0x1p-52, (int)test_random_below(r, 2098) - 1074);
    return test_random_below(r, 2) ? -x : x;
}

/// The exact number is inside, and the bounds are at most one double wider than they must be.
static void check_inside(tact_interval got, wide exact)
{
    assert_true((wide)got.low <= exact && (wide)got.high >= exact);
    const double low = nextafter(nextafter(got.low, HUGE_VAL), HUGE_VAL),
                 high = nextafter(nextafter(got.high, -HUGE_VAL), -HUGE_VAL);
    assert_true((wide)low > exact && (wide)high < exact);
}

TEST(numbers_of_all_sizes_are_inside)
{
    need_wide();
    // Its exponents must reach as far as those of products.
    if ((wide)0x1p-1074 * (wide)0x1p-1074 == (wide)0) skip();
    test_random r = test_random_seeded(5);
    for (size_t i = 0; i < effort(200000, 4000000); ++i) {
        const double a = any_size(&r), b = i % 2 ? any_size(&r) : nextafter(a, HUGE_VAL);
        const tact_interval x = {a, a}, y = {b, b};
        if (b == 0.0 || isinf(b)) continue;
        check_inside(tact_interval_add(x, y), (wide)a + (wide)b);
        check_inside(tact_interval_multiply(x, y), (wide)a * (wide)b);
        const tact_interval q = tact_interval_divide(x, y);
        assert_true((q.low == -HUGE_VAL || not_less(a, b, q.low)) && (q.high == HUGE_VAL || not_greater(a, b, q.high)));
        const double more = nextafter(nextafter(q.low, HUGE_VAL), HUGE_VAL);
        assert_true(more == HUGE_VAL || !not_less(a, b, more));
        const double size = fabs(a);
        const tact_interval root = tact_interval_sqrt((tact_interval){size, size});
        assert_true((wide)root.low * (wide)root.low <= (wide)size && (wide)root.high * (wide)root.high >= (wide)size);
        assert_true(root.high <= nextafter(nextafter(root.low, HUGE_VAL), HUGE_VAL));
    }
}

TEST(extremes_of_doubles)
{
    const double least = 0x1p-1074, most = DBL_MAX;
    const tact_interval tiny = {least, least}, huge = {most, most}, one = {1, 1}, two = {2, 2}, half = {0.5, 0.5};
    assert_true(same(tact_interval_multiply(tiny, half), 0.0, least));
    assert_true(same(tact_interval_divide(tiny, two), 0.0, least));
    assert_true(same(tact_interval_multiply(huge, two), most, HUGE_VAL));
    assert_true(same(tact_interval_add(huge, huge), most, HUGE_VAL));
    assert_true(same(tact_interval_subtract((tact_interval){-most, -most}, huge), -HUGE_VAL, -most));
    assert_true(same(tact_interval_divide(huge, half), most, HUGE_VAL));
    // Two doubles with a sum between doubles next to the largest.
    const tact_interval sum = tact_interval_add(huge, one);
    assert_true(sum.low <= most && sum.low >= nextafter(most, 0.0) && sum.high == HUGE_VAL);
    const tact_interval root = tact_interval_sqrt(tiny), back = tact_interval_multiply(root, root);
    assert_true(root.low <= 0x1p-537 && root.high >= 0x1p-537 && tact_interval_contains(back, least));
    const tact_interval third = tact_interval_divide(one, (tact_interval){3, 3});
    assert_true(third.high == nextafter(third.low, 1.0));
    const tact_interval exact = tact_interval_divide((tact_interval){6, 6}, (tact_interval){-3, -3});
    assert_true(same(exact, -2.0, -2.0));
}

// ---- Sets ----

TEST(zero_infinity_and_nothing)
{
    const tact_interval zero = {0, 0}, one = {1, 2}, across = {-1, 3}, from_zero = {0, 4}, to_zero = {-4, -0.0};
    const tact_interval above = {1, HUGE_VAL}, everything = {-HUGE_VAL, HUGE_VAL};
    const tact_interval none[4] = {{1, 0}, {(double)NAN, 1}, {HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};
    tact_interval (*const two[4])(tact_interval, tact_interval) = {tact_interval_add, tact_interval_subtract,
                                                                   tact_interval_multiply, tact_interval_divide};
    for (int i = 0; i < 4; ++i) {
        int sign = 5;
        assert_true(tact_interval_is_empty(none[i]) && tact_interval_is_empty(tact_interval_sqrt(none[i])));
        assert_false(tact_interval_sign(none[i], &sign) || sign != 0);
        for (int k = 0; k < 4; ++k) {
            const tact_interval left = two[k](none[i], one), right = two[k](one, none[i]);
            assert_true(same(left, HUGE_VAL, -HUGE_VAL) && same(right, HUGE_VAL, -HUGE_VAL));
        }
    }
    assert_true(tact_interval_is_empty(tact_interval_divide(one, zero)));
    assert_true(tact_interval_is_empty(tact_interval_divide(zero, zero)));
    assert_true(same(tact_interval_divide(zero, across), 0.0, 0.0));
    assert_true(all_numbers(tact_interval_divide(one, across)) && all_numbers(tact_interval_divide(across, from_zero)));
    assert_true(same(tact_interval_divide(one, from_zero), 0.25, HUGE_VAL));
    assert_true(same(tact_interval_divide(one, to_zero), -HUGE_VAL, -0.25));
    assert_true(same(tact_interval_divide(above, above), 0.0, HUGE_VAL));
    assert_true(same(tact_interval_multiply(zero, everything), 0.0, 0.0));
    assert_true(same(tact_interval_multiply(above, to_zero), -HUGE_VAL, 0.0));
    assert_true(all_numbers(tact_interval_add(everything, one)) && all_numbers(tact_interval_subtract(above, above)));
    assert_true(tact_interval_sqrt(across).low == 0.0 && tact_interval_contains(tact_interval_sqrt(across), sqrt(3.0)));
    assert_true(same(tact_interval_sqrt(above), 1.0, HUGE_VAL));
    assert_true(tact_interval_contains(above, 1e300) && !tact_interval_contains(above, HUGE_VAL));
    assert_false(tact_interval_contains(everything, (double)NAN) || tact_interval_contains(one, 2.5));
    int sign;
    assert_true(tact_interval_sign(one, &sign) && sign == 1);
    assert_true(tact_interval_sign((tact_interval){-3, -1}, &sign) && sign == -1);
    assert_true(tact_interval_sign(zero, &sign) && sign == 0);
    assert_false(tact_interval_sign(across, &sign) || tact_interval_sign(from_zero, &sign));
}

// ---- Fractions and integers ----

static int64_t whole(test_random* r)
{
    static const int64_t hard[] = {0, 1, -1, 2, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1, (int64_t)1 << 32};
    if (test_random_below(r, 4) == 0) return hard[test_random_below(r, 9)];
    const int64_t x = (int64_t)test_random_bits(r);
    return test_random_below(r, 2) ? x : x % 1000;
}

TEST(fractions_are_compared_exactly)
{
    test_random r = test_random_seeded(3);
    size_t equal = 0;
    for (size_t i = 0; i < effort(200000, 4000000); ++i) {
        const tact_fraction a = {whole(&r), whole(&r)};
        tact_fraction b = {whole(&r), whole(&r)};
        if (i % 5 == 0 && a.numerator / 7 * 7 == a.numerator && a.denominator / 7 * 7 == a.denominator) {
            b = (tact_fraction){a.numerator / 7, a.denominator / 7};
        }
        const int got = tact_fraction_compare(a, b);
        if (a.denominator == 0 || b.denominator == 0) {
            assert_int_equal(got, 2);
            continue;
        }
#ifdef __SIZEOF_INT128__
        __extension__ typedef __int128 large;
        const large p = (large)a.numerator * b.denominator, q = (large)b.numerator * a.denominator;
        const int turned = (a.denominator < 0) == (b.denominator < 0) ? 1 : -1;
        assert_int_equal(got, turned * ((p > q) - (p < q)));
#endif
        assert_int_equal(tact_fraction_compare(b, a), -got);
        equal += got == 0;
    }
    assert_true(equal > 100);
    assert_int_equal(tact_fraction_compare((tact_fraction){1, 3}, (tact_fraction){-1, -3}), 0);
    assert_int_equal(tact_fraction_compare((tact_fraction){INT64_MIN, INT64_MAX}, (tact_fraction){-1, 1}), -1);
    assert_int_equal(
        tact_fraction_compare((tact_fraction){INT64_MAX, INT64_MAX - 1}, (tact_fraction){INT64_MAX - 1, INT64_MAX - 2}),
        -1);
}

TEST(division_rounds_down)
{
    test_random r = test_random_seeded(4);
    int64_t quotient, remainder;
    for (size_t i = 0; i < effort(100000, 2000000); ++i) {
        const int64_t a = whole(&r), b = whole(&r);
        if (!tact_divide_down(a, b, &quotient, &remainder)) {
            assert_true((b == 0 || (a == INT64_MIN && b == -1)) && quotient == 0 && remainder == 0);
            continue;
        }
        // In unsigned numbers, which wrap.
        assert_true((uint64_t)quotient * (uint64_t)b + (uint64_t)remainder == (uint64_t)a);
        assert_true(b > 0 ? remainder >= 0 && remainder < b : remainder <= 0 && remainder > b);
    }
    assert_true(tact_divide_down(-7, 4, &quotient, NULL) && quotient == -2);
    assert_true(tact_divide_down(7, -4, &quotient, &remainder) && quotient == -2 && remainder == -1);
}

// ---- Comparisons with a tolerance ----

typedef bool near_fn(double a, double b, double tolerance);

static wide size_for(near_fn* how, wide a, wide b)
{
    const wide most = w_abs(a) > w_abs(b) ? w_abs(a) : w_abs(b);
    if (how == tact_near_absolute) return 1;
    return how == tact_near_relative || most > 1 ? most : 1;
}

TEST(near_is_what_wider_numbers_say)
{
    need_wide();
    near_fn* const ways[] = {tact_near_absolute, tact_near_relative, tact_near_combined};
    test_random r = test_random_seeded(7);
    size_t yes = 0, decided = 0;
    for (size_t i = 0; i < effort(300000, 3000000); ++i) {
        const int power = (int)test_random_below(&r, 5) * 500 - 1000;
        const double a = ldexp(any(&r), power), tolerance = ldexp(fabs(any(&r)), -(int)test_random_below(&r, 40));
        const double b = test_random_below(&r, 2) ? a * (1.0 + tolerance * any(&r)) : ldexp(any(&r), power);
        near_fn* how = ways[i % 3];
        const wide off = w_abs((wide)a - (wide)b), most = (wide)tolerance * size_for(how, (wide)a, (wide)b);
        // To rounding of the two sides, and of the smallest numbers.
        if (w_abs(off - most) <= (off + most) * (wide)0x1p-50 + (wide)0x1p-1070) continue;
        ++decided;
        const bool is_near = off < most;
        yes += is_near;
        if (how(a, b, tolerance) != is_near) fail_msg("%a and %a by %a, way %zu", a, b, tolerance, i % 3);
        assert_int_equal(how(b, a, tolerance), is_near);
    }
    assert_true(yes > decided / 4 && yes < decided * 3 / 4);
}

TEST(near_has_its_edges)
{
    near_fn* const ways[] = {tact_near_absolute, tact_near_relative, tact_near_combined};
    for (int i = 0; i < 3; ++i) {
        near_fn* how = ways[i];
        const double tolerances[] = {0.0, 2.0, 4.0, HUGE_VAL};
        for (int k = 0; k < 4; ++k) {
            const double tolerance = tolerances[k];
            assert_true(how(HUGE_VAL, HUGE_VAL, tolerance) && how(-HUGE_VAL, -HUGE_VAL, tolerance));
            assert_false(how(HUGE_VAL, -HUGE_VAL, tolerance) || how(HUGE_VAL, DBL_MAX, tolerance));
            assert_false(how((double)NAN, 1.0, tolerance) || how(1.0, (double)NAN, tolerance));
            assert_false(how((double)NAN, (double)NAN, tolerance));
            assert_true(how(0.0, -0.0, tolerance) && how(3.0, 3.0, tolerance));
        }
        assert_false(how(1.0, 1.0, -1.0) || how(1.0, 1.0, (double)NAN));
        assert_true(how(1.0, -5.0, HUGE_VAL));
        assert_false(how(HUGE_VAL, 1.0, HUGE_VAL));
        assert_false(how(1.0, nextafter(1.0, 2.0), 0.0));
    }
    assert_true(tact_near_absolute(1.0, 1.25, 0.25) && !tact_near_absolute(1.0, nextafter(1.25, 2.0), 0.25));
    assert_true(tact_near_relative(4.0, 3.0, 0.25) && !tact_near_relative(4.0, nextafter(3.0, 2.0), 0.25));
    assert_false(tact_near_relative(0.0, 1e-300, 0.5));
    assert_true(tact_near_combined(0.0, 0.25, 0.25) && !tact_near_combined(0.0, 0.5, 0.25));
    assert_true(tact_near_combined(4.0, 3.0, 0.25) && !tact_near_combined(4.0, 2.75, 0.25));
    // The difference is beyond the largest number.
    assert_true(tact_near_relative(DBL_MAX, -DBL_MAX, 2.0) && !tact_near_relative(DBL_MAX, -DBL_MAX, 1.99));
    assert_true(!tact_near_absolute(DBL_MAX, -DBL_MAX, DBL_MAX) && tact_near_absolute(DBL_MAX, 0.0, DBL_MAX));
}

TEST(neighbours_are_one_apart)
{
    test_random r = test_random_seeded(8);
    for (int i = 0; i < 100000; ++i) {
        const uint64_t bits = test_random_bits(&r);
        const uint32_t few = (uint32_t)(bits >> 32);
        double x, y;
        float u, v;
        memcpy(&x, &bits, sizeof x);
        memcpy(&u, &few, sizeof u);
        y = x;
        v = u;
        const uint32_t steps = test_random_below(&r, 20);
        for (uint32_t k = 0; k < steps; ++k) {
            y = nextafter(y, HUGE_VAL);
            v = nextafterf(v, INFINITY);
        }
        if (isfinite(x) && isfinite(y))
            assert_true(tact_doubles_apart(x, y) == steps && tact_doubles_apart(y, x) == steps);
        if (isfinite(u) && isfinite(v))
            assert_true(tact_floats_apart(u, v) == steps && tact_floats_apart(v, u) == steps);
    }
    const double least = nextafter(0.0, 1.0);
    assert_true(tact_doubles_apart(0.0, -0.0) == 0 && tact_floats_apart(0.0f, -0.0f) == 0);
    assert_true(tact_doubles_apart(least, -least) == 2 && tact_doubles_apart(-0.0, least) == 1);
    assert_true(tact_doubles_apart(DBL_MAX, HUGE_VAL) == 1 && tact_floats_apart(-FLT_MAX, -INFINITY) == 1);
    assert_true(tact_doubles_apart(1.0, 2.0) == UINT64_C(1) << 52 && tact_floats_apart(1.0f, 2.0f) == 1u << 23);
    assert_true(tact_doubles_apart(HUGE_VAL, -HUGE_VAL) == UINT64_C(0x7ff0000000000000) * 2);
    assert_true(tact_floats_apart(INFINITY, -INFINITY) == 0x7f800000u * 2);
    assert_true(tact_doubles_apart((double)NAN, 1.0) == UINT64_MAX && tact_floats_apart(1.0f, NAN) == UINT32_MAX);
    assert_true(tact_doubles_apart((double)NAN, (double)NAN) == UINT64_MAX);
}

#include TEST_LIST

RUN_ALL(NULL, NULL)
