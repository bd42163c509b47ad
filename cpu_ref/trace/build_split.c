// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#define BUILD_TABLE tact_build_split_plain
#include "cpu_ref/trace/build_split_lanes.h"

static bool only_plain;

void tact_build_only_plain(bool only)
{
    only_plain = only;
}

const tact_build_split_table* tact_build_splits(void)
{
#ifdef TACT_BATCH_AVX
    if (!only_plain && __builtin_cpu_supports("avx2")) return &tact_build_split_avx2;
#endif
    return &tact_build_split_plain;
}
