// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/octree.h
/// Octrees by locational codes: a linear octree of points, a sorted array, and a loose octree of boxes that move.
/// Sources: Ericson, "Real-Time Collision Detection", 2005, 7.3.1 to 7.3.6; Ulrich, "Loose Octrees", in Game
/// Programming Gems, 2000.

#include "tact/geometry/volume_tree.h"
#include "tact/geometry/voxels.h"

// ---- locational codes ----

// The code of a cell: a 1, then three bits for each level below the root, x y z. The root's is 1.

/// Levels below the root at most, so that a code fits 64 bits.
#define TACT_OCTREE_LEVELS 21

/// Returns the code of a cell by its level, 0 for the root, and its numbers along x, y and z at that level, each less
/// than 2^level; 0 for a cell that is none.
TACT_API uint64_t tact_octree_code(uint32_t level, tact_voxel cell);

/// Returns the level of a code, 0 for the root; UINT32_MAX for a number that is no code.
TACT_API uint32_t tact_octree_code_level(uint64_t code);

/// Returns the numbers of a cell along x, y and z at its level; zeros for a number that is no code.
TACT_API tact_voxel tact_octree_code_cell(uint64_t code);

/// Returns the code of the cell around one; 0 for the root's and for a number that is no code.
TACT_API uint64_t tact_octree_code_parent(uint64_t code);

/// Returns the code of an eighth: bit 2 of `which` is set for the upper half along x, bit 1 for y, bit 0 for z. 0 below
/// the last level, and for a number that is no code.
TACT_API uint64_t tact_octree_code_child(uint64_t code, uint32_t which);

/// Returns the code of the cell that many cells further at the same level; 0 beyond the root, and for a number that is
/// no code.
TACT_API uint64_t tact_octree_code_neighbour(uint64_t code, int32_t x, int32_t y, int32_t z);

/// Tests whether a cell is `inner` or around it.
TACT_API bool tact_octree_code_holds(uint64_t outer, uint64_t inner);

// ---- linear octree ----

/// In place of a leaf.
#define TACT_OCTREE_NONE 0xffffffffu

/// Cells with points, in the order of a Morton curve, until tact_octree_free(). No cell is around another, and one that
/// could be larger has more points than a leaf may have.
typedef struct tact_octree {
    tact_voxel_grid grid;      ///< of the cells at the lowest level
    uint32_t levels;           ///< of them
    uint32_t leaf_count;       ///< of `codes`
    uint32_t point_count;      ///< of `points`
    uint64_t* codes;           ///< of the leaves
    uint32_t* first;           ///< of each leaf, its first among `points`; one more at the end
    uint32_t* points;          ///< their numbers, by cells of the lowest level in the same order, then ascending
    tact_allocator allocator;  ///< of the arrays
    uint64_t reserved[4];      ///< zeros
} tact_octree;

