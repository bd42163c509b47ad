// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What shapes of clumps amount to.

#include "base/env.h"
#include "tact/particle_clumps.h"

/// Integrals over a solid.
typedef struct tact_solid_moments {
    double volume, first[3];  ///< of 1; of x y z
    double second[6];         ///< of xx yy zz xy xz yz
} tact_solid_moments;

/// The tensor of inertia about a point of a solid of mass 1: xx yy zz xy xz yz.
void tact_solid_inertia(const tact_solid_moments* moments, const double about[3], double inertia[6]);

/// Checks a shape and measures it. The rounding must be to nearest. INVALID_ARGUMENT with the reason as detail.
tact_result tact_clump_shape_measure(tact_env* env, const tact_clump_shape* shape, tact_clump_measures* measures);
