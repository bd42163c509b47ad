// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Loops over threads. The only place that knows which threading library is used.

#include <stdbool.h>
#include <stddef.h>

/// Works on [begin, end). `worker` counts from 0 and is unique among the calls that run at the same time.
typedef void tact_parallel_fn(size_t begin, size_t end, int worker, void* user);

/// Cuts [0, count) into pieces of `grain` (the last may be shorter), hands them to at most `threads` threads as those
/// come free, and returns when all are done. Which worker gets which piece varies; callers must not let the result
/// depend on it. The pieces run in the default floating-point environment if the caller does.
void tact_parallel_for(int threads, size_t count, size_t grain, tact_parallel_fn* function, void* user);
