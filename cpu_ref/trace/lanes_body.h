// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// All loops for one set of instructions. The including file defines TACT_LANES_ISA, LANES_TABLE and LANES_NAME.

#include "base/compiler.h"
#include "base/simd.h"
#include "cpu_ref/trace/lanes.h"
#include "kernels/strip_turn.h"

/// Three numbers in each lane.
typedef struct lanes_vec {
    VF x, y, z;
} lanes_vec;

// Each needs those before it.
#include "cpu_ref/trace/box_lanes.h"

#include "cpu_ref/trace/turn_lanes.h"

#include "cpu_ref/trace/prepare_lanes.h"

#include "cpu_ref/trace/alone_lanes.h"

#include "cpu_ref/trace/stream_lanes.h"

#include "cpu_ref/trace/packet_test_lanes.h"

#include "cpu_ref/trace/packet_lanes.h"

#if TACT_LANES_ISA < 3
#include "cpu_ref/trace/closest_lanes.h"

#include "cpu_ref/trace/crossing_lanes.h"
#endif

#include "cpu_ref/trace/strip_lanes.h"

const tact_trace_lane_table LANES_TABLE = {
    .name = LANES_NAME,
    .streams = streams,
    .few = few,
    .packet = packet,
    .octants = octants,
#if TACT_LANES_ISA >= 2
    .closest = tact_trace_closest_avx2,
    .crossings = tact_trace_crossings_avx2,
#else
    .closest = closest,
    .crossings = crossings,
#endif
    .strips = strips,
};
