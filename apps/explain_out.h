// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What --explain prints: the dispatcher's expectations for the last query of a context.

#include "apps/json_out.h"
#include "apps/session.h"

/// Notes what the devices were given until now, before a run; nothing without --explain.
void tact_explain_begin(tact_session* session, const tact_common_options* common);

/// For people, as a table on standard output, and what devices were given since tact_explain_begin(); nothing without
/// --explain.
void tact_explain_print(const tact_session* session, const tact_common_options* common);

/// The `explain` object; nothing without --explain.
void tact_explain_json(cJSON* object, const tact_session* session, const tact_common_options* common);

/// What an expectation rests on: "calibrated 2026-11-22, learned from 7 runs (x 1.2)".
void tact_explain_rests_on(const tact_candidate* candidate, char* text, size_t size);

/// Days since 1970-01-01 as "2026-11-22".
void tact_explain_date(int64_t days, char text[16]);
