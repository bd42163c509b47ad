// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The tree of a mesh with eight children for each node and up to eight triangles in a leaf, in rows that lanes load:
/// what the CPU searches.

#include "cpu_ref/triangle_tree.h"

enum { TACT_WIDE = 8 };

/// A child is another node or, with TACT_BVH_LEAF_BIT, a group. Places from `count` on are empty: lower INFINITY, upper
/// -INFINITY. Children come after their parents.
typedef struct tact_wide_node {
    float lower[3][TACT_WIDE], upper[3][TACT_WIDE];
    uint32_t child[TACT_WIDE];
    float low[3], high[3];  ///< of all
    uint32_t count, unused;
} tact_wide_node;

/// Rows: a.x of all, a.y, a.z, b.x, ... Places from `count` on hold the first triangle again.
typedef struct tact_wide_group {
    float corner[9][TACT_WIDE];
    uint32_t id[TACT_WIDE];
    float low[3], high[3];
    uint32_t count, first;  ///< in the tree's order
} tact_wide_group;

typedef struct tact_wide_tree {
    tact_wide_node* nodes;
    tact_wide_group* groups;
    size_t node_count, group_count;
    size_t node_capacity, group_capacity;
} tact_wide_tree;

/// Errors: OUT_OF_MEMORY; the tree is then empty. A tree of no triangles has a root without children.
tact_result tact_wide_build(tact_env* env, const tact_triangle_tree* tree, tact_wide_tree* wide);

/// Takes the triangles of the tree again, which have moved, and fits the boxes.
void tact_wide_fit(const tact_triangle_tree* tree, tact_wide_tree* wide);

void tact_wide_free(tact_env* env, tact_wide_tree* wide);

// A mesh as overlap queries see it.

/// Positions and indices may have other holders (base/shared.h). The trees are its own, and zeroes until they are
/// built. A triangle is *there* if it is in the tree: no coordinate NaN, infinite or too large.
typedef struct tact_overlap_mesh {
    float* positions;  ///< tightly packed
    size_t vertex_count;
    uint32_t* indices;
    size_t triangle_count;    ///< those that are not there too
    tact_triangle_tree tree;  ///< two children, at most TACT_OVERLAP_LEAF triangles in a leaf: for devices
    tact_wide_tree wide;      ///< the same for the CPU
    float lower[3], upper[3];
    /// What tact_overlap_mesh_connect() finds out. Vertices are one if their coordinates are equal.
    bool connected;
    /// Each side of a triangle that is there is one of exactly one other, the other way round. Those with two corners
    /// in one place do not count.
    bool closed;
    /// The lowest vertex of each set of triangles that are there and connected by vertices, ascending.
    uint32_t* parts;
    size_t part_count;
} tact_overlap_mesh;

enum { TACT_OVERLAP_LEAF = 4 };

/// Copies a mesh of at most 2^29 triangles and 2^30 vertices that has been checked. Errors: OUT_OF_MEMORY; the mesh is
/// then empty.
tact_result tact_overlap_mesh_make(tact_env* env, const tact_mesh_desc* desc, tact_overlap_mesh* mesh);

/// Builds the trees, unless they are there. Errors: OUT_OF_MEMORY.
tact_result tact_overlap_mesh_build(tact_env* env, int threads, tact_overlap_mesh* mesh);

bool tact_overlap_mesh_is_built(const tact_overlap_mesh* mesh);

/// Moves the vertices, into an array of their own where the old one has other holders. Trees that are built keep their
/// shape as long as the same triangles are there, else they are built anew. Errors: OUT_OF_MEMORY; the mesh is then as
/// before.
tact_result tact_overlap_mesh_move(tact_env* env, int threads, const float* positions, size_t stride,
                                   tact_overlap_mesh* mesh);

/// Finds what is closed and connected, if that is not known: what queries about solids ask. Errors: OUT_OF_MEMORY.
tact_result tact_overlap_mesh_connect(tact_env* env, tact_overlap_mesh* mesh);

/// Frees the trees and what is connected.
void tact_overlap_mesh_drop_trees(tact_env* env, tact_overlap_mesh* mesh);

/// A mesh of zeroes is allowed.
void tact_overlap_mesh_free(tact_env* env, tact_overlap_mesh* mesh);

uint64_t tact_overlap_mesh_bytes(const tact_overlap_mesh* mesh);
