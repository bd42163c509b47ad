// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The ranks that a command runs on: those that mpirun started.

#include <stddef.h>
#include <stdint.h>

#include "apps/problem.h"
#include "tact/ranks.h"

typedef struct tact_tool_ranks {
    uint32_t rank, count;
    uint32_t number;  ///< of those on this machine
    tact_result (*open)(tact_context* context, tact_ranks** ranks);
    /// Returns whether all ranks are `good`; where some are not, the problem of the first of them, which it then names,
    /// is that of all. Collective.
    bool (*agree)(bool good, tact_problem* problem);
    /// Gives all ranks the bytes of each, one after another in order of rank, at `*all`, from malloc; `*all_size` of
    /// them, 2 GiB at most. Collective; false on all ranks, with the problem set and `*all` NULL, where one has no
    /// memory.
    bool (*share)(const void* bytes, size_t size, void** all, size_t* all_size, tact_problem* problem);
    /// Sends `counts[r]` items of `size` bytes each to every rank r, one after another in order of rank. Those that
    /// come are at `*in`, from malloc, `*in_count` of them, in order of rank. 2^31 - 1 each way at most. Collective;
    /// fails as share() does.
    bool (*send)(const void* items, size_t size, const size_t* counts, void** in, size_t* in_count,
                 tact_problem* problem);
    /// The largest of what the ranks give; the own one where they cannot reach each other. Collective.
    int (*signal)(int own);
} tact_tool_ranks;

/// Set by a program that is built with MPI before it runs a command; else NULL.
extern const tact_tool_ranks* tact_tool_ranks_here;

/// Whether this process prints and writes what a command gives: rank 0, or the only one.
bool tact_tool_prints(void);

/// The signal that is to stop the command, 0: none. Over ranks it is that of any of them, which all then have noted:
/// collective.
int tact_tool_signal(void);

/// What main() does: runs the command that the arguments name. Returns the exit code.
int tact_command_line(int argc, char** argv, tact_problem* problem);

/// Prints a problem as one line.
void tact_command_line_complain(int argc, char** argv, const tact_problem* problem);
