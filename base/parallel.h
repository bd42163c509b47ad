// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Loops over threads. The threads are the process's, started when a loop first needs them, and asleep between loops.

#include "tact/base.h"

/// Works on [begin, end). `worker` counts from 0 and is unique among the calls that run at the same time.
typedef void tact_parallel_fn(size_t begin, size_t end, int worker, void* user);

/// Cuts [0, count) into pieces of `grain` (the last may be shorter), hands them to at most `threads` threads, the
/// calling one among them, as those come free, and returns when all are done. The caller works too and waits for pieces
/// that another thread has taken, never for a thread that has none; so threads that the system does not run cost
/// nothing. Loops whose function lately took less than some tens of microseconds for so many items, and loops inside a
/// piece, run on the calling thread alone. Which worker gets which piece varies; callers must not let the result depend
/// on it. The pieces run in the default floating-point environment if the caller does. Any number of threads may call
/// this at once.
void tact_parallel_for(int threads, size_t count, size_t grain, tact_parallel_fn* function, void* user);

/// From now on the caller's own workers help with loops of the calling thread, in place of threads of the process;
/// NULL: these do.
void tact_parallel_use(const tact_tasks* tasks);

/// Keeps the threads that loops start until as many releases: the last one ends them. Without it they stay until the
/// program ends.
void tact_parallel_acquire(void);
void tact_parallel_release(void);

enum { TACT_PARALLEL_MOST_PARTS = 1 << 24 };

/// Prepares what is to be done for [begin, end) in a place of the worker's own, and tells of how many parts that is: at
/// most TACT_PARALLEL_MOST_PARTS.
typedef uint32_t tact_parallel_prepare_fn(size_t begin, size_t end, int worker, void* user);

/// Does a part of what `owner` has prepared.
typedef void tact_parallel_part_fn(uint32_t part, int owner, int worker, void* user);

/// Where threads meet over the parts of one worker; it is nobody else's to read or write.
typedef struct tact_parallel_place {
#if defined(__STDC_NO_ATOMICS__)
    uint64_t parts;
#else
    _Alignas(64) _Atomic uint64_t parts;
#endif
} tact_parallel_place;

/// As tact_parallel_for() for work in two steps: pieces are prepared by one worker each, which then does their parts,
/// and workers for whom no piece is left do parts of the others'. So pieces may be large, which some work gains by,
/// without a thread that is slower than the rest, as all are now and then, holding up the end. `places`: one for each
/// thread; the caller need not set them. What a worker has prepared stays untouched until all its parts are done.
void tact_parallel_for_parts(int threads, size_t count, size_t grain, tact_parallel_place* places,
                             tact_parallel_prepare_fn* prepare, tact_parallel_part_fn* part, void* user);
