// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The loop that puts short rows of pairs in order; see lanes.h and pair_sort.c.

#if TACT_LANES_ISA == 3

/// Neighbours in the wrong order change places, those that begin at even places and those at odd ones in turn (Knuth:
/// The Art of Computer Programming, 5.3.4): nine times, while eight pairs after the other go by. No branch depends on
/// the pairs, whose rows are too short for one to be foreseen. Rows of nine are in order after that, and of any length
/// after one time for each pair; a second sweep begins as the first one ends, and so adds eight.
LANES_TARGET static void rows(tact_pair* pairs, size_t count, uint32_t longest)
{
    enum { HELD = 8 };
    const size_t full = count / 8, rest = count % 8, end = full + (rest > 0);
    const uint32_t rest_bits = (1u << rest) - 1u;
    for (uint32_t sorted = 1; sorted < longest; sorted += HELD) {
        p8 held[HELD];
        for (int i = 0; i < HELD; ++i)
            held[i] = p8_set(0);
        for (size_t k = 0; k <= end; ++k) {
            // What lies before the first pair is less than all, and after the last one more.
            p8 now = k < full ? p8_load(&pairs[8 * k].a) : p8_set(UINT64_MAX);
            if (k == full && rest > 0) now = p8_load_some(&pairs[8 * k].a, rest_bits, now);
            now = p8_order(now);
            for (int i = 0; i < HELD; ++i) {
                const p8 next = p8_follow(held[i], now);
                held[i] = now;
                now = p8_order(next);
            }
            if (k == 0) continue;
            if (k < end || rest == 0) {
                p8_store(&pairs[8 * (k - 1)].a, now);
            } else {
                p8_store_some(&pairs[8 * (k - 1)].a, rest_bits, now);
            }
        }
    }
}

#else

LANES_TARGET static void rows(tact_pair* pairs, size_t count, uint32_t longest)
{
    for (size_t i = 1; longest > 1 && i < count; ++i) {
        const tact_pair p = pairs[i];
        size_t k = i;
        for (; k > 0 && pairs[k - 1].a == p.a && pairs[k - 1].b > p.b; --k)
            pairs[k] = pairs[k - 1];
        pairs[k] = p;
    }
}

#endif
