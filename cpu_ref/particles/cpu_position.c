// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A substep of POSITION. Which pairs touch is found out in every iteration, but contacts move particles little, and so
// the first iteration lists all pairs that are less than `stretch` times their reach apart, in the order in which they
// are met, and the others look through these. What does not touch adds zeros.
//
// Why that changes no result. Let a pair (i, j) not be in the list. Then its distance, as computed, was more than
// (1 + m) (r_i + r_j), m being `stretch` - 1. Since then i has moved by u_i at most, the sum of the lengths of its
// moves, so that the two are now (1 + m) (r_i + r_j) - u_i - u_j apart at least. (The shorter way round a period is as
// far, since going round changes it by no more than one has moved.) Lists are used only while u <= 0.9 m r for all
// particles: then the pair is (1 + 0.1 m) (r_i + r_j) apart at least, and does not touch. With m of 2^-6 at least that
// is 2^-9.4 more than its reach, and pays for all roundings:
//   - distances and reaches are computed within 2^-21 of themselves as long as no square underflows, which radii of
//     LEAST_RADIUS and more see to;
//   - u is a sum of at most 2^10 lengths, and within 2^-13 of itself; lengths below 2^-64 may be lost;
//   - in periods a difference of coordinates is rounded before the period is taken off, by 2^-24 of the longest side
//     of the box of all particles, or less. Where 2^-20 of that is more than 0.05 m of the least radius none are
//     listed.
// Which pairs may meet at all, by cell and group, does not change within a substep.

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_engine.h"

#define LEAST_MARGIN 0.015625f  // m, above
#define MOST_MARGIN 0.375f
#define LEAST_RADIUS 1.0e-9f

enum {
    GRAIN = 4096,
    PIECE = 256,  ///< slots that fit the nearest cache with all that is known of them
    LEAST_SHARE = 4,
    MOST_SHARE = 16,
    SPARE_PAIRS = 512,
    SPARE_SEAM_PAIRS = 128,
};

/// A pass over all particles.
typedef struct pass {
    const tact_particle_walk* walk;
    const tact_particle_lanes* lanes;
    tact_cpu_tally* tallies;
} pass;

tact_particle_self tact_cpu_predict_near(const tact_particle_walk* walk, size_t i, tact_particle_counters* counters)
{
    TACT_ASSERT(i < walk->engine->count);
    tact_particle_self p = tact_cpu_self(walk->engine, i);
    float to[3];
    tact_cpu_clear_look(walk->engine, walk->model, i, &p);
    tact_particle_predict(walk->model, &p, to, counters);
    p.x = to[0];
    p.y = to[1];
    p.z = to[2];
    return p;
}

void tact_cpu_shift_near(const tact_particle_walk* walk, size_t i, float sum[4])
{
    TACT_ASSERT(i < walk->engine->count && sum[3] >= 0.0f);
    const tact_particle_self p = tact_cpu_self(walk->engine, i);
    TactVec shift = tact_vec(sum[0], sum[1], sum[2]);
    uint32_t count = (uint32_t)sum[3];
    tact_particle_static_shifts(walk->model, &p, walk->slots.from[i], &shift, &count);
    sum[0] = shift.x;
    sum[1] = shift.y;
    sum[2] = shift.z;
    sum[3] = (float)count;
}

tact_particle_self tact_cpu_settle_near(const tact_particle_walk* walk, size_t i, tact_particle_counters* counters)
{
    TACT_ASSERT(i < walk->engine->count && walk->slots.from[i][3] >= 0.0f);
    const float* from = walk->slots.from[i];
    tact_particle_self p = tact_cpu_self(walk->engine, i);
    const float to[3] = {p.x, p.y, p.z};
    p.x = from[0];
    p.y = from[1];
    p.z = from[2];
    p.clear = tact_cpu_clear(walk->engine, i, p.x, p.y, p.z);
    tact_particle_settle(walk->model, &p, to, from[3] > 0.0f, counters);
    return p;
}

