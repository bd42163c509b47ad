// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The broad phase on a device: a grid, or a linear BVH that is searched by each box. docs/pairs.md tells how.
///
/// Device memory: 145 to 170 bytes a volume (boxes 24, tree 37, keys and order 8 and as much for sorting, row 4, kept
/// partners 36, state 8, spheres 16, categories 8), and for the pairs of a tile, 2^24, or 4 a volume, or all if they
/// are fewer, 12 bytes each, 28 where a volume has more than 32 partners.

#include "cpu_ref/pairs/pairs.h"
#include "gpu/device.h"

/// What a device keeps for a set between queries.
typedef struct tact_gpu_volumes tact_gpu_volumes;

/// A set as the device is given it.
typedef struct tact_gpu_side {
    const tact_volume_view* volumes;  ///< its boxes (and spheres) are not looked at when `array` is there
    tact_gpu_volumes** resident;      ///< NULL the first time; made and kept
    const tact_device_array* array;   ///< NULL, or where the volumes are read from
    tact_volume_kind kind;
} tact_gpu_side;

typedef struct tact_gpu_pairs_job {
    tact_gpu_side a, b;
    bool within;               ///< b is not there
    tact_pairs_method method;  ///< AUTO, BVH or, within a set, GRID; others: UNSUPPORTED
    uint32_t tile;             ///< pairs emitted at a time; 0: as above
    uint32_t steps;            ///< of one item in one launch; 0: TACT_PAIRS_STEPS
    tact_progress_fn* progress;
    void* progress_user;
    /// Gives room for `count` pairs on the host.
    tact_result (*room)(void* user, uint64_t count, tact_pair** pairs);
    void* room_user;
    const tact_device_array* target;  ///< NULL, or where the pairs go instead, `capacity` at most
    uint64_t capacity;
    bool stay;  ///< the pairs stay on the device where they fit a tile; there is no target
    // Filled in:
    uint64_t count;
    tact_buffer* there;  ///< all pairs, until the next query; NULL: they are in the room
    tact_pairs_method used;
    bool rebuilt;
    char reason[256];
} tact_gpu_pairs_job;

/// Finds the pairs. Fills in the report's times and memory. Errors: those of the device, UNSUPPORTED, CANCELLED,
/// OUT_OF_MEMORY, and the room's.
tact_result tact_gpu_pairs(tact_device* device, tact_gpu_pairs_job* job, tact_query_report* report);

/// Whether a device holds that version of `count` boxes, so that they need not be brought. NULL: no.
bool tact_gpu_volumes_hold(const tact_gpu_volumes* resident, uint64_t version, uint32_t count);

/// Releases a tact_gpu_volumes.
void tact_gpu_volumes_release(void* resident);
