// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Numbers in text that has an end but no terminator, the same in every locale.

#include <stdbool.h>
#include <stdint.h>

/// Reads a decimal number and rounds it to the nearest float, ties to even: digits with a point or, as some exporters
/// write it, a comma among, before or after them, and an exponent; or `nan`, `inf`, `infinity` in any case; each with a
/// sign or without. `*at` moves behind it. False, and `*at` stays, where there is none. Too large numbers are infinite.
bool tact_number_float(const char** at, const char* end, float* value);

/// Reads a whole number with a sign or without. One beyond 2^62 becomes 2^62 with that sign. `*at` moves behind it.
/// False, and `*at` stays, where there is none.
bool tact_number_integer(const char** at, const char* end, int64_t* value);
