// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Triangles of many objects that overlap (tact/mesh_filter.h): the definition, and the CPU's engine.

#include <string.h>

#include "base/env.h"
#include "cpu_ref/overlap/overlap.h"
#include "tact/mesh_filter.h"
#include "tact/pairs.h"
#include "tact/scene.h"

/// A run. All of it has been checked: shapes and indices are there, strides are not 0, poses are finite. All shapes'
/// vertices are on the host, but for a device's engine those that lie there: then `positions` may be NULL.
typedef struct tact_filter_job {
    const tact_mesh_desc* shapes;
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
    uint64_t working_bytes;  ///< that the CPU's engine held besides, until it had ended
} tact_filter_list;

void tact_filter_list_free(tact_env* env, tact_filter_list* list);

/// Room for one more pair. OUT_OF_MEMORY.
tact_result tact_filter_list_add(tact_env* env, tact_filter_list* list, const tact_filter_pair* pair);

/// Each triangle of each object with each of all others. Errors: OUT_OF_MEMORY, CANCELLED.
tact_result tact_filter_reference(tact_env* env, const tact_filter_job* job, tact_filter_list* list);

/// The same pairs, of the candidates' objects. Errors: OUT_OF_MEMORY, CANCELLED, LIMIT (2^32 pairs).
tact_result tact_filter_cpu(tact_env* env, const tact_filter_job* job, tact_filter_list* list);

/// Corner k of triangle i of a shape on the host.
static inline tact_vec3 tact_filter_corner(const tact_mesh_desc* s, size_t i, size_t k)
{
    const size_t vertex = s->indices ? s->indices[3 * i + k] : 3 * i + k;
    tact_vec3 p;
    memcpy(&p, (const char*)s->positions + vertex * s->position_stride, sizeof p);
    return p;
}

/// Which of several arrays laid end to end has element `at`: first[i] <= at < first[i + 1]. `first` has count + 1
/// entries.
static inline size_t tact_filter_find(const size_t* first, size_t count, size_t at)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (first[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}
