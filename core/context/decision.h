// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How the last query of a context was decided: what tact_explain() makes its sentences of, when they are asked for.

#include "core/context/cost_model.h"
#include "tact/explain.h"

struct tact_query;
struct tact_query_backend;

/// A backend that can run the query.
typedef struct tact_choice {
    const struct tact_query_backend* backend;
    uint32_t device;
    tact_cost cost;
    tact_cost_expectation expected;  ///< without what was learned, where the backend was asked for
    tact_cost_entry* known;          ///< NULL: nothing
    double margin;                   ///< by which a software device must be expected to take less
    double order;                    ///< least first
    bool trial;                      ///< asked though another is expected to take less
    bool ran;
    tact_result result;  ///< where it ran
    double ms;           ///< what that took
    char failure[256];   ///< where that failed, and how
} tact_choice;

typedef struct tact_decision {
    const struct tact_query* query;  ///< NULL: none was asked yet
    tact_backend asked;
    uint32_t lost;  ///< a bit for each backend whose device was lost before
    size_t count;
    tact_choice choices[TACT_BACKEND_COUNT];  ///< in the order in which they are asked
} tact_decision;
