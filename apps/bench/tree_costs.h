// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The cost of a test of two trees of volumes, T = n_v c_v + n_p c_p + n_u c_u, beside what the test takes.

#include "apps/timing.h"

enum { TACT_TREE_RULES = 4 };

/// A test by one rule of descent: which triangles overlap, of two trees with one in each box, where the boxes of one
/// tree have moved. What a pair of volumes takes includes which of them the rule opens.
typedef struct tact_tree_cost {
    const char* rule;
    uint64_t tested, found, updated;         ///< pairs of volumes, pairs of triangles, volumes that are fitted
    double tested_ns, found_ns, updated_ns;  ///< what one of each takes: the least, of each part by itself
    double expected_ms;                      ///< T, to be compared with the least of `ms`
    tact_spread ms;                          ///< all of the test
    uint64_t overlaps;                       ///< pairs of triangles that do
} tact_tree_cost;

/// Measures the parts and the tests, `repeat` times each. False where memory is short.
bool tact_tree_costs_measure(uint64_t repeat, tact_tree_cost costs[TACT_TREE_RULES]);
