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

// Stands for the root, which is no node's child: in both places of the first item of a pose.
#define TACT_OVERLAP_ROOT 0xffffffffu

// The array of state. A walk's steps follow each other without the host, so the state says what comes next. Counters:
// items and leaf pairs that a step made, and findings, of which those past the room are counted only. STOPPED is 0
// until that happens, then how many leaf pairs that launch tested at most: the walk stands still until the host has
// collected. What a step takes: how many items, from where, where their children go, where their leaf pairs go.
#define TACT_OVERLAP_ITEMS 0
#define TACT_OVERLAP_LEAVES 1
#define TACT_OVERLAP_FOUND 2
#define TACT_OVERLAP_STOPPED 3
#define TACT_OVERLAP_COUNT 4
#define TACT_OVERLAP_FROM 5
#define TACT_OVERLAP_TO 6
#define TACT_OVERLAP_WAITING 7
// How many findings there were before the step; the number of the layer that its children are; of the whole walk: steps
// that had anything to do, leaf pairs tested, the most items; how many leaf pairs the first steps made; and where each
// layer ends.
#define TACT_OVERLAP_BEFORE 8
#define TACT_OVERLAP_LAYER 9
#define TACT_OVERLAP_LAST 10
#define TACT_OVERLAP_TESTED 11
#define TACT_OVERLAP_MOST_ITEMS 12
#define TACT_OVERLAP_MADE 16
#define TACT_OVERLAP_NOTED 512
#define TACT_OVERLAP_ENDS 528
// Last a word for each pose, not 0 when it is known to overlap.
#define TACT_OVERLAP_DONE 640

// Set in a finding's pose when the exact test has to decide.
#define TACT_OVERLAP_UNSURE 0x80000000u

// Children of an item at most, items that work on a leaf pair, and findings of a leaf pair at most.
#define TACT_OVERLAP_CHILDREN 4
#define TACT_OVERLAP_LANES 4
#define TACT_OVERLAP_MOST 16

// Items that a step may always take, and how many the end of the list is kept for.
#define TACT_OVERLAP_PIECE 16

// What a walk does.
#define TACT_OVERLAP_SELF 1u   // a mesh with itself: each pair once, none with a vertex at one place
#define TACT_OVERLAP_FIRST 2u  // asks only whether there is a pair: a pose that has one is left alone

#endif
