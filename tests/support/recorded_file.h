// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Files of recorded queries, read. Include after run.h.

#include "apps/system.h"
#include "tact/record.h"
#include "tests/support/objects.h"

/// Read until the test ends, and removed.
static inline tact_recording* read_recorded(const char* path, tact_context* to)
{
    void* bytes = NULL;
    size_t size = 0;
    tact_problem problem = {0};
    if (!tact_file_read(path, &bytes, &size, &problem)) fail_msg("%s", problem.text);
    tact_recording* recording = NULL;
    assert_int_equal(tact_recording_read(to, bytes, size, &recording), TACT_OK);
    free(bytes);
    assert_int_equal(remove(path), 0);
    return KEEP(recording);
}

/// The file that the context's error names.
static inline tact_recording* read_named(tact_context* from, tact_context* to)
{
    const char* path = strstr(tact_context_error(from), "are in ");
    if (!path) fail_msg("no file is named: %s", tact_context_error(from));
    char name[1200];
    snprintf(name, sizeof name, "%s", path + strlen("are in "));
    return read_recorded(name, to);
}
