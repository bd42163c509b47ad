// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <limits.h>
#include <stdio.h>

#include "apps/options.h"

/// A number as it is read: digits * 10^scale. What is too much for 64 bits is noted.
typedef struct decimal {
    uint64_t digits;
    int64_t scale;
    int64_t zeros;  ///< digits 0 that came last and are not in `digits` yet
    bool too_large;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void add_digit(decimal* d, char c)
{
    // Zeros count once a digit follows them, so that 1.50 is as good as 1.5.
    if (c == '0') {
        if (d->digits) ++d->zeros;
        return;
    }
    for (; d->zeros > 0; --d->zeros) {
        d->too_large = d->too_large || d->digits > UINT64_MAX / 10;
        d->digits *= 10;
    }
    const uint64_t digit = (uint64_t)(c - '0');
    d->too_large = d->too_large || d->digits > (UINT64_MAX - digit) / 10;
    d->digits = d->digits * 10 + digit;
}

/// Digits, with single underscores between them.
static const char* take_digits(const char* c, decimal* d, int64_t scale_each)
{
    for (;; ++c) {
        if (!is_digit(*c)) break;
        add_digit(d, *c);
        d->scale += scale_each;
        if (c[1] == '_' && is_digit(c[2])) ++c;
    }
    return c;
}

/// e and a whole number, or a letter for thousands.
static const char* take_scale(const char* c, decimal* d)
{
    if (*c == 'e' || *c == 'E') {
        const bool minus = c[1] == '-';
        const char* e = c + 1 + (c[1] == '-' || c[1] == '+');
        if (!is_digit(*e)) return c;
        int64_t power = 0;
        for (; is_digit(*e); ++e)
            if (power < INT_MAX) power = power * 10 + (*e - '0');
        d->scale += minus ? -power : power;
        return e;
    }
    switch (*c) {
        case 'k':
        case 'K':
            d->scale += 3;
            return c + 1;
        case 'M':
            d->scale += 6;
            return c + 1;
        case 'G':
            d->scale += 9;
            return c + 1;
        default:
            return c;
    }
}

/// False where it is not whole, or too large.
static bool value_of(const decimal* d, uint64_t* value)
{
    *value = d->digits;
    if (d->too_large) return false;
    if (d->digits == 0) return true;
    const int64_t scale = d->scale + d->zeros;
    if (scale < 0) return false;
    for (int64_t i = 0; i < scale; ++i) {
        if (*value > UINT64_MAX / 10) return false;
        *value *= 10;
    }
    return true;
}

bool tact_number_parse(const char* text, uint64_t low, uint64_t high, uint64_t* number, const char** end)
{
    decimal d = {0};
    uint64_t value = 0;
    if (!is_digit(*text)) return false;
    const char* c = take_digits(text, &d, 0);
    if (*c == '.' && is_digit(c[1])) c = take_digits(c + 1, &d, -1);
    c = take_scale(c, &d);
    if (!value_of(&d, &value) || value < low || value > high) return false;
    if (end) {
        *end = c;
    } else if (*c) {
        return false;
    }
    *number = value;
    return true;
}

bool tact_size_parse(const char* option, const char* text, uint32_t low, uint32_t high, uint32_t* width,
                     uint32_t* height, tact_problem* problem)
{
    uint64_t w = 0, h = 0;
    const char* rest = NULL;
    if (!tact_number_parse(text, low, high, &w, &rest) || *rest != 'x' ||
        !tact_number_parse(rest + 1, low, high, &h, NULL)) {
        return tact_problem_set(problem, "--%s %s: must be WIDTHxHEIGHT, whole numbers from %u to %u", option, text,
                                low, high);
    }
    *width = (uint32_t)w;
    *height = (uint32_t)h;
    return true;
}