static void predict_range(size_t begin, size_t end, int worker, void* user)
{
    const pass* s = user;
    const tact_particle_cpu* e = s->walk->engine;
    TACT_ASSERT(end <= e->count);
    // A ghost is predicted here too, from all that its own rank predicts it from, but not counted.
    tact_cpu_tally unused = {.moved = 0.0f};
    for (size_t i = begin, stop; i < end; i = stop) {
        const bool ghost = tact_cpu_is_ghost(e, i);
        stop = e->has_ghosts ? i + 1 : end;
        while (stop < end && tact_cpu_is_ghost(e, stop) == ghost)
            ++stop;
        s->lanes->predict(s->walk, i, stop, ghost ? &unused : &s->tallies[worker]);
    }
}

static void shift_range(size_t begin, size_t end, int worker, void* user)
{
    const pass* s = user;
    for (size_t i = begin, stop; i < end; i = stop) {
        stop = tact_cpu_own_run(s->walk->engine, &i, end);
        if (i < stop) s->lanes->shift(s->walk, i, stop, &s->tallies[worker]);
    }
}

/// The last shift and the end of the substep, piece by piece.
static void settle_run(const pass* s, size_t begin, size_t end, int worker)
{
    for (size_t i = begin; i < end; i += PIECE) {
        const size_t stop = end - i < PIECE ? end : i + PIECE;
        if (s->walk->model->iterations > 0) s->lanes->shift(s->walk, i, stop, &s->tallies[worker]);
        s->lanes->settle(s->walk, i, stop, &s->tallies[worker]);
    }
}

static void settle_range(size_t begin, size_t end, int worker, void* user)
{
    const pass* s = user;
    for (size_t i = begin, stop; i < end; i = stop) {
        stop = tact_cpu_own_run(s->walk->engine, &i, end);
        settle_run(s, i, stop, worker);
    }
}

static void over_all(const pass* s, tact_parallel_fn* range)
{
    const size_t count = s->walk->engine->count;
    const int threads = s->walk->model->threads;
    tact_parallel_for(threads, count, tact_cpu_grain(count, threads, GRAIN), range, (void*)(uintptr_t)s);
}

/// The most that contacts have moved a particle in this substep, in radii.
static float most_moved(const pass* s)
{
    float most = 0.0f;
    for (int k = 0; k < s->walk->model->threads || k == 0; ++k)
        most = s->tallies[k].moved > most ? s->tallies[k].moved : most;
    return most;
}

/// By how much of its reach a pair that is listed may be apart: twice what the last substep needed. 0: listing would
/// not pay, or not be safe.
static float margin_of(const tact_particle_cpu* e, const tact_particle_model* model)
{
    if (model->iterations < 2) return 0.0f;
    const float wanted = 2.0f * e->moved;
    const float margin = wanted > LEAST_MARGIN ? wanted : LEAST_MARGIN;
    if (!(margin <= MOST_MARGIN) || !(e->least_radius >= LEAST_RADIUS)) return 0.0f;
    const bool periodic = model->grid.x.period > 0.0f || model->grid.y.period > 0.0f || model->grid.z.period > 0.0f;
    return periodic && !(e->table.span * 0x1p-20f <= 0.05f * margin * e->least_radius) ? 0.0f : margin;
}

/// Gives chunks their parts of the memory for lists, `share` pairs for each of their slots and some besides. Returns
/// where the next part begins.
static uint32_t* share_lists(tact_walk_chunk* chunks, size_t count, size_t share, size_t spare, uint32_t* next)
{
    for (size_t k = 0; k < count; ++k) {
        const size_t room = share * (size_t)(chunks[k].high - chunks[k].low) + spare;
        TACT_ASSERT(chunks[k].low <= chunks[k].high);
        chunks[k].list = (tact_pair_list){.i = next, .j = next + room + TACT_SLOT_PAD, .room = room};
        next += 2 * (room + TACT_SLOT_PAD);
    }
    return next;
}

