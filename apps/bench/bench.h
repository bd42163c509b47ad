// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the benchmarks share: what becomes of a measurement, and how it is reported.

#include "apps/json_out.h"
#include "apps/session.h"
#include "apps/table.h"
#include "apps/timing.h"

typedef enum tact_bench_status {
    TACT_BENCH_EQUAL = 0,    ///< the digest is the one all must have
    TACT_BENCH_DIFFERS = 1,  ///< not; its time does not count
    TACT_BENCH_FAILED = 2,
    TACT_BENCH_TOO_SLOW = 3,  ///< left out after a smaller one took long
    TACT_BENCH_MISSING = 4    ///< this program does not have it
} tact_bench_status;

/// Millions a second.
double tact_bench_rate(uint64_t count, double ms);

/// What all benchmarks' JSON begins with: the command, the version and the machine.
void tact_bench_head_to_json(cJSON* root, const char* command, const tact_session* session);

/// The commit that the program was built from, or an empty text.
const char* tact_bench_commit(void);

/// Writes bench.json and bench.csv into the folder.
bool tact_bench_write_files(const char* folder, const cJSON* json, const tact_table* table, tact_problem* problem);

/// What a benchmark prints above its table, and where its files go.
typedef struct tact_bench_output {
    const tact_session* session;
    tact_backend named;  ///< whose device is named first
    bool json;           ///< print that instead
    const char* out;     ///< folder for bench.json and bench.csv; NULL: none
    char heading[200];
} tact_bench_output;

/// Prints and writes what was measured, and frees both.
bool tact_bench_finish(const tact_bench_output* output, cJSON* json, tact_table* table, tact_problem* problem);

/// Whether nothing was wrong; else a failed check: "7 measurements ...".
bool tact_bench_verdict(uint64_t wrong, const char* what, tact_problem* problem);
