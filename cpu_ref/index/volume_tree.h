// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside of tact_volume_tree: the nodes of cpu_ref/bvh.h, with links upwards, so that the builder's result is a tree
/// as it stands. A place is a node and a side, 2 * node + side: where a subtree hangs or a box is. A child's `child` is
/// a node, or an id with the leaf bit; its `count` is the height of what is under it, 0 for a box. Node 0 is the root
/// and always there; it alone may lack children.

#include <math.h>

#include "cpu_ref/bvh.h"
#include "tact/geometry/aabb.h"
#include "tact/geometry/volume_tree.h"

enum { TACT_VOLUME_STACK = TACT_VOLUME_TREE_HEIGHT + 2 };

/// A child that is not there, a place that is none, an end of a list.
#define TACT_VOLUME_ABSENT 0xffffffffu
/// Of a free node's or id's link to the next free one, and of a child that is a box.
#define TACT_VOLUME_BIT 0x80000000u

struct tact_volume_tree {
    tact_env env;
    tact_bvh_node* nodes;
    uint32_t* parents;  ///< by node: its place; of a free node the bit and the next free one; of the root ABSENT
    size_t node_capacity, parent_capacity;
    uint32_t node_end;  ///< nodes below were used
    uint32_t free_node;
    uint32_t* places;  ///< by id; of a free id the bit and the next free one
    tact_aabb* boxes;  ///< by id
    uint32_t* order;   ///< room for changes: twice as many as ids
    size_t place_capacity, box_capacity, order_capacity;
    uint32_t id_end, free_id;
    uint32_t count;
    uint64_t version;  ///< of which node is where
};

static inline bool tact_volume_is_leaf(const tact_bvh_child* child)
{
    return (child->child & TACT_VOLUME_BIT) != 0;
}

static inline uint32_t tact_volume_id(const tact_bvh_child* child)
{
    return child->child & ~TACT_VOLUME_BIT;
}

static inline bool tact_volume_has(const tact_volume_tree* tree, uint32_t id)
{
    return id < tree->id_end && !(tree->places[id] & TACT_VOLUME_BIT);
}

static inline tact_bvh_child* tact_volume_at(const tact_volume_tree* tree, uint32_t place)
{
    TACT_ASSERT(place >> 1 < tree->node_end);
    return &tree->nodes[place >> 1].children[place & 1];
}

static inline tact_bvh_child tact_volume_no_child(void)
{
    return (tact_bvh_child){{INFINITY, INFINITY, INFINITY}, TACT_VOLUME_ABSENT, {-INFINITY, -INFINITY, -INFINITY}, 0};
}

static inline tact_bvh_child tact_volume_leaf(const tact_aabb* box, uint32_t id)
{
    return (tact_bvh_child){{box->lower.x, box->lower.y, box->lower.z},
                            id | TACT_VOLUME_BIT,
                            {box->upper.x, box->upper.y, box->upper.z},
                            0};
}

static inline bool tact_volume_is_box(const tact_aabb* b)
{
    return b->lower.x <= b->upper.x && b->lower.y <= b->upper.y && b->lower.z <= b->upper.z && b->lower.x > -INFINITY &&
           b->lower.y > -INFINITY && b->lower.z > -INFINITY && b->upper.x < INFINITY && b->upper.y < INFINITY &&
           b->upper.z < INFINITY;
}

/// Refuses what is no box, and one more than a tree of `count` boxes holds.
static inline tact_result tact_volume_check_new(const tact_aabb* box, size_t count)
{
    if (!tact_volume_is_box(box))
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "the box is empty, infinite or has a NaN");
    return count < TACT_VOLUME_TREE_LIMIT ? TACT_OK
                                          : tact_fail(NULL, TACT_ERROR_LIMIT, "a tree holds at most 2^30 boxes");
}

/// Half the surface; 0 of what is not there.
static inline double tact_volume_area(const float lower[3], const float upper[3])
{
    const double x = (double)upper[0] - (double)lower[0], y = (double)upper[1] - (double)lower[1],
                 z = (double)upper[2] - (double)lower[2];
    return x >= 0.0 ? x * y + y * z + z * x : 0.0;
}

/// A node as a child, with the boxes of its children and its height.
tact_bvh_child tact_volume_over(const tact_volume_tree* tree, uint32_t node);

/// Fits the children's boxes and heights from this node upwards, as far as something changes.
void tact_volume_fit_upwards(tact_volume_tree* tree, uint32_t node);

/// Says at its child where a place is.
void tact_volume_link(tact_volume_tree* tree, uint32_t place);

/// Makes the subtree of `node` anew: halves of the ids in this order. `nodes`: count - 1 of them, `node` first.
void tact_volume_halve(tact_volume_tree* tree, const uint32_t* ids, uint32_t count, const uint32_t* nodes);

/// The cost that tact_volume_tree_info has.
double tact_volume_cost(const tact_volume_tree* tree);
