// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/shared.h"

/// Before the array, which keeps its alignment.
typedef union head {
    TACT_ATOMIC(size_t) holders;
    char room[64];
} head;

static head* head_of(const void* array)
{
    return (head*)(uintptr_t)array - 1;
}

void* tact_shared_allocate(tact_env* env, size_t count, size_t size)
{
    size_t bytes;
    if (!tact_multiply_sizes(count, size, &bytes) || !tact_add_sizes(bytes, sizeof(head), &bytes)) {
        tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: %zu x %zu bytes", count, size);
        return NULL;
    }
    head* made = tact_allocate(env, bytes, 1);
    if (!made) return NULL;
    made->holders = 1;
    return made + 1;
}

void* tact_shared_hold(void* array)
{
    TACT_ASSERT(head_of(array)->holders > 0);
    ++head_of(array)->holders;
    return array;
}

void tact_shared_release(const tact_env* env, void* array)
{
    if (!array) return;
    TACT_ASSERT(head_of(array)->holders > 0);
    if (--head_of(array)->holders == 0) tact_release(env, head_of(array));
}

bool tact_shared_is_sole(const void* array)
{
    return head_of(array)->holders == 1;
}
