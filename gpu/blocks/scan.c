// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/blocks/scan.h"

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
    if (!made) return TACT_ERROR_OUT_OF_MEMORY;
    made->device = device;
    made->max_groups = max_groups;
    tact_result result = tact_buffer_create(device, (size_t)TACT_SECTIONS_MAX * 4, NULL, &made->sums);
    if (!result) result = tact_buffer_create(device, 4, NULL, &made->spare);
    if (result) {
        tact_scan_destroy(made);
        return result;
    }
    *scan = made;
    return TACT_OK;
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
    const tact_arg args[] = {
        tact_arg_buffer(source),
        tact_arg_buffer(result),
        tact_arg_buffer(bases ? bases : scan->spare),
        tact_arg_buffer(total ? total : scan->spare),
        tact_arg_uint(count),
        tact_arg_uint(tiling.section),
        tact_arg_uint(tiling.groups),
        tact_arg_uint(bases != NULL),
        tact_arg_uint(total ? total_index : 0),
    };
    return tact_device_launch(scan->device, TACT_KERNEL_scan_apply, tiling.groups, args, sizeof args / sizeof args[0]);
}

tact_result tact_scan_sections(tact_scan* scan, tact_buffer* source, uint32_t count, tact_tiling tiling, bool as_flags,
                               tact_buffer** bases)
{
    *bases = NULL;
    const tact_arg args[] = {
        tact_arg_buffer(source),       tact_arg_buffer(scan->sums),  tact_arg_uint(count),
        tact_arg_uint(tiling.section), tact_arg_uint(tiling.groups), tact_arg_uint(as_flags),
    };
    tact_result result =
        tact_device_launch(scan->device, TACT_KERNEL_scan_sums, tiling.groups, args, sizeof args / sizeof args[0]);
    const tact_tiling one = {1, TACT_SCAN_TILE};
    if (!result) result = apply(scan, scan->sums, scan->sums, NULL, NULL, tiling.groups, one, 0);
    if (!result) *bases = scan->sums;
    return result;
}

tact_result tact_scan_run(tact_scan* scan, tact_buffer* source, tact_buffer* result, uint32_t count, tact_buffer* total,
                          uint32_t total_index)
{
    tact_device* const device = scan->device;
    tact_result status = tact_check_count(device, "scan", count);
    if (!status) status = tact_check_words(device, "scan", "source", source, count);
    if (!status) status = tact_check_words(device, "scan", "result", result, count);
    if (!status && total) status = tact_check_words(device, "scan", "total", total, (uint64_t)total_index + 1);
    if (status) return status;
    if (count == 0) return total ? tact_buffer_fill(total, (size_t)total_index * 4, 4, 0) : TACT_OK;

    const tact_tiling tiling = tact_tile(count, TACT_SCAN_TILE, scan->max_groups);
    tact_buffer* bases = NULL;
    if (tiling.groups > 1) status = tact_scan_sections(scan, source, count, tiling, false, &bases);
    if (!status) status = apply(scan, source, result, bases, total, count, tiling, total_index);
    return status;
}