/// How a linear octree is made. Start with all zeros.
typedef struct tact_octree_settings {
    uint32_t leaf_points;  ///< of a cell that is not divided, at most, but at the lowest level; 0: 16
    uint32_t levels;       ///< below the root, at most 20; 0: 10
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_octree_settings;

/// Makes the octree of points, whose coordinates are not kept. Which cell a point is in is exact: the grid is
/// tact_voxel_grid_fit()'s. Equal input gives an equal tree. `settings` and `allocator` may be NULL: the defaults, the
/// C library's. Errors: INVALID_ARGUMENT (NULL, a point that is not finite, too many levels, points so far from the
/// origin that floats do not tell cells of the lowest level apart), LIMIT (2^31 points or more), OUT_OF_MEMORY. The
/// tree is then empty.
TACT_API tact_result tact_octree_make(const tact_vec3* points, size_t count, const tact_octree_settings* settings,
                                      const tact_allocator* allocator, tact_octree* tree);

/// Frees the arrays and clears the struct. A zeroed struct is allowed.
TACT_API void tact_octree_free(tact_octree* tree);

/// Returns the leaf that is the cell with this code, or around it; TACT_OCTREE_NONE where there is none. O(log n).
TACT_API uint32_t tact_octree_leaf_of(const tact_octree* tree, uint64_t code);

/// Returns the leaf that a point belongs to, or TACT_OCTREE_NONE. O(log n).
TACT_API uint32_t tact_octree_find(const tact_octree* tree, tact_vec3 point);

/// Returns the box of a cell, both sides included, by the tree's grid. `code` is one, of a level of the tree.
TACT_API tact_aabb tact_octree_box(const tact_octree* tree, uint64_t code);

/// Calls `found` with each leaf whose box shares a point with `box`, in the order of the leaves. Returns false where
/// `found` has ended the search.
TACT_API bool tact_octree_each_in_box(const tact_octree* tree, tact_aabb box, tact_volume_fn* found, void* user);

// ---- loose octree ----

/// Boxes that move, each in a cell that is at least as large as it is: cells reach half their size further on each
/// side, so which one a box is in depends on its size and its middle alone.
typedef struct tact_loose_octree tact_loose_octree;

/// Makes an empty tree over a cube around `world`, with cells of `levels` sizes below it, 1 to 20. Boxes that are
/// larger, or lie outside, are in the root, which every search looks through. `allocator` may be NULL. The same threads
/// may do the same as with tact_volume_tree. The caller destroys it. Errors: INVALID_ARGUMENT (NULL, levels out of
/// range, a world that is empty, infinite or a point), OUT_OF_MEMORY; *tree is NULL then.
TACT_API tact_result tact_loose_octree_create(tact_aabb world, uint32_t levels, const tact_allocator* allocator,
                                              tact_loose_octree** tree);

/// Frees a tree. NULL is allowed.
TACT_API void tact_loose_octree_destroy(tact_loose_octree* tree);

/// What a tree is like.
typedef struct tact_loose_octree_info {
    size_t count;          ///< boxes
    size_t cells;          ///< with boxes in them or below; the root always
    uint32_t id_end;       ///< ids in use are less
    size_t bytes;          ///< of memory
    uint64_t reserved[4];  ///< zeros
} tact_loose_octree_info;

/// Returns what a tree is like; zeros for NULL.
TACT_API tact_loose_octree_info tact_loose_octree_get_info(const tact_loose_octree* tree);

/// Puts a box in. `id` receives the last id that was freed, or else the next one. Errors: INVALID_ARGUMENT (no box, as
/// tact_volume_tree has it; NULL), LIMIT (2^30 boxes), OUT_OF_MEMORY; the tree is then as before.
TACT_API tact_result tact_loose_octree_insert(tact_loose_octree* tree, tact_aabb box, uint32_t* id);

/// Takes a box out and frees its id. Errors: INVALID_ARGUMENT where there is none.
TACT_API tact_result tact_loose_octree_remove(tact_loose_octree* tree, uint32_t id);

/// Gives a box a new place. Within its cell nothing else changes; else it goes to another list, in the time of the
/// levels at most. Errors: INVALID_ARGUMENT (no box with this id; `box` is none), OUT_OF_MEMORY; the tree is then as
/// before.
TACT_API tact_result tact_loose_octree_move(tact_loose_octree* tree, uint32_t id, tact_aabb box);

/// Searches as tact_volume_tree_each_in_box(), tact_volume_tree_each_in_frustum() and tact_volume_tree_ray() do, with
/// the same boxes found, in another order.
TACT_API bool tact_loose_octree_each_in_box(const tact_loose_octree* tree, tact_aabb box, tact_volume_fn* found,
                                            void* user);
TACT_API bool tact_loose_octree_each_in_frustum(const tact_loose_octree* tree, const tact_frustum* frustum,
                                                tact_volume_fn* found, void* user);
TACT_API float tact_loose_octree_ray(const tact_loose_octree* tree, const tact_ray* ray, tact_volume_ray_fn* met,
                                     void* user);
