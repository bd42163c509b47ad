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

/// How many of `all` cases are tried: a quarter under a sanitizer, which looks at the ways that code goes, not at the
/// answers, and slows it down.
static inline size_t effort_of(size_t all)
{
#if defined(TACT_SANITIZED)
    if (!effort_is_thorough()) return (all + 3) / 4;
#endif
    return all;
}

/// How many of `all` cases are tried: if not thorough, effort_of(few). A step from case to case is larger in `few` than
/// in `all`, and stays as it is.
static inline size_t effort(size_t few, size_t all)
{
    if (effort_is_thorough()) return all;
    return few < all ? effort_of(few) : few;
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
