// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/sorted_points.h"

#include "base/parallel.h"
#include "cpu_ref/trace/closest_found.h"

enum {
    FEW = 16,         // points that are not worth sorting
    PIECE = 1 << 10,  // least and most points of a piece of work
    SLICE = 1 << 16,
    ROUND = 1 << 21,  // points from one report of progress to the next
    CELL_BITS = TACT_REORDER_BITS / 3
};

_Static_assert((int)SLICE <= (int)TACT_REORDER_MOST, "a piece is sorted at once");

/// What a thread works with.
typedef struct workspace {
    uint32_t order[SLICE], keys[SLICE];
    uint32_t scratch[2 * SLICE];
} workspace;

typedef struct points_run {
    const tact_closest_query* points;
    tact_points_fn* take;
    void* user;
    size_t offset;  // of the present round
    workspace* spaces;
} points_run;

/// The bits of a number, each moved to every third place.
static uint32_t spread(uint32_t cell)
{
    TACT_ASSERT(cell < 1u << CELL_BITS);
    uint32_t bits = 0;
    for (uint32_t b = 0; b < CELL_BITS; ++b)
        bits |= (cell >> b & 1u) << (3 * b);
    return bits;
}

/// Sorts points along a Morton curve through their own box, in which what is no point comes first.
static void sort_points(const tact_closest_query* queries, workspace* space, uint32_t count)
{
    TACT_ASSERT(count <= SLICE);
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; ++i) {
        const tact_closest_query* q = &queries[space->order[i]];
        const float at[3] = {q->x, q->y, q->z};
        for (int k = 0; k < 3; ++k) {
            if (!tact_closest_in_range(at[k])) continue;
            lower[k] = at[k] < lower[k] ? at[k] : lower[k];
            upper[k] = at[k] > upper[k] ? at[k] : upper[k];
        }
    }
    const float last = (float)((1 << CELL_BITS) - 1);
    uint32_t spreads[1 << CELL_BITS];
    float scale[3];
    for (uint32_t c = 0; c < 1u << CELL_BITS; ++c)
        spreads[c] = spread(c);
    for (int k = 0; k < 3; ++k) {
        const float width = upper[k] - lower[k];
        scale[k] = width > 0.0f ? (last + 1.0f) / width : 0.0f;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const tact_closest_query* q = &queries[space->order[i]];
        const float at[3] = {q->x, q->y, q->z};
        uint32_t key = 0;
        for (int k = 0; k < 3; ++k) {
            const float cell = (at[k] - lower[k]) * scale[k];
            key |= spreads[cell > 0.0f ? (uint32_t)(cell < last ? cell : last) : 0u] << k;
        }
        space->keys[i] = key;
    }
    tact_reorder(space->order, space->keys, count, space->scratch);
}

static void take_piece(size_t begin, size_t end, int worker, void* user)
{
    const points_run* r = user;
    TACT_ASSERT(end - begin <= SLICE);
    workspace* space = &r->spaces[worker];
    const uint32_t count = (uint32_t)(end - begin);
    for (uint32_t i = 0; i < count; ++i)
        space->order[i] = i;
    const size_t first = r->offset + begin;
    sort_points(r->points + first, space, count);
    r->take(r->user, first, space->order, count);
}

/// So many points that sorting them pays, so few that all threads have enough.
static size_t piece_of(const tact_batch* batch)
{
    const size_t threads = batch->threads > 0 ? (size_t)batch->threads : 1;
    const size_t share = batch->count / (threads * 4) + 1;
    const size_t piece = share < SLICE ? share : SLICE;
    TACT_ASSERT(piece >= 1);
    return piece < PIECE ? PIECE : piece;
}

static tact_result run_rounds(tact_env* env, points_run* r, const tact_batch* batch)
{
    while (r->offset < batch->count) {
        const size_t left = batch->count - r->offset, count = left < ROUND ? left : ROUND;
        tact_parallel_for(batch->threads, count, piece_of(batch), take_piece, r);
        r->offset += count;
        const double done = (double)r->offset / (double)batch->count;
        if (batch->progress && !batch->progress(done, batch->progress_user)) {
            return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
        }
    }
    return TACT_OK;
}

tact_result tact_points_run(tact_env* env, const tact_closest_query* points, const tact_batch* batch,
                            tact_points_fn* take, void* user)
{
    TACT_ASSERT(batch->count == 0 || points);
    if (batch->count <= FEW && !batch->progress) {
        static const uint32_t all[FEW] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        take(user, 0, all, (uint32_t)batch->count);
        return TACT_OK;
    }
    points_run r = {.points = points, .take = take, .user = user};
    // No piece is shorter than half of PIECE.
    const size_t pieces = batch->count / (PIECE / 2) + 1, threads = batch->threads > 0 ? (size_t)batch->threads : 1;
    r.spaces = tact_allocate(env, threads < pieces ? threads : pieces, sizeof *r.spaces);
    if (!r.spaces) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = run_rounds(env, &r, batch);
    tact_release(env, r.spaces);
    return result;
}
