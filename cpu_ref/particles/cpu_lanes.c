// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/particles/cpu_engine.h"

TACT_LANE_CHOICE(tact_particle_lanes, TACT_LANE_TABLES(tact_particle_lanes), tact_particle_lanes_best)
