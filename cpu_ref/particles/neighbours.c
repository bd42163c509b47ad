// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Neighbour lists: sorted points, a mask of its neighbours for each point and sixteen candidates, and lists made of the
// masks once it is known where each begins. Distances are computed once, and lists written once to where they stay.
// The points are done a wave at a time, so that the masks stay in the cache.

#include "cpu_ref/particles/neighbours.h"

#include <math.h>
#include <string.h>

#include "base/lane_levels.h"
#include "base/parallel.h"
#include "cpu_ref/particles/neighbours_internal.h"

enum {
    PIECE = 512,                          ///< slots, for one thread
    WAVE = 32,                            ///< pieces for each thread, so that their masks stay in its cache
    MOST_WAVE = 1024,                     ///< pieces
    STREAM = 34 * 1024,                   ///< words of masks a piece may keep; no power of two, for the caches' sake
    SAMPLES = 32,                         ///< pieces, of which
    SAMPLE = 64,                          ///< slots tell how long all lists will be
    LEAST_LISTS = 4096,                   ///< bytes, below which there have been none
    GROUP = 64,                           ///< points of a cell done together
    SCRATCH = 4 * TACT_NEIGHBOUR_BLOCKS,  ///< masks that are not kept
};

/// Some consecutive slots.
typedef struct piece {
    uint32_t begin, end;
    uint32_t kept;   ///< slots before this one have their masks in the stream
    uint64_t total;  ///< neighbours
    uint64_t tests;
    uint64_t first;  ///< where the lists begin
} piece;

typedef struct search {
    tact_neighbour_finder* finder;
    tact_neighbour_points points;
    piece* pieces;
    /// Of each piece STREAM words, and in them of each cell: how many points and blocks, the starts of the blocks, and
    /// the points' masks, to a whole word.
    uint32_t* stream;
    uint64_t* offsets;
    uint32_t* neighbours;
} search;

/// How far the candidates of a cell have been cut into blocks.
typedef struct cutter {
    uint32_t range, next;  ///< the range, and the slot in it; 0: its first
} cutter;

/// Cuts on, until all candidates or the blocks are used up. Returns false when none were left.
static bool cut(const tact_neighbour_walk* w, cutter* c, tact_neighbour_blocks* blocks)
{
    uint32_t count = 0;
    for (; c->range < w->range_count; ++c->range, c->next = 0) {
        const uint32_t end = w->ends[c->range];
        TACT_ASSERT(w->begins[c->range] < end);
        uint32_t at = c->next ? c->next : w->begins[c->range];
        for (; at < end && count < TACT_NEIGHBOUR_BLOCKS; at += TACT_NEIGHBOUR_BLOCK) {
            blocks->start[count] = at;
            blocks->lanes[count++] = (uint16_t)(end - at < TACT_NEIGHBOUR_BLOCK ? (1u << (end - at)) - 1u : 0xffffu);
        }
        if (at < end) {
            c->next = at;
            break;
        }
    }
    TACT_ASSERT(count <= TACT_NEIGHBOUR_BLOCKS);
    blocks->count = count;
    return count > 0;
}

/// Takes each point out of its own list. The points are in consecutive slots, all among the candidates, and in order.
static void leave_out_self(const tact_neighbour_blocks* blocks, uint32_t first, uint32_t count, uint16_t* masks,
                           uint64_t* counts)
{
    // The first block that ends after the first point.
    uint32_t low = 0, high = blocks->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (blocks->start[middle] + TACT_NEIGHBOUR_BLOCK <= first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        while (low < blocks->count && blocks->start[low] + TACT_NEIGHBOUR_BLOCK <= first + k)
            ++low;
        for (uint32_t b = low; b < blocks->count && blocks->start[b] <= first + k; ++b) {
            const uint32_t bit = 1u << (first + k - blocks->start[b]);
            TACT_ASSERT(first + k - blocks->start[b] < TACT_NEIGHBOUR_BLOCK);
            uint16_t* mask = &masks[(size_t)k * blocks->count + b];
            if (!(*mask & bit)) continue;
            *mask = (uint16_t)(*mask & ~bit);
            --counts[k];
        }
    }
}

