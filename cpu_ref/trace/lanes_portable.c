// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/lane_levels.h"

#define TACT_LANES_ISA 0
#define LANES_TABLE tact_trace_lanes_portable
#define LANES_NAME "portable"
#include "cpu_ref/trace/lanes_body.h"
