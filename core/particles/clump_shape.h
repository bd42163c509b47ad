// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What shapes of clumps amount to.

#include "base/env.h"
#include "tact/particle_clumps.h"

/// Checks a shape and measures it. The rounding must be to nearest. INVALID_ARGUMENT with the reason as detail.
tact_result tact_clump_shape_measure(tact_env* env, const tact_clump_shape* shape, tact_clump_measures* measures);
