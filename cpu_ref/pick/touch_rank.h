// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside of touched: what the search found, and its order. Tens of millions may be found, so what is kept of each is
/// what ranks it; where it is touched is found anew when it is told.

#include "cpu_ref/pick/touch_area.h"

typedef struct tact_touch_item {
    uint32_t object, instance, primitive;
    uint32_t distance;  ///< squared: at most 2 * 1024^2
    float depth;
    uint32_t pixel;
} tact_touch_item;

/// By squared distance from the point, depth, pixel: negative when a comes first.
int tact_touch_compare(bool reversed, const tact_touch_best* a, const tact_touch_best* b);

/// Sorts by that, then object, instance, primitive, and keeps the first of each thing: (*order)[0] to
/// (*order)[*count - 1] are what is left of the `*count` items. `progress` is told of each pass; it may be NULL. The
/// order is the caller's to release; NULL after an error: OUT_OF_MEMORY, LIMIT, CANCELLED.
tact_result tact_touch_order(tact_env* env, int threads, bool reversed, tact_pick_group group,
                             const tact_touch_item* items, size_t* count, tact_progress_fn* progress,
                             void* progress_user, uint32_t** order);
