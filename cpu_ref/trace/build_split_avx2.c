// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/lane_levels.h"

#ifdef TACT_LANES_AVX
#define TACT_BUILD_AVX2
#define BUILD_TABLE tact_build_split_avx2
#include "cpu_ref/trace/build_split_lanes.h"
#endif
