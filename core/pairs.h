// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside the pair query: what its backends are given.

#include "core/volume_set.h"

typedef struct tact_pairs_arguments {
    tact_volume_set* a;
    tact_volume_set* b;        ///< NULL: within a
    tact_pairs_method method;  ///< what was asked for
    tact_pairs_info info;      ///< filled in by the backend that answers
} tact_pairs_arguments;

/// Room for `count` pairs in a->pairs, whose contents need not be kept. Errors: LIMIT, OUT_OF_MEMORY.
tact_result tact_pairs_make_room(tact_volume_set* a, uint64_t count);

/// Asks for the pairs and leaves them in a->pairs: tact_pairs_find without the copy. `count` may be NULL.
tact_result tact_pairs_run(tact_volume_set* a, tact_volume_set* b, tact_pairs_method method, size_t* count,
                           const tact_query_options* options, tact_query_report* report);
