// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once
#include "core/bodies/bodies.h"
tact_result tact_body_matter_measure(const tact_bodies* set, uint32_t shape, float scale,
                                     const tact_body_matter* matter, tact_body_measures* measures);
