// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/mesh_formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A decimal number as it stands: all its digits that count, as a whole number, times 10^scale.
typedef struct decimal {
    uint64_t digits;   ///< the first 19
    uint64_t dropped;  ///< how many follow those
    bool more;         ///< not all of these are zeros
    int64_t scale;
    const char* behind;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_point(char c)
{
    return c == '.' || c == ',';
}

static const char* take_digits(const char* p, const char* end, decimal* d)
{
    for (; p < end && is_digit(*p); ++p) {
        const unsigned digit = (unsigned)(*p - '0');
        if (d->digits < UINT64_C(1000000000000000000)) {
            d->digits = d->digits * 10 + digit;
        } else {
            d->more |= digit != 0;
            ++d->dropped;
        }
    }
    return p;
}

static bool read_decimal(const char* p, const char* end, decimal* d)
{
    *d = (decimal){0};
    const char* behind = take_digits(p, end, d);
    const bool whole = behind > p;
    if (end - behind > 1 && is_point(*behind) && is_digit(behind[1])) {
        const char* fraction = behind + 1;
        behind = take_digits(fraction, end, d);
        d->scale = -(int64_t)(behind - fraction);
    } else if (!whole) {
        return false;
    } else if (behind < end && *behind == '.') {
        ++behind;
    }
    d->behind = behind;
    int64_t exponent = 0;
    if (behind < end && (*behind == 'e' || *behind == 'E')) {
        ++behind;
        if (tact_number_integer(&behind, end, &exponent)) {
            d->scale += exponent;
            d->behind = behind;
        }
    }
    return true;
}

/// The powers of ten that a double holds exactly.
static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { TENS = sizeof tens / sizeof *tens };

/// Rounds where double precision is enough (after Clinger 1990, "How to read floating point numbers accurately").
/// With u = 2^-53: digits that are left out change the number by less than 10^-18 of it; the digits' conversion and the
/// one multiplication or division by an exact power of ten change it by at most u each. So the double is off by less
/// than 2.1 u of the number, which is less than 2.1 units of the double's last place. How the number rounds to float
/// depends only on which side of the midpoints between neighbouring floats it lies. Between 10^-22 and 10^38 those are
/// the doubles whose last 29 bits are 2^28. If the double is more than 8 units away from all of them, no midpoint lies
/// between it and the number, and it rounds as the number does.
static bool round_quickly(const decimal* d, float* value)
{
    const int64_t exponent = d->scale + (int64_t)d->dropped;
    if (exponent <= -TENS || exponent >= TENS) return false;
    double number = (double)d->digits;
    if (exponent < 0) {
        number /= tens[-exponent];
    } else {
        number *= tens[exponent];
    }
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof bits);
    const int64_t beyond = (int64_t)(bits & ((UINT64_C(1) << 29) - 1)) - (INT64_C(1) << 28);
    if ((beyond >= -8 && beyond <= 8) || number >= 1e38) return false;
    *value = (float)number;
    return true;
}

/// Has the C library round a form without a decimal point, in which locales differ. A midpoint between floats has at
/// most 113 digits that count; so 120 digits, and a 1 for all others unless they are zeros, are on the number's side of
/// it.
static float round_slowly(const char* p, const decimal* d)
{
    enum { KEPT = 120 };
    char text[KEPT + 32];
    size_t kept = 0;
    int64_t dropped = 0;
    bool more = false;
    for (; p < d->behind && (is_digit(*p) || is_point(*p)); ++p) {
        if (is_point(*p) || (kept == 0 && *p == '0')) continue;
        if (kept < KEPT) {
            text[kept++] = *p;
        } else {
            more |= *p != '0';
            ++dropped;
        }
    }
    if (kept == 0) return 0.0f;
    int64_t exponent = d->scale + dropped;
    if (more) {
        text[kept++] = '1';
        --exponent;
    }
    if (exponent > 100000) exponent = 100000;
    if (exponent < -100000) exponent = -100000;
    snprintf(text + kept, sizeof text - kept, "e%d", (int)exponent);
    return strtof(text, NULL);
}

/// Takes a word of lower-case letters in any case.
static bool take_word(const char** at, const char* end, const char* word)
{
    const char* p = *at;
    for (; *word; ++word, ++p)
        if (p >= end || (*p | 0x20) != *word) return false;
    *at = p;
    return true;
}

bool tact_number_float(const char** at, const char* end, float* value)
{
    const char* p = *at;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    decimal d;
    if (read_decimal(p, end, &d)) {
        if (!round_quickly(&d, value)) *value = round_slowly(p, &d);
        p = d.behind;
    } else if (take_word(&p, end, "inf")) {
        take_word(&p, end, "inity");
        *value = INFINITY;
    } else if (take_word(&p, end, "nan")) {
        *value = NAN;
    } else {
        return false;
    }
    if (negative) *value = -*value;
    *at = p;
    return true;
}

bool tact_number_integer(const char** at, const char* end, int64_t* value)
{
    const char* p = *at;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    if (p >= end || !is_digit(*p)) return false;
    const int64_t most = INT64_C(1) << 62;
    int64_t n = 0;
    for (; p < end && is_digit(*p); ++p)
        n = n < most / 10 ? n * 10 + (*p - '0') : most;
    *value = negative ? -n : n;
    *at = p;
    return true;
}
