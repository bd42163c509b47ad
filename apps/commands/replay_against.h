// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// `tact replay A --against B`.

#include "apps/json_out.h"
#include "apps/session.h"
#include "tact/tact.h"

typedef struct tact_against_run {
    const tact_common_options* common;
    tact_context* context;
    tact_recording* recordings[2];
    const char* paths[2];
    uint64_t only;  ///< 0: all queries
} tact_against_run;

/// Compares the recordings query by query and prints the first item that differs. False, with exit code 1, when one
/// does.
bool tact_replay_against(const tact_against_run* run, tact_problem* problem);

// What a signal has kept from being run, here and without --against.

/// The object `stopped`, where queries are missing.
void tact_replay_stopped_json(cJSON* root, uint64_t missing);
/// The problem that then ends the command; always false.
bool tact_replay_stop(uint64_t done, uint64_t differing, uint64_t missing, tact_problem* problem);
