// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/raycast_all.h"

#include "base/order.h"
#include "base/parallel.h"
#include "cpu_ref/trace/nearest.h"
#include "cpu_ref/trace/stream.h"
#include "cpu_ref/trace/walk.h"

// A ray's number of hits is known only when it has been cast. Rays are cast a round at a time, and their hits put into
// pools in the order in which they are found, one for each worker; when all are counted they go to where they belong
// and are sorted there. Rays that a pool has no room for are cast again, straight to their place: threads never
// allocate, and memory beside the answer stays small however many hits there are. Rounds are so long that the hits of
// one fit, if its rays hit as much as those of the one before; a round with more is cast again when pools have grown,
// or the first part of it.
enum {
    ROUND_FIRST = 1 << 12,
    ROUND_LEAST = 1 << 10,
    ROUND_MOST = 1 << 17,
    HITS_FIRST = 1 << 14,
    POOLS_MOST = 1 << 20,
    SPARE = 2,     // as many places as there are likely to be hits, since workers come by unlike numbers
    ALONE = 64,    // rays that go one by one
    NEAREST = 64,  // hits of a ray of which the nearest are kept while it is cast
    GRAIN = 64
};

typedef struct work {
    const tact_trace_all_job* job;
    tact_trace_hits* out;
    tact_trace_job cast;  // whose pools are one for each worker
    int workers;
    size_t pool;  // records in one
    tact_trace_spaces* spaces;
    tact_hit* counts;  // of the rays of a round
    uint32_t* placed;  // of their hits, those that are where they belong
    size_t begin, size;
} work;

/// The hits that are wanted of a ray which has so many.
static uint64_t wanted(const work* w, uint64_t found)
{
    return w->job->max_hits && found > w->job->max_hits ? w->job->max_hits : found;
}

// ---- One ray by itself ----

/// What it hits, to a pool.
typedef struct listing {
    tact_trace_walk walk;  // first, since that is what hits are given to
    tact_trace_pool* pool;
    uint32_t ray, found;
} listing;

static void take_all(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h)
{
    listing* l = (listing*)walk;
    const tact_hit hit = {instance, primitive, h->t, h->u, h->v};
    ++l->found;
    tact_trace_keep(l->pool, l->ray, &hit);
}

/// The nearest of what it hits, to their place.
typedef struct gather {
    tact_trace_walk walk;  // first, likewise
    tact_hit* hits;
    uint32_t kept, room;
} gather;

static void take_nearest(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h)
{
    gather* g = (gather*)walk;
    const tact_hit hit = {instance, primitive, h->t, h->u, h->v};
    g->kept = tact_trace_put_nearest(g->hits, g->kept, g->room, &hit);
    // Hits with an equal t may still come before the farthest.
    if (g->kept == g->room) walk->limit = g->hits[0].t;
}

static void walk(const work* w, tact_trace_walk* walk)
{
    if (w->job->brute) {
        tact_trace_walk_every(walk);
    } else {
        tact_trace_walk_all(walk);
    }
}

static tact_trace_walk begin_walk(const work* w, size_t i, tact_trace_take_fn* take)
{
    return tact_trace_walk_begin(w->job->scene, w->job->rules, &w->job->rays[w->begin + i], w->begin + i, take);
}

static void cast_alone(size_t begin, size_t end, int worker, void* user)
{
    const work* w = user;
    TACT_ASSERT(worker >= 0 && worker < w->workers && end <= w->size);
    for (size_t i = begin; i < end; ++i) {
        listing l = {.walk = begin_walk(w, i, take_all), .pool = &w->cast.pools[worker], .ray = (uint32_t)i};
        walk(w, &l.walk);
        w->counts[i].primitive = l.found;
    }
}

// ---- What a round has found ----

/// A ray's place among all hits, as far as there is room; returns how many of them have room.
static size_t place_of(const work* w, size_t i, tact_hit** hits)
{
    const uint64_t offset = w->out->offsets[w->begin + i], count = w->out->offsets[w->begin + i + 1] - offset;
    if (offset >= w->out->capacity) return 0;
    const size_t left = w->out->capacity - (size_t)offset;
    *hits = w->out->hits + offset;
    return count < left ? (size_t)count : left;
}

