// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Files that all ranks of a group write together, or read. Where `ranks` is NULL one process does.

#include "base/platform.h"
#include "core/ranks/ranks.h"

typedef struct tact_rank_file {
    tact_context* context;
    tact_ranks* ranks;
    const char* path;             ///< the caller's, while the file is open
    char temporary[4096];         ///< writing by ranks: its name until it is complete
    void* shared;                 ///< by ranks; NULL: it is not open
    tact_platform_output output;  ///< writing by one process
    FILE* alone;                  ///< by one process; NULL: it is not open
    uint64_t at;                  ///< of `alone`
    uint64_t size;                ///< reading: its bytes; writing: where the last ones end, on any rank
} tact_rank_file;

/// Begins a file that is at `path` once it is finished; what is there stays until then. Collective. INVALID_ARGUMENT:
/// it cannot be made; it is not to be finished then.
tact_result tact_rank_file_begin(tact_rank_file* file, tact_context* context, tact_ranks* ranks, const char* path);
/// Writes this rank's bytes, which may be none. Collective. INVALID_ARGUMENT: they cannot be written on some rank.
tact_result tact_rank_file_write(tact_rank_file* file, uint64_t at, const void* bytes, size_t size);
/// Where `result`, the same on all ranks, is OK, waits until all is on the disk and gives the file its name. Else, or
/// when that fails, the file goes, and the one that was there stays. Collective.
tact_result tact_rank_file_finish(tact_rank_file* file, tact_result result);

/// Opens a file to read it. Collective. INVALID_ARGUMENT: it cannot be read; it is not to be closed then.
tact_result tact_rank_file_open(tact_rank_file* file, tact_context* context, tact_ranks* ranks, const char* path);
/// Reads bytes. Not collective. INVALID_ARGUMENT: it has not as many, or they cannot be read.
tact_result tact_rank_file_read(tact_rank_file* file, uint64_t at, void* bytes, size_t size);
/// Collective.
void tact_rank_file_close(tact_rank_file* file);
