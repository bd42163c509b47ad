// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pairs/pair_sink.h"

#include <stdlib.h>
#include <string.h>

tact_result tact_pair_sinks_open(tact_pairs_job* job, uint64_t most, uint32_t* const* rows)
{
    const int threads = job->threads > 0 ? job->threads : 1;
    tact_pair_sink* sinks = tact_allocate_zeroed(job->env, (size_t)threads, sizeof *sinks);
    if (!sinks) return TACT_ERROR_OUT_OF_MEMORY;
    const bool spheres = job->a->spheres || (job->b && job->b->spheres);
    const bool filters = job->a->filters || (job->b && job->b->filters);
    for (int i = 0; i < threads; ++i) {
        tact_pair_sink* s = &sinks[i];
        s->env = job->env;
        s->a = job->a;
        s->b = job->b ? job->b : job->a;
        s->within = !job->b;
        s->from = job->from;
        s->end = job->end;
        s->plain = !spheres && !filters && !rows && job->from == 0 && job->end >= job->a->count;
        s->rows = rows ? rows[i] : NULL;
        s->room = (most + TACT_PAIR_BLOCK - 1) / TACT_PAIR_BLOCK;
    }
    job->sinks = sinks;
    return TACT_OK;
}

/// Makes place for the next pair; false when there is none, and then pairs are only counted.
static bool next_block(tact_pair_sink* sink)
{
    if (sink->stored_blocks >= sink->room || sink->out_of_memory) return false;
    tact_pair_block* block = tact_allocate(sink->env, 1, sizeof *block);
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
    if (!sink->plain) {
        if (a < sink->from || a >= sink->end || !tact_volumes_overlap(sink->a, a, sink->b, b)) return;
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
        if (s->blocks) s->blocks->count = (size_t)(s->next - s->blocks->pairs);
        for (const tact_pair_block* block = s->blocks; block; block = block->next)
            *total += block->count;
        *total += s->counted;
        out_of_memory = out_of_memory || s->out_of_memory;
    }
    if (!out_of_memory) return TACT_OK;
    return tact_fail(job->env, TACT_ERROR_OUT_OF_MEMORY, "no memory for %llu pairs", (unsigned long long)*total);
}

static int by_b(const void* x, const void* y)
{
    const tact_pair *p = x, *q = y;
    return p->b < q->b ? -1 : p->b > q->b;
}

static void sort_row(tact_pair* row, size_t count)
{
    if (count > 32) {
        qsort(row, count, sizeof *row, by_b);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        const tact_pair p = row[i];
        size_t k = i;
        for (; k > 0 && row[k - 1].b > p.b; --k)
            row[k] = row[k - 1];
        row[k] = p;
    }
}

tact_result tact_pair_sinks_sort(const tact_pairs_job* job, tact_pair* pairs)
{
    const size_t rows = job->a->count;
    size_t* starts = tact_allocate_zeroed(job->env, rows + 1, sizeof *starts);
    if (!starts) return TACT_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < sink_count(job); ++i) {
        for (const tact_pair_block* block = job->sinks[i].blocks; block; block = block->next) {
            for (size_t k = 0; k < block->count; ++k)
                ++starts[block->pairs[k].a + 1];
        }
    }
    for (size_t i = 0; i < rows; ++i)
        starts[i + 1] += starts[i];
    for (int i = 0; i < sink_count(job); ++i) {
        for (const tact_pair_block* block = job->sinks[i].blocks; block; block = block->next) {
            for (size_t k = 0; k < block->count; ++k)
                pairs[starts[block->pairs[k].a]++] = block->pairs[k];
        }
    }
    // starts[i] is now where row i ends.
    for (size_t i = 0; i < rows; ++i) {
        const size_t begin = i > 0 ? starts[i - 1] : 0;
        sort_row(pairs + begin, starts[i] - begin);
    }
    tact_release(job->env, starts);
    return TACT_OK;
}

void tact_pair_sinks_release(tact_pairs_job* job)
{
    if (!job->sinks) return;
    for (int i = 0; i < sink_count(job); ++i) {
        for (tact_pair_block* block = job->sinks[i].blocks; block;) {
            tact_pair_block* next = block->next;
            tact_release(job->env, block);
            block = next;
        }
    }
    tact_release(job->env, job->sinks);
    job->sinks = NULL;
}
