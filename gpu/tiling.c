// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/chunks.h"

#include "kernels/tiles.h"

tact_tiling tact_tile(uint32_t count, uint32_t tile, uint32_t max_groups)
{
    if (max_groups == 0 || max_groups > TACT_SECTIONS_MAX) max_groups = TACT_SECTIONS_MAX;
    const uint32_t tiles = count / tile + (count % tile != 0);
    const uint32_t tiles_each = tiles / max_groups + (tiles % max_groups != 0);
    tact_tiling tiling = {0, tile};
    if (tiles) {
        tiling.section = tiles_each * tile;
        tiling.groups = tiles / tiles_each + (tiles % tiles_each != 0);
    }
    return tiling;
}

tact_result tact_check_count(tact_device* device, const char* block, uint32_t count)
{
    if (count <= TACT_BLOCK_LIMIT) return tact_device_result(device);
    return TACT_DEVICE_FAIL(device, TACT_ERROR_LIMIT, "%s: %u elements, at most %u are possible", block,
                            (unsigned)count, (unsigned)TACT_BLOCK_LIMIT);
}

tact_result tact_check_words(tact_device* device, const char* block, const char* name, const tact_buffer* buffer,
                             uint64_t words)
{
    const uint64_t size = tact_buffer_size(buffer);
    if (buffer && size / 4 >= words) return tact_device_result(device);
    return TACT_DEVICE_FAIL(device, TACT_ERROR_INVALID_ARGUMENT, "%s: buffer %s holds %llu words, needs %llu", block,
                            name, (unsigned long long)(size / 4), (unsigned long long)words);
}
