// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Triangles of many objects that overlap (tact/mesh_filter.h): the definition, and the CPU's engine.

#include "core/env.h"
#include "tact/mesh_filter.h"
#include "tact/pairs.h"

/// A run. All of it has been checked: shapes and indices are there, poses are finite, all shapes' vertices are on the
/// host (engines of devices take them from the device where they are there).
typedef struct tact_filter_job {
    const tact_filter_shape* shapes;
    size_t shape_count;
    const tact_filter_object* objects;
    size_t object_count;
    /// A box around each object's vertices in the world, lower > upper where it has none that count. Engines may rely
    /// on it; the reference does not look.
    const tact_aabb* boxes;
    /// The pairs of objects whose boxes meet, in order, a < b.
    const tact_pair* candidates;
    size_t candidate_count;
    tact_filter_options options;
    int threads;
    tact_progress_fn* progress;
    void* progress_user;
} tact_filter_job;

/// Pairs in order. Begins as zeroes.
typedef struct tact_filter_list {
    tact_filter_pair* pairs;
    size_t count, capacity;
} tact_filter_list;

void tact_filter_list_free(tact_env* env, tact_filter_list* list);

/// Room for one more pair. OUT_OF_MEMORY.
tact_result tact_filter_list_add(tact_env* env, tact_filter_list* list, const tact_filter_pair* pair);

/// Each triangle of each object with each of all others. Errors: OUT_OF_MEMORY, CANCELLED.
tact_result tact_filter_reference(tact_env* env, const tact_filter_job* job, tact_filter_list* list);

/// The same pairs. Errors: OUT_OF_MEMORY, CANCELLED.
tact_result tact_filter_cpu(tact_env* env, const tact_filter_job* job, tact_filter_list* list);
