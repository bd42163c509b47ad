// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Sample work: made-up calls of every query that has more than one device to go to, of any size, for calibration and
/// for the measurement of regret. The same at every call.

#include "core/context/context.h"

typedef struct tact_sample_kind {
    const char* query;  ///< as the dispatcher names it
    const char* method;
    const char* items;         ///< what the size counts
    size_t smallest, largest;  ///< sizes worth measuring
    bool regret_only;          ///< the query is calibrated by another kind
} tact_sample_kind;

enum { TACT_SAMPLE_KINDS = 22 };
extern const tact_sample_kind tact_sample_kinds[TACT_SAMPLE_KINDS];

typedef struct tact_sample tact_sample;

/// Makes the scene, the arrays and what else a call needs. Errors: OUT_OF_MEMORY, and those of what it makes.
tact_result tact_sample_create(tact_context* context, int kind, size_t size, tact_sample** sample);
void tact_sample_destroy(tact_sample* sample);

/// One call.
tact_result tact_sample_ask(tact_sample* sample, const tact_query_options* options, tact_query_report* report);
