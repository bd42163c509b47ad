// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How much a test does: with TACT_TESTS=thorough in the environment, as the ctest entries NAME_thorough have it, all;
/// else a part that goes the same ways.

#include "base/sanitizers.h"

static inline bool effort_is_thorough(void)
{
    const char* how = getenv("TACT_TESTS");
    return how && strcmp(how, "thorough") == 0;
}

/// How many of `all` cases are tried, `few` if not thorough.
static inline size_t effort(size_t few, size_t all)
{
    return effort_is_thorough() ? all : few;
}

/// How many of `all` rounds are tried in which threads meet in the same way: `few` under TSan, where one takes ten
/// times as long.
static inline size_t effort_of_threads(size_t few, size_t all)
{
#if defined(TACT_TSAN)
    return few;
#else
    return all;
#endif
}
