// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How a system is spread over ranks. Each has a part of the particles in its host's copy, and moves them by an engine
/// of its own, in which the particles near them that others have are ghosts.

#include <string.h>

#include "core/particles/spread_cells.h"
#include "tact/particle_ranks.h"

/// Floats from 0 on are in the order of their bits, so that ranks can combine them as numbers.
static inline uint64_t tact_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float tact_bits_float(uint64_t number)
{
    const uint32_t bits = (uint32_t)number;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

typedef struct tact_particle_spread {
    tact_ranks* ranks;
    bool lost;  ///< a step failed: the ranks may be at different substeps
    tact_spread_cells cells;
    float most_imbalance;  ///< beyond which the curve is cut anew
    float margin;          ///< by how much cells are wider than contacts are long, in parts of that
    float reached;         ///< the imbalance that the last cut has left
    float width;           ///< of the cells
    tact_particle_ranks_info info;
    tact_ranks_info before;  ///< what the group had done when the system was spread
} tact_particle_spread;
