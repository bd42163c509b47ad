// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// All loops for one set of instructions. The including file defines TACT_LANES_ISA, LANES_TABLE and LANES_NAME.

#include "base/compiler.h"
#include "base/simd.h"
#include "cpu_ref/pairs/lanes.h"

#include "cpu_ref/pairs/box_lanes.h"
#include "cpu_ref/pairs/brute_lanes.h"
#include "cpu_ref/pairs/bvh_lanes.h"
#include "cpu_ref/pairs/grid_lanes.h"
#include "cpu_ref/pairs/order_lanes.h"
#include "cpu_ref/pairs/row_lanes.h"
#include "cpu_ref/pairs/sap_lanes.h"
#include "cpu_ref/pairs/tree_lanes.h"

const tact_pairs_lane_table LANES_TABLE = {
    .name = LANES_NAME,
    .lanes = LANES,
    .brute = brute,
    .bvh = bvh,
    .bvh_ask = bvh_ask,
    .bvh_fill = bvh_fill,
    .order_keys = order_keys,
    .tree = tree,
    .rows = rows,
    .sap_within = sap_within,
    .sap_between = sap_between,
    .grid_self = grid_self,
    .grid_query = grid_query,
    .grid_scan = grid_scan,
};
