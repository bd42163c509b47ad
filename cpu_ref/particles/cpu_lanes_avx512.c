// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/lane_levels.h"

#ifdef TACT_LANES_AVX
#define TACT_LANES_ISA 3
#define LANES_TABLE tact_particle_lanes_avx512
#define LANES_NAME "AVX-512"
#include "cpu_ref/particles/cpu_lanes_body.h"
#endif