static void test(const search* s, const tact_neighbour_walk* w, const tact_neighbour_blocks* blocks, uint32_t first,
                 uint32_t count, uint16_t* masks, uint64_t* counts)
{
    s->finder->lanes->test(&s->points, blocks, w->wrapped, first, count, masks, counts);
    if (!s->finder->once) leave_out_self(blocks, first, count, masks, counts);
}

/// How many of a cell's points go together when masks are not kept.
static uint32_t group_of(const tact_neighbour_blocks* blocks, uint32_t left)
{
    TACT_ASSERT(blocks->count >= 1 && left >= 1);
    const uint32_t most = SCRATCH / blocks->count < GROUP ? SCRATCH / blocks->count : GROUP;
    return left < most ? left : most;
}

/// Counts the neighbours of a cell's points without keeping masks.
static void count_only(const search* s, const tact_neighbour_walk* w, tact_neighbour_blocks* blocks)
{
    uint16_t masks[SCRATCH];
    cutter c = {0};
    while (cut(w, &c, blocks)) {
        for (uint32_t slot = w->first; slot < w->last;) {
            const uint32_t count = group_of(blocks, w->last - slot);
            test(s, w, blocks, slot, count, masks, s->offsets + 1 + slot);
            slot += count;
        }
    }
}

static uint64_t candidates_of(const tact_neighbour_walk* w)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < w->range_count; ++k)
        sum += w->ends[k] - w->begins[k];
    return sum * (w->last - w->first);
}

/// First part: how many neighbours each point has, and which, as long as there is room for masks.
static void count_range(size_t begin, size_t end, int worker, void* user)
{
    const search* s = user;
    (void)worker;
    for (size_t k = begin; k < end; ++k) {
        piece* p = &s->pieces[k];
        TACT_ASSERT(p->begin < p->end && p->end <= s->finder->count);
        uint32_t* next = s->stream + k * STREAM;
        const uint32_t* const limit = next + STREAM;
        bool keeps = true;
        memset(s->offsets + 1 + p->begin, 0, (p->end - p->begin) * sizeof *s->offsets);
        p->tests = 0;
        p->kept = p->end;
        tact_neighbour_walk w;
        tact_neighbour_walk_begin(&w, s->finder, p->begin, p->end);
        while (tact_neighbour_walk_next(&w)) {
            tact_neighbour_blocks blocks;
            cutter c = {0};
            const uint32_t points = w.last - w.first;
            p->tests += candidates_of(&w);
            if (keeps) {
                cut(&w, &c, &blocks);
                const size_t words = 2 + (size_t)blocks.count + ((size_t)points * blocks.count + 1) / 2;
                keeps = c.range == w.range_count && words <= (size_t)(limit - next);
                if (!keeps) p->kept = w.first;
                if (keeps) {
                    next[0] = points;
                    next[1] = blocks.count;
                    memcpy(next + 2, blocks.start, blocks.count * sizeof *next);
                    test(s, &w, &blocks, w.first, points, (uint16_t*)(void*)(next + 2 + blocks.count),
                         s->offsets + 1 + w.first);
                    next += words;
                }
            }
            if (!keeps) count_only(s, &w, &blocks);
        }
        p->total = 0;
        for (uint32_t slot = p->begin; slot < p->end; ++slot)
            p->total += s->offsets[1 + slot];
    }
}

/// Writes the lists of a cell's points whose masks were not kept.
static void write_again(const search* s, const piece* p, const tact_neighbour_walk* w, tact_neighbour_blocks* blocks)
{
    TACT_ASSERT(w->last - w->first <= PIECE);
    uint16_t masks[SCRATCH];
    uint64_t counts[GROUP];
    uint32_t* at[PIECE];  // where each point's list goes on
    // The offset of the piece's first slot is another piece's to write.
    for (uint32_t slot = w->first; slot < w->last; ++slot)
        at[slot - w->first] = s->neighbours + (slot == p->begin ? p->first : s->offsets[slot]);
    cutter c = {0};
    while (cut(w, &c, blocks)) {
        for (uint32_t slot = w->first; slot < w->last;) {
            const uint32_t count = group_of(blocks, w->last - slot);
            test(s, w, blocks, slot, count, masks, memset(counts, 0, sizeof counts));
            for (uint32_t k = 0; k < count; ++k, ++slot) {
                uint32_t** out = &at[slot - w->first];
                *out = s->finder->lanes->write(blocks->start, blocks->count, masks + (size_t)k * blocks->count, 1, *out,
                                               s->neighbours + s->offsets[slot + 1]);
            }
        }
    }
}

