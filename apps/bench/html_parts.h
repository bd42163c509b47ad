// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The parts of the page (html_report.c): html_matrix.c and html_series.c.

#include "apps/bench/suite.h"
#include "apps/text.h"

/// Two that are compared: how often `other`'s time goes into `base`'s, both of one size. `base` NULL: nothing to
/// compare.
typedef struct tact_html_pair {
    const tact_suite_row *base, *other;
    double ratio;
    bool unclear;  ///< the times of both overlap, from the least to the greatest: neither is faster
} tact_html_pair;

/// A device beside the CPU in a series, at the largest size that both were measured at.
tact_html_pair tact_html_device(const tact_suite_row* rows, size_t count, tact_backend backend);
/// The CPU beside the fastest peer of the largest size that both were measured at.
tact_html_pair tact_html_peer(const tact_suite_row* rows, size_t count);

/// "OpenGL".
const char* tact_html_backend(tact_backend backend);

/// What a series is about, beside its query: the mesh or the set.
void tact_html_put_subject(tact_text* t, const tact_suite_row* row);
void tact_html_put_count(tact_text* t, double value);
/// "3.2 times as fast", "as fast" or "13 times slower".
void tact_html_put_ratio(tact_text* t, double ratio);

/// What was found, in sentences.
void tact_html_put_headline(tact_text* t, const tact_suite_results* results);
/// A row for a series and a column for a device, of ratios.
void tact_html_put_matrix(tact_text* t, const tact_suite_results* results);

/// A chart for each series. False when memory runs out.
bool tact_html_put_charts(tact_text* t, const tact_suite_results* results, const cJSON* json);
/// All rows.
void tact_html_put_numbers(tact_text* t, const tact_suite_results* results);
