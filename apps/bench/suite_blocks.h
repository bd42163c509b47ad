// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The building blocks as `tact bench` measures them. They do not go through the library's public interface.

#include "apps/timing.h"

enum { TACT_SUITE_BLOCKS = 8 };

typedef struct tact_suite_block {
    const char* name;
    uint64_t count;  ///< elements
    tact_spread ms;
} tact_suite_block;

/// Measures all building blocks on a backend of the context, *count of them, on data that lie in its memory already: a
/// result that is not the CPU's is SHADOW_MISMATCH. Other errors: LIMIT, OUT_OF_MEMORY and those of the blocks;
/// UNSUPPORTED in a build with a shared library, which hides them.
tact_result tact_suite_blocks(tact_context* context, tact_backend backend, int threads, uint64_t size, int repeat,
                              tact_suite_block blocks[TACT_SUITE_BLOCKS], size_t* count);
