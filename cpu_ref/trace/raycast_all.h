// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// All hits along rays, from the front: by t, then instance, then primitive, each as a ray cast defines it. So the
/// first of a ray is its closest hit, to the bit.

#include "cpu_ref/trace/raycast.h"

typedef struct tact_trace_all_job {
    const tact_trace_scene* scene;
    const tact_ray* rays;
    size_t count;
    uint32_t max_hits;  ///< of each ray, from the front; 0: all
    int threads;
    bool brute;                  ///< try every primitive: the definition. Else by the trees, with the same bytes
    tact_progress_fn* progress;  ///< may be NULL
    void* progress_user;
    const tact_ray_rules* rules;  ///< NULL: none
} tact_trace_all_job;

/// Where the hits go, the caller's: those of ray i are hits[offsets[i]] to just before hits[offsets[i + 1]]. Those that
/// do not fit are left out, but counted.
typedef struct tact_trace_hits {
    uint64_t* offsets;  ///< one more than there are rays
    tact_hit* hits;
    size_t capacity;
} tact_trace_hits;

/// Needs 8 MiB for each thread and 4 in all, at most 24 more where rays have many hits, and with `max_hits` up to 64 as
/// many times 320 KiB for each thread. Errors: OUT_OF_MEMORY, CANCELLED; the hits are then unspecified.
tact_result tact_trace_all(tact_env* env, const tact_trace_all_job* job, tact_trace_hits* hits);
