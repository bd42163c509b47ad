// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside of touched: what the search found, and its order.

#include "cpu_ref/pick/touch_area.h"

typedef struct tact_touch_item {
    uint32_t object, instance, primitive;
    tact_touch_best best;
} tact_touch_item;

/// By squared distance from the point, depth, pixel: negative when a comes first.
int tact_touch_compare(bool reversed, const tact_touch_best* a, const tact_touch_best* b);

/// Sorts by that, then object, instance, primitive, and keeps the first of each thing. `items` is replaced. Errors:
/// OUT_OF_MEMORY, LIMIT.
tact_result tact_touch_order(tact_env* env, int threads, bool reversed, tact_pick_group group, tact_touch_item** items,
                             size_t* count);
