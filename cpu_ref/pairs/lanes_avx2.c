// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/lane_levels.h"

#ifdef TACT_LANES_AVX
#define TACT_LANES_ISA 2
#define LANES_TABLE tact_pairs_lanes_avx2
#define LANES_NAME "AVX2"
#include "cpu_ref/pairs/lanes_body.h"
#endif
