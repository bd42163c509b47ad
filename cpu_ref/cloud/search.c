// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/cloud/search.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/blocks.h"
#include "cpu_ref/cloud/lanes.h"
#include "cpu_ref/pair_keys.h"
#include "kernels/cloud_point.h"

enum {
    FEW = 16,         // queries that are not worth sorting
    ROUND = 1 << 20,  // numbers of queries are 32 bits wide, and progress is reported now and then
    PIECE = 1 << 10,  // queries of a piece of work
    GROUP = 16,       // that are listed at a time
    PIECES = ROUND / PIECE,
    GRAIN = 1 << 13,  // whose places on the curve are found at a time
    SHORT = 1 << 18,  // fewer queries are sorted by two digits of the curve, more by three
    SHORT_BITS = 5,   // of an axis
    LONG_BITS = 8
};

TACT_LANE_CHOICE(tact_cloud_lane_table, TACT_LANE_TABLES(tact_cloud_lanes), tact_cloud_lanes)

typedef struct fast fast;

/// Ids of the queries of a piece of work, row after row in the order in which they were found.
typedef struct listed {
    uint32_t* ids;
    size_t count, capacity;
} listed;

/// Where a thread lists ids, `room` of each query of a group, and sorts them.
typedef struct sorting {
    uint32_t* ids;
    uint64_t* keys;
    size_t room, id_capacity, key_capacity;
} sorting;

struct fast {
    tact_cloud_job job;  // of the round's queries
    tact_env* env;
    const tact_cloud_lane_table* lanes;
    tact_parallel_fn* settle;  // if not NULL, comes first, and leaves some
    tact_parallel_fn* piece;   // works on queries of the order
    void (*next)(fast* f);     // once a round is done
    uint32_t *order, *keys;    // of those of the round's queries that are left along a curve
    size_t left;
    float lower[3], scale[3];  // of the curve's cells
    uint32_t spread[1 << LONG_BITS];
    float last;  // cell along an axis
    uint32_t nearest;
    tact_cloud_neighbour* neighbours;
    uint8_t* touched;
    // Of lists:
    const tact_cloud_lists* lists;
    uint64_t* offsets;  // of the round
    listed* pieces;
    sorting* sortings;
    TACT_ATOMIC(bool) failed;
};

// ---- An order in which queries that are near each other follow each other ----

static void find_cells(fast* f, uint32_t bits)
{
    float lower[4] = {INFINITY, INFINITY, INFINITY, INFINITY}, upper[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < f->left; ++i) {
        const tact_closest_query* q = &f->job.queries[f->order[i]];
        const float at[4] = {q->x, q->y, q->z, 0.0f};
        for (int k = 0; k < 4; ++k) {
            const float x = fabsf(at[k]) <= TACT_MAX_COORDINATE ? at[k] : 0.0f;
            lower[k] = x < lower[k] ? x : lower[k];
            upper[k] = x > upper[k] ? x : upper[k];
        }
    }
    f->last = (float)((1u << bits) - 1);
    for (int k = 0; k < 3; ++k) {
        const float width = upper[k] - lower[k];
        f->lower[k] = lower[k];
        f->scale[k] = width > 0.0f ? (f->last + 1.0f) / width : 0.0f;
    }
    for (uint32_t c = 0; c < 1u << LONG_BITS; ++c) {
        f->spread[c] = 0;
        for (uint32_t b = 0; b < LONG_BITS; ++b)
            f->spread[c] |= (c >> b & 1u) << (3 * b);
    }
}

static void make_keys(size_t begin, size_t end, int worker, void* user)
{
    fast* f = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const tact_closest_query* q = &f->job.queries[f->order[i]];
        const float at[3] = {q->x, q->y, q->z};
        uint32_t key = 0;
        for (int k = 0; k < 3; ++k) {
            const float cell = (at[k] - f->lower[k]) * f->scale[k];
            // The first also of a NaN.
            key |= f->spread[cell > 0.0f ? (uint32_t)(cell < f->last ? cell : f->last) : 0u] << k;
        }
        f->keys[i] = key;
    }
}

static tact_result sort_queries(fast* f)
{
    const size_t count = f->left;
    const uint32_t bits = count < SHORT ? SHORT_BITS : LONG_BITS;
    find_cells(f, bits);
    tact_parallel_for(f->job.batch.threads, count, GRAIN, make_keys, f);
    const tact_sort_cpu_job sort = {.keys_in = f->keys,
                                    .keys_out = f->keys,
                                    .values_in = f->order,
                                    .values_out = f->order,
                                    .count = count,
                                    .key_words = 1,
                                    .key_bits = 3 * bits};
    return tact_sort_cpu(f->env, f->job.batch.threads, &sort);
}

// ---- Rounds ----

/// Lists the queries of a round that are left.
static void list_left(fast* f)
{
    const size_t count = f->job.batch.count;
    f->left = 0;
    if (f->settle) tact_parallel_for(f->job.batch.threads, count, PIECE, f->settle, f);
    for (size_t i = 0; i < count; ++i) {
        f->order[f->left] = (uint32_t)i;
        f->left += !f->settle || f->touched[i] == TACT_CLOUD_OPEN;
    }
}

