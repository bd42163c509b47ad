// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Pairs that the CPU finds wrongly while `wrong_pairs` is set: the first is another one. For programs that are linked
/// with --wrap=tact_pairs_reference and --wrap=tact_pair_sinks_sort.

#include "cpu_ref/pairs/pair_sink.h"
#include "cpu_ref/pairs/pairs.h"

static bool wrong_pairs;
static bool reference_found_them;  ///< it goes the same way, and stays right

tact_result __real_tact_pairs_reference(tact_pairs_job* job);
tact_result __wrap_tact_pairs_reference(tact_pairs_job* job);
tact_result __real_tact_pair_sinks_sort(const tact_pairs_job* job, tact_pair* pairs);
tact_result __wrap_tact_pair_sinks_sort(const tact_pairs_job* job, tact_pair* pairs);

tact_result __wrap_tact_pairs_reference(tact_pairs_job* job)
{
    reference_found_them = true;
    return __real_tact_pairs_reference(job);
}

tact_result __wrap_tact_pair_sinks_sort(const tact_pairs_job* job, tact_pair* pairs)
{
    const tact_result result = __real_tact_pair_sinks_sort(job, pairs);
    if (wrong_pairs && !reference_found_them && result == TACT_OK && pairs) pairs[0].b ^= 1;
    reference_found_them = false;
    return result;
}
