// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/platform.h"
#include "gpu/chunks.h"
#include "gpu/device_array.h"
#include "gpu/pairs/internal.h"

// Count, scan, emit, order: the rows' lengths are counted and scanned, then the pairs are written to their rows, in any
// order, and each row is put in order. Where all pairs do not fit a tile, tiles of consecutive rows follow each other.

enum { ROWS_OF_A_SUM = 256, DEFAULT_TILE = 1 << 24, SHORT_ROW = 32 };

static tact_result launch(tact_gpu_volumes* a, tact_gpu_volumes* b, const tact_pairs_walk* walk, bool resume)
{
    return a->structure == TACT_PAIRS_GRID ? tact_gpu_launch_grid(a, walk, resume)
                                           : tact_gpu_launch_tree(a, b, walk, resume);
}

static uint32_t steps_of(const tact_gpu_pairs_job* job)
{
    return job->steps > 0 ? job->steps : TACT_PAIRS_STEPS;
}

/// Where the walks leave how many items are not done.
static size_t waiting_at(const tact_gpu_volumes* a)
{
    return (size_t)a->count * 2 * sizeof(uint32_t);
}

/// Lets all items walk, for as many steps as one launch has.
static tact_result walk_once(tact_gpu_volumes* a, tact_gpu_volumes* b, const tact_pairs_walk* walk, bool resume)
{
    tact_buffer_fill(a->state, waiting_at(a), sizeof(uint32_t), 0);
    return launch(a, b, walk, resume);
}

/// Lets the `waiting` items that were not done walk on, in as many launches as it takes.
static tact_result walk_on(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job,
                           const tact_pairs_walk* walk, uint32_t waiting)
{
    while (waiting > 0) {
        if (job->progress && !job->progress(0.5, job->progress_user)) {
            return TACT_DEVICE_FAIL(a->device, TACT_ERROR_CANCELLED, "cancelled");
        }
        walk_once(a, b, walk, true);
        tact_buffer_read(a->state, waiting_at(a), &waiting, sizeof waiting);
    }
    return tact_device_result(a->device);
}

typedef struct counted {
    uint64_t total;
    uint32_t longest;
    bool quick;  // each walk was done in one launch
} counted;

static tact_result launch_sums(tact_gpu_volumes* a, uint32_t groups)
{
    return TACT_LAUNCH(a->device, pairs_sums, groups, .rows = a->rows, .sums = a->sums, .count = a->count,
                       .groups = groups);
}

/// Counts the pairs of all rows.
static tact_result count_rows(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job, counted* c)
{
    tact_env* env = tact_device_env(a->device);
    const uint32_t groups = a->count / ROWS_OF_A_SUM + (a->count % ROWS_OF_A_SUM != 0);
    const uint32_t mode = job->within ? TACT_PAIRS_WITHIN | TACT_PAIRS_HALF : 0u;
    const tact_pairs_walk walk = {.mode = mode, .end = a->count, .steps = steps_of(job)};
    tact_gpu_need(a, &a->sums, (uint64_t)groups * 16, "sums");
    uint32_t* sums = tact_allocate(env, groups, 16);
    if (!sums) return tact_device_fail(a->device, TACT_ERROR_OUT_OF_MEMORY);
    uint32_t waiting = 0;
    const tact_read reads[] = {{a->state, waiting_at(a), sizeof waiting, &waiting},
                               {a->sums, 0, (size_t)groups * 16, sums}};
    tact_buffer_fill(a->rows, 0, (size_t)a->count * 4, 0);
    walk_once(a, b, &walk, false);
    launch_sums(a, groups);
    // Few walks take more than one launch: the sums come along, and again where some do.
    tact_device_read(a->device, reads, 2);
    c->quick = waiting == 0;
    if (waiting > 0) {
        walk_on(a, b, job, &walk, waiting);
        launch_sums(a, groups);
        tact_device_read(a->device, &reads[1], 1);
    }
    for (size_t g = 0; g < groups; ++g) {
        c->total += sums[4 * g] + ((uint64_t)sums[4 * g + 1] << 16);
        if (sums[4 * g + 2] > c->longest) c->longest = sums[4 * g + 2];
    }
    tact_release(env, sums);
    return tact_device_result(a->device);
}

static uint32_t bits_of(uint32_t largest)
{
    uint32_t bits = 0;
    while (bits < 32 && largest >> bits)
        ++bits;
    return bits;
}

