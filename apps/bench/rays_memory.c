// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a scene of ours really holds, and the most while it is built: by counting what the library asks for.
#include "apps/bench/rays.h"

#if defined(__STDC_NO_ATOMICS__)
bool tact_bench_rays_memory(const tact_model* model, int threads, int quality, uint64_t* held, uint64_t* peak,
                            tact_problem* problem)
{
    // Hooks may be called by any thread. Zero is "unknown".
    (void)model, (void)threads, (void)quality, (void)problem;
    *held = *peak = 0;
    return true;
}
#else
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct counted {
    atomic_ullong held, peak;
} counted;

/// Just before the bytes that were handed out.
typedef struct counted_head {
    void* block;
    size_t size;
} counted_head;

static void* counted_allocate(size_t size, size_t alignment, void* user)
{
    counted* c = user;
    if (size > SIZE_MAX - alignment - sizeof(counted_head)) return NULL;
    char* block = malloc(size + alignment + sizeof(counted_head));
    if (!block) return NULL;
    const uintptr_t first = (uintptr_t)(block + sizeof(counted_head));
    char* memory = block + sizeof(counted_head) + (alignment - first % alignment) % alignment;
    const counted_head head = {block, size};
    memcpy(memory - sizeof head, &head, sizeof head);
    const unsigned long long held = atomic_fetch_add(&c->held, size) + size;
    unsigned long long peak = atomic_load(&c->peak);
    while (held > peak && !atomic_compare_exchange_weak(&c->peak, &peak, held)) {
    }
    return memory;
}

static void counted_release(void* memory, void* user)
{
    counted* c = user;
    counted_head head;
    memcpy(&head, (char*)memory - sizeof head, sizeof head);
    atomic_fetch_sub(&c->held, head.size);
    free(head.block);
}

bool tact_bench_rays_memory(const tact_model* model, int threads, int quality, uint64_t* held, uint64_t* peak,
                            tact_problem* problem)
{
    counted c = {0};
    const tact_context_desc desc = {
        .allocator = {counted_allocate, counted_release, &c},
        .threads = threads,
        .gl = TACT_DEVICE_NONE,
        .cl = TACT_DEVICE_NONE,
    };
    tact_context* context = NULL;
    tact_result result = tact_context_create(&desc, &context);
    if (result < 0) return tact_problem_from_result(problem, result, NULL, "a context that counts memory");
    const unsigned long long before = atomic_load(&c.held);
    atomic_store(&c.peak, before);
    tact_scene* scene = NULL;
    double whole = 0.0, commit = 0.0;
    const bool good = tact_bench_rays_scene(model, context, quality, &scene, &whole, &commit, problem);
    *held = atomic_load(&c.held) - before;
    *peak = atomic_load(&c.peak) - before;
    if (good) tact_scene_destroy(scene);
    tact_context_destroy(context);
    return good;
}
#endif
