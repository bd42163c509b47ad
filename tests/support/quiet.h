// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tact/base.h"

/// A log hook that says nothing, for tests that provoke failures.
static inline void quiet(tact_log_level level, const char* source, const char* message, void* user)
{
    (void)level;
    (void)source;
    (void)message;
    (void)user;
}
