// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Whether lists are brought into the order that results have, and terms of sums into theirs. Not in builds with
/// TACT_LOOSE, which are there to measure what one answer costs (bench/peers) and give a different one each time.
#if defined(TACT_LOOSE)
enum { TACT_ORDERED = 0 };
#else
enum { TACT_ORDERED = 1 };
#endif
