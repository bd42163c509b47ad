// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// `tact bench NAME`: a query of the suite asked of every device in every variant, and of peers, in turn.

#include "apps/bench/suite.h"

/// What contestants took at the sizes before, so that what would take too long is left out. All zero before the first.
typedef struct tact_depth_series {
    struct {
        tact_contestant who;
        double ms, size;
        bool squared;  ///< its time grew by more than the power 1.5
    } past[TACT_CONTESTANTS];
    size_t count;
    double limit_ms;
} tact_depth_series;

typedef struct tact_depth {
    const tact_suite_query* query;
    tact_suite_input input;
    uint64_t size;
    unsigned backends, variants;  ///< bits; 0: all of the query's
    bool peers;
    tact_depth_series* series;  ///< NULL: nothing is left out
    const char* scene;          ///< what its inputs are called; NULL: as the mesh or the query's set
    // What came of it.
    tact_contestant all[TACT_CONTESTANTS];
    size_t count;
    double setup_ms;
    uint64_t by_reference;  ///< items that brute force has answered too
    void* own;
    tact_bench_run* run;
    tact_suite_answer expected;  ///< with a copy of the items, which is
    void* kept;
    double fastest_peer_ms;  ///< median; 0: none
} tact_depth;

/// Measures. What a device does wrong is in the contestants and in `run->wrong`; a problem is what keeps from measuring
/// at all. What a signal stops has no contestants, and is missing. What is open is closed by tact_depth_close().
bool tact_depth_measure(tact_bench_run* run, tact_depth* depth, tact_problem* problem);
void tact_depth_close(tact_depth* depth);

/// How often the fastest peer's median has the one of ours; NaN: not known.
double tact_depth_over_peers(const tact_depth* depth, const tact_contestant* who);

/// "equal", "DIFFERS", ...; of a peer "peer".
const char* tact_depth_result(const tact_contestant* who);

/// The same of brute force and of peers that count: "equal (brute force)", "as many", ...
const char* tact_depth_counted(const tact_depth* depth, const tact_contestant* who);

/// Calls a function with each mesh that --mesh names, each that --made does, and with a terrain of so many triangles;
/// 0: none.
typedef bool tact_depth_mesh_fn(tact_bench_run* run, const tact_suite_mesh* mesh, tact_problem* problem);
bool tact_depth_meshes(tact_bench_run* run, uint64_t triangles, tact_depth_mesh_fn* measure, tact_problem* problem);
