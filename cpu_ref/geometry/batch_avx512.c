// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/geometry/batch_internal.h"

#ifdef TACT_LANES_AVX
#define TACT_LANES_ISA 3
#define LANES_TABLE tact_batch_avx512
#define LANES_NAME "AVX-512"
#include "cpu_ref/geometry/batch_lanes.h"

#endif
