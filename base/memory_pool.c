// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/memory_pool.h"

#include <string.h>

#include "base/asserts.h"
#include "base/platform.h"
#include "base/sanitizers.h"
#include "base/threads.h"

enum {
    HEADER = 64,       ///< before each block: its size, and what keeps it aligned
    LEAST = 32 << 10,  ///< smaller blocks the C library handles well
    SLOTS = 48
};

/// Larger blocks are few, and their work takes longer than their page faults.
#define MOST ((size_t)16 << 20)

struct tact_memory_pool {
    tact_mutex lock;               ///< of what follows
    unsigned char* blocks[SLOTS];  ///< with their headers
    size_t count, bytes;
};

static size_t size_of(const unsigned char* block)
{
    size_t size;
    memcpy(&size, block, sizeof size);
    return size;
}

/// The smallest kept block of at least this size, unless it is over twice that; NULL if there is none.
static unsigned char* take(tact_memory_pool* pool, size_t size)
{
    unsigned char* best = NULL;
    size_t at = SLOTS;
    tact_mutex_lock(&pool->lock);
    for (size_t i = 0; i < pool->count; ++i) {
        const size_t kept = size_of(pool->blocks[i]);
        TACT_ASSERT(kept >= LEAST && kept <= MOST);
        if (kept < size || kept / 2 > size || (best && kept >= size_of(best))) continue;
        best = pool->blocks[i];
        at = i;
    }
    if (best) {
        TACT_ASSERT(pool->bytes >= size_of(best) && at < pool->count);
        pool->bytes -= size_of(best);
        pool->blocks[at] = pool->blocks[--pool->count];
    }
    tact_mutex_unlock(&pool->lock);
    return best;
}

/// Whether the block is kept. When the pool is full the block that has been there longest goes.
static void keep(tact_memory_pool* pool, unsigned char* block)
{
    const size_t size = size_of(block);
    TACT_ASSERT(size >= LEAST && size <= MOST);
    unsigned char* gone[SLOTS];
    size_t count = 0, first = 0;
    tact_mutex_lock(&pool->lock);
    while (pool->count - first == SLOTS || pool->bytes + size > TACT_MEMORY_POOL_BYTES) {
        gone[count++] = pool->blocks[first];
        pool->bytes -= size_of(pool->blocks[first++]);
    }
    pool->count -= first;
    memmove(pool->blocks, pool->blocks + first, pool->count * sizeof pool->blocks[0]);
    pool->blocks[pool->count++] = block;
    pool->bytes += size;
    TACT_ASSERT(pool->count <= SLOTS && pool->bytes <= TACT_MEMORY_POOL_BYTES);
    tact_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < count; ++i)
        tact_platform_aligned_release(gone[i]);
}

static void* allocate(size_t size, size_t alignment, void* user)
{
    TACT_ASSERT(size > 0 && alignment <= HEADER);
    (void)alignment;  // at most that of the header
    tact_memory_pool* pool = user;
    if (size > SIZE_MAX - HEADER) return NULL;
    unsigned char* block = size >= LEAST && size <= MOST ? take(pool, size) : NULL;
    if (!block) {
        block = tact_platform_aligned_allocate(size + HEADER, HEADER);
        if (!block) return NULL;
        memcpy(block, &size, sizeof size);
    }
    return block + HEADER;
}

static void release(void* memory, void* user)
{
    unsigned char* block = (unsigned char*)memory - HEADER;
    const size_t size = size_of(block);
    if (size >= LEAST && size <= MOST) {
        keep(user, block);
    } else {
        tact_platform_aligned_release(block);
    }
}

tact_memory_pool* tact_memory_pool_create(void)
{
#if defined(TACT_SANITIZED)
    return NULL;
#else
    tact_memory_pool* pool = tact_platform_aligned_allocate(sizeof *pool, HEADER);
    if (!pool) return NULL;
    memset(pool, 0, sizeof *pool);
    tact_mutex_init(&pool->lock);
    return pool;
#endif
}

void tact_memory_pool_destroy(tact_memory_pool* pool)
{
    if (!pool) return;
    for (size_t i = 0; i < pool->count; ++i)
        tact_platform_aligned_release(pool->blocks[i]);
    tact_mutex_destroy(&pool->lock);
    tact_platform_aligned_release(pool);
}

tact_allocator tact_memory_pool_hooks(tact_memory_pool* pool)
{
    const tact_allocator hooks = {allocate, release, pool};
    return hooks;
}

size_t tact_memory_pool_kept(const tact_memory_pool* pool)
{
    return pool->bytes;
}
