// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/implicit_grid.h
/// Implicit grids: boxes that do not move, as a bit each in rows for the slabs of each axis. Source: Ericson,
/// "Real-Time Collision Detection", 2005, 7.1.5.
///
/// A slab has a row of the boxes that begin in it or before, and one of those that end in it or after. So a search
/// takes six rows, whatever its size: of each axis the row of where it ends and that of where it begins, and what is in
/// all of them is tested. Slabs are as full as each other.

#include "tact/geometry/volume_tree.h"

/// Rows of bits over boxes. Made by tact_implicit_grid_create().
typedef struct tact_implicit_grid tact_implicit_grid;

/// Slabs of an axis at most.
#define TACT_IMPLICIT_GRID_SLABS 4096

/// Makes the grid of `count` boxes, which are copied; a box's id is its place in the array. Sides may be infinite.
/// `slabs` of each axis, at most TACT_IMPLICIT_GRID_SLABS; 0: 64. Takes 24 bytes a box and 6 bits for each slab and
/// box. `allocator` may be NULL: the C library's. Any number of threads may search at once. The caller destroys it.
/// Errors: INVALID_ARGUMENT (NULL; too many slabs; the detail says which box is empty or has a NaN), LIMIT (2^31 boxes
/// or more), OUT_OF_MEMORY; *grid is NULL then.
TACT_API tact_result tact_implicit_grid_create(const tact_aabb* boxes, size_t count, uint32_t slabs,
                                               const tact_allocator* allocator, tact_implicit_grid** grid);

/// Frees a grid. NULL is allowed.
TACT_API void tact_implicit_grid_destroy(tact_implicit_grid* grid);

/// Returns how many bytes a grid takes; 0 for NULL.
TACT_API size_t tact_implicit_grid_bytes(const tact_implicit_grid* grid);

/// Calls `found` for each box that shares a point with `box`, by tact_aabb_overlaps_aabb(), in order of id. Returns
/// false where `found` has ended the search.
TACT_API bool tact_implicit_grid_each_in_box(const tact_implicit_grid* grid, tact_aabb box, tact_volume_fn* found,
                                             void* user);

/// Writes the first `capacity` of these ids, ascending, to `ids`, which may be NULL if that is 0, and returns how many
/// there are.
TACT_API size_t tact_implicit_grid_in_box(const tact_implicit_grid* grid, tact_aabb box, uint32_t* ids,
                                          size_t capacity);
