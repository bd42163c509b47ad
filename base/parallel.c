// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/parallel.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/asserts.h"
#include "base/float_env.h"
#include "base/platform.h"
#include "base/threads.h"

typedef struct loop {
    size_t count, grain, pieces;
    tact_parallel_fn* function;
    void* user;
} loop;

static void run_piece(const loop* l, size_t piece, int worker)
{
    const size_t begin = piece * l->grain;
    TACT_ASSERT(begin < l->count);
    const size_t end = l->count - begin > l->grain ? begin + l->grain : l->count;
    l->function(begin, end, worker, l->user);
}

#if !defined(TACT_HAVE_THREADS) || defined(__STDC_NO_ATOMICS__)

void tact_parallel_use(const tact_tasks* tasks)
{
    (void)tasks;
}

void tact_parallel_acquire(void)
{
}

void tact_parallel_release(void)
{
}

void tact_parallel_for(int threads, size_t count, size_t grain, tact_parallel_fn* function, void* user)
{
    (void)threads;
    if (count == 0) return;
    if (grain == 0) grain = 1;
    const loop l = {count, grain, count / grain + (count % grain != 0), function, user};
    for (size_t piece = 0; piece < l.pieces; ++piece)
        run_piece(&l, piece, 0);
}

void tact_parallel_for_parts(int threads, size_t count, size_t grain, tact_parallel_place* places,
                             tact_parallel_prepare_fn* prepare, tact_parallel_part_fn* part, void* user)
{
    (void)threads, (void)places;
    if (grain == 0) grain = 1;
    for (size_t begin = 0; begin<count; begin += count - begin> grain ? grain : count - begin) {
        const uint32_t parts = prepare(begin, count - begin > grain ? begin + grain : count, 0, user);
        for (uint32_t i = 0; i < parts; ++i)
            part(i, 0, 0, user);
    }
}

#else

#include <stdatomic.h>

// Threads of the process share what callers offer. A caller works on its own loop from the first piece to the last;
// workers that are awake take pieces as well. So a caller waits for pieces that a worker has taken, and for nothing
// else: a worker that the system does not run costs no time. On a busy machine that is most of them.

enum {
    MOST_WORKERS = 255,     // beside the callers
    MOST_SHARED = 32,       // loops at once; callers of more work alone
    MOST_PIECES = 1 << 23,  // shared at once; a claim holds 2^24
    PAUSES = 16,            // between looks at the clock
};

// In milliseconds. Waking a thread takes some 5 us of the waker and 10 to 100 until it runs.
static const double WORTH_SHARING = 0.008;                    // with threads that are awake
static const double WORTH_WAKING = 0.040;                     // a thread
static const double LEAST_WATCH = 0.004, MOST_WATCH = 0.200;  // how long a worker looks for work before it sleeps
static const double OWNER_WATCH = 0.050;                      // how long a caller looks before it sleeps

/// A loop that threads share. It belongs to one caller at a time; threads that come late find its generation changed.
typedef struct shared_loop {
    /// Generation (32 bits), threads that have joined (8), the next piece (24): one word, so that a thread joins and
    /// takes its first piece at once.
    _Alignas(64) _Atomic uint64_t claim;
    _Atomic uint32_t pieces, threads;
    _Atomic uint32_t left;  ///< pieces that are not done
    _Atomic bool asleep;    ///< the caller sleeps on `done`
    _Atomic bool taken;
    loop work;
    size_t first;      ///< piece of the loop that is piece 0 here
#if defined(TACT_ASSERTS)
    uint64_t entered;  ///< by the caller
#endif
    tact_semaphore done;
} shared_loop;

static struct {
    shared_loop loops[MOST_SHARED];
    _Atomic uint32_t open;     ///< a bit for each loop that may have pieces
    _Atomic uint32_t posted;   ///< counts loops that are offered
    _Atomic int32_t sleepers;  ///< workers on `wake` that have not been counted out by who wakes them
    _Atomic int32_t awake;     ///< workers that do not sleep
    _Atomic bool stopping;
    _Atomic int count;  ///< workers
    _Atomic bool ready;
    tact_semaphore wake;
    // The rest under the lock.
    tact_mutex lock;
    bool failed, at_exit;
    size_t users;
    tact_thread workers[MOST_WORKERS];
} pool = {.lock = TACT_MUTEX_INIT};

