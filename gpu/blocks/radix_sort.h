// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Stable sort of 32-bit or 64-bit keys on a device, with an optional 32-bit payload. Calls must lie between
/// tact_device_enter and tact_device_leave.

#include "gpu/blocks/scan.h"

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
