// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/hull_graph.h"

/// tact_hull_graph_extreme for a direction that was computed.
uint32_t tact_hull_graph_climb(const tact_hull_graph* graph, dvec direction, uint32_t start);
