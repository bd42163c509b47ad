// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Trees built on a device: what gpu/trace/bvh_build.c and its kernels agree on.
//
// Binary nodes: 0 to leaves - 1 are the triangles in the order of their Morton codes, the others come after them. Two
// uint4 each: lower sides and first child, upper sides and second child; of a leaf both words are the triangle's id.
// Beside them two words: how many triangles, up to 5, with the height times 256 (0 for a leaf; at least that), and how
// much there is to gain by opening the node, a float.
#ifndef TACT_BVH_LAYOUT_H
#define TACT_BVH_LAYOUT_H

#define TACT_BVH_NONE 0xffffffffu
#define TACT_BVH_RADIUS 8u         // places to either side among which a cluster looks for its nearest
#define TACT_BVH_PLACES 240u       // of clusters that a group of 256 joins; the others see to what is nearest to these
#define TACT_BVH_LAST 512u         // so many clusters are joined to the end by one group
#define TACT_BVH_FREE_ROUNDS 112u  // after so many, all rounds join neighbours
#define TACT_BVH_NODE_WORDS 20u    // as tact_bvh8_node
#define TACT_BVH_BLOCK_WORDS 80u   // as tact_triangle_block
#define TACT_BVH_LEAF_MOST 4u      // as TACT_BVH8_MAX_LEAF
#define TACT_BVH_INNER_KIND 7u     // as TACT_BVH8_INNER
#define TACT_BVH_LEVELS_MOST 48u   // as TACT_BVH8_MAX_DEPTH
// A wide node that opens the highest of its children first, seven in all, leaves none that is not lower by three.
#define TACT_BVH_LEVELS_OPENED 3u

// What a group finds out about a tree, words of a row: what its part costs; upper sides of the bounds of the triangles'
// padded boxes, as rays ask for them, and lower sides with their signs turned; the same of the corners.
#define TACT_BVH_FACTS 13u
#define TACT_BVH_FACT_ROW 16u

// What was counted of a tree that is being built, words of a buffer `counts`, zeros at first: the clusters there are,
// by round, before the first of them one for each leaf; how many are left when one group has joined the last of them,
// 1; nodes of the level that is being opened; slots; whether there were more nodes than there may be, or, once it is
// built, whether other triangles are in range; nodes and slots of a tree that is open to the bottom and fits, else 0;
// and the first node of each level, up to two behind the last.
#define TACT_BVH_ROUNDS 143u
#define TACT_BVH_LEFT 144u
#define TACT_BVH_OPENED 145u
#define TACT_BVH_SLOTS 146u
#define TACT_BVH_FAULT 147u
#define TACT_BVH_CHANGED 148u
#define TACT_BVH_NODES 149u
#define TACT_BVH_FILLED 150u
#define TACT_BVH_LEVEL 151u
#define TACT_BVH_COUNTS 201u

// The clusters that a round of so many groups joins: none where there are more than they have places, and none of the
// last ones, which are left to bvh_join. All rounds after it have none then.
#define TACT_BVH_TO_JOIN(count, groups) ((count) > TACT_BVH_LAST && (count) <= (groups)*TACT_BVH_PLACES ? (count) : 0u)

#endif
