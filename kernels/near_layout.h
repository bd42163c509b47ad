// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What closest_points.kernel, winding.kernel and gpu/trace/near.c agree on.
#ifndef TACT_NEAR_LAYOUT_H
#define TACT_NEAR_LAYOUT_H

#define TACT_NEAR_PHASE_FIRST 0u
#define TACT_NEAR_PHASE_LONG 1u
#define TACT_NEAR_PHASE_RESUME 2u

// Of winding.kernel.
#define TACT_WINDING_CROSSINGS 0u
#define TACT_WINDING_STRIPS 1u
// Edges in a block: x of all that they lead from, then y, z, and of all that they lead to.
#define TACT_WINDING_BLOCK 16u

// Where the kind of an instance begins in the word of its root: two bits, and a third one for a matrix that does not
// keep its shapes' form. Nodes have fewer bits on any device.
#define TACT_NEAR_KIND_SHIFT 29u
#define TACT_NEAR_ROOT_BITS 0x1fffffffu
#define TACT_NEAR_KIND_BITS 3u
#define TACT_NEAR_BENT 4u

// Open nodes at most, two words each, and where they begin in the slot of an unfinished query, of so many words.
#define TACT_NEAR_LEVELS 84
#define TACT_NEAR_SLOT_LEVELS 12u
#define TACT_NEAR_SLOT 180u

#endif
