// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tests/support/run.h"

#include <stdatomic.h>

#include "base/parallel.h"
#include "base/platform.h"
#include "base/sanitizers.h"
#include "base/threads.h"

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

#if !defined(TACT_HAVE_THREADS)
#define NEEDS_THREADS() skip()
#else
#define NEEDS_THREADS() ((void)0)
#endif

/// Waits for a number to become this large, some seconds at most; whether it did.
static bool wait_for(_Atomic int* number, int least)
{
    const double end = tact_platform_milliseconds() + 20000;
    while (atomic_load(number) < least) {
        if (tact_platform_milliseconds() > end) return false;
        tact_platform_yield();
    }
    return true;
}

/// Work that takes this long, by the clock.
static void work_for(double milliseconds)
{
    const double end = tact_platform_milliseconds() + milliseconds;
    while (tact_platform_milliseconds() < end) {
    }
}

typedef struct meeting {
    _Atomic int here;
    int expected;
    _Atomic int alone;  ///< pieces for which the others did not come
    _Atomic int workers[8];
} meeting;

static void meet(size_t begin, size_t end, int worker, void* user)
{
    meeting* m = user;
    atomic_fetch_add(&m->workers[worker], 1);
    atomic_fetch_add(&m->here, 1);
    if (!wait_for(&m->here, m->expected)) atomic_fetch_add(&m->alone, 1);
}

TEST(pieces_run_at_the_same_time_with_a_worker_each)
{
    NEEDS_THREADS();
    for (int threads = 2; threads <= 8; threads += 3) {
        meeting m = {.expected = threads};
        tact_parallel_for(threads, (size_t)threads, 1, meet, &m);
        assert_int_equal(m.alone, 0);
        for (int i = 0; i < threads; ++i)
            assert_int_equal(m.workers[i], 1);
    }
}

typedef struct held {
    _Atomic int here, released;
    _Atomic bool late;
} held;

/// A piece that lasts until the test lets go.
static void hold(size_t begin, size_t end, int worker, void* user)
{
    held* h = user;
    atomic_fetch_add(&h->here, 1);
    if (!wait_for(&h->released, 1)) atomic_store(&h->late, true);
}

static void hold_all_workers(void* user)
{
    tact_parallel_for(2, 2, 1, hold, user);
}

typedef struct tally {
    _Atomic int pieces, others;
} tally;

static void count_piece(size_t begin, size_t end, int worker, void* user)
{
    tally* t = user;
    work_for(0.5);
    atomic_fetch_add(&t->pieces, 1);
    if (worker != 0) atomic_fetch_add(&t->others, 1);
}

// What a busy machine does: the pool's only worker is at a piece of another loop and does not come.
TEST(a_caller_does_not_wait_for_a_worker_without_a_piece)
{
    NEEDS_THREADS();
    tact_parallel_acquire();
    tact_parallel_release();  // no worker is left of the tests before
    held h = {0};
    tact_thread other;
    assert_true(tact_thread_start(&other, hold_all_workers, &h));
    assert_true(wait_for(&h.here, 2));
    tally t = {0};
    tact_parallel_for(2, 20, 1, count_piece, &t);
    assert_int_equal(t.pieces, 20);
    assert_int_equal(t.others, 0);
    assert_false(h.late);  // else they were waited for
    atomic_store(&h.released, 1);
    tact_thread_join(&other);
    assert_false(h.late);
}

static void note_worker(size_t begin, size_t end, int worker, void* user)
{
    if (worker != 0) atomic_store((_Atomic bool*)user, true);
}

TEST(short_loops_stay_on_the_callers_thread)
{
    NEEDS_THREADS();
    // What the function takes is learned; a worker may come in the first calls. A caller that the system stops for a
    // while in each of so many runs of calls would be a surprise.
    bool quiet = false;
    for (int run = 0; run < 200 && !quiet; ++run) {
        _Atomic bool shared = false;
        for (int i = 0; i < 10; ++i)
            tact_parallel_for(2, 16, 1, note_worker, &shared);
        quiet = !shared;
    }
    assert_true(quiet);
}

static void long_then_short(size_t begin, size_t end, int worker, void* user)
{
    tally* t = user;
    if (atomic_load(&t->pieces) >= 0) work_for(2);
    if (worker != 0) atomic_fetch_add(&t->others, 1);
}