/// Second part: where each list begins, and the lists.
static void write_range(size_t begin, size_t end, int worker, void* user)
{
    const search* s = user;
    (void)worker;
    for (size_t k = begin; k < end; ++k) {
        const piece* p = &s->pieces[k];
        uint64_t sum = p->first;
        for (uint32_t slot = p->begin; slot < p->end; ++slot) {
            sum += s->offsets[1 + slot];
            s->offsets[1 + slot] = sum;
        }
        const uint32_t* next = s->stream + k * STREAM;
        uint32_t* out = s->neighbours + p->first;
        const uint32_t* const limit = s->neighbours + sum;
        for (uint32_t slot = p->begin; slot < p->kept;) {
            const uint32_t points = next[0], blocks = next[1];
            TACT_ASSERT(points >= 1 && slot + points <= p->kept);
            const uint32_t* const masks = next + 2 + blocks;
            out = s->finder->lanes->write(next + 2, blocks, (const uint16_t*)(const void*)masks, points, out, limit);
            next = masks + ((size_t)points * blocks + 1) / 2;
            slot += points;
        }
        TACT_ASSERT(sum == p->first + p->total && p->kept >= p->begin && p->kept <= p->end);
        if (p->kept == p->end) continue;
        tact_neighbour_walk w;
        tact_neighbour_walk_begin(&w, s->finder, p->kept, p->end);
        while (tact_neighbour_walk_next(&w)) {
            tact_neighbour_blocks blocks;
            write_again(s, p, &w, &blocks);
        }
    }
}

bool tact_neighbour_room(tact_env* env, tact_neighbour_array* array, size_t count, size_t size)
{
    size_t bytes, more;
    if (!tact_multiply_sizes(count, size, &bytes) || !tact_add_sizes(bytes, bytes / 8 + 64, &more)) more = SIZE_MAX;
    if (more < SIZE_MAX && bytes <= array->bytes) return true;
    void* const data = tact_allocate(env, more, 1);
    if (!data) return false;
    tact_release(env, array->data);
    *array = (tact_neighbour_array){data, more};
    return true;
}

/// Room for `needed` neighbours in all, of which `used` are there; when points up to `done` have them, for about all.
static bool list_room(search* s, uint64_t used, uint64_t needed, uint32_t done)
{
    TACT_ASSERT(used <= needed && done >= 1);
    tact_neighbour_finder* f = s->finder;
    tact_env* env = f->env;
    if (needed > SIZE_MAX / sizeof(uint32_t) - 64) {
        tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: %llu neighbours", (unsigned long long)needed);
        return false;
    }
    if (needed * sizeof(uint32_t) <= f->neighbours.bytes) return true;
    const double likely = (double)needed / (double)done * (double)f->count * 1.0625;
    tact_neighbour_array grown = {0};
    const double most = (double)SIZE_MAX / 8.0;
    // Without memory for what is likely there may be some for what is known.
    if (!(likely < most && tact_neighbour_room(env, &grown, (size_t)likely, sizeof(uint32_t)))) {
        if (!tact_neighbour_room(env, &grown, (size_t)needed, sizeof(uint32_t))) return false;
    }
    if (used > 0) memcpy(grown.data, f->neighbours.data, (size_t)used * sizeof(uint32_t));
    tact_release(env, f->neighbours.data);
    f->neighbours = grown;
    return true;
}

