// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/blocks/blocks.h"

#include "kernels/tiles.h"

struct tact_compact {
    tact_device* device;
    uint32_t max_groups;
    tact_scan* scan;
};

tact_result tact_compact_create(tact_device* device, uint32_t max_groups, tact_compact** compact)
{
    *compact = NULL;
    tact_compact* made = tact_allocate_zeroed(tact_device_env(device), 1, sizeof *made);
    if (!made) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    made->device = device;
    made->max_groups = max_groups;
    const tact_result result = tact_scan_create(device, max_groups, &made->scan);
    if (result != TACT_OK) {
        tact_compact_destroy(made);
        return result;
    }
    *compact = made;
    return TACT_OK;
}

void tact_compact_destroy(tact_compact* compact)
{
    if (!compact) return;
    tact_scan_destroy(compact->scan);
    tact_release(tact_device_env(compact->device), compact);
}

// The scanned flags are never stored: the sections' counts are, and each group scans its flags again where it needs
// them, which moves 8 bytes an element less than a scan followed by a scatter.
static tact_result run(tact_compact* compact, tact_buffer* flags, tact_buffer* values, uint32_t words,
                       tact_buffer* result, uint32_t count, tact_buffer* kept, uint32_t kept_index)
{
    if (!compact) return TACT_NOT_MADE;
    tact_device* const device = compact->device;
    const uint64_t result_words = (uint64_t)count * (words ? words : 1);
    tact_check_count(device, "compaction", count);
    if (result_words > UINT32_MAX)
        TACT_DEVICE_FAIL(device, TACT_ERROR_LIMIT, "compaction: %u elements of %u words", (unsigned)count,
                         (unsigned)words);
    tact_check_words(device, "compaction", "flags", flags, count);
    if (words) tact_check_words(device, "compaction", "values", values, result_words);
    tact_check_words(device, "compaction", "result", result, result_words);
    tact_check_words(device, "compaction", "kept", kept, (uint64_t)kept_index + 1);
    if (tact_device_result(device) != TACT_OK) return tact_device_result(device);
    if (count == 0) return tact_buffer_fill(kept, (size_t)kept_index * 4, 4, 0);

    const tact_tiling tiling = tact_tile(count, TACT_SCAN_TILE, compact->max_groups);
    tact_buffer* bases = NULL;
    if (tiling.groups > 1) tact_scan_sections(compact->scan, flags, count, tiling, true, &bases);
    return TACT_LAUNCH(device, compact_write, tiling.groups, .flags = flags, .values = words ? values : flags,
                       .result = result, .bases = bases ? bases : flags, .kept = kept, .count = count,
                       .section = tiling.section, .groups = tiling.groups, .has_bases = bases != NULL, .words = words,
                       .kept_index = kept_index);
}

tact_result tact_compact_indices(tact_compact* compact, tact_buffer* flags, tact_buffer* result, uint32_t count,
                                 tact_buffer* kept, uint32_t kept_index)
{
    return run(compact, flags, NULL, 0, result, count, kept, kept_index);
}

tact_result tact_compact_values(tact_compact* compact, tact_buffer* flags, tact_buffer* values, uint32_t words,
                                tact_buffer* result, uint32_t count, tact_buffer* kept, uint32_t kept_index)
{
    if (!compact) return TACT_NOT_MADE;
    if (words == 0) {
        return TACT_DEVICE_FAIL(compact->device, TACT_ERROR_INVALID_ARGUMENT, "compaction: elements of no words");
    }
    return run(compact, flags, values, words, result, count, kept, kept_index);
}
