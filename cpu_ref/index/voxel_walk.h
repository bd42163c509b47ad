// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A ray on its way through the cells of a grid. Faces are floats, so the order in which the ray crosses two of them is
/// the sign of a sum of products of two floats each.

#include "tact/geometry/voxels.h"

/// As tact_voxel_at(), of a grid that is valid.
bool tact_voxel_of_point(const tact_voxel_grid* grid, tact_vec3 point, tact_voxel* cell);

/// When something happens on a ray: at its tmin, or when it crosses a face.
typedef struct tact_voxel_event {
    int axis;     ///< -1: at tmin
    double face;  ///< coordinate
    double t;     ///< within 2^-51 of itself
} tact_voxel_event;

typedef struct tact_voxel_walk {
    const tact_voxel_grid* grid;
    double o[3], d[3], inverse[3], origin[3], size;
    double tmin, tmax;
    int64_t cell[3];  ///< where the ray is
    tact_voxel_event entered;
    tact_voxel_event next[3];  ///< when it leaves the cell along each axis; t is infinite where never
} tact_voxel_walk;

/// Goes to the first cell. False: there is none.
bool tact_voxel_walk_begin(tact_voxel_walk* walk, const tact_voxel_grid* grid, const tact_ray* ray);

/// Goes to the next cell. False: there is none.
bool tact_voxel_walk_step(tact_voxel_walk* walk);

/// Goes to the first cell that is outside of the block of `side` cells, a power of two, which this one is in. False:
/// there is none.
bool tact_voxel_walk_leap(tact_voxel_walk* walk, int64_t side);

/// The t at which the cell was entered.
float tact_voxel_walk_t(const tact_voxel_walk* walk);

static inline tact_voxel tact_voxel_walk_cell(const tact_voxel_walk* walk)
{
    return (tact_voxel){(uint32_t)walk->cell[0], (uint32_t)walk->cell[1], (uint32_t)walk->cell[2]};
}
