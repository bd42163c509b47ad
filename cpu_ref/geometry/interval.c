// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <float.h>

#include "cpu_ref/geometry/exact.h"
#include "tact/geometry/numbers.h"

static const tact_interval empty = {(double)INFINITY, -(double)INFINITY};
static const tact_interval all = {-(double)INFINITY, (double)INFINITY};

// ---- One number ----

/// The nearest double of a result, which is finite or has overflowed, and on which side of it the result is: its error
/// is positive where the result is greater. An error that is a NaN is not known.
typedef struct rounded {
    double nearest, error;
} rounded;

static double down(rounded r)
{
    return r.error >= 0.0 ? r.nearest : nextafter(r.nearest, -HUGE_VAL);
}

static double up(rounded r)
{
    return r.error <= 0.0 ? r.nearest : nextafter(r.nearest, HUGE_VAL);
}

/// The error of a result is the sign of what is left, where no part of that has overflowed or lost bits.
static rounded with_error(double nearest, double error, double largest)
{
    const bool lost = fabs(largest) > 0x1p900 || fabs(nearest) < 0x1p-900;
    const rounded r = {nearest, lost ? (double)NAN : error};
    return r;
}

/// A result that is not 0, of the sign of a b, and was rounded to it.
static rounded vanished(double a, double b)
{
    const rounded r = {0.0, (a < 0.0) == (b < 0.0) ? 1.0 : -1.0};
    return r;
}

static rounded add(double a, double b)
{
    rounded r;
    r.nearest = d_two_sum(a, b, &r.error);
    // Where that is an infinity the error is a NaN.
    return r;
}

static rounded multiply(double a, double b)
{
    // No number is infinite, so a bound of 0 stays 0.
    if (a == 0.0 || b == 0.0) return (rounded){0.0, 0.0};
    if (isinf(a) || isinf(b)) return (rounded){a * b, 0.0};
    double error;
    const double nearest = exact_multiply(a, b, &error);
    if (nearest == 0.0) return vanished(a, b);
    return with_error(nearest, error, fmax(fmax(fabs(a), fabs(b)), fabs(nearest)));
}

static rounded divide(double a, double b)
{
    if (a == 0.0) return (rounded){0.0, 0.0};
    if (isinf(b)) return (rounded){0.0, 0.0};
    if (isinf(a)) return (rounded){a / b, 0.0};
    const double nearest = a / b;
    if (nearest == 0.0) return vanished(a, b);
    double lost;
    const double product = exact_multiply(nearest, b, &lost);
    const double rest = (a - product) - lost;
    const rounded r = with_error(nearest, b > 0.0 ? rest : -rest, fmax(fmax(fabs(a), fabs(b)), fabs(nearest)));
    // The rest of a small number has bits that are lost.
    return fabs(a) < 0x1p-900 ? (rounded){nearest, (double)NAN} : r;
}

// ---- Intervals ----

bool tact_interval_is_empty(tact_interval x)
{
    return !(x.low <= x.high) || (isinf(x.low) && x.low == x.high);
}

bool tact_interval_contains(tact_interval x, double number)
{
    return isfinite(number) && x.low <= number && number <= x.high;
}

bool tact_interval_sign(tact_interval x, int* sign)
{
    *sign = 0;
    if (tact_interval_is_empty(x)) return false;
    if (x.low > 0.0) *sign = 1;
    if (x.high < 0.0) *sign = -1;
    return *sign != 0 || (x.low == 0.0 && x.high == 0.0);
}

/// Rounded to an infinity, a bound is on the side that it is not to be: the largest double.
static tact_interval between(double low, double high)
{
    const tact_interval x = {low == HUGE_VAL ? DBL_MAX : low, high == -HUGE_VAL ? -DBL_MAX : high};
    return x;
}

static bool any_empty(tact_interval x, tact_interval y)
{
    return tact_interval_is_empty(x) || tact_interval_is_empty(y);
}

tact_interval tact_interval_add(tact_interval x, tact_interval y)
{
    if (any_empty(x, y)) return empty;
    return between(down(add(x.low, y.low)), up(add(x.high, y.high)));
}

tact_interval tact_interval_subtract(tact_interval x, tact_interval y)
{
    const tact_interval negative = {-y.high, -y.low};
    return tact_interval_add(x, negative);
}

/// The hull of what an operation makes of all pairs of bounds.
static tact_interval of_bounds(tact_interval x, tact_interval y, rounded (*operation)(double, double))
{
    const double a[2] = {x.low, x.high}, b[2] = {y.low, y.high};
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < 4; ++i) {
        const rounded r = operation(a[i / 2], b[i % 2]);
        low = fmin(low, down(r));
        high = fmax(high, up(r));
    }
    return between(low, high);
}

tact_interval tact_interval_multiply(tact_interval x, tact_interval y)
{
    return any_empty(x, y) ? empty : of_bounds(x, y, multiply);
}

/// By a divisor that is above 0, or has 0 as its lower bound.
static tact_interval divide_by_positive(tact_interval x, tact_interval y)
{
    if (y.low > 0.0) return of_bounds(x, y, divide);
    // Divisors near 0 make it as large as there are numbers.
    tact_interval q = all;
    if (x.low >= 0.0) q.low = down(divide(x.low, y.high));
    if (x.high <= 0.0) q.high = up(divide(x.high, y.high));
    return between(q.low, q.high);
}

tact_interval tact_interval_divide(tact_interval x, tact_interval y)
{
    if (any_empty(x, y) || (y.low == 0.0 && y.high == 0.0)) return empty;
    if (x.low == 0.0 && x.high == 0.0) return x;
    if (y.low < 0.0 && y.high > 0.0) return all;
    if (y.low >= 0.0) return divide_by_positive(x, y);
    const tact_interval a = {-x.high, -x.low}, b = {-y.high, -y.low};
    return divide_by_positive(a, b);
}

static rounded root(double a)
{
    if (a == 0.0 || isinf(a)) return (rounded){a, 0.0};
    const double nearest = sqrt(a);
    double lost;
    const double product = exact_multiply(nearest, nearest, &lost);
    return with_error(nearest, fabs(a) < 0x1p-900 ? (double)NAN : (a - product) - lost, nearest);
}

tact_interval tact_interval_sqrt(tact_interval x)
{
    if (tact_interval_is_empty(x) || x.high < 0.0) return empty;
    const tact_interval y = {x.low > 0.0 ? down(root(x.low)) : 0.0, up(root(x.high))};
    return between(y.low, y.high);
}
