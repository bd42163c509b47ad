// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/raycast_all.h"

#include "base/parallel.h"
#include "cpu_ref/trace/walk.h"

// A ray's number of hits is known only when it has been cast. Rays are cast a slice at a time, into pools, one for each
// worker, and copied to where their hits belong when all are counted. Those that a pool has no room for are cast again,
// straight to their place: threads never allocate, and memory beside the answer stays small however many hits there
// are. Where pools were too small they are larger in the next slice.
enum { SLICE = 1 << 12, GRAIN = 64, POOLS_LEAST = 1 << 17, POOLS_MOST = 1 << 20 };

/// The nearest hits of a ray so far, as a heap with the farthest first once it is full.
typedef struct gather {
    tact_trace_walk walk;  // first, since that is what hits are given to
    tact_hit* hits;
    size_t kept, room;
    uint64_t found;
    bool prune;  // only the nearest `room` are wanted, and nobody asks how many there are
} gather;

static bool before(const tact_hit* a, const tact_hit* b)
{
    return tact_trace_closer(a->t, a->instance, a->primitive, b);
}

/// Puts the hit at place i where it belongs among those below it in a heap of n.
static void sift(tact_hit* hits, size_t i, size_t n)
{
    TACT_ASSERT(i < n);
    const tact_hit hit = hits[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n) break;
        if (child + 1 < n && before(&hits[child], &hits[child + 1])) ++child;
        if (!before(&hit, &hits[child])) break;
        hits[i] = hits[child];
        i = child;
    }
    hits[i] = hit;
}

static void make_heap(tact_hit* hits, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift(hits, i, n);
}

static void sort_hits(tact_hit* hits, size_t n, bool heap)
{
    if (!heap) make_heap(hits, n);
    TACT_ASSERT(n < 2 || !before(&hits[0], &hits[1]));
    for (size_t last = n; last-- > 1;) {
        const tact_hit farthest = hits[0];
        hits[0] = hits[last];
        hits[last] = farthest;
        sift(hits, 0, last);
    }
}

static void take(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h)
{
    gather* g = (gather*)walk;
    TACT_ASSERT(g->kept <= g->room);
    const tact_hit hit = {instance, primitive, h->t, h->u, h->v};
    ++g->found;
    if (g->kept < g->room) {
        g->hits[g->kept++] = hit;
        if (g->kept == g->room) make_heap(g->hits, g->kept);
    } else if (g->room > 0 && before(&hit, &g->hits[0])) {
        g->hits[0] = hit;
        sift(g->hits, 0, g->kept);
    }
    // Hits with an equal t may still come before the farthest.
    if (g->prune && g->kept == g->room) walk->limit = g->hits[0].t;
}

static tact_trace_walk begin_walk(const tact_trace_all_job* job, size_t ray)
{
    return tact_trace_walk_begin(job->scene, job->rules, &job->rays[ray], ray, take);
}

/// Where the hits of a ray are meanwhile.
typedef struct cast {
    uint64_t found;        // of those that are wanted
    const tact_hit* hits;  // NULL: the pool had no room for them
} cast;

typedef struct work {
    const tact_trace_all_job* job;
    tact_trace_hits* out;
    size_t begin;  // of the slice
    cast* casts;   // of its rays
    bool counts;   // no hit of the slice has a place in the answer
    // One for each worker, after the other.
    tact_hit* pools;
    size_t workers, pool;  // hits in one
    size_t* used;
} work;

static void find(const tact_trace_all_job* job, gather* g)
{
    if (job->brute) {
        tact_trace_walk_every(&g->walk);
    } else {
        tact_trace_walk_all(&g->walk);
    }
    sort_hits(g->hits, g->kept, g->kept == g->room);
    TACT_ASSERT(g->kept <= g->found);
    TACT_ASSERT(g->kept < 2 || before(&g->hits[0], &g->hits[1]));
}

static void first_cast(size_t begin, size_t end, int worker, void* user)
{
    const work* w = user;
    const tact_trace_all_job* job = w->job;
    const uint64_t most = job->max_hits ? job->max_hits : UINT64_MAX;
    for (size_t i = begin; i < end; ++i) {
        size_t* used = &w->used[worker];
        TACT_ASSERT((size_t)worker < w->workers && *used <= w->pool);
        const size_t left = w->counts && !job->max_hits ? 0 : w->pool - *used;
        gather g = {.walk = begin_walk(job, w->begin + i),
                    .hits = w->pools + (size_t)worker * w->pool + *used,
                    .room = most < left ? (size_t)most : left,
                    .prune = most <= left};
        find(job, &g);
        const uint64_t found = g.found < most ? g.found : most;
        w->casts[i] = (cast){found, found <= g.kept ? g.hits : NULL};
        if (found <= g.kept) *used += g.kept;
        TACT_ASSERT(*used <= w->pool);
    }
}