/// Room for about all lists, so that they are not moved as they grow: some slots from all over tell how long they are.
/// What later turns out too little is made more. False when out of memory.
static bool guess_room(search* s, size_t pieces)
{
    tact_neighbour_finder* f = s->finder;
    if (f->neighbours.bytes > LEAST_LISTS || f->count <= 8 * SAMPLE * pieces) return true;
    for (size_t k = 0; k < pieces; ++k) {
        const uint32_t begin = (uint32_t)(f->count * (uint64_t)k / pieces);
        s->pieces[k] = (piece){.begin = begin, .end = begin + SAMPLE};
        TACT_ASSERT(s->pieces[k].end <= f->count);
    }
    tact_parallel_for(f->threads, pieces, 1, count_range, s);
    uint64_t sum = 0;
    for (size_t k = 0; k < pieces; ++k)
        sum += s->pieces[k].total;
    return sum == 0 || list_room(s, 0, sum, (uint32_t)(pieces * SAMPLE));
}

/// One wave of slots. False when out of memory.
static bool do_wave(search* s, uint32_t begin, uint32_t end)
{
    TACT_ASSERT(begin < end && end <= s->finder->count);
    tact_neighbour_finder* f = s->finder;
    const size_t count = (end - begin + PIECE - 1) / PIECE;
    for (size_t k = 0; k < count; ++k) {
        s->pieces[k].begin = begin + (uint32_t)k * PIECE;
        s->pieces[k].end = end - s->pieces[k].begin > PIECE ? s->pieces[k].begin + PIECE : end;
    }
    tact_parallel_for(f->threads, count, 1, count_range, s);
    const uint64_t used = f->stats.neighbours;
    for (size_t k = 0; k < count; ++k) {
        s->pieces[k].first = f->stats.neighbours;
        f->stats.neighbours += s->pieces[k].total;
        f->stats.tests += s->pieces[k].tests;
    }
    if (!list_room(s, used, f->stats.neighbours, end)) return false;
    s->neighbours = f->neighbours.data;
    tact_parallel_for(f->threads, count, 1, write_range, s);
    return true;
}

static tact_result search_all(tact_neighbour_finder* f, const tact_neighbour_job* job)
{
    const uint32_t wave = (f->threads < MOST_WAVE / WAVE ? (uint32_t)f->threads * WAVE : MOST_WAVE);
    const size_t most = (f->count + (size_t)PIECE - 1) / PIECE, pieces = most < wave ? most : wave;
    if (!tact_neighbour_room(f->env, &f->pieces, pieces, sizeof(piece)) ||
        !tact_neighbour_room(f->env, &f->stream, pieces * STREAM, sizeof(uint32_t)) ||
        // Never NULL, also without neighbours.
        (!f->neighbours.data && !tact_neighbour_room(f->env, &f->neighbours, 1, sizeof(uint32_t)))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    const float* points = f->points.data;
    const size_t pitch = (size_t)f->count + TACT_NEIGHBOUR_PAD;
    search s = {.finder = f, .pieces = f->pieces.data, .stream = f->stream.data, .offsets = f->offsets.data};
    s.points = (tact_neighbour_points){.x = points,
                                       .y = points + pitch,
                                       .z = points + 2 * pitch,
                                       .radius2 = job->radius * job->radius,
                                       .once = f->once};
    for (int i = 0; i < 3; ++i) {
        const float period = job->axes[i]->period;
        s.points.period[i] = period > 0.0f ? period : 0.0f;
        s.points.half_period[i] = period > 0.0f ? 0.5f * period : INFINITY;
    }
    if (!guess_room(&s, pieces < SAMPLES ? pieces : SAMPLES)) return TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t begin = 0; begin < f->count;) {
        const uint32_t left = f->count - begin;
        const uint32_t end = left > PIECE * wave ? begin + PIECE * wave : f->count;
        if (!do_wave(&s, begin, end)) return TACT_ERROR_OUT_OF_MEMORY;
        begin = end;
    }
    return TACT_OK;
}

