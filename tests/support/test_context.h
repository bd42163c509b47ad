// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// One context for all tests of a program, opened and closed by run_all(). A program may open it by itself, as it
/// describes it.

#include "tact/tact.h"
#include "tests/support/quiet.h"

static tact_context* context;

/// NULL: with every device of the machine, once it is needed.
static inline int open_described(const tact_context_desc* desc)
{
    return tact_context_create(desc, &context) == TACT_OK ? 0 : -1;
}

static inline int open_context(void** state)
{
    return open_described(&(tact_context_desc){.open_devices = true});
}

/// With the CPU alone, three threads, and no log.
static inline int open_host_context(void** state)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 3, .log = quiet};
    return open_described(&desc);
}

static inline int close_context(void** state)
{
    tact_context_destroy(context);
    return 0;
}
