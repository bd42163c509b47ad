// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Running the tool as scripts do, and reading its JSON. What cannot be had fails the test. The program is
/// TACT_PROGRAM, a definition of the test's target.

#include "apps/json_out.h"

/// Defined by the test: what the files that take the tool's output are called, PREFIX_out.txt and PREFIX_err.txt. Its
/// own, since tests run side by side in one folder.
extern const char tool_prefix[];

/// A mesh to run on, as an OBJ file: the unit cube.
extern const char tool_cube[];

/// What one run of the tool gave. Texts and JSON are freed when the test ends.
typedef struct tool_outcome {
    int code;
    char *out, *err;
} tool_outcome;

/// Runs the tool with these arguments, as a shell takes them.
tool_outcome tool_run(const char* arguments);

/// Likewise; fails unless the run ends with this code.
tool_outcome tool_ends(const char* arguments, int code);

/// Starts the tool, sends it a signal once a file is there, and waits for it. NULL: once it says on standard error how
/// far it is, or after three seconds, in which all of it has begun. Fails where it does not end by itself. `also`: it
/// gets the signal again and again until it ends.
tool_outcome tool_stops(const char* arguments, const char* file, int signal, bool also);

/// Returns whether the run ended with exit code 3 since a device is missing, and notes which.
bool tool_misses(const tool_outcome* o);

/// Fails unless the run ended with this code.
void tool_expect(const char* arguments, const tool_outcome* o, int code);

/// Standard output: exactly one JSON object and nothing else.
cJSON* tool_json(const char* arguments, const tool_outcome* o);

/// A whole file as text.
char* tool_text(const char* path);

double json_number(const cJSON* json, const char* key);
const char* json_text(const cJSON* json, const char* key);
bool json_truth(const cJSON* json, const char* key);

/// A run that must be refused: exit code 2, and one line that holds `says`; with --json also an object that has the
/// error.
void tool_refuses(const char* arguments, const char* says);

/// The JSON of a run that must succeed, with these arguments alone.
cJSON* tool_json_ends(const char* arguments);

/// The array "rows", of at least so many.
const cJSON* json_rows(const cJSON* json, int least);

/// The JSON of a run that must succeed; NULL where the device is not there.
cJSON* tool_json_of(const char* arguments);

/// Runs the command on every backend and number of threads that are there: each gives the same digest, of some results.
/// That one can be expected, and the run is quiet then but for its result; another one is exit code 1. `also`: more
/// options of the run that is as expected.
void tool_one_digest(const char* arguments, const char* also);

/// Writes an array to a file as NumPy does; `type` and `shape` as they stand in its header, at most 3,968 bytes.
void write_array(const char* path, const char* type, const char* shape, const void* data, size_t size);
