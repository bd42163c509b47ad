// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Other libraries that find overlapping pairs of boxes, for `tact bench pairs --peers`. Which there are is decided
/// when building. They collect the pairs in lists, as who uses them would, and sort nothing.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tact/geometry/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tact_pair_peer {
    const char* name;
    bool threaded;  ///< uses the threads it is given; else one
    /// Gets ready for `count` boxes; not timed. NULL when it cannot.
    void* (*open)(size_t count, int threads);
    /// Makes its structure of boxes that are finite; `width` is their mean width.
    bool (*build)(void* own, const tact_aabb* boxes, double width);
    /// Gives the boxes new places, by the library's own way of following motion.
    void (*move)(void* own, const tact_aabb* boxes);
    /// Collects the pairs and returns how many there are.
    uint64_t (*find)(void* own);
    /// Lets the structure go, for the next build; not timed.
    void (*clear)(void* own);
    void (*close)(void* own);
} tact_pair_peer;

/// Peer number `index`, or NULL beyond the last.
const tact_pair_peer* tact_pair_peer_at(size_t index);

extern const tact_pair_peer tact_pair_peer_embree_low, tact_pair_peer_embree_medium, tact_pair_peer_fcl,
    tact_pair_peer_bullet, tact_pair_peer_dbvt;

#ifdef __cplusplus
}
#endif
