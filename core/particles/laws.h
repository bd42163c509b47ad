// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Laws of contacts of grains, for particles and bodies.

#include "base/env.h"
#include "kernels/grain_contact.h"
#include "tact/particle_grains.h"

/// INVALID_ARGUMENT where a number is not within its range. `of`, `name`: what it is of, and its name, for the detail.
tact_result tact_grains_check_number(tact_env* env, const char* of, const char* name, float value, float least,
                                     float most);
/// The same of a law's numbers.
tact_result tact_grain_check_law(tact_env* env, const tact_grain_law* law);
/// Of a law that has been checked. The rounding must be to nearest.
TactGrainRule tact_grain_rule_of_law(const tact_grain_law* law);
/// The steepest that a contact's springs are, of two grains of a radius, N/m. The sliding spring also turns both.
double tact_grain_slope(const TactGrainRule* rule, double radius);
