// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The definition of culling: every volume, every plane, every box, one after the other.

#include "cpu_ref/cull/cull_one.h"

static int against_boxes(const tact_cull_one* one, const tact_cull_tree* tree)
{
    int answer = TACT_CULL_OUTSIDE;
    for (uint32_t i = 0; i < tree->count; ++i) {
        const TactCullBox box = tree->nodes[i];
        const float* slabs = tree->slabs ? tree->slabs + 26 * (size_t)i : NULL;
        if (!tact_cull_boxes_meet(one->outer, box)) continue;
        if (!tact_cull_one_box(one, box, slabs, slabs ? slabs + 13 : NULL)) continue;
        if (tact_cull_box_within(one->outer, box)) return TACT_CULL_INSIDE;
        answer = TACT_CULL_CROSSING;
    }
    return answer;
}

static int classify(const tact_cull_job* job, size_t i)
{
    tact_cull_one one;
    tact_cull_load(job->work->kind, job->work->volumes, i, &one);
    if (!one.live) return TACT_CULL_OUTSIDE;
    const int planes = job->table ? tact_cull_one_planes(&one, job->table) : TACT_CULL_INSIDE;
    if (planes == TACT_CULL_OUTSIDE || !job->tree) return planes;
    const int boxes = against_boxes(&one, job->tree);
    return boxes < planes ? boxes : planes;
}

tact_result tact_cull_reference(tact_env* env, const tact_cull_job* job)
{
    const size_t count = job->work->count;
    for (size_t i = 0; i < count; ++i) {
        job->classes[i] = (uint8_t)classify(job, i);
        if (job->progress && i % TACT_CULL_PIECE == 0 &&
            !job->progress((double)i / (double)count, job->progress_user)) {
            return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
        }
    }
    return TACT_OK;
}
