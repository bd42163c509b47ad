// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A mesh's tree for distances: of oriented boxes, four children to a node and up to four triangles in a leaf, in rows
/// that lanes load. Axis-aligned boxes say nothing of which way a surface faces, so how far apart two pieces of surface
/// are is known to their own size only; oriented ones are thin where surfaces are flat.

#include "base/env.h"
#include "tact/scene.h"

enum {
    TACT_SEPARATION_WIDE = 4,
    TACT_SEPARATION_PAIRS = TACT_SEPARATION_WIDE * TACT_SEPARATION_WIDE,
    TACT_SEPARATION_DEPTH = 64,  ///< nodes on a path, at most
    TACT_SEPARATION_LEAF = (int)0x80000000
};

/// Boxes of four children. In box i are center + x axis[0] + y axis[1] + z axis[2], with x, y, z in [-1, 1], and 2^-22
/// spread more: all triangles of the subtree. Places without a child are zeroes, and come after all others. Children
/// come after their parents.
typedef struct tact_separation_node {
    float center[3][TACT_SEPARATION_WIDE];
    float axis[3][3][TACT_SEPARATION_WIDE];
    float reach[TACT_SEPARATION_WIDE];     ///< no coordinate of the triangles or of the box is larger
    float spread[TACT_SEPARATION_WIDE];    ///< sum of the axes' lengths, or a little more
    uint32_t child[TACT_SEPARATION_WIDE];  ///< a node, or a group with TACT_SEPARATION_LEAF; 0: none
    uint32_t first[TACT_SEPARATION_WIDE];  ///< the least id of a triangle
} tact_separation_node;

_Static_assert(sizeof(tact_separation_node) == 256, "four lines of cache");

/// The triangles of a leaf. Rows: a.x of all, a.y, a.z, b.x, ... Places from `count` on hold the first triangle again.
typedef struct tact_separation_group {
    float corner[9][TACT_SEPARATION_WIDE];
    uint32_t id[TACT_SEPARATION_WIDE];
    uint32_t count, unused[3];
} tact_separation_group;

/// Begins as zeroes.
typedef struct tact_separation_tree {
    tact_separation_node* nodes;
    tact_separation_group* groups;
    size_t node_count, group_count;
    float lower[3], upper[3];  ///< of all triangles
} tact_separation_tree;

/// Builds the tree of the triangles that are there; without any it has a node without children. Errors: OUT_OF_MEMORY;
/// the tree is then empty.
tact_result tact_separation_tree_build(tact_env* env, const tact_mesh_desc* mesh, tact_separation_tree* tree);

/// Zeroes are allowed.
void tact_separation_tree_free(tact_env* env, tact_separation_tree* tree);

/// How many children a node has.
static inline uint32_t tact_separation_children(const tact_separation_node* n)
{
    return n->child[3] ? 4 : n->child[2] ? 3 : n->child[1] ? 2 : n->child[0] ? 1 : 0;
}

uint64_t tact_separation_tree_bytes(const tact_separation_tree* tree);
