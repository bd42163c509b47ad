// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file ranks.h
/// Ranks: processes that hold parts of one system between them, on one machine or on many. The result is the same bytes
/// as that of one process, for any number of ranks. docs/ranks.md has what is promised, how, and what it costs.
///
/// Ranks reach each other by a table of functions. tact_mpi fills it: tact/mpi.h, a library of its own. All functions
/// that take ranks, or what was made with them, are *collective*: every rank calls them, in the same order, and gets
/// the same result code; where one rank fails all do, and the detail names the first that did.

#include "tact/context.h"

/// A group of ranks.
typedef struct tact_ranks tact_ranks;

/// Bytes that go to another rank or come from it.
typedef struct tact_rank_bytes {
    uint32_t rank;  ///< the other one
    void* bytes;    ///< not written where they are sent
    uint64_t size;  ///< the same at both ends; may be 0
} tact_rank_bytes;

/// The way in which numbers of all ranks become one.
typedef enum tact_rank_combination {
    TACT_RANKS_SUM = 0,  ///< modulo 2^64, so that it serves signed numbers too
    TACT_RANKS_MAX = 1,  ///< the largest
} tact_rank_combination;

/// How the ranks of a group reach each other. The functions are called by one thread of each rank, all by all ranks in
/// the same order, but for begin() and end(), where only those take part that have something to send or receive,
/// and file_read(). A failure is returned; the process may also be ended.
typedef struct tact_ranks_calls {
    uint32_t rank;   ///< this process, from 0 on
    uint32_t count;  ///< ranks of the group, at least 1
    void* user;      ///< passed to all of the functions
    /// Called once, when the group is destroyed.
    void (*release)(void* user);
    /// Combines number i of all ranks, for each of `count` numbers; all ranks get all results.
    tact_result (*combine)(void* user, tact_rank_combination how, uint64_t* numbers, size_t count);
    /// Gives all ranks the `size` bytes of each, one after another in order of rank. `size` is the same on all.
    tact_result (*gather)(void* user, const void* bytes, uint64_t size, void* all);
    /// Gives number i of `to` to rank i, which finds it at the place of this rank in its `from`.
    tact_result (*deal)(void* user, const uint64_t* to, uint64_t* from);
    /// Makes a link for the exchanges that follow between this rank and `count` others, each of which names this one
    /// too. `link` is given to begin(), and to unlink() in the end.
    tact_result (*link)(void* user, const uint32_t* others, size_t count, void** link);
    /// Takes a link away.
    void (*unlink)(void* user, void* link);
    /// Begins to send and to receive; the bytes stay where they are until end(), which waits. One entry for each other
    /// rank at most, and each that is sent is received with the same size. `link` NULL: any ranks; else those of the
    /// link alone, and all of its ranks begin and end it. Exchanges do not overlap.
    tact_result (*begin)(void* user, void* link, const tact_rank_bytes* out, size_t out_count,
                         const tact_rank_bytes* in, size_t in_count);
    /// Waits until what was begun is sent and received.
    tact_result (*end)(void* user);
    /// Opens a file on all ranks, which see the same one: to read it, where `writes` is false; its size in bytes goes
    /// to `size`. Else to write it: it is there, and empty. INVALID_ARGUMENT where that cannot be, on all ranks.
    tact_result (*file_open)(void* user, const char* path, bool writes, void** file, uint64_t* size);
    /// Writes bytes of each rank, which may be none, to places that do not overlap. INVALID_ARGUMENT where they cannot
    /// be written, such as when the disk is full; others, whose bytes can be, have OK.
    tact_result (*file_write)(void* user, void* file, uint64_t at, const void* bytes, uint64_t size);
    /// Reads bytes that the file has. INVALID_ARGUMENT where they cannot be read. This one is called by any rank alone.
    tact_result (*file_read)(void* user, void* file, uint64_t at, void* bytes, uint64_t size);
    /// Waits until all that was written is on the disk.
    tact_result (*file_flush)(void* user, void* file);
    /// Closes a file, which is gone also after a failure.
    tact_result (*file_close)(void* user, void* file);
    /// Says why the last function that failed did so, in one sentence; never NULL.
    const char* (*explain)(void* user);
    uint64_t reserved[8];  ///< zeros: room for functions to come
} tact_ranks_calls;

/// Makes a group of ranks that reach each other by `calls`, which is copied; `user` is released with the group, also
/// when this fails. Collective. Errors: INVALID_ARGUMENT (a function is missing, a rank that is not below the count,
/// ranks of another version of the library or with another order of bytes), OUT_OF_MEMORY.
TACT_API tact_result tact_ranks_create(tact_context* context, const tact_ranks_calls* calls, tact_ranks** ranks);

/// Destroys a group. What was made with it must have been destroyed before. NULL is allowed.
TACT_API void tact_ranks_destroy(tact_ranks* ranks);

/// What a group has done so far, on this rank.
typedef struct tact_ranks_info {
    uint32_t rank;         ///< this one
    uint32_t count;        ///< of all
    uint64_t messages;     ///< sent
    uint64_t bytes;        ///< sent, but for those of numbers that are combined
    uint64_t meetings;     ///< times that all ranks waited for each other
    double wait_ms;        ///< spent waiting for others
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_ranks_info;

/// Gets facts about a group; NULL stands for one process alone. Not collective. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_ranks_get_info(const tact_ranks* ranks, tact_ranks_info* info);
