// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#define TACT_LANES_ISA 0
#define LANES_TABLE tact_build_split_plain
#include "cpu_ref/trace/build_split_lanes.h"

static bool only_plain;

void tact_build_only_plain(bool only)
{
    only_plain = only;
}

const tact_build_split_table* tact_build_splits(void)
{
#ifdef TACT_LANES_AVX
    if (!only_plain && tact_lanes_supported(TACT_LANES_8)) return &tact_build_split_avx2;
#endif
    return &tact_build_split_plain;
}
