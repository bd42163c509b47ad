// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the dispatcher expected and what became of it, in words: for tact_explain() and the report's reason.

#include "core/context/cost_model.h"

/// What an expectation rests on: "uncalibrated", "calibrated 2026-11-22, learned from 7 runs". `day`: of the
/// calibration.
void tact_explain_basis(const tact_cost_expectation* expected, int64_t day, char* text, size_t size);

/// Adds to a text in a buffer of `size`, as far as there is room. Each call of a query says several such things, and
/// the smallest calls take a few microseconds, a good part of which printf() would take.
void tact_explain_add(char* text, size_t size, const char* more);

/// Adds milliseconds as printf()'s "%.3g" gives them.
void tact_explain_add_ms(char* text, size_t size, double ms);

/// A day since 1970-01-01 as "2026-11-22".
void tact_explain_day(int64_t day, char text[16]);
