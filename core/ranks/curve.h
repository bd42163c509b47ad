// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Space cut among ranks along a Morton curve (G. M. Morton: A Computer Oriented Geodetic Data Base, 1966) over cells
/// so fine that only volumes at one place cannot be parted. Each rank has what lies between two places of the curve.
/// Numbers are those of one sample that all ranks have, in a fixed order, so that all cut alike.

#include "base/env.h"
#include "tact/geometry/types.h"

/// The bits of a number below 2^21, each with two zeros above it.
static inline uint64_t tact_rank_curve_bits(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x001f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x001f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

typedef struct tact_rank_curve {
    double lower[3];  ///< where the cells begin; what lies before them is in the first
    double scale;     ///< cells a unit of length, on all axes alike; 0: there is one cell
    uint64_t* cuts;  ///< `parts` + 1 of them, ascending: part i is that of the codes from cuts[i] to before cuts[i + 1]
    uint32_t parts;
} tact_rank_curve;

/// Cuts space into parts that hold as many of the sample's `count` points each as can be. The points may be infinite,
/// not NaN. OUT_OF_MEMORY.
tact_result tact_rank_curve_cut(tact_env* env, const tact_vec3* sample, size_t count, uint32_t parts,
                                tact_rank_curve* curve);

void tact_rank_curve_free(tact_env* env, tact_rank_curve* curve);

/// The part that a point lies in. Coordinates may be infinite, not NaN.
uint32_t tact_rank_curve_part(const tact_rank_curve* curve, tact_vec3 point);

/// Stands for several parts.
#define TACT_RANK_PARTS UINT32_MAX

/// The part that all cells of a box lie in, or TACT_RANK_PARTS. The box must hold a point.
uint32_t tact_rank_curve_home(const tact_rank_curve* curve, const tact_aabb* box);

/// Writes the parts that have a cell of the box, ascending, to `parts`, which has room for all, and returns how many.
/// Each point of the box lies in one of them.
uint32_t tact_rank_curve_meets(const tact_rank_curve* curve, const tact_aabb* box, uint32_t* parts);
