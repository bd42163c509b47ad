// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The contacts of a grain with surfaces, old and new, for kernels that include grain_surface.h.
#ifndef TACT_GRAIN_CHAIN_H
#define TACT_GRAIN_CHAIN_H

#include "grain_model.h"
#include "particle_listing.h"

// Counts a round of a loop, where that is wanted.
#ifndef CHAIN_STEP
#define CHAIN_STEP
#endif

// The first row of a node. node_room: nodes that a pool has room for.
#define TACT_GRAIN_ROW(node) \
    (TACT_GRAIN_NODE_ROWS * (((node) & ~TACT_GRAIN_POOL) + (((node)&TACT_GRAIN_POOL) != 0u ? node_room : 0u)))

// before: the first of the substep before. first, tail: of the new ones so far.
#define GRAIN_CHAIN(before, first, tail)                 \
    uint chain_at = (before);                            \
    uint chain_first = (first);                          \
    uint chain_tail = (tail);                            \
    uint chain_pool = pool != 0u ? TACT_GRAIN_POOL : 0u; \
    uint chain_surface = TACT_GRAIN_NONE;                \
    uint chain_taken = 0u;                               \
    bool chain_full = false;

// Whether a chain is of this substep, which is done again since nodes ran out.
#define GRAIN_IS_DONE(first) ((first) != TACT_GRAIN_NONE && (((first)&TACT_GRAIN_POOL) != 0u) == (pool != 0u))

#endif