TEST(a_loop_that_has_become_long_is_shared_again)
{
    NEEDS_THREADS();
    tally t = {.pieces = -1};
    for (int i = 0; i < 20; ++i)
        tact_parallel_for(2, 64, 1, long_then_short, &t);
    t = (tally){0};
    // The first pieces show that the loop is long now; the rest are offered.
    for (int i = 0; i < 20 && t.others == 0; ++i)
        tact_parallel_for(2, 64, 1, long_then_short, &t);
    assert_true(t.others > 0);
}

typedef struct nest {
    _Atomic int inner, strangers;
} nest;

static void inner_piece(size_t begin, size_t end, int worker, void* user)
{
    nest* n = user;
    atomic_fetch_add(&n->inner, (int)(end - begin));
    if (worker != 0) atomic_fetch_add(&n->strangers, 1);
}

static void outer_piece(size_t begin, size_t end, int worker, void* user)
{
    work_for(0.2);
    tact_parallel_for(4, 100, 7, inner_piece, user);
}

TEST(loops_inside_a_piece_run_on_its_thread)
{
    nest n = {0};
    for (int i = 0; i < 5; ++i)
        tact_parallel_for(4, 40, 1, outer_piece, &n);
    assert_int_equal(n.inner, 5 * 40 * 100);
    assert_int_equal(n.strangers, 0);
}

enum { CALLERS = 8, ITEMS = 20000 };

typedef struct caller {
    tact_thread thread;
    _Atomic uint32_t seen[ITEMS];
    uint32_t wrong;
    _Atomic int at_once[4];  ///< calls that are in a piece as this worker
    _Atomic int shared;
} caller;

static void see(size_t begin, size_t end, int worker, void* user)
{
    caller* c = user;
    if (atomic_fetch_add(&c->at_once[worker], 1) != 0) atomic_fetch_add(&c->shared, 1);
    for (size_t i = begin; i < end; ++i)
        atomic_fetch_add_explicit(&c->seen[i], 1, memory_order_relaxed);
    atomic_fetch_sub(&c->at_once[worker], 1);
}

static void call_often(void* user)
{
    caller* c = user;
    for (uint32_t round = 1; round <= 200; ++round) {
        tact_parallel_acquire();
        tact_parallel_for(4, ITEMS, 1 + round * 37 % 900, see, c);
        for (size_t i = 0; i < ITEMS; ++i)
            c->wrong += atomic_load_explicit(&c->seen[i], memory_order_relaxed) != round;
        tact_parallel_release();  // now and then the last: the workers end while other callers begin
    }
}

TEST(many_callers_share_the_workers)
{
    NEEDS_THREADS();
    static caller callers[CALLERS];
    for (int i = 0; i < CALLERS; ++i)
        assert_true(tact_thread_start(&callers[i].thread, call_often, &callers[i]));
    for (int i = 0; i < CALLERS; ++i) {
        tact_thread_join(&callers[i].thread);
        assert_int_equal(callers[i].wrong, 0);
        assert_int_equal(callers[i].shared, 0);
    }
}

static void add_up(size_t begin, size_t end, int worker, void* user)
{
    uint64_t sum = 0;
    for (size_t i = begin; i < end; ++i)
        sum += i;
    atomic_fetch_add_explicit((_Atomic uint64_t*)user, sum, memory_order_relaxed);
}

TEST(a_loop_may_have_more_pieces_than_a_claim_holds)
{
    const uint64_t count = ((uint64_t)1 << 24) + 5;
    _Atomic uint64_t sum = 0;
    tact_parallel_for(3, (size_t)count, 1, add_up, &sum);
    assert_true(sum == count * (count - 1) / 2);
}

TEST(the_child_of_a_fork_has_loops_too)
{
#if defined(_WIN32) || defined(TACT_TSAN)
    skip();  // ThreadSanitizer allows no threads in such a child
#else
    tally t = {0};
    tact_parallel_for(3, 30, 1, count_piece, &t);  // the parent has workers
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tally of_child = {0};
        for (int i = 0; i < 20; ++i)
            tact_parallel_for(3, 30, 1, count_piece, &of_child);
        _exit(of_child.pieces == 600 ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
#endif
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
