// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Everything that differs between operating systems and compilers. The only file of the library that includes a
/// system header beyond the C library's.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Memory of any content; large blocks on huge pages, where the system has them.
void* tact_platform_aligned_allocate(size_t size, size_t alignment);
void tact_platform_aligned_release(void* memory);

/// A monotonic clock in milliseconds.
double tact_platform_milliseconds(void);

/// Lets other threads run, when this one waits for them.
void tact_platform_yield(void);

/// A variable of the process's environment; NULL when it is not set.
const char* tact_platform_variable(const char* name);

/// Logical processors this process may use, at least 1.
int tact_platform_processors(void);

/// The CPU's name, such as "AMD Ryzen 9 7950X"; "CPU" when unknown.
void tact_platform_cpu_name(char* name, size_t size);

/// Opens a shared library by file name, for as long as the process lives; NULL when it is not there.
void* tact_platform_open_library(const char* file);
void (*tact_platform_symbol(void* library, const char* name))(void);

/// The folder for cached files of this user, created when missing: `override` if given, else $TACT_CACHE_DIR, else
/// the system's cache folder + "/tact". False when there is none or the variable is set but empty.
bool tact_platform_cache_directory(const char* override, char* path, size_t size);

/// Writes a file so that a reader, or a crash, sees the old content or the new and nothing between: a temporary file
/// beside it, then a rename. Safe against other processes that write the same file. False on failure.
bool tact_platform_replace_file(const char* path, const void* head, size_t head_size, const void* data, size_t size);

/// True when a file or folder is there.
bool tact_platform_exists(const char* path);

/// True when `program` is an executable file in one of the folders of $PATH.
bool tact_platform_on_path(const char* program);
