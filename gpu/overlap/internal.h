// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Shared by the files of overlap on devices.

#include "gpu/overlap/overlap.h"
#include "kernels/overlap_layout.h"

/// What a walk took, for the next one.
typedef struct tact_gpu_overlap_past {
    uint32_t pose_count;  ///< 0: there was none
    uint32_t steps, most_items, found;
    uint64_t tested;                    ///< leaf pairs
    uint32_t made[TACT_OVERLAP_NOTED];  ///< leaf pairs of the first steps
} tact_gpu_overlap_past;

/// The lists that a query works with.
typedef struct tact_gpu_overlap_lists {
    tact_buffer *items, *leaves, *found;
    uint32_t capacity;  ///< of half of items; leaves and found have room for as many
    tact_buffer *poses, *state;
    uint32_t pose_capacity;
    tact_gpu_overlap_past past[2];  ///< of all pairs, and of whether there are some
} tact_gpu_overlap_lists;

struct tact_gpu_mesh {
    tact_device* device;
    uint64_t version;
    bool there;  ///< nodes and triangles are those of `version`
    tact_buffer *nodes, *triangles;
    tact_gpu_overlap_lists scratch;  ///< of queries in which it is A
};

/// One query on its way.
typedef struct tact_gpu_overlap_run {
    tact_device* device;
    tact_env* env;
    tact_gpu_overlap_job* job;
    tact_gpu_mesh *a, *b;
    tact_gpu_overlap_lists* lists;
    uint32_t mode;
    size_t first_pose;
    uint32_t pose_count;       ///< of this batch
    tact_mesh_pair* findings;  ///< as they came, room for `capacity`
    uint32_t findings_there;   ///< of those, how many were read
    uint8_t* verdicts;
    uint32_t* state;  ///< as it was read
    uint32_t* done;   ///< the poses' words of it; NULL: all pairs are wanted
    tact_query_report* report;
} tact_gpu_overlap_run;

/// Goes down both trees for a batch of poses. The findings go where the job says; then `done` is up to date.
tact_result tact_gpu_overlap_walk(tact_gpu_overlap_run* run);

/// The least capacity of items with which tact_gpu_overlap_walk() gets through.
uint32_t tact_gpu_overlap_least(void);

/// Takes `count` findings from the device: adds them to the list, or marks their poses. Those that are unsure are
/// decided first.
tact_result tact_gpu_overlap_collect(tact_gpu_overlap_run* run, uint32_t count);

/// Puts the pairs in order.
tact_result tact_gpu_overlap_sort(tact_env* env, int threads, tact_overlap_list* list);
