// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Particles that go to the ranks of their cells.

#include "core/particles/spread_state.h"

/// Puts particles on their ranks, by cells that are `width` wide in the frame of a grid, and cuts the curve anew where
/// work has become too uneven. A clump's members go where its centre of mass is. `own`: this rank's, before and after;
/// `room`: another state, whose contents are lost. Collective. Errors: OUT_OF_MEMORY, INTERNAL (particles were lost or
/// damaged on the way), the group's.
tact_result tact_spread_distribute(tact_particle_spread* spread, const TactGrid* grid, float width,
                                   const tact_clump_table* clumps, tact_particle_state* own, tact_particle_state* room);
