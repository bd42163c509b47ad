// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#define LANES_TABLE tact_build_split_plain
#include "cpu_ref/trace/build_split_lanes.h"

const tact_build_split_table* tact_build_splits(void)
{
#ifdef TACT_LANES_AVX
    if (tact_lanes_best(TACT_LANES_8 + 1) == TACT_LANES_8) return &tact_build_split_avx2;
#endif
    return &tact_build_split_plain;
}
