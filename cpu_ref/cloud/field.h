// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Cubic cells over a cloud's box, each with the point that is nearest to its middle, and how far all points are at
/// least. Most questions whether there is a point within a distance are answered by the one cell that they fall into:
/// yes, since that point is, or no, since none can be.

#include "cpu_ref/cloud/tree.h"

typedef struct tact_cloud_cell {
    float x, y, z;  ///< a point
    float empty;    ///< the square of a distance: no point is as near to any place in the cell
} tact_cloud_cell;

typedef struct tact_cloud_field {
    tact_cloud_cell* cells;
    uint32_t size[3];                ///< along each axis, x fastest
    float lower[3], scale, last[3];  ///< a place's cell is (place - lower) * scale, from 0 to last, rounded down
} tact_cloud_field;

/// Makes the cells of a tree and the points that it was built of, some tens of thousands or as many as there are
/// points, by a search from each. Errors: OUT_OF_MEMORY.
tact_result tact_cloud_field_make(tact_env* env, int threads, const tact_cloud_tree* tree, const tact_vec3* points,
                                  tact_cloud_field* field);

/// Whether it pays to make it, once so many queries have been asked.
bool tact_cloud_field_pays(const tact_cloud_tree* tree, uint64_t asked);

/// Bytes of all cells.
uint64_t tact_cloud_field_bytes(const tact_cloud_field* field);
