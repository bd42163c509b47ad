// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a thread needs to take a stream of rays through the trees together (stream_lanes.h).

#include "cpu_ref/trace/raycast.h"

enum {
    TACT_STREAM_RAYS = 1 << 13,  ///< rays of a stream, at most
    /// Places for lists of rays that wait. What does not fit goes on ray by ray.
    TACT_STREAM_LISTS = 40 * TACT_STREAM_RAYS,
    /// Rays that go down a tree over instances together: their lists fit at its greatest depth, and as much again.
    TACT_STREAM_TOP_RAYS = TACT_STREAM_LISTS / (2 * 8 * (TACT_BVH8_MAX_TOP_DEPTH + 1)),
    TACT_STREAM_PAD = 64,  ///< places past the end that loops of lanes may read and write
    TACT_FEW_RAYS = 64     ///< rays that go down each by itself from the root on, at most
};

/// A ray in one frame, as box and edge tests read it: one cache line.
typedef struct tact_stream_ray {
    float origin[3], tmin;
    float near[3];  ///< slab reciprocals, with slack for the side that is entered
    float limit;    ///< hits beyond it do not matter; negative when none does
    float far[3];   ///< with slack for the side that is left
    float sx, sy, sz;
    uint32_t axis;    ///< as in TactRayFrame
    uint32_t octant;  ///< bit k: a box is entered through its upper side on axis k. 8: the ray misses the instance
} tact_stream_ray;

_Static_assert(sizeof(tact_stream_ray) == 64, "a cache line");

/// What only hits need of a ray.
typedef struct tact_stream_rest {
    float inverse[3];  ///< slab reciprocals
    float enter, leave;
    float unused[3];
} tact_stream_rest;

_Static_assert(sizeof(tact_stream_rest) == 32, "a row of eight numbers, as the halves of a tact_stream_ray are");

/// What is known of the rays of a stream: a place for each in every array.
typedef struct tact_stream {
    tact_stream_ray* rays;  ///< in the frame of the mesh that is gone through
    tact_stream_rest* rest;
    tact_hit* best;          ///< closest
    uint32_t* counts;        ///< any and count
    uint32_t* numbers;       ///< of the caller's rays
    float* limit;            ///< as in tact_stream_ray, between meshes
    tact_stream_ray* world;  ///< in the world, when there are several instances
    uint32_t* mask;          ///< of instances that a ray hits, when that matters
    uint32_t* lists;         ///< TACT_STREAM_LISTS; NULL: of few rays
    uint8_t* masks;          ///< likewise
} tact_stream;

/// The arrays of `n` rays.
#define TACT_STREAM_ARRAYS(n)             \
    _Alignas(64) tact_stream_ray rays[n]; \
    tact_stream_rest rest[n];             \
    tact_hit best[n];                     \
    uint32_t counts[n], numbers[n];       \
    float limit[n];                       \
    tact_stream_ray world[n];             \
    uint32_t mask[n]

typedef struct tact_stream_memory {
    TACT_STREAM_ARRAYS(TACT_STREAM_RAYS);
    uint32_t lists[TACT_STREAM_LISTS + TACT_STREAM_PAD];
    uint8_t masks[TACT_STREAM_RAYS + TACT_STREAM_PAD];
} tact_stream_memory;

typedef struct tact_few_memory {
    TACT_STREAM_ARRAYS(TACT_FEW_RAYS);
} tact_few_memory;

/// The stream that has either memory.
#define TACT_STREAM_OF(m)                                                                                         \
    {                                                                                                             \
        (m)->rays, (m)->rest, (m)->best, (m)->counts, (m)->numbers, (m)->limit, (m)->world, (m)->mask, NULL, NULL \
    }
