// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pairs/lanes.h"

TACT_LANE_CHOICE(tact_pairs_lane_table, TACT_LANE_TABLES(tact_pairs_lanes), tact_pairs_lanes)
