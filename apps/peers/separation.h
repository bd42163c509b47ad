// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Other libraries that tell how far apart meshes are, for `tact bench separation`. Which there are is decided when
/// building.

#include "apps/peers/overlap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tact_separation_peer {
    const char* name;
    /// Its trees of both meshes; NULL: no memory, or it does not take the mesh.
    void* (*make)(const tact_overlap_peer_mesh* a, const tact_overlap_peer_mesh* b);
    /// The distance of B in each pose to A, on one thread; 0 or less where they overlap. False: something went wrong.
    bool (*run)(void* own, const float (*poses)[12], size_t count, double* distances);
    void (*release)(void* own);
} tact_separation_peer;

extern const tact_separation_peer tact_separation_peer_rss, tact_separation_peer_obbrss;

/// NULL past the last one.
const tact_separation_peer* tact_separation_peer_at(size_t index);

#ifdef __cplusplus
}
#endif
