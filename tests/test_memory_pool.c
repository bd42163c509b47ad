// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The pool of freed blocks: hands out what nobody else has, aligned, whole, from any thread, and keeps no more than it
// may.
#include "tests/support/run.h"

#include "base/memory_pool.h"
#include "base/parallel.h"
#include "tests/support/random.h"

typedef struct owner {
    tact_allocator hooks;
    int worker_errors[4];
} owner;

/// Allocates, fills, checks and releases at random; each block is filled with a byte of its own.
static void churn(size_t begin, size_t end, int worker, void* user)
{
    enum { BLOCKS = 24 };
    owner* o = user;
    unsigned char* blocks[BLOCKS] = {NULL};
    size_t sizes[BLOCKS] = {0};
    for (size_t seed = begin; seed < end; ++seed) {
        test_random r = test_random_seeded(seed);
        for (int step = 0; step < 400; ++step) {
            const uint32_t i = test_random_below(&r, BLOCKS);
            const unsigned char mark = (unsigned char)(i + 24 * (unsigned)worker);
            if (blocks[i]) {
                for (size_t k = 0; k < sizes[i]; k += 509)
                    o->worker_errors[worker] += blocks[i][k] != mark;
                o->worker_errors[worker] += blocks[i][sizes[i] - 1] != mark;
                o->hooks.release(blocks[i], o->hooks.user);
                blocks[i] = NULL;
            } else {
                sizes[i] = 1 + test_random_below(&r, 1u << (4 + test_random_below(&r, 17)));
                blocks[i] = o->hooks.allocate(sizes[i], 64, o->hooks.user);
                if (!blocks[i] || (uintptr_t)blocks[i] % 64 != 0) {
                    ++o->worker_errors[worker];
                    return;
                }
                memset(blocks[i], mark, sizes[i]);
            }
        }
    }
    for (int i = 0; i < BLOCKS; ++i) {
        if (blocks[i]) o->hooks.release(blocks[i], o->hooks.user);
    }
}

TEST_AS(WITH_POOL, blocks_belong_to_one)
{
    tact_memory_pool* pool = *state;
    owner o = {.hooks = tact_memory_pool_hooks(pool)};
    tact_parallel_for(4, 40, 1, churn, &o);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(o.worker_errors[i], 0);
    assert_true(tact_memory_pool_kept(pool) <= TACT_MEMORY_POOL_BYTES);
}

TEST_AS(WITH_POOL, large_blocks_come_back_and_huge_ones_go)
{
    tact_memory_pool* pool = *state;
    const tact_allocator hooks = tact_memory_pool_hooks(pool);
    void* first = hooks.allocate(1 << 20, 64, hooks.user);
    assert_non_null(first);
    hooks.release(first, hooks.user);
    const size_t kept = tact_memory_pool_kept(pool);
    assert_true(kept >= 1 << 20);
    void* again = hooks.allocate((1 << 20) - 100, 64, hooks.user);
    assert_ptr_equal(again, first);
    assert_int_equal(tact_memory_pool_kept(pool), kept - (1 << 20));
    hooks.release(again, hooks.user);
    void* huge = hooks.allocate((size_t)100 << 20, 64, hooks.user);
    assert_non_null(huge);
    hooks.release(huge, hooks.user);
    assert_int_equal(tact_memory_pool_kept(pool), kept);
    assert_null(hooks.allocate(SIZE_MAX, 64, hooks.user));
    void* blocks[20];
    for (int i = 0; i < 20; ++i)
        assert_non_null(blocks[i] = hooks.allocate((size_t)9 << 20, 64, hooks.user));
    for (int i = 0; i < 20; ++i)
        hooks.release(blocks[i], hooks.user);
    assert_true(tact_memory_pool_kept(pool) <= TACT_MEMORY_POOL_BYTES);
    assert_true(tact_memory_pool_kept(pool) > TACT_MEMORY_POOL_BYTES / 2);
}

static int make(void** state)
{
    *state = tact_memory_pool_create();
    return *state ? 0 : -1;
}

static int destroy(void** state)
{
    tact_memory_pool_destroy(*state);
    return 0;
}

#define WITH_POOL(name) cmocka_unit_test_setup_teardown(name, make, destroy)

#include TEST_LIST

int main(void)
{
    tact_memory_pool* pool = tact_memory_pool_create();
    tact_memory_pool_destroy(pool);
    if (!pool) {
        return run_nothing("there is no pool under sanitizers");
    }
    return run_all(all_tests, NULL, NULL);
}