/// A round, with the order made.
static tact_result run_round(fast* f)
{
    list_left(f);
    const tact_result result = sort_queries(f);
    if (result != TACT_OK) return result;
    tact_parallel_for(f->job.batch.threads, f->left, PIECE, f->piece, f);
    if (f->failed) return tact_fail(f->env, TACT_ERROR_OUT_OF_MEMORY, "out of memory for lists of points");
    f->next(f);
    f->job.queries += f->job.batch.count;
    return TACT_OK;
}

static tact_result run_rounds(fast* f)
{
    const tact_batch batch = f->job.batch;
    const size_t room = batch.count < ROUND ? batch.count : ROUND;
    tact_result result = TACT_OK;
    f->lanes = tact_cloud_lanes();
    f->order = tact_allocate(f->env, room, 2 * sizeof *f->order);
    if (!f->order) return TACT_ERROR_OUT_OF_MEMORY;
    f->keys = f->order + room;
    for (size_t begin = 0; begin < batch.count && result == TACT_OK; begin += f->job.batch.count) {
        const size_t left = batch.count - begin;
        f->job.batch.count = left < ROUND ? left : ROUND;
        result = run_round(f);
        const double done = (double)(begin + f->job.batch.count) / (double)batch.count;
        if (result == TACT_OK && batch.progress && !batch.progress(done, batch.progress_user))
            result = tact_fail(f->env, TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
    }
    tact_release(f->env, f->order);
    return result;
}

/// The numbers of few queries, as many as there are.
static uint32_t few_of(const tact_cloud_job* job, uint32_t order[FEW])
{
    TACT_ASSERT(job->batch.count < FEW);
    for (uint32_t i = 0; i < FEW; ++i)
        order[i] = i;
    return (uint32_t)job->batch.count;
}

static tact_result report_few(tact_env* env, const tact_batch* batch)
{
    if (batch->count > 0 && batch->progress && !batch->progress(1.0, batch->progress_user))
        return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
    return TACT_OK;
}

// ---- Nearest points ----

static void nearest_piece(size_t begin, size_t end, int worker, void* user)
{
    const fast* f = user;
    (void)worker;
    f->lanes->nearest(&f->job, f->order + begin, (uint32_t)(end - begin), f->nearest, f->neighbours);
}

static void next_neighbours(fast* f)
{
    f->neighbours += f->job.batch.count * f->nearest;
}

tact_result tact_cloud_nearest_cpu(tact_env* env, const tact_cloud_job* job, uint32_t nearest,
                                   tact_cloud_neighbour* neighbours)
{
    TACT_ASSERT(nearest >= 1 && nearest <= TACT_CLOUD_NEAREST);
    if (job->tree->point_count == 0) return tact_cloud_nearest_reference(env, job, nearest, neighbours);
    uint32_t order[FEW];
    if (job->batch.count < FEW) {
        tact_cloud_lanes()->nearest(job, order, few_of(job, order), nearest, neighbours);
        return report_few(env, &job->batch);
    }
    fast f = {.job = *job,
              .env = env,
              .piece = nearest_piece,
              .next = next_neighbours,
              .nearest = nearest,
              .neighbours = neighbours};
    return run_rounds(&f);
}

// ---- Whether there is a point ----

static void settle_piece(size_t begin, size_t end, int worker, void* user)
{
    const fast* f = user;
    (void)worker;
    f->lanes->settle(&f->job, (uint32_t)begin, (uint32_t)(end - begin), f->touched);
}

static void any_piece(size_t begin, size_t end, int worker, void* user)
{
    const fast* f = user;
    (void)worker;
    f->lanes->any(&f->job, f->order + begin, (uint32_t)(end - begin), f->touched);
}

static void next_touched(fast* f)
{
    f->touched += f->job.batch.count;
}

tact_result tact_cloud_any_cpu(tact_env* env, const tact_cloud_job* job, uint8_t* touched)
{
    if (job->tree->point_count == 0) return tact_cloud_any_reference(env, job, touched);
    uint32_t order[FEW];
    if (job->batch.count < FEW) {
        tact_cloud_lanes()->any(job, order, few_of(job, order), touched);
        return report_few(env, &job->batch);
    }
    fast f = {.job = *job,
              .env = env,
              .settle = job->field ? settle_piece : NULL,
              .piece = any_piece,
              .next = next_touched,
              .touched = touched};
    return run_rounds(&f);
}

// ---- Lists ----

void tact_cloud_sort_ids(uint32_t* ids, size_t count, uint32_t end, uint64_t* keys)
{
    for (size_t i = 0; i < count; ++i)
        keys[i] = ids[i];
    tact_pair_keys_sort(keys, keys + count, count, 0, end);
    for (size_t i = 0; i < count; ++i)
        ids[i] = (uint32_t)keys[i];
}

/// Makes room for `room` ids of each query of a group.
static bool make_room(const fast* f, sorting* s, size_t room)
{
    void* ids = s->ids;
    const bool good = tact_reserve_in_loop(f->env, &ids, &s->id_capacity, 0, GROUP * room, sizeof *s->ids);
    s->ids = ids;
    s->room = s->id_capacity / GROUP;
    return good;
}

static bool sort_row(const fast* f, sorting* s, const tact_cloud_row* row)
{
    if (row->count <= TACT_CLOUD_FEW_IDS) return true;
    void* keys = s->keys;
    const bool good = tact_reserve_in_loop(f->env, &keys, &s->key_capacity, 0, 2 * row->count, sizeof *s->keys);
    s->keys = keys;
    if (good) tact_cloud_sort_ids(row->ids, row->count, f->job.tree->point_count, s->keys);
    return good;
}

/// Lists a group's ids. Returns the longest row, which may be longer than there is room for.
static size_t list_group(const fast* f, const sorting* s, const uint32_t* order, uint32_t count, tact_cloud_row* rows)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < count; ++i)
        rows[i] = (tact_cloud_row){s->ids + i * s->room, s->room, 0};
    f->lanes->list(&f->job, order, count, rows);
    for (uint32_t i = 0; i < count; ++i)
        longest = rows[i].count > longest ? rows[i].count : longest;
    return longest;
}