/// Brings the hits of pools to their places, those of rays of which all are wanted and there.
static void place_hits(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const work* w = user;
    const uint64_t* offsets = w->out->offsets + w->begin;
    for (size_t p = begin; p < end; ++p) {
        const tact_trace_pool* pool = &w->cast.pools[p];
        TACT_ASSERT(pool->count <= pool->room);
        for (size_t k = 0; k < pool->count; ++k) {
            const tact_trace_record* r = &pool->records[k];
            const uint64_t first = offsets[r->ray], after = offsets[r->ray + 1];
            if (w->counts[r->ray].primitive > after - first || after > w->out->capacity) continue;
            TACT_ASSERT(w->placed[r->ray] < after - first);
            w->out->hits[first + w->placed[r->ray]++] = r->hit;
        }
    }
}

static void sort_hits(tact_hit* hits, size_t n)
{
    enum { FEW = 24 };
    if (n > FEW) {
        tact_trace_make_heap(hits, n);
        for (size_t last = n; last-- > 1;) {
            const tact_hit farthest = hits[0];
            hits[0] = hits[last];
            hits[last] = farthest;
            tact_trace_sift(hits, 0, last);
        }
        return;
    }
    for (size_t i = 1; i < n; ++i) {
        const tact_hit hit = hits[i];
        size_t at = i;
        for (; at > 0 && tact_trace_before(&hit, &hits[at - 1]); --at)
            hits[at] = hits[at - 1];
        hits[at] = hit;
    }
}

static void finish_rays(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const work* w = user;
    for (size_t i = begin; i < end; ++i) {
        tact_hit* hits;
        const size_t room = place_of(w, i, &hits);
        if (room == 0) continue;
        TACT_ASSERT(room <= UINT32_MAX);
        if (w->placed[i] != room) {
            gather g = {.walk = begin_walk(w, i, take_nearest), .hits = hits, .room = (uint32_t)room};
            walk(w, &g.walk);
            TACT_ASSERT(g.kept == room);
        }
        if (TACT_ORDERED) sort_hits(hits, room);
        TACT_ASSERT(!TACT_ORDERED || room < 2 || tact_trace_before(&hits[0], &hits[1]));
    }
}

/// Gives pools room for so many hits, as far as they may have it.
static tact_result make_pools(tact_env* env, work* w, double hits)
{
    const size_t all = SPARE * hits < POOLS_MOST ? (size_t)(SPARE * hits) : POOLS_MOST;
    const size_t pool = all / (size_t)w->workers + 1;
    if (pool <= w->pool) return TACT_OK;
    w->pool = pool;
    for (int i = 0; i < w->workers; ++i) {
        tact_trace_pool* p = &w->cast.pools[i];
        tact_release(env, p->records);
        p->room = 0;
        p->records = tact_allocate(env, pool, sizeof *p->records);
        if (!p->records) return TACT_ERROR_OUT_OF_MEMORY;
        p->room = pool;
    }
    return TACT_OK;
}

/// Casts at most so many rays from where the round begins.
static void cast_round(work* w, size_t size, bool counts)
{
    for (int i = 0; i < w->workers; ++i)
        w->cast.pools[i].count = 0;
    w->size = size;
    if (w->spaces) {
        tact_trace_job cast = w->cast;
        if (counts) cast.mode = TACT_RAY_COUNT;
        w->size = tact_trace_round(w->spaces, &cast, w->begin, size, w->counts);
    } else {
        tact_parallel_for(w->job->threads, size, GRAIN, cast_alone, w);
    }
}

static bool has_full_pool(const work* w)
{
    bool full = false;
    for (int i = 0; i < w->workers; ++i)
        full = full || w->cast.pools[i].count == w->cast.pools[i].room;
    return full;
}

/// How many rays of the round, one at least, have no more hits than pools at their largest hold. Their number to
/// `hits`.
static size_t that_fit(const work* w, size_t* hits)
{
    *hits = 0;
    size_t n = 0;
    do {
        *hits += (size_t)wanted(w, w->counts[n].primitive);
    } while (++n < w->size && SPARE * (*hits + wanted(w, w->counts[n].primitive)) <= POOLS_MOST);
    return n;
}

/// How many rays a round has that hit so much each.
static size_t next_round(double each)
{
    const double most = POOLS_MOST / (SPARE * each);
    return most < ROUND_LEAST ? ROUND_LEAST : most < ROUND_MOST ? (size_t)most : ROUND_MOST;
}

