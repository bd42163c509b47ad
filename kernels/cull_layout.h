// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What cull_kernel.h and gpu/cull/cull.c agree on.
#ifndef TACT_CULL_LAYOUT_H
#define TACT_CULL_LAYOUT_H

// Words of the table: eight for each plane, then these.
#define TACT_CULL_TABLE_BOUNDS 256u
#define TACT_CULL_TABLE_TREE 288u
#define TACT_CULL_TABLE_MIXES 320u
#define TACT_CULL_MIX_WORDS 8u

// Bits of `options`.
#define TACT_CULL_HAS_PLANES 1u
#define TACT_CULL_HOLDS_NOTHING 2u
#define TACT_CULL_IS_BOUNDED 4u
#define TACT_CULL_HAS_BOXES 8u
#define TACT_CULL_CLASSIFY 16u
#define TACT_CULL_FIRST_PART 32u
#define TACT_CULL_LAST_PART 64u

#endif
