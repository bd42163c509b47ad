// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// The same calls made of bytes on the CPU, OpenGL and OpenCL in turn, each against the definition, so that all give
/// the same bytes; with particles, and with images and pick targets, which only OpenGL has.

#include <stdbool.h>

static const bool with_devices = true;
enum { ROUNDS = 1000 };

#ifndef TACT_LIBFUZZER
#include "tests/support/run.h"

static int finish(bool has_gl, bool has_cl)
{
    if (!has_gl) miss_device(TACT_BACKEND_GL, "");
    if (!has_cl) miss_device(TACT_BACKEND_CL, "");
    return has_gl || has_cl ? 0 : run_nothing("there is no device to compare");
}
#endif

#include "tests/fuzz/calls.h"
