// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/sphere_tree.h
/// Trees of spheres that hold a solid, level by level closer: collision proxies that turn and move at the cost of their
/// centres, and compounds of spheres for bodies. Sources: Hubbard, "Approximating polyhedra with spheres for
/// time-critical collision detection", 1996; Ericson, "Real-Time Collision Detection", 2005, section 6.4.

#include "tact/geometry/mesh_report.h"

/// How a sphere's part of the solid is divided among its children.
typedef enum tact_sphere_tree_method {
    TACT_SPHERE_TREE_ADAPTIVE = 0,  ///< in groups of cells about their means, which grow where the solid is
    TACT_SPHERE_TREE_OCTREE = 1     ///< by the cubes of an octree: at most eight children
} tact_sphere_tree_method;

/// Levels of a tree at most.
enum { TACT_SPHERE_TREE_LEVELS = 8 };

/// How a tree is made. Start with all zeros.
typedef struct tact_sphere_tree_settings {
    tact_sphere_tree_method method;  ///< of dividing a part of the solid
    uint32_t levels;                 ///< with the root's, at most TACT_SPHERE_TREE_LEVELS; 0: 3
    uint32_t children;               ///< of a sphere at most, 2 to 64; 0: 8
    uint32_t cells;                  ///< along the longest side of the mesh's box, 2 to 256; 0: 64
    uint64_t reserved[4];            ///< zeros
} tact_sphere_tree_settings;

/// A tree, until tact_sphere_tree_free(). The spheres of level l are those from level_start[l] up to, but without,
/// level_start[l + 1]; they hold the solid by themselves. The children of sphere i are those from first_child[i] up to
/// first_child[i + 1], one at least but in the last level, which has none.
typedef struct tact_sphere_tree {
    tact_sphere* spheres;                               ///< of all levels, the root first
    size_t sphere_count;                                ///< of `spheres`
    uint32_t* first_child;                              ///< sphere_count + 1 numbers
    uint32_t level_start[TACT_SPHERE_TREE_LEVELS + 1];  ///< level_count + 1 numbers
    uint32_t level_count;                               ///< as asked for
    tact_allocator allocator;                           ///< of the arrays
    uint64_t reserved[4];                               ///< zeros
} tact_sphere_tree;

/// Makes a tree of spheres of the solid that a closed mesh encloses. The solid is filled with cells of a grid, exactly
/// (tact_voxels_fill_solid()); each sphere is the smallest around its cells, and each cell is in one sphere of a level.
/// So every point of the solid and of its surface is in a sphere of every level, and a sphere reaches no farther
/// beyond the smallest one around its part than a cell's diagonal. Of equal input the tree is equal. Time: that of the
/// cells times levels and children. `settings` and `allocator` may be NULL.
/// Errors: INVALID_ARGUMENT (settings out of range; a mesh that tact_voxels_fill_solid() refuses, that has no
/// triangles or is too far away for its size), LIMIT, OUT_OF_MEMORY; the tree is then empty.
TACT_API tact_result tact_sphere_tree_make(const tact_mesh_view* mesh, const tact_sphere_tree_settings* settings,
                                           const tact_allocator* allocator, tact_sphere_tree* tree);

/// Frees the arrays and clears the struct. A zeroed struct is allowed.
TACT_API void tact_sphere_tree_free(tact_sphere_tree* tree);
