// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The page that `tact bench` leaves: one file, which needs nothing else to be shown.

#include "apps/bench/suite.h"
#include "apps/text.h"

/// Puts the page into a text. It is HTML and well-formed XML at once. `json` is what tact_suite_to_json() made of the
/// same results; the machine and the build are taken from there. False when memory runs out.
bool tact_html_report(tact_text* text, const tact_suite_results* results, const cJSON* json);

bool tact_html_report_write(const char* path, const tact_suite_results* results, const cJSON* json,
                            tact_problem* problem);
