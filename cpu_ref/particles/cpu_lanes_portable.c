// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/lane_levels.h"

#define TACT_LANES_ISA 0
#define LANES_TABLE tact_particle_lanes_portable
#define LANES_NAME "portable"
#include "cpu_ref/particles/cpu_lanes_body.h"
