// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What changed between two sorted lists of pairs, by going through both: what the tracker of the library must say.

#include "tact/pairs.h"

typedef struct tact_pair_changes {
    uint64_t begun, ended, kept;
} tact_pair_changes;

/// `lists` NULL, or where the begun, the ended and the kept go: room for as many as the lists have.
tact_pair_changes tact_pair_changes_of(const tact_pair* before, size_t before_count, const tact_pair* now,
                                       size_t now_count, tact_pair* const lists[3]);
