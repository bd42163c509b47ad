// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/simd.h"

// Byte k of entry m is the place of the k-th bit that is set in m.
#define BIT(m, i) ((uint64_t)(m) >> (i)&1u)
#define BEFORE(m, i)                                                                                 \
    (BIT(m, 0) * ((i) > 0) + BIT(m, 1) * ((i) > 1) + BIT(m, 2) * ((i) > 2) + BIT(m, 3) * ((i) > 3) + \
     BIT(m, 4) * ((i) > 4) + BIT(m, 5) * ((i) > 5) + BIT(m, 6) * ((i) > 6))
#define PLACE(m, i) (BIT(m, i) * (i) << 8 * BEFORE(m, i))
#define ORDER(m) (PLACE(m, 1) | PLACE(m, 2) | PLACE(m, 3) | PLACE(m, 4) | PLACE(m, 5) | PLACE(m, 6) | PLACE(m, 7))
#define ORDERS_4(m) ORDER(m), ORDER((m) + 1), ORDER((m) + 2), ORDER((m) + 3)
#define ORDERS_16(m) ORDERS_4(m), ORDERS_4((m) + 4), ORDERS_4((m) + 8), ORDERS_4((m) + 12)
#define ORDERS_64(m) ORDERS_16(m), ORDERS_16((m) + 16), ORDERS_16((m) + 32), ORDERS_16((m) + 48)

const uint64_t tact_lane_orders[256] = {ORDERS_64(0), ORDERS_64(64), ORDERS_64(128), ORDERS_64(192)};

static int lane_limit = TACT_LANE_LEVELS - 1;

bool tact_lanes_limit(int level)
{
    lane_limit = level;
    return tact_lanes_supported(level);
}

int tact_lanes_best(int tables)
{
    int level = lane_limit < tables ? lane_limit : tables - 1;
    while (level > 0 && !tact_lanes_supported(level))
        --level;
    return level;
}
