// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/geometry/batch_internal.h"

#ifdef TACT_BATCH_AVX
#define TACT_BUILD_AVX2
#define BUILD_TABLE tact_build_split_avx2
#include "cpu_ref/trace/build_split_lanes.h"
#endif
