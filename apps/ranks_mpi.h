// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The ranks of a command by MPI.

#include "apps/ranks.h"

/// Finds out about the ranks of MPI, which has been started, and gives them ways of their own to reach each other.
/// False on failure.
bool tact_tool_ranks_begin(tact_tool_ranks* ranks);

/// Takes these away, before MPI ends.
void tact_tool_ranks_end(void);
