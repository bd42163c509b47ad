// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What `tact bench pairs` measures: one way of finding the pairs of one set, at rest or moving.

#include "apps/bench/bench.h"
#include "apps/inputs/volume_input.h"
#include "apps/peers/pairs.h"

/// One of ours, or a peer.
typedef struct tact_pairs_contestant {
    const tact_pair_peer* peer;  ///< NULL: ours, by the two below
    tact_backend backend;
    tact_pairs_method method;
} tact_pairs_contestant;

/// One set of boxes and what has been found out about it.
typedef struct tact_pairs_bench_case {
    const char* scene;
    double parameter;  ///< of a sweep: what the set was made with; 0: none
    tact_volume_input boxes, moved;
    bool moving;
    uint64_t repeat;  ///< repetitions, or frames after the first
    uint64_t seed;
    double speed;
    int threads;
    tact_digest digest;  ///< that all must have; empty until the first has answered
    bool by_reference;   ///< it is the reference's
    uint64_t pairs;      ///< of the set, or of all frames together
    bool known;          ///< `pairs` is
} tact_pairs_bench_case;

typedef struct tact_pairs_bench_row {
    tact_pairs_contestant who;
    char scene[32];
    double parameter;
    uint64_t count;
    bool moving;
    int threads;
    tact_bench_status status;
    tact_spread ms;  ///< boxes given to the set, structure and pairs together
    double set_ms, build_ms;
    uint64_t pairs;         ///< of the last run or frame
    double overlaps;        ///< of a box
    double tests_per_box;   ///< of the last run or frame
    uint64_t memory_bytes;  ///< 0: unknown
    tact_digest digest;
    bool by_reference;
    char detail[256];  ///< why it failed
} tact_pairs_bench_row;

/// Makes a case of a generated set. `make` as in tact_volume_scene.
bool tact_pairs_bench_open(tact_pairs_bench_case* c, const char* scene, tact_volume_input* boxes,
                           tact_problem* problem);
void tact_pairs_bench_close(tact_pairs_bench_case* c);

/// Asks the reference for the digest when the set is small enough for it.
bool tact_pairs_bench_define(tact_pairs_bench_case* c, tact_context* context, tact_problem* problem);

/// Measures. What a contestant cannot do is in the row's status; problems are the benchmark's own.
bool tact_pairs_bench_measure(tact_pairs_bench_case* c, const tact_pairs_contestant* who, tact_context* context,
                              tact_pairs_bench_row* row, tact_problem* problem);

const char* tact_pairs_contestant_name(const tact_pairs_contestant* who, char* text, size_t size);

typedef struct tact_pairs_bench_results {
    tact_pairs_bench_row* rows;
    size_t count, capacity;
} tact_pairs_bench_results;

typedef struct tact_pairs_bench_settings {
    tact_common_options common;
    bool quick, peers, ten_million;
    const char *out, *scene;
    int sweep;   ///< a tact_pairs_sweep
    int method;  ///< 0: all, else this one of ours
    uint64_t repeat, most;
} tact_pairs_bench_settings;

typedef enum tact_pairs_sweep {
    TACT_SWEEP_NONE = 0,
    TACT_SWEEP_DENSITY = 1,
    TACT_SWEEP_SPREAD = 2,
    TACT_SWEEP_COUNT = 3
} tact_pairs_sweep;

extern const char* const tact_pairs_sweep_names[];

/// Tables or JSON on standard output, and files where asked for.
bool tact_pairs_bench_report(const tact_pairs_bench_settings* settings, const tact_session* session,
                             const tact_pairs_bench_results* results, tact_problem* problem);
