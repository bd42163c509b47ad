// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a device found, on the host: exact tests of what was unsure, and the order.
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/blocks.h"
#include "gpu/overlap/internal.h"

enum { GRAIN = 64, BLOCK = 1 << 14 };

typedef struct judging {
    const tact_gpu_overlap_run* run;
    const tact_mesh_pair* findings;
    uint8_t* verdicts;
} judging;

static bool is_unsure(const tact_mesh_pair* p)
{
    return (p->pose & TACT_OVERLAP_UNSURE) != 0;
}

static void judge_piece(size_t begin, size_t end, int worker, void* user)
{
    const judging* j = user;
    const tact_gpu_overlap_run* r = j->run;
    const tact_overlap_job* q = r->job->query;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const tact_mesh_pair* f = &j->findings[i];
        const uint32_t pose = f->pose & ~TACT_OVERLAP_UNSURE;
        j->verdicts[i] = 1;
        if (!is_unsure(f) || (r->done && r->done[pose])) continue;
        const tact_triangle a = tact_overlap_triangle(q->a, f->a), still = tact_overlap_triangle(q->b, f->b);
        const tact_triangle b = q->self ? still : tact_overlap_move(q->poses[r->first_pose + pose], &still);
        j->verdicts[i] = tact_triangle_overlaps_triangle(&a, &b);
    }
}

static void judge(const tact_gpu_overlap_run* r, const tact_mesh_pair* findings, uint8_t* verdicts, size_t count)
{
    judging j = {r, findings, verdicts};
    tact_parallel_for(r->job->query->threads, count, GRAIN, judge_piece, &j);
    for (size_t i = 0; i < count; ++i)
        r->job->unsure += is_unsure(&findings[i]);
}

