// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the kernels of the broad phase share with their host side.
#ifndef TACT_PAIRS_LAYOUT_H
#define TACT_PAIRS_LAYOUT_H

// The tree is an array of uint4. First, for each level, the number of its first node; then the nodes, two uint4 each:
// lower corner and id (leaves), upper corner. Corners are floats as ordered integers (ordered.h). Leaves are level 0;
// eight neighbours have one parent; a level is filled up to a multiple of eight with nodes that overlap nothing.
#define TACT_PAIRS_LEVELS 12
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
