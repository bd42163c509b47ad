// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a thread needs to take a stream of rays through the trees together (stream_lanes.h).

#include "cpu_ref/trace/raycast.h"

enum {
    TACT_STREAM_RAYS = 1 << 14,  ///< rays of a stream, at most
    /// Places for lists of rays that wait. What does not fit goes on ray by ray.
    TACT_STREAM_LISTS = 40 * TACT_STREAM_RAYS,
    TACT_STREAM_PAD = 64,  ///< places past the end that loops of lanes may read and write
    TACT_FEW_RAYS = 64     ///< rays that go down each by itself from the root on, at most
};

/// A ray in one frame: one cache line.
typedef struct tact_stream_ray {
    float origin[3], tmin;
    float inverse[3];  ///< slab reciprocals
    float limit;       ///< hits beyond it do not matter; negative when none does
    float sx, sy, sz;
    uint32_t axis;       ///< as in TactRayFrame
    uint32_t octant;     ///< bit k: a box is entered through its upper side on axis k. 8: the ray misses the instance
    float enter, leave;  ///< the gate of the instance
    float unused;
} tact_stream_ray;

_Static_assert(sizeof(tact_stream_ray) == 64, "a cache line");

enum {
    TACT_STREAM_BATCH = 16,    ///< pairs that are looked at side by side
    TACT_STREAM_WAITING = 64,  ///< pairs that come from lists before they go on
    /// Those, and the children of a batch on each level.
    TACT_STREAM_PAIRS = TACT_STREAM_WAITING + TACT_STREAM_BATCH * TACT_BVH8_WIDTH * TACT_BVH8_MAX_DEPTH,
    TACT_STREAM_LEAVES = 256
};

/// Rays and nodes that they reach.
typedef struct tact_stream_pairs {
    uint32_t count;
    uint32_t ids[TACT_STREAM_PAIRS + TACT_STREAM_BATCH], nodes[TACT_STREAM_PAIRS + TACT_STREAM_BATCH];
} tact_stream_pairs;

/// Rays and leaves that they reach.
typedef struct tact_stream_leaves {
    uint32_t count;
    uint32_t ids[TACT_STREAM_LEAVES + TACT_STREAM_BATCH];
    uint32_t slots[TACT_STREAM_LEAVES + TACT_STREAM_BATCH];   ///< the leaf's, or the block's, first
    uint32_t counts[TACT_STREAM_LEAVES + TACT_STREAM_BATCH];  ///< of the leaf's primitives; of blocks not set
} tact_stream_leaves;

/// What is known of the rays of a stream: a place for each in every array.
typedef struct tact_stream {
    tact_stream_ray* rays;   ///< in the frame of the mesh that is gone through
    tact_hit* best;          ///< closest; NULL for other modes
    uint32_t* counts;        ///< of other modes
    uint32_t* numbers;       ///< of the caller's rays
    float* tmax;             ///< the caller's; of the closest hit not set
    tact_stream_ray* world;  ///< in the world, when there are several instances; sx, sy, sz are the direction
    uint32_t* mask;          ///< of instances that a ray hits, when that matters
    uint32_t* lists;         ///< TACT_STREAM_LISTS; NULL: of few rays
    uint8_t* masks;          ///< likewise
    tact_stream_pairs* pairs;
    tact_stream_leaves* leaves;
    tact_trace_pool* pool;  ///< of lists
} tact_stream;

/// The arrays of `n` rays.
#define TACT_STREAM_ARRAYS(n)             \
    _Alignas(64) tact_stream_ray rays[n]; \
    tact_hit best[n];                     \
    uint32_t counts[n], numbers[n];       \
    float tmax[n];                        \
    tact_stream_ray world[n];             \
    uint32_t mask[n]

typedef struct tact_stream_memory {
    TACT_STREAM_ARRAYS(TACT_STREAM_RAYS);
    uint32_t lists[TACT_STREAM_LISTS + TACT_STREAM_PAD];
    uint8_t masks[TACT_STREAM_RAYS + TACT_STREAM_PAD];
    tact_stream_pairs pairs;
    tact_stream_leaves leaves;
    tact_trace_pool* pool;  ///< of a list
} tact_stream_memory;

typedef struct tact_few_memory {
    TACT_STREAM_ARRAYS(TACT_FEW_RAYS);
} tact_few_memory;

/// The stream that has either memory; without what a few rays have no need of.
#define TACT_STREAM_OF(m)                                                                                        \
    {                                                                                                            \
        .rays = (m)->rays, .best = (m)->best, .counts = (m)->counts, .numbers = (m)->numbers, .tmax = (m)->tmax, \
        .world = (m)->world, .mask = (m)->mask                                                                   \
    }
