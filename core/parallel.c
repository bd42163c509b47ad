// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/parallel.h"

#include <stdint.h>

#include "core/float_env.h"
#include "core/sanitizers.h"

// ThreadSanitizer cannot see the barriers inside an OpenMP runtime that was not built with it, and would call every
// loop a race. Under it plain threads do the same.
#if defined(TACT_TSAN)
#include <pthread.h>
#include <stdatomic.h>
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
