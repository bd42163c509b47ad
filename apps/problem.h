// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What goes wrong in the tool, and how the program then ends.

#include <stdbool.h>

#include "tact/tact.h"

/// Exit codes, a public interface.
enum {
    TACT_EXIT_DONE = 0,
    TACT_EXIT_CHECK_FAILED = 1,  ///< the query ran and its check failed
    TACT_EXIT_WRONG_USE = 2,     ///< wrong use, unreadable or invalid input, unwritable output
    TACT_EXIT_NO_DEVICE = 3,     ///< no device could run it
    TACT_EXIT_SIGNAL = 128       ///< and the number of the signal that ended it
};

/// One failure: an exit code and one line for people. All zero: none.
typedef struct tact_problem {
    int exit_code;
    tact_result result;  ///< of the library call that failed; TACT_OK: it was not one
    char text[2048];
} tact_problem;

#if defined(__GNUC__)
#define TACT_TOOL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TACT_TOOL_PRINTF(text, first)
#endif

/// Stores wrong use or bad input (exit code 2). Line ends and control characters become spaces, so that it stays one
/// line whatever a library's message holds. Returns false, so that a failure is one statement.
bool tact_problem_set(tact_problem* problem, const char* format, ...) TACT_TOOL_PRINTF(2, 3);

/// Stores what came of work that a signal has stopped, such as "after step 12"; tact_command_line() adds which signal.
bool tact_problem_stop(tact_problem* problem, const char* format, ...) TACT_TOOL_PRINTF(2, 3);

/// Stores the failure of a library call with the exit code that belongs to it: what was done, the context's detail or
/// the code's sentence. `context` may be NULL.
bool tact_problem_from_result(tact_problem* problem, tact_result result, const tact_context* context,
                              const char* doing);

bool tact_problem_out_of_memory(tact_problem* problem, const char* what);