/// Pairs of rows [first, end), of which there are `count`, before which there are `before`.
typedef struct tile {
    uint32_t first, end;
    uint64_t before, count;
} tile;

/// Puts the tile's short rows in order.
static tact_result order_short_rows(tact_gpu_volumes* a, const tile* t)
{
    return TACT_LAUNCH_ITEMS(a->device, pairs_rows, t->end - t->first, .ends = a->rows, .partners = a->found,
                             .pairs = a->pairs, .first = t->first, .count = t->end - t->first,
                             .base = (uint32_t)t->before);
}

/// Sorts the tile's keys, and makes pairs of them.
static tact_result order_long_rows(tact_gpu_volumes* a, const tile* t, uint32_t mode, uint32_t shift, uint32_t row_bits)
{
    const bool wide = (mode & TACT_PAIRS_WIDE) != 0;
    if (!a->sort) tact_radix_sort_create(a->device, 0, &a->sort);
    const tact_sort_job sort = {
        a->found, a->found, NULL, NULL, (uint32_t)t->count, wide ? 2 : 1, wide ? 32 + row_bits : shift + row_bits};
    tact_radix_sort_run(a->sort, &sort);
    return TACT_LAUNCH_ITEMS(a->device, pairs_unpack, t->count, .keys = a->found, .pairs = a->pairs, .first = t->first,
                             .count = (uint32_t)t->count, .shift = shift, .wide = wide);
}

/// Leaves the tile's pairs in a->pairs, in order. Reads them as `pairs` says, with the last wait; NULL: not. Of all
/// rows no walk is longer than when they were counted: `quick` walks took one launch then.
static tact_result emit_tile(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job, const tile* t,
                             bool whole, const counted* c, tact_pair* pairs)
{
    tact_pairs_walk walk = {
        .mode = TACT_PAIRS_EMIT, .first = t->first, .end = t->end, .base = (uint32_t)t->before, .steps = steps_of(job)};
    const uint32_t within = job->within ? TACT_PAIRS_WITHIN : 0u;
    walk.mode |= within;
    // An item that looks only ahead finds pairs of other rows than its own. Where not all rows are there, an item of a
    // tree looks all around for those of its own row; those of a grid all walk for every tile.
    if (within && (whole || a->structure == TACT_PAIRS_GRID)) walk.mode |= TACT_PAIRS_HALF;
    if (whole) walk.mode |= TACT_PAIRS_CACHE;
    const uint32_t b_bits = bits_of(b->count > 0 ? b->count - 1 : 0), row_bits = bits_of(t->end - t->first - 1);
    const bool sorted = c->longest > SHORT_ROW, quick = whole && c->quick;
    if (sorted) {
        // A shift of all bits is not defined.
        walk.shift = b_bits < 31 ? b_bits : 31;
        walk.mode |= b_bits + row_bits <= 32 && b_bits < 31 ? TACT_PAIRS_PACKED : TACT_PAIRS_WIDE;
    }
    const uint64_t key = (walk.mode & TACT_PAIRS_WIDE) ? 8 : 4;
    tact_gpu_need(a, &a->found, t->count * key, "a tile of partners");
    tact_gpu_need(a, &a->pairs, t->count * sizeof(tact_pair), "a tile of pairs");
    uint32_t waiting = 0;
    const tact_read reads[] = {{a->state, waiting_at(a), sizeof waiting, &waiting},
                               {a->pairs, 0, (size_t)t->count * sizeof *pairs, pairs}};
    walk_once(a, b, &walk, false);
    // Short rows are put in order beside where they lie, which may be done again; long ones must be whole.
    if (!sorted) order_short_rows(a, t);
    const size_t first = quick ? 1 : 0, end = pairs && !sorted ? 2 : 1;
    if (end > first) tact_device_read(a->device, reads + first, end - first);
    if (waiting > 0) walk_on(a, b, job, &walk, waiting);
    if (!sorted && waiting == 0) return tact_device_result(a->device);
    if (sorted)
        order_long_rows(a, t, walk.mode, walk.shift, row_bits);
    else
        order_short_rows(a, t);
    return pairs ? tact_device_read(a->device, &reads[1], 1) : tact_device_result(a->device);
}

