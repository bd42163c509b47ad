// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Calls made of bytes, on the CPU against the definition.

#include <stdbool.h>

static const bool with_devices = false;
enum { ROUNDS = 3000 };

#ifndef TACT_LIBFUZZER
static int finish(bool has_gl, bool has_cl)
{
    (void)has_gl;
    (void)has_cl;
    return 0;
}
#endif

#include "tests/fuzz/calls.h"
