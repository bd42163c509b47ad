// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/lane_levels.h"

#ifdef TACT_LANES_SSE2
#define TACT_LANES_ISA 1
#define LANES_TABLE tact_neighbour_lanes_sse2
#define LANES_NAME "SSE2"
#include "cpu_ref/particles/neighbours_lanes.h"
#endif
