// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/suite_blocks.h"

// A shared library hides the building blocks, and a build without devices has none.
tact_result tact_suite_blocks(tact_context* context, tact_backend backend, int threads, uint64_t size, int repeat,
                              tact_suite_block blocks[TACT_SUITE_BLOCKS], size_t* count)
{
    (void)context, (void)backend, (void)threads, (void)size, (void)repeat, (void)blocks;
    *count = 0;
    return TACT_ERROR_UNSUPPORTED;
}
