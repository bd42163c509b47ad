// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A binary tree over the triangles of a mesh, with the triangles in the order of its leaves: what devices search.

#include "base/env.h"
#include "cpu_ref/bvh.h"
#include "tact/scene.h"

/// Three 16-byte rows, as the kernels read them.
typedef struct tact_leaf_triangle {
    float a[3];
    uint32_t id;
    float b[3];
    uint32_t unused_b;
    float c[3];
    uint32_t unused_c;
} tact_leaf_triangle;

_Static_assert(sizeof(tact_leaf_triangle) == 48, "the kernels read triangles of 48 bytes");

typedef struct tact_triangle_tree {
    tact_bvh_node* nodes;  ///< at least the root; children come after their parents
    size_t node_count;
    tact_leaf_triangle* triangles;  ///< those in range, in the order of the leaves; ids count all of the mesh
    size_t triangle_count;
    uint32_t depth;
} tact_triangle_tree;

/// Copies a description that has been checked into arrays with room for all of it.
void tact_mesh_desc_copy(const tact_mesh_desc* desc, float* positions, uint32_t* indices);
/// The vertices alone, one behind the other.
void tact_mesh_positions_copy(const tact_mesh_desc* desc, float* positions);
/// The indices alone.
void tact_mesh_indices_copy(const tact_mesh_desc* desc, uint32_t* indices);

/// Copies a triangle of a mesh. False: a coordinate is NaN, infinite or beyond TACT_MAX_COORDINATE.
bool tact_mesh_triangle(const tact_mesh_desc* mesh, size_t i, tact_leaf_triangle* triangle);

/// The plain box, nothing added for rounding.
tact_bvh_box tact_leaf_triangle_box(const tact_leaf_triangle* triangle);

/// The tree of a mesh whose indices have been checked. Triangles out of range are left out. The same for every number
/// of threads. Errors: OUT_OF_MEMORY, LIMIT; the tree is then empty.
tact_result tact_triangle_tree_build(tact_env* env, int threads, const tact_mesh_desc* mesh, uint32_t max_leaf,
                                     tact_triangle_tree* tree);

/// Whether every triangle is in one leaf, links go forwards, and each child's box is exactly that of what is under it.
/// For TACT_VALIDATE.
bool tact_triangle_tree_is_valid(const tact_triangle_tree* tree);

/// Takes moved triangles and fits the boxes again. The mesh must have the same triangles in range as before.
void tact_triangle_tree_fit(tact_triangle_tree* tree, const tact_mesh_desc* mesh);

/// A tree of zeroes is allowed.
void tact_triangle_tree_free(tact_env* env, tact_triangle_tree* tree);
