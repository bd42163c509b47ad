// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/problem.h"

#include <stdarg.h>
#include <stdio.h>

static void make_one_line(char* text)
{
    char* end = text;
    bool space = false;
    for (const char* c = text; *c; ++c) {
        if ((unsigned char)*c <= ' ' || *c == 127) {
            space = end != text;
            continue;
        }
        if (space) *end++ = ' ';
        space = false;
        *end++ = *c;
    }
    *end = '\0';
}

bool tact_problem_set(tact_problem* problem, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    make_one_line(problem->text);
    problem->exit_code = TACT_EXIT_WRONG_USE;
    problem->result = TACT_OK;
    return false;
}

bool tact_problem_stop(tact_problem* problem, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    problem->exit_code = TACT_EXIT_SIGNAL;
    problem->result = TACT_ERROR_CANCELLED;
    return false;
}

static int exit_code_of(tact_result result)
{
    if (result >= 0) return TACT_EXIT_DONE;
    if (result == TACT_ERROR_SHADOW_MISMATCH) return TACT_EXIT_CHECK_FAILED;
    if (result == TACT_ERROR_INVALID_ARGUMENT || result == TACT_ERROR_LIMIT) return TACT_EXIT_WRONG_USE;
    return TACT_EXIT_NO_DEVICE;
}

bool tact_problem_from_result(tact_problem* problem, tact_result result, const tact_context* context, const char* doing)
{
    const char* detail = context ? tact_context_error(context) : tact_last_error();
    if (!*detail) detail = tact_result_string(result);
    tact_problem_set(problem, "%s: %s", doing, detail);
    problem->exit_code = exit_code_of(result);
    problem->result = result;
    return false;
}

bool tact_problem_out_of_memory(tact_problem* problem, const char* what)
{
    tact_problem_set(problem, "out of memory for %s", what);
    problem->exit_code = TACT_EXIT_NO_DEVICE;
    return false;
}
