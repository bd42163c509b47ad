// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Searches in clouds on the CPU: the brute force that defines every result, and the walk that gives the same bytes
/// faster.

#include "cpu_ref/cloud/field.h"
#include "cpu_ref/trace/batch.h"
#include "tact/point_cloud.h"

/// Queries against a cloud; `points` are those that the tree was built of.
typedef struct tact_cloud_job {
    const tact_cloud_tree* tree;
    const tact_vec3* points;
    const tact_cloud_field* field;  ///< of the same points; NULL: none
    const tact_closest_query* queries;
    tact_batch batch;
} tact_cloud_job;

/// The `nearest` points of each query, as many rows each.
tact_result tact_cloud_nearest_reference(tact_env* env, const tact_cloud_job* job, uint32_t nearest,
                                         tact_cloud_neighbour* neighbours);
tact_result tact_cloud_nearest_cpu(tact_env* env, const tact_cloud_job* job, uint32_t nearest,
                                   tact_cloud_neighbour* neighbours);

/// Whether there is a point within each query's distance.
tact_result tact_cloud_any_reference(tact_env* env, const tact_cloud_job* job, uint8_t* touched);
tact_result tact_cloud_any_cpu(tact_env* env, const tact_cloud_job* job, uint8_t* touched);

/// Where lists go: of each query the place of its first id, and after the last one the place behind; ids as far as
/// there is room.
typedef struct tact_cloud_lists {
    uint64_t* offsets;
    uint32_t* ids;
    size_t capacity;
} tact_cloud_lists;

/// The points within each query's distance, by id.
tact_result tact_cloud_list_reference(tact_env* env, const tact_cloud_job* job, const tact_cloud_lists* lists);
tact_result tact_cloud_list_cpu(tact_env* env, const tact_cloud_job* job, const tact_cloud_lists* lists);

/// Sorts a row of ids, below `end`, with room for twice as many keys.
void tact_cloud_sort_ids(uint32_t* ids, size_t count, uint32_t end, uint64_t* keys);
