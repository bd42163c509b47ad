// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// An allocator that counts what is out and can fail at the N-th request, on any thread.

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/platform.h"
#include "tact/base.h"

typedef struct counting_allocator {
    atomic_size_t live;      ///< blocks out
    atomic_size_t requests;  ///< since the start
    size_t fail_at;          ///< 0: never; N: the N-th request and every later one fails
    bool once;               ///< the N-th alone
    atomic_bool failed;
} counting_allocator;

static inline void* counting_allocate(size_t size, size_t alignment, void* user)
{
    counting_allocator* c = user;
    const size_t number = atomic_fetch_add(&c->requests, 1) + 1;
    if (c->fail_at && (c->once ? number == c->fail_at : number >= c->fail_at)) {
        c->failed = true;
        return NULL;
    }
    void* memory = tact_platform_aligned_allocate(size, alignment);
    if (memory) {
        memset(memory, 0xa5, size);  // so that nothing leans on fresh memory being zero
        atomic_fetch_add(&c->live, 1);
    }
    return memory;
}

static inline void counting_release(void* memory, void* user)
{
    counting_allocator* c = user;
    atomic_fetch_sub(&c->live, 1);
    tact_platform_aligned_release(memory);
}

static inline tact_allocator counting_hooks(counting_allocator* c)
{
    const tact_allocator hooks = {counting_allocate, counting_release, c};
    return hooks;
}
