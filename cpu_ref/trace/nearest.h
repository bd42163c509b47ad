// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The nearest hits of a ray so far: in no order while there are fewer than wanted, then a heap with the farthest
/// first.

#include "cpu_ref/trace/raycast.h"

static inline bool tact_trace_before(const tact_hit* a, const tact_hit* b)
{
    return tact_trace_closer(a->t, a->instance, a->primitive, b);
}

/// Puts the hit at place i where it belongs among those below it in a heap of n.
static inline void tact_trace_sift(tact_hit* hits, size_t i, size_t n)
{
    TACT_ASSERT(i < n);
    const tact_hit hit = hits[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n) break;
        if (child + 1 < n && tact_trace_before(&hits[child], &hits[child + 1])) ++child;
        if (!tact_trace_before(&hit, &hits[child])) break;
        hits[i] = hits[child];
        i = child;
    }
    hits[i] = hit;
}

static inline void tact_trace_make_heap(tact_hit* hits, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        tact_trace_sift(hits, i, n);
}

/// Puts a hit among the `count` nearest, of which at most `most` are wanted. Returns how many there are then.
static inline uint32_t tact_trace_put_nearest(tact_hit* nearest, uint32_t count, uint32_t most, const tact_hit* hit)
{
    if (count < most) {
        nearest[count++] = *hit;
        if (count == most) tact_trace_make_heap(nearest, most);
    } else if (most > 0 && tact_trace_before(hit, &nearest[0])) {
        nearest[0] = *hit;
        tact_trace_sift(nearest, 0, most);
    }
    return count;
}
