// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/numbers.h
/// Numbers that are certain: intervals that hold the exact result, fractions compared exactly, division of integers
/// that rounds down; and numbers that are compared with a tolerance.
///
/// Sources: Ericson, "Real-Time Collision Detection", 2005, sections 11.3.1, 11.4 and 11.5.2; IEEE Standard 1788-2015
/// (what an operation on sets of numbers is); Dekker, 1971, and Knuth, 1969 (what rounding has lost).

#include "tact/geometry/types.h"

/// The numbers from `low` to `high`. Infinite bounds belong to no number: there is none beyond. Without a number in it,
/// an interval is empty: low above high, a NaN, or both bounds the same infinity. Results that are empty are from
/// infinity to -infinity.
typedef struct tact_interval {
    double low, high;  ///< the least and the greatest number
} tact_interval;

/// Returns whether there is no number in an interval.
TACT_API bool tact_interval_is_empty(tact_interval x);

/// Returns whether a number is in an interval. False for an infinity and a NaN.
TACT_API bool tact_interval_contains(tact_interval x, double number);

/// Finds the sign of all numbers of an interval: 1, -1, or 0 for zero alone. False, with a sign of 0, where they differ
/// and for an empty one: the sign is then to be found in another way.
TACT_API bool tact_interval_sign(tact_interval x, int* sign);

// Of all numbers of x and of y, what the operation may give. Bounds are rounded outward without a change of the
// rounding mode: the error of the nearest double is known, so they are the tightest that doubles allow, and exact
// results stay exact; where a factor is beyond 2^900 or a result below 2^-900 they may be one double wider. A result
// beyond the largest double is infinite. Empty intervals give empty ones.

/// Returns the sums, 20 operations.
TACT_API tact_interval tact_interval_add(tact_interval x, tact_interval y);
/// Returns the differences, 20 operations.
TACT_API tact_interval tact_interval_subtract(tact_interval x, tact_interval y);
/// Returns the products, four of bounds, 80 operations.
TACT_API tact_interval tact_interval_multiply(tact_interval x, tact_interval y);
/// Returns the quotients by all numbers of y but 0: of one that has 0 between its bounds all numbers, of 0 alone none.
TACT_API tact_interval tact_interval_divide(tact_interval x, tact_interval y);
/// Returns the square roots of those numbers of x that have one.
TACT_API tact_interval tact_interval_sqrt(tact_interval x);

/// A fraction. The denominator may be negative.
typedef struct tact_fraction {
    int64_t numerator;    ///< any
    int64_t denominator;  ///< any but 0
} tact_fraction;

/// Compares two fractions exactly, by products of 128 bits: 1 if a is greater, -1 if less, 0 if equal, 2 if a
/// denominator is 0.
TACT_API int tact_fraction_compare(tact_fraction a, tact_fraction b);

/// Divides integers so that the quotient is rounded down and the remainder has the divisor's sign, or is 0: cells of
/// negative coordinates are as wide as others. False, with both 0, for a divisor of 0 and for -2^63 by -1, which has no
/// quotient in 64 bits. `remainder` may be NULL.
TACT_API bool tact_divide_down(int64_t a, int64_t b, int64_t* quotient, int64_t* remainder);

// Comparisons with a tolerance of at least 0. NaN is near nothing, an infinity near itself alone, whatever the
// tolerance; the printed comparisons have all numbers near an infinity. A negative tolerance and NaN have nothing near.
// What overflows is compared as if it did not. 5 to 8 operations.

/// Tests whether two numbers differ by at most the tolerance: for numbers whose size is known.
TACT_API bool tact_near_absolute(double a, double b, double tolerance);
/// Tests whether they differ by at most the tolerance times the larger magnitude: for those of any size, as long as
/// they are not sums that cancel. Zero is near zero alone, with a tolerance below 1.
TACT_API bool tact_near_relative(double a, double b, double tolerance);
/// Tests whether they differ by at most the tolerance times the largest of their magnitudes and 1: absolute for small
/// numbers, relative for large ones. For numbers in units of about what they are measured in.
TACT_API bool tact_near_combined(double a, double b, double tolerance);

/// Returns how many steps from a number to the next one lie between two: 0 for equal ones, of which zeros are two, 1
/// for neighbours. An infinity is next to the largest number. UINT64_MAX for a NaN.
TACT_API uint64_t tact_doubles_apart(double a, double b);
/// Returns the same of floats; UINT32_MAX for a NaN.
TACT_API uint32_t tact_floats_apart(float a, float b);
