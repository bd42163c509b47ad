// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the kernels of the broad phase share with their host side.
#ifndef TACT_PAIRS_LAYOUT_H
#define TACT_PAIRS_LAYOUT_H

// The tree is an array of words. First, for each level, the number of its first group, as a uint4; then the groups of
// eight nodes: lower x of all, lower y, lower z, upper x, y, z, and the ids (leaves). Corners are floats as ordered
// integers (ordered.h). Leaves are level 0; a group has one parent among the nodes of the next level; the last level is
// one group. What is missing in a group overlaps nothing.
#define TACT_PAIRS_LEVELS 12
#define TACT_PAIRS_HEADER 48
#define TACT_PAIRS_GROUP_WORDS 56
// The place of a leaf's first word.
#define TACT_PAIRS_LEAF(p) (TACT_PAIRS_HEADER + TACT_PAIRS_GROUP_WORDS * ((p) >> 3u) + ((p)&7u))
// Lower and upper of a node that overlaps nothing and widens nothing.
#define TACT_PAIRS_NO_LOWER 0xffffffffu
#define TACT_PAIRS_NO_UPPER 0u

// Partners that the counting pass keeps of each item.
#define TACT_PAIRS_CACHED 8

// What a walk does.
#define TACT_PAIRS_WITHIN 1u   // one set: the smaller id first
#define TACT_PAIRS_HALF 2u     // each item looks only at what comes after it
#define TACT_PAIRS_EMIT 4u     // writes pairs; otherwise counts them
#define TACT_PAIRS_CACHE 8u    // most items' pairs are those kept by the count
#define TACT_PAIRS_PACKED 16u  // writes row << shift | b
#define TACT_PAIRS_WIDE 32u    // writes two words, b and row

// Knots of an axis's table of cells, and words of the table.
#define TACT_PAIRS_KNOTS 64
#define TACT_PAIRS_NOT_THERE 0xffffffffu

#endif
