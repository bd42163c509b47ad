// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the benchmark measures and how it is reported.

#include "apps/json_out.h"
#include "apps/session.h"
#include "apps/table.h"
#include "apps/timing.h"

typedef struct tact_bench_settings {
    tact_common_options common;
    bool quick, peers;
    const char* out;  ///< folder for bench.json and bench.csv; NULL: none
    tact_text_list meshes;
    uint64_t repeat;
} tact_bench_settings;

typedef enum tact_bench_status {
    TACT_BENCH_EQUAL = 0,    ///< the digest is the one all must have
    TACT_BENCH_DIFFERS = 1,  ///< not; its time does not count
    TACT_BENCH_FAILED = 2,
    TACT_BENCH_TOO_SLOW = 3,  ///< left out after a smaller one took long
    TACT_BENCH_MISSING = 4    ///< this program does not have it
} tact_bench_status;

/// One device on one mesh, kind and number of rays.
typedef struct tact_bench_row {
    char mesh[64];
    uint64_t triangles;
    const char* rays;  ///< "camera" or "random"
    uint64_t count;
    tact_backend backend;
    tact_bench_status status;
    double scene_ms;  ///< building the trees, on the CPU
    tact_raycast_timing timing;
    double speed_up;    ///< the CPU's median time over this one's; 0: unknown
    bool by_reference;  ///< the digest was compared with the brute force's, not only among devices
} tact_bench_row;

typedef struct tact_bench_peer_row {
    char mesh[64];
    uint64_t triangles;
    const char* rays;
    uint64_t count;
    const char* peer;
    int threads;
    double build_ms, query_ms, low_ms, high_ms;
    uint64_t hits, our_hits;
} tact_bench_peer_row;

typedef struct tact_bench_results {
    tact_bench_row* rows;
    size_t row_count;
    tact_bench_peer_row* peers;
    size_t peer_count;
} tact_bench_results;

double tact_bench_rate(uint64_t count, double ms);

/// Tables for people on standard output.
void tact_bench_print(const tact_bench_settings* settings, const tact_session* session,
                      const tact_bench_results* results);

/// All of it as JSON, which the caller deletes.
cJSON* tact_bench_to_json(const tact_bench_settings* settings, const tact_session* session,
                          const tact_bench_results* results);

/// Writes bench.json and bench.csv into the folder.
bool tact_bench_write(const tact_bench_settings* settings, const cJSON* json, const tact_bench_results* results,
                      tact_problem* problem);

/// What all benchmarks' JSON begins with: the command, the version and the machine.
void tact_bench_head_to_json(cJSON* root, const char* command, const tact_session* session);

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