/// Makes room for the lists of all chunks.
static tact_result make_lists(tact_particle_cpu* e)
{
    if (e->list_share < LEAST_SHARE) e->list_share = LEAST_SHARE;
    // At a seam each of the two has the pair.
    const size_t share = e->list_share, seam_share = 2 * share;
    const size_t needed = 2 * (share * e->count + (SPARE_PAIRS + TACT_SLOT_PAD) * e->chunk_count +
                               seam_share * e->seam_count + (SPARE_SEAM_PAIRS + TACT_SLOT_PAD) * e->seam_chunk_count);
    if (needed > e->list_capacity) {
        tact_release(e->base.env, e->list);
        e->list_capacity = 0;
        e->list = tact_allocate(e->base.env, needed, sizeof *e->list);
        if (!e->list) return TACT_ERROR_OUT_OF_MEMORY;
        e->list_capacity = needed;
    }
    uint32_t* next = share_lists(e->chunks, e->chunk_count, share, SPARE_PAIRS, e->list);
    share_lists(e->seam_chunks, e->seam_chunk_count, seam_share, SPARE_SEAM_PAIRS, next);
    TACT_ASSERT(e->list_share >= LEAST_SHARE && e->list_share <= MOST_SHARE && needed <= e->list_capacity);
    return TACT_OK;
}

/// Asks for more memory next time where chunks had too little for their lists, within reason.
static void grow_lists(tact_particle_cpu* e)
{
    const tact_walk_chunk* chunks = e->chunks;
    for (size_t k = 0; k < e->chunk_count; ++k) {
        if (chunks[k].list.count <= chunks[k].list.room) continue;
        const size_t share = chunks[k].list.count / (chunks[k].high - chunks[k].low + 1) + 1;
        if (share > e->list_share) e->list_share = share < MOST_SHARE ? (uint32_t)share : MOST_SHARE;
    }
}

/// tact_particle_walk::prune, of particles that contacts have moved by `moved` of their radii at most. Beyond a quarter
/// of a cell, about, they could have come back into a period while their cells are on its other side.
static float prune_of(float moved, float stretch)
{
    const float wanted = 1.0f + 1.001f * moved;
    if (!(moved <= 0.5f)) return 0.0f;
    return wanted > stretch ? wanted : stretch;
}

static tact_result iterate(tact_particle_cpu* e, tact_particle_walk* walk, const pass* s)
{
    const uint32_t iterations = walk->model->iterations;
    const float margin = margin_of(e, walk->model);
    tact_result result = margin > 0.0f ? make_lists(e) : TACT_OK;
    walk->stretch = 1.0f + margin;
    bool kept = margin > 0.0f;
    for (uint32_t k = 0; k < iterations && result == TACT_OK; ++k) {
        if (kept && most_moved(s) > 0.9f * margin) {
            kept = false;
            ++e->broken_substeps;
        }
        walk->listing = kept && k == 0;
        walk->listed = kept && k > 0;
        walk->prune = prune_of(most_moved(s), walk->stretch);
        e->listed_iterations += walk->listed;
        result = tact_cpu_walk(e, walk);
        if (walk->listing) grow_lists(e);
        if (result != TACT_OK || k + 1 == iterations) continue;
        over_all(s, shift_range);
        if (!walk->model->halo) continue;
        e->iterating = true;
        result = walk->model->halo->exchange(walk->model->halo);
        e->iterating = false;
    }
    walk->listing = walk->listed = false;
    return result;
}

tact_result tact_cpu_position_substep(tact_particle_cpu* e, tact_particle_walk* walk)
{
    const pass s = {walk, tact_particle_lanes_best(), e->tallies};
    for (int k = 0; k < walk->model->threads || k == 0; ++k)
        s.tallies[k].moved = 0.0f;
    walk->engine = e;
    walk->slots = e->now;
    TACT_ASSERT(walk->model->response == TACT_RESPONSE_POSITION && s.tallies);
    walk->keeps_clear = e->keeps_clear;
    over_all(&s, predict_range);
    tact_result result = tact_cpu_sort(e, walk->model);
    if (result == TACT_OK) result = tact_cpu_cut(e, walk->model);
    if (result != TACT_OK) return result;
    walk->slots = e->now;
    walk->motion = (const float(*)[4])e->motion;
    result = iterate(e, walk, &s);
    if (result == TACT_OK) over_all(&s, settle_range);
    e->moved = most_moved(&s);
    return result;
}
