// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Other libraries that find closest points and move spheres, for `tact bench near`. Which there are is decided when
/// building. Their arithmetic is their own: distances and times of touch differ from ours in the last digits.

#include "apps/peers/overlap.h"
#include "tact/closest.h"
#include "tact/spherecast.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tact_near_peer {
    const char* name;
    /// Its tree of the mesh, for queries on so many threads; NULL: no memory, or it does not take the mesh.
    void* (*make)(const tact_overlap_peer_mesh* mesh, int threads);
    /// The distance from each point to the mesh, infinite where it is too far. NULL: it does not do this.
    bool (*closest)(void* own, const tact_closest_query* queries, size_t count, float* distances);
    /// When each sphere touches the mesh, infinite where it does not. NULL: it does not do this.
    bool (*spheres)(void* own, const tact_sphere_cast* casts, size_t count, float* times);
    void (*release)(void* own);
} tact_near_peer;

extern const tact_near_peer tact_near_peer_embree, tact_near_peer_bullet;

/// NULL past the last one.
const tact_near_peer* tact_near_peer_at(size_t index);

#ifdef __cplusplus
}
#endif
