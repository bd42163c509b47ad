// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Everything of the tool that differs between operating systems.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/problem.h"

/// True when people watch this stream.
bool tact_system_is_terminal(FILE* stream);

/// A monotonic clock in milliseconds.
double tact_system_milliseconds(void);

/// The operating system's name and version, such as "Linux 6.1.0 x86_64".
void tact_system_name(char* name, size_t size);

/// Memory of this process that is in use now, and the most that was so far, in bytes; false where the system does not
/// tell. Either may be NULL.
bool tact_system_memory(uint64_t* now, uint64_t* peak);

/// Makes a folder and those above it; one that is there already is fine.
bool tact_system_make_directory(const char* path, tact_problem* problem);

/// Standard output and input keep bytes as they are (Windows would translate line ends).
void tact_system_binary_streams(void);

/// A whole file, or anything that can be read to its end, in memory from malloc (never NULL on success).
bool tact_file_read(const char* path, void** bytes, size_t* size, tact_problem* problem);

/// Checks that there is something to read, with the reason if not: missing, a folder, no permission.
bool tact_file_check(const char* path, tact_problem* problem);

/// Writes a file so that a reader sees the old content or all of the new: a temporary file beside it, then a rename.
bool tact_file_replace(const char* path, const void* head, size_t head_size, const void* data, size_t size,
                       tact_problem* problem);
