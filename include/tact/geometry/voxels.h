// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/voxels.h
/// Grids of cubic cells: which cells a ray passes, which are full, and which of them a ray meets first. Every decision
/// is exact. Sources: Amanatides and Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing", 1987; Ericson,
/// "Real-Time Collision Detection", 2005, 7.4.2.
///
/// The faces of cells lie at origin + i * size, and all of these are floats, without rounding: a grid of which one is
/// not is refused, and tact_voxel_grid_fit() makes grids of which all are. So a cell is a tact_aabb, and the exact
/// tests of the library hold for it.
///
/// A point belongs to one cell: the one with lower <= point < upper on each axis. A ray passes the cells that have
/// a point of it. Along a face that is the cells on the upper side; through an edge or a corner it is those on its way
/// and no others: going up it enters a cell on the face, going down it leaves it there.

#include "tact/geometry/mesh_report.h"
#include "tact/geometry/types.h"

/// Cells along an axis, at most.
#define TACT_VOXELS_MOST 0x200000u

/// Where cells are.
typedef struct tact_voxel_grid {
    tact_vec3 origin;   ///< lower corner of cell 0, 0, 0
    float size;         ///< of a cell, > 0
    uint32_t count[3];  ///< of cells along x, y and z, 1 to TACT_VOXELS_MOST
} tact_voxel_grid;

/// A cell by its numbers along x, y and z.
typedef struct tact_voxel {
    uint32_t x, y, z;  ///< each less than the grid's count
} tact_voxel;

/// Makes a grid that holds all points of a box, with about `cells` cells along its longest side, at least 1 and at most
/// 2^20: the size is rounded up and the origin down until all faces are floats. Returns false, and leaves the grid
/// alone, where the box is empty or infinite, and where it is so far from the origin for its size that floats do not
/// tell its cells apart.
TACT_API bool tact_voxel_grid_fit(tact_aabb box, uint32_t cells, tact_voxel_grid* grid);

/// Tests whether a grid is one: finite, the counts in range, and all faces floats.
TACT_API bool tact_voxel_grid_is_valid(const tact_voxel_grid* grid);

/// Returns the box of a cell, both sides included. The grid is valid, and the cell in it.
TACT_API tact_aabb tact_voxel_box(const tact_voxel_grid* grid, tact_voxel cell);

/// Finds the cell that a point belongs to. Returns false where it is in none, which a NaN is, or the grid is not valid.
TACT_API bool tact_voxel_at(const tact_voxel_grid* grid, tact_vec3 point, tact_voxel* cell);

/// Receives a cell and the least t at which the ray is in it, rounded; the ray's tmin where it begins there. Returns
/// false to end the walk.
typedef bool tact_voxel_fn(tact_voxel cell, float t, void* user);

/// Calls `passed` for each cell that has a point of the ray between its tmin and tmax, in the order in which the ray
/// passes them. Returns false where `passed` has ended the walk. A ray without direction is a point. The order of two
/// faces along the ray is the sign of a sum of products, in doubles where these decide and without rounding where they
/// do not. An invalid ray (a NaN, an infinite origin or direction, tmin > tmax) and an invalid grid have no cells.
TACT_API bool tact_voxel_each_on_ray(const tact_voxel_grid* grid, const tact_ray* ray, tact_voxel_fn* passed,
                                     void* user);

/// Writes the first `capacity` of these cells to `cells`, which may be NULL if that is 0, and returns how many there
/// are.
TACT_API size_t tact_voxel_cells_on_ray(const tact_voxel_grid* grid, const tact_ray* ray, tact_voxel* cells,
                                        size_t capacity);

// ---- cells that are full or empty ----

/// Cells of a grid, a bit each.
typedef struct tact_voxels tact_voxels;

/// How the bits are kept: in blocks of 8 x 8 x 8 cells, 64 bytes.
typedef enum tact_voxel_storage {
    TACT_VOXELS_DENSE = 0,  ///< all blocks, one after the other
    TACT_VOXELS_SPARSE = 1  ///< blocks with full cells, found by a hash of their place: 96 to 192 bytes each
} tact_voxel_storage;

/// Makes a grid of empty cells. `allocator` may be NULL: the C library's. The caller destroys it. Any number of threads
/// may read it at once, one alone may change it. Errors: INVALID_ARGUMENT (NULL, no valid grid), LIMIT (more than 2^32
/// dense blocks), OUT_OF_MEMORY; *voxels is NULL then.
TACT_API tact_result tact_voxels_create(const tact_voxel_grid* grid, tact_voxel_storage storage,
                                        const tact_allocator* allocator, tact_voxels** voxels);

/// Frees it. NULL is allowed.
TACT_API void tact_voxels_destroy(tact_voxels* voxels);

/// What a grid of cells is like.
typedef struct tact_voxels_info {
    tact_voxel_grid grid;  ///< as given
    uint64_t full;         ///< cells
    size_t blocks;         ///< that there is memory for
    size_t bytes;          ///< of memory
    uint64_t reserved[4];  ///< zeros
} tact_voxels_info;

/// Returns what it is like, in the time of the blocks. Zeros for NULL.
TACT_API tact_voxels_info tact_voxels_get_info(const tact_voxels* voxels);

/// Tests whether a cell is full; one that is not in the grid is not.
TACT_API bool tact_voxels_get(const tact_voxels* voxels, tact_voxel cell);

/// Makes a cell full or empty. Errors: INVALID_ARGUMENT (not in the grid; NULL), OUT_OF_MEMORY; nothing has changed
/// then.
TACT_API tact_result tact_voxels_set(tact_voxels* voxels, tact_voxel cell, bool full);

/// Makes the cells that points belong to full; others do not change. Points outside of the grid are left out, and those
/// with a NaN. Errors: INVALID_ARGUMENT (NULL), OUT_OF_MEMORY, after which some may be full.
TACT_API tact_result tact_voxels_fill_points(tact_voxels* voxels, const tact_vec3* points, size_t count);

/// Makes each cell full whose box, with all sides, has a point in common with a triangle of the mesh, as
/// tact_aabb_overlaps_triangle() says it, which is exact. What is outside of the grid is left out. Errors:
/// INVALID_ARGUMENT (NULL; the detail says which triangle has a vertex that is not there or not finite),
/// OUT_OF_MEMORY, after which some may be full.
TACT_API tact_result tact_voxels_fill_triangles(tact_voxels* voxels, const tact_mesh_view* mesh);

/// Makes each cell full whose box has a point in common with what a closed mesh encloses or with its surface: no cell
/// is lost and none is too many. Cells that no triangle touches are wholly inside or outside; tact_bsp_locate() says
/// which, of the first of those that lie together in rows. Errors: as tact_bsp_make() and tact_voxels_fill_triangles();
/// LIMIT where the mesh's box has more than 2^32 cells of the grid. All but OUT_OF_MEMORY leave the cells as they were.
TACT_API tact_result tact_voxels_fill_solid(tact_voxels* voxels, const tact_mesh_view* mesh);

/// The first full cell that a ray passes.
typedef struct tact_voxel_hit {
    bool hit;         ///< false: all else is zero
    float t;          ///< the least at which the ray is in it, rounded; its tmin where it begins there
    tact_voxel cell;  ///< that is full
    int32_t axis;     ///< of the face through which it came: 0 to 2; the least where it came through an edge; -1: none
} tact_voxel_hit;

/// Finds the first full cell among those of tact_voxel_each_on_ray(). Blocks without full cells are passed at once.
TACT_API tact_voxel_hit tact_voxels_ray(const tact_voxels* voxels, const tact_ray* ray);
