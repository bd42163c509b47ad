// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pairs/pair_sink.h"

/// Deals the blocks that the set kept from the last query out to the sinks.
static void share_spare_blocks(tact_pairs_job* job, tact_pair_sink* sinks, int threads)
{
    TACT_ASSERT(threads >= 1);
    if (!job->state_a) return;
    for (int i = 0; job->state_a->spare_blocks; i = (i + 1) % threads) {
        tact_pair_block* block = job->state_a->spare_blocks;
        job->state_a->spare_blocks = block->next;
        block->next = sinks[i].spare;
        sinks[i].spare = block;
    }
    job->state_a->spare_count = 0;
}

tact_result tact_pair_sinks_open(tact_pairs_job* job, uint64_t most, uint32_t* const* rows)
{
    TACT_ASSERT(!job->sinks && job->a && job->from <= job->end);
    const int threads = job->threads > 0 ? job->threads : 1;
    tact_pair_sink* sinks = tact_allocate_zeroed(job->env, (size_t)threads, sizeof *sinks);
    if (!sinks) return TACT_ERROR_OUT_OF_MEMORY;
    const bool spheres = job->a->spheres || (job->b && job->b->spheres);
    const bool categories = job->a->categories || (job->b && job->b->categories);
    for (int i = 0; i < threads; ++i) {
        tact_pair_sink* s = &sinks[i];
        s->env = job->env;
        s->a = job->a;
        s->b = job->b ? job->b : job->a;
        s->within = !job->b;
        s->from = job->from;
        s->end = job->end;
        s->plain = !spheres && !categories && !rows && job->from == 0 && job->end >= job->a->count;
        s->rows = rows ? rows[i] : NULL;
        s->room = (most + TACT_PAIR_BLOCK - 1) / TACT_PAIR_BLOCK;
    }
    share_spare_blocks(job, sinks, threads);
    job->sinks = sinks;
    return TACT_OK;
}

/// Makes place for the next pair; false when there is none, and then pairs are only counted.
static bool next_block(tact_pair_sink* sink)
{
    TACT_ASSERT(sink->next == sink->last);
    TACT_ASSERT(!sink->rows);
    if (sink->stored_blocks >= sink->room || sink->out_of_memory) return false;
    tact_pair_block* block = sink->spare;
    if (block) {
        sink->spare = block->next;
    } else {
        block = tact_allocate_in_loop(sink->env, 1, sizeof *block);
    }
    if (!block) {
        sink->out_of_memory = true;
        return false;
    }
    if (sink->blocks) sink->blocks->count = TACT_PAIR_BLOCK;
    block->next = sink->blocks;
    block->count = 0;
    sink->blocks = block;
    sink->next = block->pairs;
    sink->last = block->pairs + TACT_PAIR_BLOCK;
    ++sink->stored_blocks;
    return true;
}

void tact_pair_sink_add_slowly(tact_pair_sink* sink, uint32_t i, uint32_t j)
{
    const bool swap = sink->within && j < i;
    const uint32_t a = swap ? j : i, b = swap ? i : j;
    TACT_ASSERT(a < sink->a->count && b < sink->b->count);
    TACT_ASSERT(!sink->within || a < b);
    if (!sink->plain) {
        if (a < sink->from || a >= sink->end || !tact_volume_view_overlap(sink->a, a, sink->b, b)) return;
        if (sink->rows) {
            ++sink->rows[a - sink->from];
            ++sink->counted;
            return;
        }
    }
    if (sink->next == sink->last && !next_block(sink)) {
        ++sink->counted;
        return;
    }
    sink->next->a = a;
    sink->next->b = b;
    ++sink->next;
}

static int sink_count(const tact_pairs_job* job)
{
    return job->threads > 0 ? job->threads : 1;
}

tact_result tact_pair_sinks_close(tact_pairs_job* job, uint64_t* total)
{
    *total = 0;
    bool out_of_memory = false;
    for (int i = 0; i < sink_count(job); ++i) {
        tact_pair_sink* s = &job->sinks[i];
        TACT_ASSERT(!s->blocks || (s->next >= s->blocks->pairs && s->next <= s->blocks->pairs + TACT_PAIR_BLOCK));
        TACT_ASSERT(s->stored_blocks <= s->room);
        if (s->blocks) s->blocks->count = (size_t)(s->next - s->blocks->pairs);
        for (const tact_pair_block* block = s->blocks; block; block = block->next)
            *total += block->count;
        *total += s->counted;
        out_of_memory = out_of_memory || s->out_of_memory;
    }
    if (!out_of_memory) return TACT_OK;
    return tact_fail(job->env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: %llu pairs", (unsigned long long)*total);
}

/// Gives a block back to the set for the next query, or to the allocator when the set has enough.
static void release_block(const tact_pairs_job* job, tact_pair_block* block)
{
    TACT_ASSERT(block->count <= TACT_PAIR_BLOCK);
    tact_pairs_state* state = job->state_a;
    if (state && state->spare_count < TACT_SPARE_PAIR_BLOCKS) {
        block->next = state->spare_blocks;
        state->spare_blocks = block;
        ++state->spare_count;
        return;
    }
    tact_release(job->env, block);
}

void tact_pair_sinks_release(tact_pairs_job* job)
{
    if (!job->sinks) return;
    for (int i = 0; i < sink_count(job); ++i) {
        for (tact_pair_block* block = job->sinks[i].blocks; block;) {
            tact_pair_block* next = block->next;
            release_block(job, block);
            block = next;
        }
        // What the sink took from the set and did not need.
        for (tact_pair_block* block = job->sinks[i].spare; block;) {
            tact_pair_block* next = block->next;
            release_block(job, block);
            block = next;
        }
    }
    tact_release(job->env, job->sinks);
    job->sinks = NULL;
}
