// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The tree of a point cloud, as cpu_ref/cloud/tree.h builds it and the kernels read it.
#ifndef TACT_CLOUD_LAYOUT_H
#define TACT_CLOUD_LAYOUT_H

// Points of a block: x of all, then y, z and ids, a word each.
#define TACT_CLOUD_BLOCK 16u
#define TACT_CLOUD_BLOCK_WORDS 64u
// Children of a node, and its words: the lower sides of all along x, then y, z, then the upper ones.
#define TACT_CLOUD_FAN 8u
#define TACT_CLOUD_NODE_WORDS 48u
// Levels at most, blocks being level 0: 2^28 points are 2^24 blocks.
#define TACT_CLOUD_LEVELS 10
// Where the level begins in the number of a place: a block's, or a node's among those of its level.
#define TACT_CLOUD_LEVEL_SHIFT 26u
#define TACT_CLOUD_INDEX_BITS 0x03ffffffu
// Words of the table: how many levels there are, then of each the first node's number, then how many it has.
#define TACT_CLOUD_TABLE_FIRST 1u
#define TACT_CLOUD_TABLE_SIZE 11u
#define TACT_CLOUD_TABLE_WORDS 21u
// Places that wait at most: all but one of the children at each level, and the children of the last.
#define TACT_CLOUD_WAITING 72

// Neighbours of a query at most.
#define TACT_CLOUD_NEAREST 64
#define TACT_CLOUD_NONE 0xffffffffu
// In place of an answer that the host is left to find.
#define TACT_CLOUD_UNFINISHED 0xfffffffeu

// What cloud_within.kernel finds: whether there is a point, how many there are, which.
#define TACT_CLOUD_ANY 0u
#define TACT_CLOUD_COUNT 1u
#define TACT_CLOUD_LIST 2u

#endif
