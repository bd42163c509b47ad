// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What shapes of bodies amount to.

#include "core/bodies/bodies.h"

/// tact_body_measure() of arguments that are not NULL, but for `matter`, which stands for zeros then. The rounding must
/// be to nearest. INVALID_ARGUMENT with the reason as detail, `measures` as it was.
tact_result tact_body_matter_measure(const tact_bodies* set, uint32_t shape, float scale,
                                     const tact_body_matter* matter, tact_body_measures* measures);