/// Adds a row to those of its piece.
static bool keep_row(const fast* f, listed* l, const tact_cloud_row* row, uint32_t query)
{
    void* ids = l->ids;
    const bool good = tact_reserve_in_loop(f->env, &ids, &l->capacity, l->count, l->count + row->count, sizeof *l->ids);
    l->ids = ids;
    if (!good) return false;
    if (row->count > 0) memcpy(l->ids + l->count, row->ids, row->count * sizeof *row->ids);
    l->count += row->count;
    f->offsets[query + 1] = row->count;
    return true;
}

static bool list_some(const fast* f, listed* l, sorting* s, const uint32_t* order, uint32_t count)
{
    enum { LIKELY = 1 << 10 };
    tact_cloud_row rows[GROUP];
    if (s->room == 0 && !make_room(f, s, LIKELY)) return false;
    const size_t longest = list_group(f, s, order, count, rows);
    if (longest > s->room) {
        if (!make_room(f, s, longest)) return false;
        list_group(f, s, order, count, rows);
    }
    for (uint32_t i = 0; i < count; ++i)
        if (!sort_row(f, s, &rows[i]) || !keep_row(f, l, &rows[i], order[i])) return false;
    return true;
}

static void list_piece(size_t begin, size_t end, int worker, void* user)
{
    fast* f = user;
    TACT_ASSERT(begin % PIECE == 0);
    listed* l = &f->pieces[begin / PIECE];
    l->count = 0;
    for (size_t i = begin; i < end; i += GROUP) {
        const size_t left = end - i;
        const uint32_t count = (uint32_t)(left < GROUP ? left : GROUP);
        if (list_some(f, l, &f->sortings[worker], f->order + i, count)) continue;
        f->failed = true;
        return;
    }
}

/// Copies the rows of a piece to where they belong, as far as there is room.
static void copy_piece(size_t begin, size_t end, int worker, void* user)
{
    const fast* f = user;
    const tact_cloud_lists* lists = f->lists;
    const uint32_t* ids = f->pieces[begin / PIECE].ids;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const uint64_t from = f->offsets[f->order[i]], count = f->offsets[f->order[i] + (size_t)1] - from;
        const uint64_t left = from < lists->capacity ? lists->capacity - from : 0, kept = count < left ? count : left;
        if (kept > 0) memcpy(lists->ids + from, ids, (size_t)kept * sizeof *ids);
        if (count > 0) ids += count;
    }
}

static void next_lists(fast* f)
{
    const size_t count = f->job.batch.count;
    for (size_t i = 0; i < count; ++i)
        f->offsets[i + 1] += f->offsets[i];
    tact_parallel_for(f->job.batch.threads, count, PIECE, copy_piece, f);
    f->offsets += count;
}

tact_result tact_cloud_list_cpu(tact_env* env, const tact_cloud_job* job, const tact_cloud_lists* lists)
{
    if (job->tree->point_count == 0) return tact_cloud_list_reference(env, job, lists);
    const size_t threads = job->batch.threads > 0 ? (size_t)job->batch.threads : 1;
    fast f = {.job = *job, .env = env, .piece = list_piece, .next = next_lists, .lists = lists};
    f.offsets = lists->offsets;
    f.offsets[0] = 0;
    f.pieces = tact_allocate_zeroed(env, PIECES, sizeof *f.pieces);
    f.sortings = tact_allocate_zeroed(env, threads, sizeof *f.sortings);
    const tact_result result = f.pieces && f.sortings ? run_rounds(&f) : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; f.pieces && i < PIECES; ++i)
        tact_release(env, f.pieces[i].ids);
    for (size_t i = 0; f.sortings && i < threads; ++i) {
        tact_release(env, f.sortings[i].ids);
        tact_release(env, f.sortings[i].keys);
    }
    tact_release(env, f.pieces);
    tact_release(env, f.sortings);
    return result;
}