/// True in a piece: a loop inside a piece is run by its thread alone.
static TACT_THREAD_LOCAL bool inside;

/// The workers that take part in the thread's loops: the pool's where there is no enqueue().
static TACT_THREAD_LOCAL tact_tasks helpers;

void tact_parallel_use(const tact_tasks* tasks)
{
    if (tasks) {
        helpers = *tasks;
    } else {
        helpers.enqueue = NULL;
    }
}

static uint64_t claim_of(uint64_t generation, uint32_t joined, uint32_t next)
{
    TACT_ASSERT(joined <= 0xff && next <= 0xffffff);
    return generation << 32 | (uint64_t)joined << 24 | next;
}

static uint32_t next_of(uint64_t claim)
{
    return (uint32_t)claim & 0xffffff;
}

static uint32_t joined_of(uint64_t claim)
{
    return (uint32_t)claim >> 24;
}

/// Takes the next piece for a thread that has joined.
static bool take(shared_loop* s, uint32_t* piece)
{
    uint64_t claim = atomic_load_explicit(&s->claim, memory_order_relaxed);
    do {
        *piece = next_of(claim);
        if (*piece >= atomic_load_explicit(&s->pieces, memory_order_relaxed)) return false;
    } while (!atomic_compare_exchange_weak_explicit(&s->claim, &claim, claim + 1, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

/// Joins and takes a piece; false when all are taken or enough threads are there. `generation`: of the loop that is
/// meant; 0: any.
static bool join(shared_loop* s, uint32_t generation, uint32_t* piece, int* worker)
{
    uint64_t claim = atomic_load_explicit(&s->claim, memory_order_acquire);
    do {
        if (generation != 0 && (uint32_t)(claim >> 32) != generation) return false;
        // Both are those of the claim's generation if the exchange succeeds: share() closes the claim before it changes
        // them, so a thread that reads a later one finds another claim.
        if (next_of(claim) >= atomic_load_explicit(&s->pieces, memory_order_acquire)) return false;
        if (joined_of(claim) >= atomic_load_explicit(&s->threads, memory_order_acquire)) return false;
    } while (!atomic_compare_exchange_weak_explicit(&s->claim, &claim, claim + claim_of(0, 1, 1), memory_order_acquire,
                                                    memory_order_acquire));
    *piece = next_of(claim);
    *worker = (int)joined_of(claim);
    return true;
}

/// Works from a piece that is taken on; returns how many it did.
static uint32_t work_on(shared_loop* s, uint32_t piece, int worker)
{
    TACT_ASSERT(!inside);
    uint32_t done = 0;
    inside = true;
    do {
        run_piece(&s->work, s->first + piece, worker);
        ++done;
    } while (take(s, &piece));
    inside = false;
    return done;
}

static bool help(shared_loop* s, uint32_t generation)
{
    uint32_t piece;
    int worker;
    if (!join(s, generation, &piece, &worker)) return false;
    tact_float_env env;
    tact_float_env_enter(&env);
#if defined(TACT_ASSERTS)
    tact_assert_enter_as(s->entered);
#endif
    const uint32_t done = work_on(s, piece, worker);
    tact_float_env_leave(&env);
    // The caller may leave at once, and the loop be another's: what follows must be harmless then.
    if (atomic_fetch_sub_explicit(&s->left, done, memory_order_acq_rel) == done && atomic_exchange(&s->asleep, false)) {
        tact_semaphore_post(&s->done);
    }
    return true;
}

static bool help_any(void)
{
    bool helped = false;
    uint32_t open = atomic_load(&pool.open);
    for (int i = 0; open >> i != 0; ++i) {
        if (open >> i & 1) helped = help(&pool.loops[i], 0) || helped;
        if (i == MOST_SHARED - 1) break;
    }
    return helped;
}

/// Looks for something to be posted, for some time.
static bool watch(uint32_t seen, double time)
{
    const double end = tact_platform_milliseconds() + time;
    do {
        for (int i = 0; i < PAUSES; ++i) {
            if (atomic_load_explicit(&pool.posted, memory_order_relaxed) != seen) return true;
            tact_platform_pause();
        }
    } while (tact_platform_milliseconds() < end);
    return false;
}

/// Sleeps until something is posted.
static void doze(uint32_t seen)
{
    atomic_fetch_add(&pool.sleepers, 1);
    if (atomic_load(&pool.posted) != seen) {
        int32_t sleepers = atomic_load(&pool.sleepers);
        while (sleepers > 0) {
            if (atomic_compare_exchange_weak(&pool.sleepers, &sleepers, sleepers - 1)) return;
        }
        // Counted out already: the semaphore is posted, or about to be.
    }
    tact_semaphore_wait(&pool.wake);
}

/// Wakes at most this many workers.
static void wake(int32_t count)
{
    int32_t sleepers = atomic_load(&pool.sleepers);
    while (count > 0 && sleepers > 0) {
        if (!atomic_compare_exchange_weak(&pool.sleepers, &sleepers, sleepers - 1)) continue;
        tact_semaphore_post(&pool.wake);
        --count;
        --sleepers;
    }
}

static void serve(void* user)
{
    (void)user;
    double time = MOST_WATCH;
    atomic_fetch_add(&pool.awake, 1);
    while (!atomic_load(&pool.stopping)) {
        const uint32_t seen = atomic_load(&pool.posted);
        if (help_any()) continue;
        // Who finds something looks longer the next time: loops follow each other closely inside a query.
        if (watch(seen, time)) {
            time = time * 2 < MOST_WATCH ? time * 2 : MOST_WATCH;
            continue;
        }
        time = time / 2 > LEAST_WATCH ? time / 2 : LEAST_WATCH;
        atomic_fetch_sub(&pool.awake, 1);
        doze(seen);
        atomic_fetch_add(&pool.awake, 1);
    }
    atomic_fetch_sub(&pool.awake, 1);
}

/// Ends all workers; they finish the pieces they have.
static void stop_workers(void)
{
    const int count = atomic_load(&pool.count);
    if (count == 0) return;
    atomic_store(&pool.stopping, true);
    atomic_fetch_add(&pool.posted, 1);
    wake(INT32_MAX);
    for (int i = 0; i < count; ++i)
        tact_thread_join(&pool.workers[i]);
    atomic_store(&pool.count, 0);
    atomic_store(&pool.stopping, false);
}

static void stop_at_exit(void)
{
    tact_mutex_lock(&pool.lock);
    stop_workers();
    tact_mutex_unlock(&pool.lock);
}

/// The child of a fork has none of the threads, and may have been forked while one held the lock.
static void forget_workers(void)
{
    tact_mutex_init(&pool.lock);
    for (int i = 0; i < MOST_SHARED; ++i)
        atomic_store(&pool.loops[i].taken, false);
    atomic_store(&pool.open, 0);
    atomic_store(&pool.sleepers, 0);
    atomic_store(&pool.awake, 0);
    atomic_store(&pool.count, 0);
    atomic_store(&pool.stopping, false);
    tact_semaphore_init(&pool.wake);
}

/// Under the lock. False when no pool could be made.
static bool make_ready(void)
{
    if (pool.ready || pool.failed) return pool.ready;
    pool.failed = !tact_semaphore_init(&pool.wake);
    for (int i = 0; i < MOST_SHARED && !pool.failed; ++i)
        pool.failed = !tact_semaphore_init(&pool.loops[i].done);
    if (pool.failed) return false;
    tact_thread_at_fork(forget_workers);
    pool.ready = true;
    return true;
}

/// Starts workers until there are `count`, if another thread is not at it already. Where the caller has workers, only
/// makes what loops are shared by.
static void start_workers(int count)
{
    if (helpers.enqueue) {
        if (atomic_load(&pool.ready)) return;
        tact_mutex_lock(&pool.lock);
        make_ready();
        tact_mutex_unlock(&pool.lock);
        return;
    }
    if (atomic_load_explicit(&pool.count, memory_order_relaxed) >= count || !tact_mutex_try_lock(&pool.lock)) return;
    if (make_ready()) {
        int there = atomic_load(&pool.count);
        while (there < count && tact_thread_start(&pool.workers[there], serve, NULL))
            ++there;
        atomic_store(&pool.count, there);
        // A pool still held at the end of the program, or when the library is unloaded, stops there.
        if (there > 0 && !pool.at_exit) pool.at_exit = atexit(stop_at_exit) == 0;
    }
    tact_mutex_unlock(&pool.lock);
}

void tact_parallel_acquire(void)
{
    tact_mutex_lock(&pool.lock);
    ++pool.users;
    tact_mutex_unlock(&pool.lock);
}

void tact_parallel_release(void)
{
    tact_mutex_lock(&pool.lock);
    TACT_ASSERT(pool.users > 0);
    if (--pool.users == 0) stop_workers();
    tact_mutex_unlock(&pool.lock);
}

static shared_loop* find_free(void)
{
    for (int i = 0; i < MOST_SHARED; ++i) {
        if (!atomic_load_explicit(&pool.loops[i].taken, memory_order_relaxed) &&
            !atomic_exchange(&pool.loops[i].taken, true)) {
            return &pool.loops[i];
        }
    }
    return NULL;
}

static void wait_for_others(shared_loop* s)
{
    const double end = tact_platform_milliseconds() + OWNER_WATCH;
    do {
        for (int i = 0; i < PAUSES; ++i) {
            if (atomic_load_explicit(&s->left, memory_order_acquire) == 0) return;
            tact_platform_pause();
        }
    } while (tact_platform_milliseconds() < end);
    for (;;) {
        atomic_store(&s->asleep, true);
        if (atomic_load(&s->left) == 0) return;
        tact_semaphore_wait(&s->done);
    }
}

// A task is the place of a loop among those of the pool, and its generation: what is run late finds another there, or
// none, and does nothing.

static void run_task(uint64_t task)
{
    const uint32_t place = (uint32_t)task, generation = (uint32_t)(task >> 32);
    // A callback that runs tasks runs them in a piece.
    if (!inside && place < MOST_SHARED && generation != 0) help(&pool.loops[place], generation);
}

static void enqueue(size_t place, uint64_t generation, int32_t wanted)
{
    const uint64_t task = (generation & UINT32_MAX) << 32 | place;
    for (int32_t i = 0; i < wanted && i < helpers.workers; ++i)
        if (!helpers.enqueue(run_task, task, helpers.user)) return;
}

/// Offers `pieces` pieces from `first` on, at most MOST_PIECES, works on them until all are done, and returns how many
/// threads took part. `wanted`: workers to wake.
static uint32_t share(const loop* l, int threads, size_t first, size_t pieces, int32_t wanted)
{
    TACT_ASSERT(threads >= 1 && threads <= MOST_WORKERS && pieces >= 1 && pieces <= MOST_PIECES);
    shared_loop* s = find_free();
    if (!s) {
        for (size_t piece = 0; piece < pieces; ++piece)
            run_piece(l, first + piece, 0);
        return 1;
    }
    const uint32_t bit = (uint32_t)1 << (s - pool.loops);
    uint64_t generation = (atomic_load_explicit(&s->claim, memory_order_relaxed) >> 32) + 1;
    if (generation > UINT32_MAX) generation = 1;
    // Closed before anything changes: a thread that comes late for the last loop would find pieces of this one.
    atomic_store_explicit(&s->claim, claim_of(generation, 0xff, 0xffffff), memory_order_relaxed);
    s->work = *l;
    s->first = first;
#if defined(TACT_ASSERTS)
    s->entered = tact_assert_entered();
#endif
    atomic_store_explicit(&s->left, (uint32_t)pieces, memory_order_relaxed);
    atomic_store_explicit(&s->pieces, (uint32_t)pieces, memory_order_release);
    atomic_store_explicit(&s->threads, (uint32_t)threads, memory_order_release);
    // The caller is worker 0 and has taken the first piece.
    atomic_store_explicit(&s->claim, claim_of(generation, 1, 1), memory_order_release);
    if (helpers.enqueue && pool.ready) {
        enqueue((size_t)(s - pool.loops), generation, wanted);
    } else if (!helpers.enqueue) {
        atomic_fetch_or(&pool.open, bit);
        atomic_fetch_add(&pool.posted, 1);
        wake(wanted);
    }
    const uint32_t done = work_on(s, 0, 0);
    if (atomic_fetch_sub_explicit(&s->left, done, memory_order_acq_rel) != done) wait_for_others(s);
    const uint32_t joined = joined_of(atomic_load_explicit(&s->claim, memory_order_relaxed));
    TACT_ASSERT(joined >= 1 && joined <= (uint32_t)threads);
    atomic_fetch_and(&pool.open, ~bit);
    atomic_store(&s->taken, false);
    return joined;
}

/// What an item of a loop has cost lately, by the loop's function: whether threads are worth waking depends on the
/// time, not on the number of items. A wrong value costs time alone.
typedef struct known_cost {
    _Atomic uintptr_t function;
    _Atomic float milliseconds;
} known_cost;

enum { COSTS = 256 };

static known_cost costs[COSTS];

static known_cost* cost_of(uintptr_t function)
{
    return &costs[(function >> 4 ^ function >> 12) % COSTS];
}

/// How a loop begins: alone, if it is short.
typedef struct effort {
    uintptr_t function;
    size_t count;
    double start, enough;
    double expected;  ///< the time of all, by one thread
} effort;

static effort begin_effort(uintptr_t function, size_t count)
{
    known_cost* cost = cost_of(function);
    const bool known = atomic_load_explicit(&cost->function, memory_order_relaxed) == function;
    const float each = known ? atomic_load_explicit(&cost->milliseconds, memory_order_relaxed) : 1;
    const bool woken = !helpers.enqueue && atomic_load_explicit(&pool.awake, memory_order_relaxed) > 0;
    return (effort){function, count, tact_platform_milliseconds(), woken ? WORTH_SHARING : WORTH_WAKING,
                    (double)each * (double)count};
}

/// Whether what is left after `done` of the pieces is not worth sharing.
static bool stays_alone(effort* e, size_t done, size_t pieces)
{
    if (e->expected >= e->enough) return false;
    if (done == 0) return true;
    const double passed = tact_platform_milliseconds() - e->start;
    if (passed < e->enough) return true;
    // It was expected to be over by now.
    e->expected = passed / (double)done * (double)(pieces - done);
    return e->expected < e->enough;
}

/// Workers worth waking.
static int32_t wanted_of(const effort* e, int threads, size_t pieces)
{
    const double worth = e->expected / WORTH_WAKING;
    int32_t wanted = threads - 1;
    if (pieces - 1 < (size_t)wanted) wanted = (int32_t)(pieces - 1);
    TACT_ASSERT(wanted >= 0);
    return worth < (double)wanted ? (int32_t)worth : wanted;
}

static void end_effort(const effort* e, uint32_t threads)
{
    TACT_ASSERT(e->count > 0 && threads >= 1);
    const float each = (float)((tact_platform_milliseconds() - e->start) * threads / (double)e->count);
    known_cost* cost = cost_of(e->function);
    float kept = each;
    if (atomic_load_explicit(&cost->function, memory_order_relaxed) == e->function) {
        // One time in which the system ran something else says little.
        const float before = atomic_load_explicit(&cost->milliseconds, memory_order_relaxed);
        kept = each > before * 8 ? before * 8 : (each < before ? (before + each) / 2 : each);
    }
    atomic_store_explicit(&cost->milliseconds, kept, memory_order_relaxed);
    atomic_store_explicit(&cost->function, e->function, memory_order_relaxed);
}

static int threads_for(int threads, size_t pieces)
{
    if (threads > MOST_WORKERS) threads = MOST_WORKERS;
    if (pieces < (size_t)threads) threads = (int)pieces;
    return inside || threads < 1 ? 1 : threads;
}

static void run_loop(int threads, const loop* l)
{
    threads = threads_for(threads, l->pieces);
    size_t piece = 0;
    if (threads == 1) {
        for (; piece < l->pieces; ++piece)
            run_piece(l, piece, 0);
        return;
    }
    start_workers(threads - 1);
    effort e = begin_effort((uintptr_t)l->function, l->count);
    for (; piece < l->pieces && stays_alone(&e, piece, l->pieces); ++piece)
        run_piece(l, piece, 0);
    uint32_t joined = 1;
    while (piece < l->pieces) {
        const size_t left = l->pieces - piece, some = left < MOST_PIECES ? left : MOST_PIECES;
        joined = share(l, threads, piece, some, wanted_of(&e, threads, some));
        piece += some;
    }
    end_effort(&e, joined);
}

void tact_parallel_for(int threads, size_t count, size_t grain, tact_parallel_fn* function, void* user)
{
    if (count == 0) return;
    if (grain == 0) grain = 1;
    const loop l = {count, grain, count / grain + (count % grain != 0), function, user};
    run_loop(threads, &l);
}

// A place holds the number of parts above the number of the next, so that both are read at once: a worker that comes
// late must not take a part of what was there before.
static void publish(tact_parallel_place* place, uint32_t parts)
{
    TACT_ASSERT(parts <= TACT_PARALLEL_MOST_PARTS);
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

/// What the workers of tact_parallel_for_parts() share.
typedef struct parts_loop {
    size_t count, grain;
    tact_parallel_prepare_fn* prepare;
    tact_parallel_part_fn* part;
    void* user;
    tact_parallel_place* places;
    size_t workers, pieces;
    atomic_size_t next;
    atomic_size_t unprepared;  // pieces
} parts_loop;

static uint32_t prepare_piece(parts_loop* l, size_t piece, int worker)
{
    TACT_ASSERT(piece < l->pieces && worker >= 0 && (size_t)worker < l->workers);
    const size_t first = piece * l->grain;
    const size_t last = l->count - first > l->grain ? first + l->grain : l->count;
    return l->prepare(first, last, worker, l->user);
}

static void run_parts(size_t begin, size_t end, int worker, void* user)
{
    (void)begin;
    (void)end;
    parts_loop* l = user;
    TACT_ASSERT((size_t)worker < l->workers);
    uint32_t part;
    for (size_t piece; (piece = atomic_fetch_add(&l->next, 1)) < l->pieces;) {
        publish(&l->places[worker], prepare_piece(l, piece, worker));
        atomic_fetch_sub_explicit(&l->unprepared, 1, memory_order_release);
        while (take_part(&l->places[worker], &part))
            l->part(part, worker, worker, l->user);
    }
    // No piece is left: what a worker has prepared, or still prepares, is the last that it does. One that the system
    // does not run is not waited for; it does its parts itself.
    const double end_of_watch = tact_platform_milliseconds() + OWNER_WATCH;
    for (bool more = true; more;) {
        more = atomic_load_explicit(&l->unprepared, memory_order_acquire) > 0;
        for (size_t owner = 0; owner < l->workers; ++owner) {
            while (take_part(&l->places[owner], &part))
                l->part(part, (int)owner, worker, l->user);
        }
        if (more) tact_platform_pause();
        more = more && tact_platform_milliseconds() < end_of_watch;
    }
}

void tact_parallel_for_parts(int threads, size_t count, size_t grain, tact_parallel_place* places,
                             tact_parallel_prepare_fn* prepare, tact_parallel_part_fn* part, void* user)
{
    if (count == 0) return;
    parts_loop l = {.count = count, .grain = grain > 0 ? grain : 1, .prepare = prepare, .part = part, .user = user};
    l.pieces = count / l.grain + (count % l.grain != 0);
    l.places = places;
    threads = threads_for(threads, SIZE_MAX);
    l.workers = (size_t)threads;
    if (threads > 1) start_workers(threads - 1);
    effort e = begin_effort((uintptr_t)prepare, count);
    size_t piece = 0;
    for (; piece < l.pieces && (threads == 1 || stays_alone(&e, piece, l.pieces)); ++piece) {
        const uint32_t parts = prepare_piece(&l, piece, 0);
        for (uint32_t i = 0; i < parts; ++i)
            part(i, 0, 0, user);
    }
    uint32_t joined = 1;
    if (piece < l.pieces) {
        atomic_init(&l.next, piece);
        atomic_init(&l.unprepared, l.pieces - piece);
        for (int i = 0; i < threads; ++i)
            atomic_init(&places[i].parts, 0);
        const loop bodies = {l.workers, 1, l.workers, run_parts, &l};
        joined = share(&bodies, threads, 0, l.workers, wanted_of(&e, threads, l.workers));
    }
    end_effort(&e, joined);
}

#endif
