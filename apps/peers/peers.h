// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Other libraries that answer the same queries, for the benchmark. Which there are is decided when building.

#include "apps/inputs/model.h"

typedef struct tact_peer_result {
    double build_ms;  ///< its acceleration structure
    double query_ms;  ///< median of the repetitions
    double query_low_ms, query_high_ms;
    uint64_t hits;  ///< rays that hit; its arithmetic is its own, so this may differ by a few from ours
    int threads;
} tact_peer_result;

typedef struct tact_peer {
    const char* name;
    /// Closest hits of the model by the peer, `repeat` times after a warm-up.
    bool (*cast)(const tact_model* model, const tact_ray* rays, size_t count, int threads, uint64_t repeat,
                 tact_peer_result* result, tact_problem* problem);
} tact_peer;

/// The peers that were built in; *count may be 0.
const tact_peer* tact_peers(size_t* count);
