// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/parallel.h"

#include <stdint.h>

#include "core/float_env.h"
#include "core/platform.h"
#include "core/sanitizers.h"

#if !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
#endif

// ThreadSanitizer cannot see the barriers inside an OpenMP runtime that was not built with it, and would call every
// loop a race. Under it plain threads do the same.
#if defined(TACT_TSAN)
#include <pthread.h>
#elif defined(_OPENMP)
#include <omp.h>
#endif

typedef struct loop {
    size_t count, grain, pieces;
    tact_parallel_fn* function;
    void* user;
} loop;

static void run_piece(const loop* l, size_t piece, int worker)
{
    const size_t begin = piece * l->grain;
    const size_t end = l->count - begin > l->grain ? begin + l->grain : l->count;
    l->function(begin, end, worker, l->user);
}

#if defined(TACT_TSAN)

typedef struct team {
    const loop* work;
    atomic_size_t next;
} team;

typedef struct member {
    team* of;
    int worker;
    pthread_t thread;
} member;

static void* run_member(void* user)
{
    const member* m = user;
    tact_float_env env;
    tact_float_env_enter(&env);
    for (size_t piece; (piece = atomic_fetch_add(&m->of->next, 1)) < m->of->work->pieces;) {
        run_piece(m->of->work, piece, m->worker);
    }
    tact_float_env_leave(&env);
    return NULL;
}

static void run_team(const loop* l, int threads)
{
    enum { MOST = 64 };
    team shared = {.work = l};
    member members[MOST];
    int started = 0;
    for (int i = 1; i < threads && i < MOST; ++i) {
        members[started] = (member){.of = &shared, .worker = i};
        if (pthread_create(&members[started].thread, NULL, run_member, &members[started]) == 0) ++started;
    }
    member self = {.of = &shared, .worker = 0};
    run_member(&self);
    for (int i = 0; i < started; ++i)
        pthread_join(members[i].thread, NULL);
}

#elif defined(_OPENMP)

static void run_team(const loop* l, int threads)
{
#pragma omp parallel num_threads(threads)
    {
        tact_float_env env;
        tact_float_env_enter(&env);
#pragma omp for schedule(dynamic, 1) nowait
        for (int64_t piece = 0; piece < (int64_t)l->pieces; ++piece) {
            run_piece(l, (size_t)piece, omp_get_thread_num());
        }
        tact_float_env_leave(&env);
    }
}

#else

static void run_team(const loop* l, int threads)
{
    (void)threads;
    for (size_t piece = 0; piece < l->pieces; ++piece)
        run_piece(l, piece, 0);
}

#endif

void tact_parallel_for(int threads, size_t count, size_t grain, tact_parallel_fn* function, void* user)
{
    if (count == 0) return;
    if (grain == 0) grain = 1;
    const loop l = {count, grain, count / grain + (count % grain != 0), function, user};
    if (threads > 1 && l.pieces > 1) {
        run_team(&l, l.pieces < (size_t)threads ? (int)l.pieces : threads);
        return;
    }
    for (size_t piece = 0; piece < l.pieces; ++piece)
        run_piece(&l, piece, 0);
}

/// What the workers of tact_parallel_for_parts() share.
typedef struct parts_loop {
    size_t count, grain;
    tact_parallel_prepare_fn* prepare;
    tact_parallel_part_fn* part;
    void* user;
#if !defined(__STDC_NO_ATOMICS__)
    tact_parallel_place* places;
    size_t workers, pieces;
    atomic_size_t next;
    atomic_size_t unprepared;  // pieces
#endif
} parts_loop;

static void run_whole(size_t begin, size_t end, int worker, void* user)
{
    const parts_loop* l = user;
    const uint32_t parts = l->prepare(begin, end, worker, l->user);
    for (uint32_t i = 0; i < parts; ++i)
        l->part(i, worker, worker, l->user);
}

#if !defined(__STDC_NO_ATOMICS__)

// A place holds the number of parts above the number of the next, so that both are read at once: a worker that comes
// late must not take a part of what was there before.
static void publish(tact_parallel_place* place, uint32_t parts)
{
    atomic_store_explicit(&place->parts, (uint64_t)parts << 32, memory_order_release);
}

static bool take_part(tact_parallel_place* place, uint32_t* part)
{
    // Looked at first: without it, workers that wait would count up for nothing.
    uint64_t seen = atomic_load_explicit(&place->parts, memory_order_relaxed);
    if ((uint32_t)seen >= (uint32_t)(seen >> 32)) return false;
    seen = atomic_fetch_add_explicit(&place->parts, 1, memory_order_acquire);
    *part = (uint32_t)seen;
    return *part < (uint32_t)(seen >> 32);
}

static void run_parts(size_t begin, size_t end, int worker, void* user)
{
    (void)begin;
    (void)end;
    parts_loop* l = user;
    uint32_t part;
    for (size_t piece; (piece = atomic_fetch_add(&l->next, 1)) < l->pieces;) {
        const size_t first = piece * l->grain;
        const size_t last = l->count - first > l->grain ? first + l->grain : l->count;
        publish(&l->places[worker], l->prepare(first, last, worker, l->user));
        atomic_fetch_sub_explicit(&l->unprepared, 1, memory_order_release);
        while (take_part(&l->places[worker], &part))
            l->part(part, worker, worker, l->user);
    }
    // No piece is left, so what anybody has prepared, or still prepares, is the last that they do.
    for (bool more = true; more;) {
        more = atomic_load_explicit(&l->unprepared, memory_order_acquire) > 0;
        for (size_t owner = 0; owner < l->workers; ++owner) {
            while (take_part(&l->places[owner], &part))
                l->part(part, (int)owner, worker, l->user);
        }
        if (more) tact_platform_yield();
    }
}

#endif

void tact_parallel_for_parts(int threads, size_t count, size_t grain, tact_parallel_place* places,
                             tact_parallel_prepare_fn* prepare, tact_parallel_part_fn* part, void* user)
{
    parts_loop l = {.count = count, .grain = grain > 0 ? grain : 1, .prepare = prepare, .part = part, .user = user};
    if (threads < 1) threads = 1;
#if !defined(__STDC_NO_ATOMICS__)
    if (threads > 1 && count > 0) {
        l.places = places;
        l.workers = (size_t)threads;
        l.pieces = l.count / l.grain + (l.count % l.grain != 0);
        atomic_init(&l.next, 0);
        atomic_init(&l.unprepared, l.pieces);
        for (int i = 0; i < threads; ++i)
            atomic_init(&places[i].parts, 0);
        tact_parallel_for(threads, l.workers, 1, run_parts, &l);
        return;
    }
#else
    (void)places;
#endif
    tact_parallel_for(threads, count, l.grain, run_whole, &l);
}
