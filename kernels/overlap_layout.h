// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the kernels of overlapping meshes share with their host side, and with each other.
//
// A place in a mesh's tree (cpu_ref/bvh.h) is one of the two children of a node: child k of node n has number 2 n + k,
// and its rows are 2 and 3 of those with that number doubled. An item of work is a pose and two places whose boxes
// meet: pose, place of A, place of B, 0. A leaf pair is pose, first triangle of A's leaf, of B's, and their counts, B's
// times 2^16. What is found is three words: pose, id in A, id in B.
#ifndef TACT_OVERLAP_LAYOUT_H
#define TACT_OVERLAP_LAYOUT_H

// Stands for the root, which is nobody's child: in both places of the first item of a pose.
#define TACT_OVERLAP_ROOT 0xffffffffu

// The array of state: how many items, leaf pairs and findings there are, and from TACT_OVERLAP_DONE on a word for each
// pose, not 0 when it is known to overlap.
#define TACT_OVERLAP_ITEMS 0
#define TACT_OVERLAP_LEAVES 1
#define TACT_OVERLAP_FOUND 2
#define TACT_OVERLAP_DONE 4

// Set in a finding's pose when the exact test has to decide.
#define TACT_OVERLAP_UNSURE 0x80000000u

// Children of an item at most, items that work on a leaf pair, and findings of a leaf pair at most.
#define TACT_OVERLAP_CHILDREN 4
#define TACT_OVERLAP_LANES 4
#define TACT_OVERLAP_MOST 16

// What a walk does.
#define TACT_OVERLAP_SELF 1u   // a mesh with itself: each pair once, none with a vertex at one place
#define TACT_OVERLAP_FIRST 2u  // asks only whether there is a pair: a pose that has one is left alone

#endif
