// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// How particles that turn lie on a device. Shared by kernels and gpu/particles/grains*.c.
//
// The buffer `memory` has the pairs: of each TACT_GRAIN_LANES particles that follow each other a row {where their pairs
// begin, how many the one with most has}; then the pairs, the k-th ones of the 32 side by side: {partner's slot, way
// slid x y z as seen from the particle}; then, where contacts roll, as many rows of {angle rolled x y z, twisted};
// then, where there are bonds, as many of {length, kind, -, -}. A pair is in the rows of both. TACT_NONE stands for no
// partner and ends a particle's pairs.
//
// The buffer `nodes` has the contacts with surfaces, a chain for each particle, in two pools, of which one has those of
// the substep before while the other is filled. Four rows each: {surface, normal x y z}, {way slid x y z, twisted},
// {angle rolled x y z, -}, {next, -, -, -}.
//
// Clumps: the buffer `clumps` has four rows of each, those of tact_clump_motion; `parts` three of each, {its members'
// first row in `parts`, how many they are, reciprocal of the mass, reach}, {inverse of the inertia xx yy zz, -}, {xy xz
// yz, -}, then two of each member, {slot, offset x y z}, {id, TACT_GHOST or 0, -, -}; `of` of each id {clump or
// TACT_NONE, the member's row}.
#ifndef TACT_GRAIN_LAYOUT_H
#define TACT_GRAIN_LAYOUT_H

#define TACT_GRAIN_LANES 32u
#define TACT_GRAIN_NONE 0xffffffffu
// In the place of the way slid along x: the two do not touch. It is -0, which no way is.
#define TACT_GRAIN_APART 0x80000000u
#define TACT_GRAIN_NODE_ROWS 4u
// Of a node's number: its pool.
#define TACT_GRAIN_POOL 0x80000000u
// A surface is its tact_contact_with and its number.
#define TACT_GRAIN_SURFACE(with, index) (((with) << 28u) | (index))
// Rows of the model, from the end of the solids on: the units of forces and torques and their reciprocals; periods x y
// z and the time of a substep; three rows of each pair of materials; two rows of each kind of bonds.
#define TACT_GRAIN_RULE_FIRST 2u
#define TACT_GRAIN_RULE_ROWS 3u
#define TACT_GRAIN_BOND_FIRST (TACT_GRAIN_RULE_FIRST + TACT_GRAIN_RULE_ROWS * 256u)
#define TACT_GRAIN_BOND_ROWS 2u
#define TACT_GRAIN_MODEL_ROWS (TACT_GRAIN_BOND_FIRST + TACT_GRAIN_BOND_ROWS * 16u)

#define TACT_CLUMP_ROWS 4u
#define TACT_CLUMP_PART_ROWS 3u
#define TACT_CLUMP_MEMBER_ROWS 2u

// Substeps that the host launches at once.
#define TACT_GRAIN_BATCH 64u

#endif
