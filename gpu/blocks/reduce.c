// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/blocks/blocks.h"

#include "kernels/ordered.h"
#include "kernels/tiles.h"

struct tact_reduce {
    tact_device* device;
    uint32_t max_groups;
    tact_buffer* partial;  // a section's result: a word, or bounds as two uint4
};

_Static_assert(TACT_REDUCE_SCRATCH_BYTES == TACT_SECTIONS_MAX * 32, "the header names the size");

tact_result tact_reduce_create(tact_device* device, uint32_t max_groups, tact_reduce** reduce)
{
    *reduce = NULL;
    tact_reduce* made = tact_allocate_zeroed(tact_device_env(device), 1, sizeof *made);
    if (!made) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    made->device = device;
    made->max_groups = max_groups;
    const tact_result result = tact_buffer_create(device, TACT_REDUCE_SCRATCH_BYTES, NULL, &made->partial);
    if (result != TACT_OK) {
        tact_reduce_destroy(made);
        return result;
    }
    *reduce = made;
    return TACT_OK;
}

void tact_reduce_destroy(tact_reduce* reduce)
{
    if (!reduce) return;
    tact_buffer_destroy(reduce->partial);
    tact_release(tact_device_env(reduce->device), reduce);
}

// What the kernel is told about each reduction.
typedef struct rule {
    uint32_t operation, identity;
    bool floats;
} rule;

static rule rule_of(tact_reduction reduction)
{
    switch (reduction) {
        case TACT_REDUCE_MIN_UINT:
            return (rule){1, 0xffffffffu, false};
        case TACT_REDUCE_MAX_UINT:
            return (rule){2, 0, false};
        case TACT_REDUCE_MIN_FLOAT:
            return (rule){1, TACT_ORDERED_HIGHEST, true};
        case TACT_REDUCE_MAX_FLOAT:
            return (rule){2, TACT_ORDERED_LOWEST, true};
        case TACT_REDUCE_SUM_UINT:
        default:
            return (rule){0, 0, false};
    }
}

static tact_result reduce_step(tact_reduce* reduce, rule how, tact_buffer* source, tact_buffer* result, uint32_t count,
                               tact_tiling tiling, bool first, bool last, uint32_t result_index)
{
    return TACT_LAUNCH(reduce->device, reduce_words, tiling.groups, .source = source, .result = result, .count = count,
                       .section = tiling.section, .groups = tiling.groups, .operation = how.operation,
                       .identity = how.identity, .map_in = how.floats && first, .map_out = how.floats && last,
                       .result_index = result_index);
}

tact_result tact_reduce_run(tact_reduce* reduce, tact_reduction reduction, tact_buffer* source, uint32_t count,
                            tact_buffer* result, uint32_t result_index)
{
    if (!reduce) return TACT_NOT_MADE;
    tact_device* const device = reduce->device;
    tact_check_count(device, "reduction", count);
    tact_check_words(device, "reduction", "source", source, count);
    tact_check_words(device, "reduction", "result", result, (uint64_t)result_index + 1);
    if (tact_device_result(device) != TACT_OK) return tact_device_result(device);
    const rule how = rule_of(reduction);
    if (count == 0) {
        const uint32_t nothing = how.floats ? tact_unordered(how.identity) : how.identity;
        return tact_buffer_fill(result, (size_t)result_index * 4, 4, nothing);
    }
    const tact_tiling tiling = tact_tile(count, TACT_SCAN_TILE, reduce->max_groups);
    if (tiling.groups == 1) {
        return reduce_step(reduce, how, source, result, count, tiling, true, true, result_index);
    }
    reduce_step(reduce, how, source, reduce->partial, count, tiling, true, false, 0);
    const tact_tiling one = {1, TACT_SECTIONS_MAX};
    return reduce_step(reduce, how, reduce->partial, result, tiling.groups, one, false, true, result_index);
}

static tact_result bounds_step(tact_reduce* reduce, uint32_t stride, tact_buffer* source, tact_buffer* result,
                               uint32_t count, tact_tiling tiling, bool first, bool last)
{
    return TACT_LAUNCH(reduce->device, reduce_bounds, tiling.groups, .source = source, .result = result, .count = count,
                       .section = tiling.section, .groups = tiling.groups, .stride = stride, .map_in = first,
                       .map_out = last);
}

tact_result tact_reduce_bounds(tact_reduce* reduce, tact_extent_kind kind, tact_buffer* source, uint32_t count,
                               tact_buffer* result)
{
    if (!reduce) return TACT_NOT_MADE;
    tact_device* const device = reduce->device;
    const uint32_t stride = kind == TACT_BOXES ? 2 : 1;
    tact_check_count(device, "bounds", count);
    tact_check_words(device, "bounds", "source", source, (uint64_t)count * stride * 4);
    tact_check_words(device, "bounds", "result", result, 8);
    if (tact_device_result(device) != TACT_OK) return tact_device_result(device);
    if (count == 0) {
        tact_buffer_fill(result, 0, 16, tact_unordered(TACT_ORDERED_HIGHEST));
        return tact_buffer_fill(result, 16, 16, tact_unordered(TACT_ORDERED_LOWEST));
    }
    const tact_tiling tiling = tact_tile(count, TACT_SCAN_TILE, reduce->max_groups);
    if (tiling.groups == 1) return bounds_step(reduce, stride, source, result, count, tiling, true, true);
    bounds_step(reduce, stride, source, reduce->partial, count, tiling, true, false);
    const tact_tiling one = {1, TACT_SECTIONS_MAX};
    return bounds_step(reduce, 2, reduce->partial, result, tiling.groups, one, false, true);
}
