// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/parallel.h"

#include <stdint.h>

#include "core/float_env.h"

#ifdef _OPENMP
#include <omp.h>
#endif

// ThreadSanitizer cannot see the barriers inside an OpenMP runtime that was not built with it. Tell it what they order:
// all before the loop comes before every piece, and every piece before all after the loop.
#if defined(__SANITIZE_THREAD__)
#define TACT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TACT_TSAN 1
#endif
#endif
#ifdef TACT_TSAN
void __tsan_acquire(void* address);
void __tsan_release(void* address);
#define ORDER_ACQUIRE(address) __tsan_acquire(address)
#define ORDER_RELEASE(address) __tsan_release(address)
#else
#define ORDER_ACQUIRE(address) ((void)(address))
#define ORDER_RELEASE(address) ((void)(address))
#endif

#ifdef _OPENMP
typedef struct loop {
    size_t count, grain;
    tact_parallel_fn* function;
    void* user;
    char opened, closed;
} loop;
#endif

void tact_parallel_for(int threads, size_t count, size_t grain, tact_parallel_fn* function, void* user)
{
    if (count == 0) return;
    if (grain == 0) grain = 1;
    const size_t pieces = count / grain + (count % grain != 0);
#ifdef _OPENMP
    if (threads > 1 && pieces > 1) {
        loop shared = {count, grain, function, user, 0, 0};
        loop* const work = &shared;
        const int team = pieces < (size_t)threads ? (int)pieces : threads;
        ORDER_RELEASE(&work->opened);
#pragma omp parallel num_threads(team)
        {
            ORDER_ACQUIRE(&work->opened);
            tact_float_env env;
            tact_float_env_enter(&env);
            const int worker = omp_get_thread_num();
#pragma omp for schedule(dynamic, 1) nowait
            for (int64_t piece = 0; piece < (int64_t)pieces; ++piece) {
                const size_t begin = (size_t)piece * work->grain;
                const size_t end = work->count - begin > work->grain ? begin + work->grain : work->count;
                work->function(begin, end, worker, work->user);
            }
            tact_float_env_leave(&env);
            ORDER_RELEASE(&work->closed);
        }
        ORDER_ACQUIRE(&work->closed);
        return;
    }
#else
    (void)threads;
#endif
    for (size_t piece = 0; piece < pieces; ++piece) {
        const size_t begin = piece * grain;
        const size_t end = count - begin > grain ? begin + grain : count;
        function(begin, end, 0, user);
    }
}
