// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/lanes.h"

TACT_LANE_CHOICE(tact_trace_lane_table, TACT_LANE_TABLES(tact_trace_lanes), tact_trace_lanes)
