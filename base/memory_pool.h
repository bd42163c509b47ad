// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The allocator of contexts that were given none: the C library's, but large blocks that come back are kept for a
/// while. Memory fresh from the system costs a page fault every 4 KiB, which is more than many queries take in all.

#include "tact/base.h"

typedef struct tact_memory_pool tact_memory_pool;

/// What a pool keeps at most, in bytes.
#define TACT_MEMORY_POOL_BYTES ((size_t)64 << 20)

/// NULL when there is no memory, and under sanitizers, which would not see what is used after its release.
tact_memory_pool* tact_memory_pool_create(void);

/// All blocks must have come back. NULL is allowed.
void tact_memory_pool_destroy(tact_memory_pool* pool);

/// Hooks that allocate from the pool, from any thread.
tact_allocator tact_memory_pool_hooks(tact_memory_pool* pool);

/// What it keeps now, in bytes.
size_t tact_memory_pool_kept(const tact_memory_pool* pool);
