// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The methods by number: above them all, and what they share below them (pairs.c).

#include "cpu_ref/pairs/pair_sink.h"
#include "cpu_ref/pairs/pairs.h"

const char* tact_pairs_method_name(tact_pairs_method method)
{
    static const char* const names[TACT_PAIRS_METHOD_COUNT] = {"auto", "brute", "sap", "grid", "hgrid", "bvh", "tree"};
    return (unsigned)method < TACT_PAIRS_METHOD_COUNT ? names[method] : "?";
}

const tact_pairs_way* tact_pairs_way_of(tact_pairs_method method)
{
    static const tact_pairs_way* const ways[TACT_PAIRS_METHOD_COUNT] = {
        [TACT_PAIRS_BRUTE] = &tact_pairs_brute, [TACT_PAIRS_BVH] = &tact_pairs_bvh,
        [TACT_PAIRS_TREE] = &tact_pairs_tree,   [TACT_PAIRS_SAP] = &tact_pairs_sap,
        [TACT_PAIRS_GRID] = &tact_pairs_grid,   [TACT_PAIRS_HGRID] = &tact_pairs_hgrid,
    };
    return (unsigned)method < TACT_PAIRS_METHOD_COUNT ? ways[method] : NULL;
}

void tact_pairs_state_release(tact_env* env, tact_pairs_state* state)
{
    for (int i = 0; i < TACT_PAIRS_METHOD_COUNT; ++i) {
        if (!state->kept[i]) continue;
        TACT_ASSERT(tact_pairs_way_of((tact_pairs_method)i));
        tact_pairs_way_of((tact_pairs_method)i)->release(env, state->kept[i]);
        state->kept[i] = NULL;
    }
    while (state->spare_blocks) {
        tact_pair_block* next = state->spare_blocks->next;
        tact_release(env, state->spare_blocks);
        state->spare_blocks = next;
    }
    state->spare_count = 0;
}
