// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Times the building blocks (scan, reduction, compaction, sort, Morton codes) on a device or the CPU.

#include "gpu/device.h"

typedef enum tact_bench_block {
    TACT_BENCH_SCAN,
    TACT_BENCH_REDUCE,   ///< sum of uints
    TACT_BENCH_COMPACT,  ///< indices, about half of the flags set
    TACT_BENCH_SORT32,   ///< random 32-bit keys with payload
    TACT_BENCH_SORT64,   ///< random 64-bit keys with payload
    TACT_BENCH_BOUNDS,   ///< of boxes
    TACT_BENCH_MORTON,   ///< 63-bit codes of boxes
    TACT_BENCH_BLOCK_COUNT
} tact_bench_block;

typedef struct tact_bench_result {
    const char* name;  ///< "scan", ...
    uint64_t bytes;    ///< that the method moves for each element (docs/blocks.md); 0 on the CPU
    size_t count;      ///< elements; at most 2^22 boxes
    int repeats;
    double median_ms, least_ms, most_ms;
    double per_second;  ///< elements, by the median
} tact_bench_result;

/// Measures every block on `count` elements that lie in the device's memory already (`device` entered), or on the CPU
/// where `device` is NULL, with `threads` threads for the blocks that use them. Each block is first run and its result
/// compared with the CPU's: SHADOW_MISMATCH if it differs. Then come one run to warm up and `repeats` timed ones.
/// Errors: LIMIT, OUT_OF_MEMORY, and those of the blocks.
tact_result tact_bench_blocks(tact_env* env, tact_device* device, int threads, size_t count, int repeats,
                              tact_bench_result results[TACT_BENCH_BLOCK_COUNT]);