static void second_cast(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const work* w = user;
    for (size_t i = begin; i < end; ++i) {
        const cast* c = &w->casts[i];
        TACT_ASSERT(w->out->offsets[w->begin + i + 1] - w->out->offsets[w->begin + i] == c->found);
        const uint64_t offset = w->out->offsets[w->begin + i];
        if (c->found == 0 || offset >= w->out->capacity) continue;
        const size_t left = w->out->capacity - (size_t)offset;
        const size_t room = c->found < left ? (size_t)c->found : left;
        tact_hit* hits = w->out->hits + offset;
        if (c->hits) {
            memcpy(hits, c->hits, room * sizeof *hits);
            continue;
        }
        gather g = {.walk = begin_walk(w->job, w->begin + i), .hits = hits, .room = room, .prune = true};
        find(w->job, &g);
    }
}

/// Pools that hold so many hits, and half as many again since workers come by unlike numbers.
static tact_result make_pools(tact_env* env, work* w, uint64_t hits)
{
    TACT_ASSERT(w->workers >= 1);
    uint64_t all = hits + hits / 2;
    all = all < POOLS_LEAST ? POOLS_LEAST : all > POOLS_MOST ? POOLS_MOST : all;
    const size_t pool = (size_t)all / w->workers + 1;
    if (pool <= w->pool) return TACT_OK;
    tact_release(env, w->pools);
    w->pools = tact_allocate(env, w->workers * pool, sizeof *w->pools);
    w->pool = pool;
    return w->pools ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// Makes room for `needed` hits, of which the first `used` are there.
static tact_result reserve_hits(tact_env* env, tact_trace_hits* out, uint64_t used, uint64_t needed)
{
    if (out->fixed || needed <= out->capacity) return TACT_OK;
    if (needed > SIZE_MAX / sizeof(tact_hit)) {
        return tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: %llu hits", (unsigned long long)needed);
    }
    void* hits = out->hits;
    const bool grown = tact_reserve(env, &hits, &out->capacity, (size_t)used, (size_t)needed, sizeof *out->hits);
    out->hits = hits;
    return grown ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static tact_result cast_slices(tact_env* env, work* w)
{
    const tact_trace_all_job* job = w->job;
    uint64_t* offsets = w->out->offsets;
    for (size_t begin = 0; begin < job->count; begin += SLICE) {
        const size_t size = job->count - begin < SLICE ? job->count - begin : SLICE;
        w->begin = begin;
        w->counts = w->out->fixed && offsets[begin] >= w->out->capacity;
        memset(w->used, 0, w->workers * sizeof *w->used);
        tact_parallel_for(job->threads, size, GRAIN, first_cast, w);
        bool full = false;
        for (size_t i = 0; i < size; ++i) {
            offsets[begin + i + 1] = offsets[begin + i] + w->casts[i].found;
            full = full || !w->casts[i].hits;
        }
        tact_result reserved = reserve_hits(env, w->out, offsets[begin], offsets[begin + size]);
        TACT_ASSERT(offsets[begin + size] >= offsets[begin]);
        if (reserved != TACT_OK) return reserved;
        TACT_ASSERT(w->out->fixed || offsets[begin + size] <= w->out->capacity);
        tact_parallel_for(job->threads, size, GRAIN, second_cast, w);
        if (full && !w->counts) reserved = make_pools(env, w, offsets[begin + size] - offsets[begin]);
        if (reserved != TACT_OK) return reserved;
        const double done = (double)(begin + size) / (double)job->count;
        if (job->progress && !job->progress(done, job->progress_user)) {
            return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
        }
    }
    return TACT_OK;
}

tact_result tact_trace_all(tact_env* env, const tact_trace_all_job* job, tact_trace_hits* out)
{
    TACT_ASSERT(job->scene && (job->rays || job->count == 0));
    TACT_ASSERT(!out->fixed || out->offsets);
    if (!out->fixed) {
        void* offsets = out->offsets;
        const bool grown = job->count < SIZE_MAX &&
                           tact_reserve(env, &offsets, &out->offset_capacity, 0, job->count + 1, sizeof *out->offsets);
        out->offsets = offsets;
        if (!grown) return tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: %zu offsets", job->count);
    }
    out->offsets[0] = 0;
    if (job->count == 0) return TACT_OK;
    const size_t slice = job->count < SLICE ? job->count : SLICE;
    // More workers than a slice has pieces have nothing to do, and would only make the pools smaller.
    const size_t pieces = (slice + GRAIN - 1) / GRAIN, threads = job->threads > 0 ? (size_t)job->threads : 1;
    work w = {.job = job, .out = out, .workers = threads < pieces ? threads : pieces};
    w.casts = tact_allocate(env, slice, sizeof *w.casts);
    w.used = tact_allocate(env, w.workers, sizeof *w.used);
    tact_result result = w.casts && w.used ? make_pools(env, &w, slice) : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = cast_slices(env, &w);
    tact_release(env, w.casts);
    tact_release(env, w.used);
    tact_release(env, w.pools);
    return result;
}

void tact_trace_hits_free(tact_env* env, tact_trace_hits* hits)
{
    if (hits->fixed) return;
    tact_release(env, hits->offsets);
    tact_release(env, hits->hits);
    *hits = (tact_trace_hits){0};
}
