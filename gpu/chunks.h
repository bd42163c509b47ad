// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Large work in chunks: each is brought to the device, run there, and what came of it taken back.

#include "cpu_ref/blocks.h"
#include "gpu/device.h"

typedef struct tact_gpu_chunks {
    size_t count;  ///< rows in all
    size_t chunk;  ///< rows at a time
    /// Each for `count` rows from `begin` on. A failure sticks to the device.
    void (*bring)(void* user, size_t begin, size_t count);
    void (*run)(void* user, size_t begin, size_t count);   ///< need not wait
    void (*send)(void* user, size_t begin, size_t count);  ///< begins to read; NULL: nothing to do
    void (*take)(void* user, size_t begin, size_t count);  ///< waits
    void* user;
    bool overlap;  ///< a chunk is taken while the next one runs: they use two sets of buffers in turn
    bool (*progress)(double done, void* user);  ///< NULL, or after each chunk; false cancels
    void* progress_user;
} tact_gpu_chunks;

/// Rows of a chunk of which each takes so many bytes up and down: at most `most`, and fewer where these then fit the
/// device's rings.
size_t tact_gpu_chunk_rows(tact_device* device, size_t count, size_t most, size_t up, size_t down);
/// Which of two sets of buffers the chunk from row `begin` uses.
static inline size_t tact_gpu_chunk_set(size_t begin, size_t chunk)
{
    return begin / chunk % 2;
}

/// Runs all chunks, until one fails or the caller cancels: CANCELLED. Adds to the report's times.
tact_result tact_gpu_chunks_run(tact_device* device, const tact_gpu_chunks* chunks, tact_query_report* report);

/// Asks the caller's `progress`, which may be NULL, whether to go on.
tact_result tact_gpu_goes_on(tact_device* device, bool (*progress)(double done, void* user), void* user, double done);

// How the building blocks share n elements out over work groups (see kernels/tiles.h), and checks they share.

typedef struct tact_tiling {
    uint32_t groups;   ///< work groups, each with one section; 0 for no elements
    uint32_t section;  ///< elements of a section, a multiple of the tile
} tact_tiling;

/// `tile` is a power of two; `max_groups` 0 stands for TACT_SECTIONS_MAX, which is also the most.
tact_tiling tact_tile(uint32_t count, uint32_t tile, uint32_t max_groups);

/// LIMIT for too many elements.
tact_result tact_check_count(tact_device* device, const char* block, uint32_t count);

/// INVALID_ARGUMENT for a missing buffer, or one smaller than `words` words.
tact_result tact_check_words(tact_device* device, const char* block, const char* name, const tact_buffer* buffer,
                             uint64_t words);