static tact_result collect_pairs(tact_gpu_overlap_run* r, uint32_t count)
{
    tact_overlap_list* list = r->job->list;
    judge(r, r->findings, r->verdicts, count);
    void* pairs = list->pairs;
    if (!tact_reserve(r->env, &pairs, &list->capacity, list->count, list->count + count, sizeof *list->pairs)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    list->pairs = pairs;
    for (uint32_t i = 0; i < count; ++i) {
        if (!r->verdicts[i]) continue;
        tact_mesh_pair p = r->findings[i];
        p.pose = (uint32_t)(r->first_pose + (p.pose & ~TACT_OVERLAP_UNSURE));
        list->pairs[list->count++] = p;
    }
    return TACT_OK;
}

/// In blocks, so that of a pose with very many unsure pairs not all are tested.
static tact_result collect_poses(tact_gpu_overlap_run* r, uint32_t count)
{
    tact_buffer* state = r->lists->state;
    tact_result result = TACT_OK;
    for (uint32_t first = 0; first < count && result == TACT_OK; first += BLOCK) {
        const uint32_t some = count - first < BLOCK ? count - first : BLOCK;
        judge(r, r->findings + first, r->verdicts, some);
        for (uint32_t i = 0; i < some && result == TACT_OK; ++i) {
            const uint32_t pose = r->findings[first + i].pose & ~TACT_OVERLAP_UNSURE;
            if (!r->verdicts[i] || r->done[pose]) continue;
            r->done[pose] = 1;
            result = tact_buffer_fill(state, (TACT_OVERLAP_DONE + (size_t)pose) * 4, 4, 1);
        }
    }
    return result;
}

tact_result tact_gpu_overlap_collect(tact_gpu_overlap_run* run, uint32_t count)
{
    const uint32_t there = run->findings_there;
    if (count > there) {
        const size_t at = there * sizeof *run->findings;
        const tact_result result =
            tact_buffer_read(run->lists->found, at, run->findings + there, count * sizeof *run->findings - at);
        if (result != TACT_OK) return result;
    }
    return run->done ? collect_poses(run, count) : collect_pairs(run, count);
}

// ---- Order ----

static uint32_t bits_for(uint32_t largest)
{
    uint32_t bits = 0;
    for (; largest; largest >>= 1)
        ++bits;
    return bits;
}

/// How many bits each of the three numbers takes.
typedef struct key_bits {
    uint32_t pose, a, b;
} key_bits;

static key_bits measure(const tact_overlap_list* list)
{
    uint32_t pose = 0, a = 0, b = 0;
    for (size_t i = 0; i < list->count; ++i) {
        pose |= list->pairs[i].pose;
        a |= list->pairs[i].a;
        b |= list->pairs[i].b;
    }
    return (key_bits){bits_for(pose), bits_for(a), bits_for(b)};
}

/// All three numbers in one key.
static tact_result sort_packed(tact_env* env, int threads, key_bits bits, tact_overlap_list* list)
{
    uint32_t* words = tact_allocate(env, list->count, 2 * sizeof *words);
    if (!words) return TACT_ERROR_OUT_OF_MEMORY;
    const uint32_t pose_shift = bits.a + bits.b;
    for (size_t i = 0; i < list->count; ++i) {
        const tact_mesh_pair p = list->pairs[i];
        const uint64_t key = (uint64_t)p.b | (uint64_t)p.a << bits.b | (bits.pose ? (uint64_t)p.pose << pose_shift : 0);
        words[2 * i] = (uint32_t)key;
        words[2 * i + 1] = (uint32_t)(key >> 32);
    }
    const tact_sort_cpu_job job = {
        .keys_in = words, .keys_out = words, .count = list->count, .key_words = 2, .key_bits = pose_shift + bits.pose};
    const tact_result result = tact_sort_cpu(env, threads, &job);
    for (size_t i = 0; i < list->count && result == TACT_OK; ++i) {
        const uint64_t key = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
        tact_mesh_pair* p = &list->pairs[i];
        p->pose = bits.pose ? (uint32_t)(key >> pose_shift) : 0;
        p->a = (uint32_t)(key >> bits.b & (((uint64_t)1 << bits.a) - 1));
        p->b = (uint32_t)(key & (((uint64_t)1 << bits.b) - 1));
    }
    tact_release(env, words);
    return result;
}

/// Triangles first, then, stably, poses.
static tact_result sort_apart(tact_env* env, int threads, key_bits bits, tact_overlap_list* list)
{
    const size_t count = list->count;
    uint32_t* keys = tact_allocate(env, count, 2 * sizeof *keys);
    uint32_t* poses = tact_allocate(env, count, sizeof *poses);
    uint32_t* order = tact_allocate(env, count, sizeof *order);
    tact_result result = keys && poses && order ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        keys[2 * i] = list->pairs[i].b;
        keys[2 * i + 1] = list->pairs[i].a;
        poses[i] = list->pairs[i].pose;
    }
    const tact_sort_cpu_job inner = {keys, keys, poses, poses, count, 2, 32 + bits.a};
    if (result == TACT_OK) result = tact_sort_cpu(env, threads, &inner);
    const tact_sort_cpu_job outer = {poses, poses, NULL, order, count, 1, bits.pose};
    if (result == TACT_OK) result = tact_sort_cpu(env, threads, &outer);
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        list->pairs[i] = (tact_mesh_pair){poses[i], keys[2 * (size_t)order[i] + 1], keys[2 * (size_t)order[i]]};
    tact_release(env, keys);
    tact_release(env, poses);
    tact_release(env, order);
    return result;
}

tact_result tact_gpu_overlap_sort(tact_env* env, int threads, tact_overlap_list* list)
{
    if (list->count < 2) return TACT_OK;
    if (list->count > TACT_BLOCK_LIMIT) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu pairs; at most %u can be sorted", list->count, TACT_BLOCK_LIMIT);
    }
    const key_bits bits = measure(list);
    if (bits.pose + bits.a + bits.b <= 64) return sort_packed(env, threads, bits, list);
    return sort_apart(env, threads, bits, list);
}
