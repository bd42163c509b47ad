// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The tree that rays, and everything else that asks a scene where something is, go down: up to eight children a node,
/// their boxes quantized to bytes within the node's own box, so that a node is 80 bytes. The same bytes on the CPU and
/// on a GPU. After Ylitie, Karras, Laine, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs"
/// (2017), with boxes that are checked to contain what they stand for.

#include <string.h>

#include "cpu_ref/bvh.h"

enum {
    TACT_BVH8_WIDTH = 8,     ///< children of a node
    TACT_BVH8_MAX_LEAF = 4,  ///< primitives of a leaf
    TACT_BVH8_BLOCK = 8,     ///< slots of a block; a leaf lies within one block
    TACT_BVH8_INNER = 7,     ///< stands for a count in `meta`: the child is a node
    TACT_BVH8_MAX_DEPTH = TACT_BVH_MAX_DEPTH,
    TACT_BVH8_MAX_TOP_DEPTH = TACT_BVH_MAX_TOP_DEPTH,
    /// Places for a walk's stack that holds children: seven of a node are put aside at most, and one is gone down.
    TACT_BVH8_STACK = (TACT_BVH8_WIDTH - 1) * TACT_BVH8_MAX_DEPTH + 1,
    TACT_BVH8_TOP_STACK = (TACT_BVH8_WIDTH - 1) * TACT_BVH8_MAX_TOP_DEPTH + 1
};

/// 80 bytes, five 16-byte rows. A child's box has on each axis the sides origin + 2^(exponent - 127) * byte, in single
/// precision: the product is exact, the sum rounds once. These sides, as computed, contain the child's true ones.
/// Children are in no particular order, absent ones last. The slots under a node lie together: first those of its own
/// leaves, in order, then those under each child that is a node, in order.
typedef struct tact_bvh8_node {
    float origin[3];
    uint8_t exponent[3];
    uint8_t inner;                  ///< bit i: child i is a node
    uint32_t node;                  ///< children that are nodes are neighbours, in order; this is the first
    uint32_t slot;                  ///< the primitives of children that are leaves lie from here on
    uint8_t meta[TACT_BVH8_WIDTH];  ///< count << 5 | offset. Leaf: primitives slot + offset on. TACT_BVH8_INNER: node +
                                    ///< offset. 0: absent; its lower sides are then 255 and its upper ones 0
    uint8_t box[3][2][TACT_BVH8_WIDTH];  ///< axis; lower, upper; child
} tact_bvh8_node;

_Static_assert(sizeof(tact_bvh8_node) == 80, "the kernels read nodes of 80 bytes");

/// Eight triangles side by side. A place that no leaf refers to has the primitive TACT_NONE and zeros.
typedef struct tact_triangle_block {
    float corner[3][3][TACT_BVH8_BLOCK];  ///< corner, axis, slot
    uint32_t primitive[TACT_BVH8_BLOCK];
} tact_triangle_block;

_Static_assert(sizeof(tact_triangle_block) == 320, "nine rows of corners and one of ids");

typedef struct tact_bvh8 {
    tact_bvh8_node* nodes;  ///< at least the root, which is node 0
    size_t node_count;
    uint32_t* order;    ///< primitive of each slot, UINT32_MAX for a place left free
    size_t slot_count;  ///< a multiple of TACT_BVH8_BLOCK
    size_t count;       ///< primitives
    uint32_t depth;     ///< nodes on the longest path
    double sah_cost;    ///< expected cost of a random ray that hits the root: node 1, leaf 0.4, primitive 0.1
} tact_bvh8;

/// The side of child `i` on an axis: `upper` 0 or 1.
static inline float tact_bvh8_side(const tact_bvh8_node* n, int axis, int upper, int i)
{
    const uint32_t bits = (uint32_t)n->exponent[axis] << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return n->origin[axis] + (float)n->box[axis][upper][i] * scale;
}

static inline tact_bvh_box tact_bvh8_child_box(const tact_bvh8_node* n, int i)
{
    tact_bvh_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.lower[axis] = tact_bvh8_side(n, axis, 0, i);
        box.upper[axis] = tact_bvh8_side(n, axis, 1, i);
    }
    return box;
}

/// Of a leaf the number of primitives, of a node TACT_BVH8_INNER, of an absent child 0.
static inline uint32_t tact_bvh8_kind(const tact_bvh8_node* n, int i)
{
    return n->meta[i] >> 5;
}

/// A node's index or a leaf's first slot.
static inline uint32_t tact_bvh8_child(const tact_bvh8_node* n, int i)
{
    return (tact_bvh8_kind(n, i) == TACT_BVH8_INNER ? n->node : n->slot) + (n->meta[i] & 31u);
}

/// The slots under a node, places left free among them: from `first` up to, and without, `end`. None: both 0.
void tact_bvh8_range(const tact_bvh8_node* nodes, uint32_t node, uint32_t* first, uint32_t* end);

/// Bounds of a node's children; a box with lower > upper when there are none.
tact_bvh_box tact_bvh8_bounds(const tact_bvh8_node* node);

/// Writes origin, exponents and the bytes of `count` boxes (finite, within 2^60), and makes the others absent.
void tact_bvh8_set_boxes(tact_bvh8_node* node, const tact_bvh_box* boxes, int count);

/// Makes the fullest tree there is of `count` primitives, at least one: four in each leaf, 32 under a node, and levels
/// of eight; its boxes are to be fitted. Writes tact_bvh8_packed_nodes() nodes from nodes[root] on; those of `order`
/// lie in slots from `slot` on, one behind the other.
void tact_bvh8_pack(size_t count, tact_bvh8_node* nodes, uint32_t root, uint32_t slot);

/// Nodes of that tree.
size_t tact_bvh8_packed_nodes(size_t count);

void tact_bvh8_free(tact_env* env, tact_bvh8* wide);
