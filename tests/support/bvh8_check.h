// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What every eight-wide tree must hold to (cpu_ref/trace/bvh8.h): each primitive in one slot, boxes that contain what
/// is under them, leaves within blocks, slots in the order of the nodes, nodes and depth within their limits. The
/// including file has cmocka.

#include "cpu_ref/trace/bvh8.h"

typedef struct bvh8_check {
    const tact_bvh8* tree;
    const tact_bvh_box* boxes;  ///< by primitive
    unsigned char *seen_node, *seen_slot, *seen_primitive;
    uint32_t max_leaf, deepest;
    size_t next_slot;  ///< no later leaf may begin before it
} bvh8_check;

static inline void bvh8_check_inside(const tact_bvh_box* outer, const tact_bvh_box* inner)
{
    for (int k = 0; k < 3; ++k)
        assert_true(outer->lower[k] <= inner->lower[k] && outer->upper[k] >= inner->upper[k]);
}

static inline void bvh8_check_leaf(bvh8_check* c, uint32_t first, uint32_t count, const tact_bvh_box* around, int depth)
{
    assert_in_range(count, 1, c->max_leaf);
    assert_true(first + count <= c->tree->slot_count);
    assert_int_equal(first / TACT_BVH8_BLOCK, (first + count - 1) / TACT_BVH8_BLOCK);
    assert_true(first >= c->next_slot);
    c->next_slot = first + count;
    for (uint32_t s = first; s < first + count; ++s) {
        const uint32_t id = c->tree->order[s];
        assert_true(id < c->tree->count);
        assert_int_equal(c->seen_slot[s]++, 0);
        assert_int_equal(c->seen_primitive[id]++, 0);
        for (int d = 0; d < depth; ++d)
            bvh8_check_inside(&around[d], &c->boxes[id]);
    }
}

/// `around` has the boxes of all children on the way here, which must each contain the primitives.
static inline void bvh8_check_node(bvh8_check* c, uint32_t index, tact_bvh_box* around, int depth)
{
    assert_true(index < c->tree->node_count && depth < TACT_BVH8_MAX_DEPTH);
    assert_int_equal(c->seen_node[index]++, 0);
    if ((uint32_t)depth + 1 > c->deepest) c->deepest = (uint32_t)depth + 1;
    const tact_bvh8_node* n = &c->tree->nodes[index];
    uint32_t next_inner = n->node;
    bool ended = false;
    for (int inner = 0; inner < 2; ++inner) {  // first the leaves' slots, then those under the nodes
        for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
            const uint32_t kind = tact_bvh8_kind(n, i);
            around[depth] = tact_bvh8_child_box(n, i);
            if (kind == 0) {
                ended = true;
                for (int k = 0; k < 3; ++k)
                    assert_true(around[depth].lower[k] > around[depth].upper[k]);
                continue;
            }
            assert_true(!ended || inner);
            assert_int_equal(kind == TACT_BVH8_INNER, n->inner >> i & 1);
            if ((kind == TACT_BVH8_INNER) != (inner != 0)) continue;
            if (inner) {
                assert_int_equal(tact_bvh8_child(n, i), next_inner++);
                bvh8_check_node(c, tact_bvh8_child(n, i), around, depth + 1);
            } else {
                assert_true(tact_bvh8_child(n, i) >= n->slot);
                bvh8_check_leaf(c, tact_bvh8_child(n, i), kind, around, depth + 1);
            }
        }
    }
}

static inline void bvh8_check_tree(const tact_bvh8* tree, const tact_bvh_box* boxes, size_t count, uint32_t max_leaf,
                                   uint32_t max_depth)
{
    assert_int_equal(tree->count, count);
    assert_int_equal(tree->slot_count % TACT_BVH8_BLOCK, 0);
    bvh8_check c = {.tree = tree, .boxes = boxes, .max_leaf = max_leaf};
    c.seen_node = calloc(tree->node_count + 1, 1);
    c.seen_slot = calloc(tree->slot_count + 1, 1);
    c.seen_primitive = calloc(count + 1, 1);
    tact_bvh_box around[TACT_BVH8_MAX_DEPTH + 1];
    bvh8_check_node(&c, 0, around, 0);
    assert_int_equal(c.deepest, tree->depth);
    assert_true(tree->depth <= max_depth);
    for (size_t i = 0; i < tree->node_count; ++i)
        assert_int_equal(c.seen_node[i], 1);
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(c.seen_primitive[i], 1);
    for (size_t s = 0; s < tree->slot_count; ++s)
        assert_true(c.seen_slot[s] || tree->order[s] == UINT32_MAX);
    free(c.seen_node);
    free(c.seen_slot);
    free(c.seen_primitive);
}
