// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A program with workers of its own gives the library's parallel work to them: no other thread is made.

#include "tests/support/run.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/parallel.h"
#include "base/platform.h"
#include "base/xxh64.h"
#include "core/context/context.h"
#include "tact/tact.h"
#include "tests/support/asked.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

enum { WORKERS = 3, ROOM = 64, ROUNDS = 3 };

/// A job system: threads that take tasks from a list.
typedef struct jobs {
    pthread_mutex_t mutex;
    pthread_cond_t some;
    struct {
        tact_task_fn* run;
        uint64_t task;
    } list[ROOM];
    size_t count;
    bool stop;
    bool held;  ///< no worker takes a task
    pthread_t threads[WORKERS];
    atomic_uint given, ran, refused;
} jobs;

static bool enqueue(tact_task_fn* run, uint64_t task, void* user)
{
    jobs* j = user;
    pthread_mutex_lock(&j->mutex);
    const bool room = j->count < ROOM;
    if (room) {
        j->list[j->count].run = run;
        j->list[j->count++].task = task;
        pthread_cond_signal(&j->some);
    }
    pthread_mutex_unlock(&j->mutex);
    ++*(room ? &j->given : &j->refused);
    return room;
}

static void* work(void* user)
{
    jobs* j = user;
    pthread_mutex_lock(&j->mutex);
    for (;;) {
        while ((j->count == 0 || j->held) && !j->stop)
            pthread_cond_wait(&j->some, &j->mutex);
        if (j->stop) break;
        const size_t last = --j->count;
        tact_task_fn* run = j->list[last].run;
        const uint64_t task = j->list[last].task;
        pthread_mutex_unlock(&j->mutex);
        run(task);
        ++j->ran;
        pthread_mutex_lock(&j->mutex);
    }
    pthread_mutex_unlock(&j->mutex);
    return NULL;
}

static void start(jobs* j, int workers)
{
    memset(j, 0, sizeof *j);
    pthread_mutex_init(&j->mutex, NULL);
    pthread_cond_init(&j->some, NULL);
    for (int i = 0; i < workers; ++i)
        assert_int_equal(pthread_create(&j->threads[i], NULL, work, j), 0);
}

static void stop(jobs* j, int workers)
{
    pthread_mutex_lock(&j->mutex);
    j->stop = true;
    pthread_cond_broadcast(&j->some);
    pthread_mutex_unlock(&j->mutex);
    for (int i = 0; i < workers; ++i)
        pthread_join(j->threads[i], NULL);
    pthread_cond_destroy(&j->some);
    pthread_mutex_destroy(&j->mutex);
}

static tact_context* open_with(jobs* j, int workers)
{
    const tact_context_desc desc = {.tasks = {.enqueue = enqueue, .user = j, .workers = workers},
                                    .gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_NONE,
                                    .disable_cache = true,
                                    .log = quiet};
    return new_context(&desc);
}

/// Threads of the process; 0 where the system does not tell.
static unsigned count_threads(void)
{
    DIR* folder = opendir("/proc/self/task");
    unsigned count = 0;
    for (const struct dirent* e; folder && (e = readdir(folder));)
        count += e->d_name[0] != '.';
    if (folder) closedir(folder);
    return count;
}

static void add_bytes(const void* data, size_t bytes, size_t word, void* user)
{
    (void)word;
    tact_xxh64_add(user, data, bytes);
}

/// Asks each query that the CPU answers, much enough for threads; the digest of all answers.
static uint64_t ask_all(tact_context* context)
{
    asked_call call;
    tact_xxh64 sum;
    tact_xxh64_begin(&sum);
    for (size_t i = 0; asked_at(i, &call); ++i) {
        tact_sample* s = NULL;
        const size_t much = 64 * call.of->smallest, most = call.of->largest < 20000 ? call.of->largest : 20000;
        if (asked_is_drawn(&call) || call.query->only == TACT_BACKEND_GL) continue;
        assert_int_equal(tact_sample_create(context, call.query, call.of, much < most ? much : most, 7, &s), TACT_OK);
        s->request.most = ASKED_MOST;
        const tact_query_options options = {.backend = TACT_BACKEND_CPU};
        for (int k = 0; k < ROUNDS; ++k)
            assert_int_equal(tact_sample_ask(s, &options, NULL), TACT_OK);
        assert_int_equal(asked_answer(&s->request, add_bytes, &sum), TACT_OK);
        tact_sample_destroy(s);
    }
    return tact_xxh64_end(&sum);
}

TEST(all_work_is_the_callers_workers)
{
    const tact_context_desc one = {.threads = 1, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .log = quiet};
    tact_context* context = new_context(&one);
    const uint64_t alone = ask_all(context);
    tact_context_destroy(context);
    jobs j;
    start(&j, WORKERS);
    context = open_with(&j, WORKERS);
    assert_int_equal(context->threads, WORKERS + 1);
    const unsigned before = count_threads();
    assert_true(ask_all(context) == alone);
    assert_int_equal(count_threads(), before);
    tact_context_destroy(context);
    print_message("%u tasks given, %u run, %u refused, %u threads\n", j.given, j.ran, j.refused, before);
    assert_true(j.given > 20);
    stop(&j, WORKERS);
}