static tact_result cast_rounds(tact_env* env, work* w)
{
    const tact_trace_all_job* job = w->job;
    uint64_t* offsets = w->out->offsets;
    size_t round = ROUND_FIRST;
    for (w->begin = 0; w->begin < job->count; w->begin += w->size) {
        const size_t left = job->count - w->begin;
        const bool counts = offsets[w->begin] >= w->out->capacity;
        cast_round(w, left < round ? left : round, counts);
        if (!counts && has_full_pool(w)) {
            size_t hits;
            const size_t fit = that_fit(w, &hits);
            const tact_result made = make_pools(env, w, (double)hits);
            if (made != TACT_OK) return made;
            cast_round(w, fit, false);
        }
        for (size_t i = 0; i < w->size; ++i)
            offsets[w->begin + i + 1] = offsets[w->begin + i] + wanted(w, w->counts[i].primitive);
        if (!counts) {
            memset(w->placed, 0, w->size * sizeof *w->placed);
            tact_parallel_for(job->threads, (size_t)w->workers, 1, place_hits, w);
            tact_parallel_for(job->threads, w->size, GRAIN, finish_rays, w);
        }
        const double each = (double)(offsets[w->begin + w->size] - offsets[w->begin]) / (double)w->size;
        round = next_round(each);
        const tact_result made = counts ? TACT_OK : make_pools(env, w, each * (double)round);
        if (made != TACT_OK) return made;
        const double done = (double)(w->begin + w->size) / (double)job->count;
        if (job->progress && !job->progress(done, job->progress_user)) {
            return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
        }
    }
    return TACT_OK;
}

/// Makes room for the nearest hits of each ray of a stream.
static tact_result make_nearest(tact_env* env, work* w)
{
    w->cast.mode = TACT_TRACE_NEAREST;
    for (int i = 0; i < w->workers; ++i) {
        tact_trace_pool* p = &w->cast.pools[i];
        p->most = w->job->max_hits;
        p->nearest = tact_allocate(env, (size_t)TACT_STREAM_RAYS * p->most, sizeof *p->nearest);
        if (!p->nearest) return TACT_ERROR_OUT_OF_MEMORY;
    }
    return TACT_OK;
}

static tact_result make_work(tact_env* env, work* w)
{
    const tact_trace_all_job* job = w->job;
    const size_t most = job->count < ROUND_MOST ? job->count : ROUND_MOST;
    w->counts = tact_allocate(env, most, sizeof *w->counts);
    w->placed = tact_allocate(env, most, sizeof *w->placed);
    w->cast.pools = tact_allocate_zeroed(env, (size_t)w->workers, sizeof *w->cast.pools);
    if (!w->counts || !w->placed || !w->cast.pools) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = make_pools(env, w, HITS_FIRST);
    if (result != TACT_OK || job->brute || job->count < ALONE) return result;
    w->spaces = tact_trace_spaces_make(env, w->workers, most);
    if (!w->spaces) return TACT_ERROR_OUT_OF_MEMORY;
    return job->max_hits && job->max_hits <= NEAREST ? make_nearest(env, w) : TACT_OK;
}

tact_result tact_trace_all(tact_env* env, const tact_trace_all_job* job, tact_trace_hits* out)
{
    TACT_ASSERT(job->scene && (job->rays || job->count == 0) && out->offsets);
    out->offsets[0] = 0;
    if (job->count == 0) return TACT_OK;
    if (job->scene->instance_count == 0) {
        memset(out->offsets, 0, (job->count + 1) * sizeof *out->offsets);
        return TACT_OK;
    }
    // More workers than a round has pieces have nothing to do, and would only make the pools smaller.
    const size_t pieces = (job->count < ROUND_MOST ? job->count : ROUND_MOST) / GRAIN + 1;
    work w = {.job = job,
              .out = out,
              .cast = {.scene = job->scene,
                       .mode = TACT_TRACE_LIST,
                       .rays = job->rays,
                       .count = job->count,
                       .threads = job->threads,
                       .rules = job->rules},
              .workers = job->threads < 1                ? 1
                         : (size_t)job->threads < pieces ? job->threads
                                                         : (int)pieces};
    tact_result result = make_work(env, &w);
    if (result == TACT_OK) result = cast_rounds(env, &w);
    for (int i = 0; w.cast.pools && i < w.workers; ++i) {
        tact_release(env, w.cast.pools[i].records);
        tact_release(env, w.cast.pools[i].nearest);
    }
    tact_release(env, w.cast.pools);
    tact_release(env, w.counts);
    tact_release(env, w.placed);
    tact_trace_spaces_free(env, w.spaces);
    return result;
}
