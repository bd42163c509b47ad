// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Every box with every other, many at a time. No structure but the boxes as six arrays.

#include "base/parallel.h"
#include "cpu_ref/pairs/lanes.h"

enum { PAST_END = 16 };

typedef struct brute_boxes {
    float* memory;
    size_t capacity;  ///< floats
    tact_box_lanes lanes;
    uint64_t version;
    uint32_t count;
    bool filled;
} brute_boxes;

static tact_result fill(tact_env* env, const tact_volume_view* of, void** kept, const brute_boxes** result)
{
    if (!*kept) *kept = tact_allocate_zeroed(env, 1, sizeof(brute_boxes));
    brute_boxes* b = *kept;
    if (!b) return TACT_ERROR_OUT_OF_MEMORY;
    *result = b;
    if (b->filled && b->version == of->version && b->count == of->count) return TACT_OK;
    const size_t stride = (size_t)of->count + PAST_END;
    b->filled = false;
    void* memory = b->memory;
    if (!tact_reserve(env, &memory, &b->capacity, 0, 6 * stride, sizeof(float))) return TACT_ERROR_OUT_OF_MEMORY;
    b->memory = memory;
    for (size_t k = 0; k < 3; ++k) {
        b->lanes.lower[k] = b->memory + 2 * k * stride;
        b->lanes.upper[k] = b->memory + (2 * k + 1) * stride;
    }
    for (size_t i = 0; i < stride; ++i) {
        // What is past the end is any box: its answer is not looked at.
        const tact_aabb box = i < of->count ? of->boxes[i] : (tact_aabb){{0, 0, 0}, {0, 0, 0}};
        const float numbers[6] = {box.lower.x, box.upper.x, box.lower.y, box.upper.y, box.lower.z, box.upper.z};
        for (size_t k = 0; k < 6; ++k)
            b->memory[k * stride + i] = numbers[k];
    }
    TACT_ASSERT(b->capacity >= 6 * stride);
    b->count = of->count;
    b->version = of->version;
    b->filled = true;
    return TACT_OK;
}

typedef struct brute_loop {
    tact_pairs_job* job;
    const tact_box_lanes* many;
    const tact_pairs_lane_table* lanes;
    uint32_t first, count_b;
} brute_loop;

static void rows(size_t begin, size_t end, int worker, void* user)
{
    const brute_loop* l = user;
    for (size_t n = begin; n < end; ++n) {
        const uint32_t i = l->first + (uint32_t)n;
        TACT_ASSERT(i < l->job->a->count);
        const tact_aabb* box = &l->job->a->boxes[i];
        if (!tact_volume_is_live(box)) continue;
        l->lanes->brute(box, i, l->many, l->job->b ? 0 : i + 1, l->count_b, &l->job->sinks[worker]);
    }
}

static tact_result find(tact_pairs_job* job)
{
    const tact_volume_view* of = job->b ? job->b : job->a;
    tact_pairs_state* state = job->b ? job->state_b : job->state_a;
    const brute_boxes* boxes = NULL;
    const tact_result result = fill(job->env, of, &state->kept[TACT_PAIRS_BRUTE], &boxes);
    if (result != TACT_OK) return result;
    job->memory_bytes = boxes->capacity * sizeof(float);
    const uint32_t end = job->end < job->a->count ? job->end : job->a->count;
    TACT_ASSERT(boxes->filled && boxes->count == of->count);
    brute_loop loop = {job, &boxes->lanes, tact_pairs_lanes(), job->from, of->count};
    // In slices, between which progress is asked.
    const uint32_t slice = job->progress ? 1u + (uint32_t)(2000000000u / (of->count + 1u)) : end;
    for (uint32_t at = job->from; at < end;) {
        const uint32_t size = end - at < slice ? end - at : slice;
        loop.first = at;
        tact_parallel_for(job->threads, size, 64, rows, &loop);
        at += size;
        if (job->progress && !job->progress((double)(at - job->from) / (double)(end - job->from), job->progress_user)) {
            return tact_fail(job->env, TACT_ERROR_CANCELLED, "cancelled");
        }
    }
    const uint64_t n = end > job->from ? end - job->from : 0;
    job->tests = job->b ? n * of->count : n * (2 * (uint64_t)of->count - job->from - end) / 2;
    return TACT_OK;
}

static void release(tact_env* env, void* kept)
{
    brute_boxes* b = kept;
    tact_release(env, b->memory);
    tact_release(env, b);
}

const tact_pairs_way tact_pairs_brute = {TACT_PAIRS_BRUTE, find, release};
