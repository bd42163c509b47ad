// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How the building blocks share n elements out over work groups (see kernels/tiles.h), and checks they share.

#include "cpu_ref/blocks.h"
#include "gpu/device.h"

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