tact_result tact_neighbours_find(tact_neighbour_finder* f, const tact_neighbour_job* job, tact_neighbour_lists* lists)
{
    TACT_ASSERT(job->count <= TACT_MAX_PARTICLES && job->radius > 0.0f);
    TACT_ASSERT(job->stride >= 1 && (!job->ids || job->id_stride >= 1));
    *lists = (tact_neighbour_lists){0};
    f->count = (uint32_t)job->count;
    f->threads = job->threads > 1 ? job->threads : 1;
    f->once = job->kind == TACT_NEIGHBOURS_ONCE;
    f->stats = (tact_neighbour_stats){0};
    tact_result result = tact_neighbours_sort(f, job);
    if (result != TACT_OK) return result;
    ((uint64_t*)f->offsets.data)[0] = 0;
    if (f->count > 0) result = tact_neighbours_make_rows(f);
    if (result == TACT_OK) result = search_all(f, job);
    if (result != TACT_OK) return result;
    TACT_ASSERT(((const uint64_t*)f->offsets.data)[f->count] == f->stats.neighbours);
    *lists = (tact_neighbour_lists){f->count, f->ids.data, f->offsets.data, f->neighbours.data};
    TACT_VALIDATE(tact_neighbours_are_valid(f, lists));
    return TACT_OK;
}

static const tact_neighbour_lanes* const tables[] = {TACT_LANE_TABLES(tact_neighbour_lanes)};

bool tact_neighbour_finder_use(tact_neighbour_finder* f, int lanes)
{
    if (!tact_lanes_supported(lanes)) return false;
    f->lanes = tables[lanes];
    return true;
}

tact_result tact_neighbour_finder_create(tact_env* env, tact_neighbour_finder** finder)
{
    tact_neighbour_finder* f = tact_allocate_zeroed(env, 1, sizeof *f);
    if (!f) return TACT_ERROR_OUT_OF_MEMORY;
    f->env = env;
    f->lanes = tables[tact_lanes_best(TACT_LANE_LEVELS)];
    *finder = f;
    return TACT_OK;
}

/// Each array of a finder, in turn; NULL after the last.
static tact_neighbour_array* array_of(tact_neighbour_finder* f, size_t index)
{
    tact_neighbour_array* const arrays[] = {&f->raw_keys, &f->words[0], &f->words[1], &f->histogram, &f->packets,
                                            &f->order,    &f->keys,     &f->points,   &f->ids,       &f->offsets,
                                            &f->rows,     &f->starts,   &f->pieces,   &f->stream,    &f->neighbours};
    return index < sizeof arrays / sizeof *arrays ? arrays[index] : NULL;
}

void tact_neighbour_finder_destroy(tact_neighbour_finder* f)
{
    if (!f) return;
    for (size_t i = 0; array_of(f, i); ++i)
        tact_release(f->env, array_of(f, i)->data);
    tact_release(f->env, f);
}

const uint32_t* tact_neighbours_order(const tact_neighbour_finder* f)
{
    return f->order.data;
}

void tact_neighbours_points(const tact_neighbour_finder* f, const float* points[3])
{
    for (size_t axis = 0; axis < 3; ++axis)
        points[axis] = (const float*)f->points.data + axis * ((size_t)f->count + TACT_NEIGHBOUR_PAD);
}

tact_neighbour_stats tact_neighbours_stats(const tact_neighbour_finder* f)
{
    return f->stats;
}

uint64_t tact_neighbours_bytes(const tact_neighbour_finder* f)
{
    uint64_t sum = sizeof *f;
    for (size_t i = 0; array_of((tact_neighbour_finder*)(uintptr_t)f, i); ++i)
        sum += array_of((tact_neighbour_finder*)(uintptr_t)f, i)->bytes;
    return sum;
}

#if defined(TACT_ASSERTS)

bool tact_neighbours_are_valid(const tact_neighbour_finder* f, const tact_neighbour_lists* lists)
{
    enum { MOST_A_POINT = 64 };
    const size_t count = lists->slots;
    if (count > TACT_VALIDATE_MOST || lists->offsets[count] > (uint64_t)TACT_VALIDATE_MOST * MOST_A_POINT) return true;
    if (lists->offsets[0] != 0) return false;
    for (size_t slot = 0; slot < count; ++slot) {
        const uint64_t begin = lists->offsets[slot], end = lists->offsets[slot + 1];
        if (begin > end || end > lists->offsets[count]) return false;
        for (uint64_t k = begin; k < end; ++k) {
            const uint32_t other = lists->neighbours[k];
            if (other >= count || other == slot || (f->once && other < slot)) return false;
            if (k > begin && lists->neighbours[k - 1] >= other) return false;
        }
    }
    return true;
}

#endif