/// Copies the tile to the caller's buffer.
static tact_result deliver(tact_gpu_volumes* a, const tact_gpu_pairs_job* job, const tile* t, tact_buffer* target)
{
    if (t->before >= job->capacity) return TACT_OK;
    const uint64_t left = job->capacity - t->before, count = t->count < left ? t->count : left;
    const uint64_t at = job->target->offset + t->before * sizeof(tact_pair);
    return tact_buffer_copy(target, (size_t)at, a->pairs, 0, (size_t)count * sizeof(tact_pair));
}

static void one_tile(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job, const tile* t, bool whole,
                     const counted* c, tact_pair* pairs, tact_buffer* target)
{
    emit_tile(a, b, job, t, whole, c, pairs ? pairs + t->before : NULL);
    if (target) deliver(a, job, t, target);
}

/// `lengths`: of all rows.
static void all_tiles(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job, const uint32_t* lengths,
                      uint64_t capacity, const counted* c, tact_pair* pairs, tact_buffer* target)
{
    tile t = {0};
    while (t.first < a->count && tact_device_result(a->device) == TACT_OK) {
        t.end = t.first;
        t.count = 0;
        while (t.end < a->count && (t.count == 0 || t.count + lengths[t.end] <= capacity))
            t.count += lengths[t.end++];
        if (t.count > 0) one_tile(a, b, job, &t, false, c, pairs, target);
        t.first = t.end;
        t.before += t.count;
        const double done = (double)t.before / (double)job->count;
        tact_gpu_goes_on(a->device, job->progress, job->progress_user, done);
    }
}

/// Pairs of a tile at most.
static uint64_t capacity_of(const tact_gpu_volumes* a, const tact_gpu_pairs_job* job)
{
    const uint64_t few = 4 * (uint64_t)a->count;
    const uint64_t wanted = job->tile > 0 ? job->tile : few > DEFAULT_TILE ? few : DEFAULT_TILE;
    const uint64_t most = tact_device_describe(a->device)->max_buffer_bytes / sizeof(tact_pair);
    return wanted < most ? wanted : most;
}

static tact_result emit(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job, const counted* c,
                        tact_pair* pairs, tact_buffer* target)
{
    tact_env* env = tact_device_env(a->device);
    const uint64_t capacity = capacity_of(a, job);
    const bool whole = job->count <= capacity;
    uint32_t* lengths = NULL;
    if (!whole) {
        lengths = tact_allocate(env, a->count, sizeof *lengths);
        if (!lengths) return tact_device_fail(a->device, TACT_ERROR_OUT_OF_MEMORY);
        tact_buffer_read(a->rows, 0, lengths, (size_t)a->count * sizeof *lengths);
    }
    if (!a->scan) tact_scan_create(a->device, 0, &a->scan);
    tact_scan_run(a->scan, a->rows, a->rows, a->count, NULL, 0);
    if (whole) {
        const tile t = {0, a->count, 0, job->count};
        one_tile(a, b, job, &t, true, c, pairs, target);
    } else {
        all_tiles(a, b, job, lengths, capacity, c, pairs, target);
    }
    tact_release(env, lengths);
    return tact_device_result(a->device);
}

static tact_result reserve(tact_gpu_volumes* a)
{
    const uint64_t n = a->count;
    tact_gpu_need(a, &a->rows, n * 4, "rows");
    tact_gpu_need(a, &a->cache, n * 4 * (1 + TACT_PAIRS_CACHED), "kept partners");
    tact_gpu_need(a, &a->state, n * 8 + 4, "states");
    return tact_gpu_need(a, &a->found, 4, "partners");
}

tact_result tact_gpu_pairs_output(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job)
{
    job->count = 0;
    counted c = {0};
    if (a->count > 0 && b->count > 0) {
        reserve(a);
        count_rows(a, b, job, &c);
    }
    if (tact_device_result(a->device) != TACT_OK) return tact_device_result(a->device);
    job->count = c.total;
    tact_pair* pairs = NULL;
    tact_buffer* target = NULL;
    const bool stay = job->stay && c.total > 0 && c.total <= capacity_of(a, job);
    if (job->target) {
        tact_device_array_open(a->device, job->target, job->capacity * sizeof *pairs, &target);
    } else if (!stay) {
        tact_device_fail(a->device, job->room(job->room_user, c.total, &pairs));
    }
    if (c.total > 0 && tact_device_result(a->device) == TACT_OK) {
        emit(a, b, job, &c, pairs, target);
    }
    job->there = stay ? a->pairs : NULL;
    tact_buffer_destroy(target);
    return tact_device_result(a->device);
}
