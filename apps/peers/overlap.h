// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Other libraries that test meshes for overlap, for `tact bench overlap`. Which there are is decided when building.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Tightly packed arrays that outlive the call only.
typedef struct tact_overlap_peer_mesh {
    const float* positions;
    size_t vertex_count;
    const uint32_t* indices;
    size_t triangle_count;
} tact_overlap_peer_mesh;

typedef struct tact_overlap_peer {
    const char* name;
    /// Its trees of both meshes; NULL: no memory, or it does not take the mesh.
    void* (*make)(const tact_overlap_peer_mesh* a, const tact_overlap_peer_mesh* b);
    /// B in each pose against A, poses handed out to threads. `all`: the pairs of each pose are counted, else 1 or 0.
    /// False: something went wrong.
    bool (*run)(void* own, const float (*poses)[12], size_t count, int threads, bool all, uint64_t* found);
    void (*release)(void* own);
} tact_overlap_peer;

extern const tact_overlap_peer tact_overlap_peer_fcl;

/// NULL past the last one.
const tact_overlap_peer* tact_overlap_peer_at(size_t index);

#ifdef __cplusplus
}
#endif
