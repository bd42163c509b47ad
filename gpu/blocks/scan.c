// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/blocks/blocks.h"

#include "kernels/tiles.h"

// The method, reduce then scan: sum each section, scan the sums with one group, scan each section from its base. It
// reads the input twice and writes once. The alternative that reads once, decoupled look-back, has groups wait for
// others, for which neither OpenGL nor OpenCL 1.2 promises progress.

struct tact_scan {
    tact_device* device;
    uint32_t max_groups;
    tact_buffer* sums;   // one word a section
    tact_buffer* spare;  // takes a total that nobody asked for; stands in for buffers that a launch does not use
};

_Static_assert(TACT_SCAN_SCRATCH_BYTES == (TACT_SECTIONS_MAX + 1) * 4, "the header names the size");
_Static_assert(TACT_SECTIONS_MAX <= TACT_SCAN_TILE, "one group scans the sections' sums in one tile");

tact_result tact_scan_create(tact_device* device, uint32_t max_groups, tact_scan** scan)
{
    *scan = NULL;
    tact_scan* made = tact_allocate_zeroed(tact_device_env(device), 1, sizeof *made);
    if (!made) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    made->device = device;
    made->max_groups = max_groups;
    tact_buffer_create(device, (size_t)TACT_SECTIONS_MAX * 4, NULL, &made->sums);
    if (tact_buffer_create(device, 4, NULL, &made->spare) == TACT_OK) {
        *scan = made;
    } else {
        tact_scan_destroy(made);
    }
    return tact_device_result(device);
}

void tact_scan_destroy(tact_scan* scan)
{
    if (!scan) return;
    tact_buffer_destroy(scan->sums);
    tact_buffer_destroy(scan->spare);
    tact_release(tact_device_env(scan->device), scan);
}

static tact_result apply(tact_scan* scan, tact_buffer* source, tact_buffer* result, tact_buffer* bases,
                         tact_buffer* total, uint32_t count, tact_tiling tiling, uint32_t total_index)
{
    return TACT_LAUNCH(scan->device, scan_apply, tiling.groups, .source = source, .result = result,
                       .bases = bases ? bases : scan->spare, .total = total ? total : scan->spare, .count = count,
                       .section = tiling.section, .groups = tiling.groups, .has_bases = bases != NULL,
                       .total_index = total ? total_index : 0);
}

tact_result tact_scan_sections(tact_scan* scan, tact_buffer* source, uint32_t count, tact_tiling tiling, bool as_flags,
                               tact_buffer** bases)
{
    TACT_LAUNCH(scan->device, scan_sums, tiling.groups, .source = source, .sums = scan->sums, .count = count,
                .section = tiling.section, .groups = tiling.groups, .as_flags = as_flags);
    const tact_tiling one = {1, TACT_SCAN_TILE};
    *bases = scan->sums;
    return apply(scan, scan->sums, scan->sums, NULL, NULL, tiling.groups, one, 0);
}

tact_result tact_scan_run(tact_scan* scan, tact_buffer* source, tact_buffer* result, uint32_t count, tact_buffer* total,
                          uint32_t total_index)
{
    if (!scan) return TACT_NOT_MADE;
    tact_device* const device = scan->device;
    tact_check_count(device, "scan", count);
    tact_check_words(device, "scan", "source", source, count);
    tact_check_words(device, "scan", "result", result, count);
    if (total) tact_check_words(device, "scan", "total", total, (uint64_t)total_index + 1);
    if (tact_device_result(device) != TACT_OK) return tact_device_result(device);
    if (count == 0) return total ? tact_buffer_fill(total, (size_t)total_index * 4, 4, 0) : TACT_OK;

    const tact_tiling tiling = tact_tile(count, TACT_SCAN_TILE, scan->max_groups);
    tact_buffer* bases = NULL;
    if (tiling.groups > 1) tact_scan_sections(scan, source, count, tiling, false, &bases);
    return apply(scan, source, result, bases, total, count, tiling, total_index);
}