// ---- Loops ----

typedef struct sum {
    atomic_uint items;
    _Atomic int workers[8];
} sum;

static void add(size_t begin, size_t end, int worker, void* user)
{
    sum* s = user;
    s->items += (unsigned)(end - begin);
    ++s->workers[worker];
    const double until = tact_platform_milliseconds() + 1.0;
    while (tact_platform_milliseconds() < until) {
    }
}

TEST(nobody_waits_for_workers_that_do_not_come)
{
    jobs j;
    start(&j, WORKERS);
    j.held = true;
    const tact_tasks tasks = {.enqueue = enqueue, .user = &j, .workers = WORKERS};
    tact_parallel_use(&tasks);
    sum s = {0};
    // More loops than there is room for tasks, all of which run when the loops are long over.
    for (int i = 0; i < 30; ++i)
        tact_parallel_for(WORKERS + 1, 4, 1, add, &s);
    assert_int_equal(s.items, 30 * 4);
    assert_int_equal(s.workers[0], 30 * 4);
    assert_true(j.given == ROOM && j.refused > 0 && j.ran == 0);
    pthread_mutex_lock(&j.mutex);
    j.held = false;
    pthread_cond_broadcast(&j.some);
    pthread_mutex_unlock(&j.mutex);
    // What is left of them does no harm to loops that run now.
    for (int i = 0; i < 30; ++i)
        tact_parallel_for(WORKERS + 1, 40, 1, add, &s);
    assert_int_equal(s.items, 30 * 44);
    tact_parallel_use(NULL);
    stop(&j, WORKERS);
    const int helped = s.workers[1] + s.workers[2] + s.workers[3];
    print_message("%d pieces by workers, %u tasks run\n", helped, j.ran);
    assert_true(helped > 100 && j.ran > ROOM);
}

// A job system that runs each task over and over, also when its loop is long over: it must find
// another loop there, or none, at every moment while the next one is made.

typedef struct replay {
    atomic_uint given;
    _Atomic uint64_t tasks[2];
    tact_task_fn* _Atomic run;
    atomic_bool stop;
    pthread_t threads[WORKERS];
} replay;

static bool note_task(tact_task_fn* run, uint64_t task, void* user)
{
    replay* r = user;
    atomic_store(&r->tasks[r->given % 2], task);
    ++r->given;
    atomic_store(&r->run, run);
    return true;
}

static void* run_over_and_over(void* user)
{
    replay* r = user;
    while (!atomic_load_explicit(&r->stop, memory_order_relaxed)) {
        tact_task_fn* run = atomic_load(&r->run);
        for (int i = 0; run && i < 2; ++i)
            run(atomic_load_explicit(&r->tasks[i], memory_order_relaxed));
    }
    return NULL;
}

enum { MOST_TIMES = 40 };

static void count_times(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    atomic_uint* times = user;
    for (size_t i = begin; i < end; ++i)
        ++times[i];
    const double until = tact_platform_milliseconds() + 0.003;
    while (tact_platform_milliseconds() < until) {
    }
}

TEST(tasks_that_come_late_run_nothing_of_the_next_loop)
{
    replay r = {0};
    const tact_tasks tasks = {.enqueue = note_task, .user = &r, .workers = WORKERS};
    for (int i = 0; i < WORKERS; ++i)
        assert_int_equal(pthread_create(&r.threads[i], NULL, run_over_and_over, &r), 0);
    tact_parallel_use(&tasks);
    atomic_uint times[MOST_TIMES];
    unsigned wrong = 0;
    for (unsigned loop = 0; loop < 12000; ++loop) {
        // The next has more pieces and more threads: a number of pieces read too early lets a late task in.
        const size_t pieces = loop % 2 ? MOST_TIMES : 14;
        for (size_t i = 0; i < MOST_TIMES; ++i)
            atomic_init(&times[i], 0);
        tact_parallel_for(loop % 2 ? WORKERS + 1 : 2, pieces, 1, count_times, times);
        for (size_t i = 0; i < MOST_TIMES; ++i)
            wrong += times[i] != (i < pieces);
    }
    tact_parallel_use(NULL);
    atomic_store(&r.stop, true);
    for (int i = 0; i < WORKERS; ++i)
        pthread_join(r.threads[i], NULL);
    print_message("%u tasks given, %u pieces run twice or not at all\n", r.given, wrong);
    assert_int_equal(wrong, 0);
    assert_true(r.given > 1000);
}

TEST(what_is_wrong_with_tasks_is_told)
{
    jobs j = {0};
    tact_context* context = NULL;
    const tact_context_desc wrong[] = {{.tasks = {.enqueue = enqueue, .workers = -1}, .log = quiet},
                                       {.tasks = {.workers = 2}, .log = quiet}};
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(tact_context_create(&wrong[i], &context), TACT_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(tact_last_error(), "tasks"));
    }
    // No workers: the thread that asks does all.
    context = open_with(&j, 0);
    assert_int_equal(context->threads, 1);
    tact_context_destroy(context);
    assert_int_equal(j.given, 0);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
