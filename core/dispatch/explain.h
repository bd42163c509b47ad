// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Writes down, for tact_explain() and the report's reason, what the dispatcher expected and what became of it.

#include "core/context/cost_model.h"
#include "tact/explain.h"

/// The candidate of a backend, made where there is none yet; NULL when there is no more room.
tact_candidate* tact_explain_candidate(tact_explanation* explanation, tact_backend backend);

/// What a device is expected to take. `day`: of its calibration.
void tact_explain_expect(tact_candidate* candidate, const tact_cost_expectation* expected, int64_t day);

/// What an expectation rests on: "uncalibrated", "calibrated 2026-11-22, learned from 7 runs".
void tact_explain_basis(const tact_candidate* candidate, char* text, size_t size);

/// Adds to a text in a buffer of `size`, as far as there is room. Each call of a query says several such things, and
/// the smallest calls take a few microseconds, a good part of which printf() would take.
void tact_explain_add(char* text, size_t size, const char* more);

/// Adds milliseconds as printf()'s "%.3g" gives them.
void tact_explain_add_ms(char* text, size_t size, double ms);

/// A day since 1970-01-01 as "2026-11-22".
void tact_explain_day(int64_t day, char text[16]);
