// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/cull/cull_lanes.h"

TACT_LANE_CHOICE(tact_cull_lane_table, TACT_LANE_TABLES(tact_cull_lanes), tact_cull_lanes)
