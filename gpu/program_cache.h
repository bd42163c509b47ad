// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Built kernels on disk. A file is only ever trusted after its format, key, size and hash have been checked, so that a
/// truncated, damaged or foreign one is the same as none; the worst that this module can do is to cost a rebuild.

#include "base/env.h"

typedef struct tact_program_cache {
    bool enabled;
    char directory[1024];
} tact_program_cache;

typedef struct tact_program_key {
    unsigned char bytes[16];
} tact_program_key;

/// Decides where the files are; disabled when there is no place for them.
void tact_program_cache_open(tact_program_cache* cache, const char* directory, bool disable);

/// A hash of everything that decides a program's binary. The library's version and the file format are mixed in.
tact_program_key tact_program_key_of(const char* const* parts, const size_t* sizes, size_t count);

/// The file of a program: DIRECTORY/NAME-KEY.bin. False when the path is too long.
bool tact_program_cache_path(const tact_program_cache* cache, const char* name, const tact_program_key* key, char* path,
                             size_t size);

/// The binary, in memory from tact_allocate, or NULL when there is none that can be trusted.
void* tact_program_cache_load(const tact_program_cache* cache, tact_env* env, const char* name,
                              const tact_program_key* key, uint32_t* format, size_t* size);

/// Writes or replaces a binary. False when that was not possible.
bool tact_program_cache_store(const tact_program_cache* cache, const char* name, const tact_program_key* key,
                              uint32_t format, const void* binary, size_t size);
