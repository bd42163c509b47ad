// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A context with the CPU alone and without a log, whose memory may be counted. Include after run.h.

#include "tact/tact.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

/// `threads`: 0 for all. `counter` may be NULL.
static inline tact_context* counting_context(int threads, counting_allocator* counter)
{
    tact_context_desc desc = {.threads = threads, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .log = quiet};
    if (counter) desc.allocator = counting_hooks(counter);
    return new_context(&desc);
}
