// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/particles/spread_state.h"

/// The engine of a spread system: moves its part by `inner`, which it destroys with itself, also when this fails.
tact_result tact_spread_engine_create(tact_env* env, tact_particle_spread* spread, tact_particle_engine* inner,
                                      bool turns, tact_particle_engine** engine);
