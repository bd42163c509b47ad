// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Exclusive prefix sums on a device. Calls must lie between tact_device_enter and tact_device_leave.

#include "gpu/chunks.h"

/// Holds the scratch memory, 8 KiB, all that a scan of any size needs: running one allocates nothing.
typedef struct tact_scan tact_scan;

enum { TACT_SCAN_SCRATCH_BYTES = 2048 * 4 + 4 };

/// `max_groups`: work groups of a launch at most; 0 for the default (tests lower it). Errors: OUT_OF_MEMORY,
/// DEVICE_OUT_OF_MEMORY.
tact_result tact_scan_create(tact_device* device, uint32_t max_groups, tact_scan** scan);
/// NULL is allowed.
void tact_scan_destroy(tact_scan* scan);

/// result[i] = source[0] + ... + source[i - 1] modulo 2^32 for i < count. The buffers may be one. The sum of all goes
/// to word `total_index` of `total` unless that is NULL. Errors: INVALID_ARGUMENT (a buffer is too small), LIMIT, and
/// those of tact_device_launch.
tact_result tact_scan_run(tact_scan* scan, tact_buffer* source, tact_buffer* result, uint32_t count, tact_buffer* total,
                          uint32_t total_index);

/// For other blocks: the first two steps. Leaves in *bases, a buffer of the scan's own, where each section of `tiling`
/// begins, valid until the scan is used again. `as_flags`: any value but 0 counts as 1.
tact_result tact_scan_sections(tact_scan* scan, tact_buffer* source, uint32_t count, tact_tiling tiling, bool as_flags,
                               tact_buffer** bases);

// Sums, minima, maxima and bounds on a device. Calls must lie between tact_device_enter and tact_device_leave.

/// Holds the scratch memory, 64 KiB for any size: running a reduction allocates nothing.
typedef struct tact_reduce tact_reduce;

enum { TACT_REDUCE_SCRATCH_BYTES = 2048 * 32 };

/// `max_groups`: work groups of a launch at most; 0 for the default. Errors: OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY.
tact_result tact_reduce_create(tact_device* device, uint32_t max_groups, tact_reduce** reduce);
/// NULL is allowed.
void tact_reduce_destroy(tact_reduce* reduce);

/// Reduces `count` words to word `result_index` of `result`, which must be another buffer than `source`. Errors:
/// INVALID_ARGUMENT (a buffer is too small), LIMIT, and those of tact_device_launch.
tact_result tact_reduce_run(tact_reduce* reduce, tact_reduction reduction, tact_buffer* source, uint32_t count,
                            tact_buffer* result, uint32_t result_index);

/// The minima and maxima of each of the four components of `count` points or boxes, as two float4 at the start of
/// `result`, another buffer than `source`. Floats are ordered as tact_reduction says; no elements give +inf, -inf.
tact_result tact_reduce_bounds(tact_reduce* reduce, tact_extent_kind kind, tact_buffer* source, uint32_t count,
                               tact_buffer* result);

// Stream compaction on a device: keeps the flagged elements of an array, in order. Calls must lie between
// tact_device_enter and tact_device_leave.

/// Holds the scratch memory, that of a scan: running a compaction allocates nothing.
typedef struct tact_compact tact_compact;

/// `max_groups`: work groups of a launch at most; 0 for the default. Errors: OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY.
tact_result tact_compact_create(tact_device* device, uint32_t max_groups, tact_compact** compact);
/// NULL is allowed.
void tact_compact_destroy(tact_compact* compact);

/// Writes the indices i < count with flags[i] != 0 to `result`, ascending, and how many they are to word `kept_index`
/// of `kept`. `result` must hold `count` words, be it that fewer are kept; words past those kept stay as they were. All
/// buffers must differ. Errors: INVALID_ARGUMENT (a buffer is too small), LIMIT, and those of tact_device_launch.
tact_result tact_compact_indices(tact_compact* compact, tact_buffer* flags, tact_buffer* result, uint32_t count,
                                 tact_buffer* kept, uint32_t kept_index);

/// The same with the elements themselves, each of `words` words (at least 1).
tact_result tact_compact_values(tact_compact* compact, tact_buffer* flags, tact_buffer* values, uint32_t words,
                                tact_buffer* result, uint32_t count, tact_buffer* kept, uint32_t kept_index);

// Morton codes on a device; kernels/morton.h defines them. Needs no scratch memory. Calls must lie between
// tact_device_enter and tact_device_leave.

/// Writes the codes of `count` points, or of boxes' centres, within `bounds` (lower and upper as two float4, such as
/// tact_reduce_bounds leaves; w does not matter) to `codes`: a word of 30 bits, or, `wide`, two words with 63 bits, low
/// word first. All buffers must differ. Errors: INVALID_ARGUMENT (a buffer is too small), LIMIT, and those of
/// tact_device_launch.
tact_result tact_morton_run(tact_device* device, tact_extent_kind kind, tact_buffer* source, uint32_t count,
                            tact_buffer* bounds, bool wide, tact_buffer* codes);

// Stable sort of 32-bit or 64-bit keys on a device, with an optional 32-bit payload. Calls must lie between
// tact_device_enter and tact_device_leave.

/// Holds the scratch memory, which grows with the largest sort so far: sorting no more than before allocates nothing.
typedef struct tact_radix_sort tact_radix_sort;

/// `max_groups`: work groups of a launch at most; 0 for the default. Errors: OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY.
tact_result tact_radix_sort_create(tact_device* device, uint32_t max_groups, tact_radix_sort** sort);
/// NULL is allowed.
void tact_radix_sort_destroy(tact_radix_sort* sort);

typedef struct tact_sort_job {
    tact_buffer* keys_in;
    tact_buffer* keys_out;    ///< may be keys_in
    tact_buffer* values_in;   ///< NULL with values_out: the payload is each key's index
    tact_buffer* values_out;  ///< may be values_in; NULL: no payload
    uint32_t count;
    uint32_t key_words;  ///< 1, or 2 with the low word first
    uint32_t key_bits;   ///< only the lowest bits of a key are compared, at most 32 * key_words; a pass handles 8
} tact_sort_job;

/// Device memory held when jobs of this kind can run without allocating.
uint64_t tact_radix_sort_scratch_bytes(uint32_t count, uint32_t key_words, bool payload);

/// Device memory held now.
uint64_t tact_radix_sort_bytes(const tact_radix_sort* sort);

/// Makes room for such jobs now. Errors: LIMIT, OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY; what was held before stays.
tact_result tact_radix_sort_reserve(tact_radix_sort* sort, uint32_t count, uint32_t key_words, bool payload);

/// Sorts ascending; equal keys keep their order. Inputs are not changed unless they are outputs too. No key buffer may
/// be a value buffer. Errors: INVALID_ARGUMENT, LIMIT, and those of reserve and tact_device_launch.
tact_result tact_radix_sort_run(tact_radix_sort* sort, const tact_sort_job* job);
