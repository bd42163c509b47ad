// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// An order of boxes in which neighbours in the order are near each other in space and of about the same size: what
/// trees over boxes are built from.
///
/// Boxes are sorted by class, that is by size on each axis in steps of 4 above what is usual in the set, so that large
/// boxes do not widen the nodes of small ones, nor long ones those of others as long in another direction. Within a
/// class they follow a Morton curve (G. M. Morton: A Computer Oriented Geodetic Data Base, 1966) whose cells are
/// halved, at each bit, across their longest side as the class's boxes measure; every other stretch of it runs
/// backwards, in the manner of Gray codes (C. Faloutsos: Gray Codes for Partial Match and Range Queries, 1988), which
/// saves a fifth of the tests. The frame of the cells comes from quantiles of a sample, so that a few boxes at the end
/// of the world do not matter; what lies outside it is moved to its border. Many boxes in one cell are sorted again, in
/// a frame of their own.

#include "cpu_ref/pairs/pairs.h"

enum { TACT_BOX_AXIS_BITS = 13 };

/// Where cells lie and how they are numbered.
typedef struct tact_box_cells {
    float low[3], scale[3];
    float most[3];                                ///< last cell of an axis
    uint32_t bits;                                ///< of a cell's number
    uint32_t spread[3][1 << TACT_BOX_AXIS_BITS];  ///< by an axis's cell: its part of the number, by exclusive or
} tact_box_cells;

typedef struct tact_box_order {
    uint64_t* items;  ///< key and, in the low 32 bits, id: sorted
    uint64_t* spare;
    size_t item_capacity, spare_capacity;
    uint32_t count;
    size_t memory_bytes;
} tact_box_order;

/// Puts the live boxes in order. O(n), with any boxes; about 16 bytes a box are kept in `order`, all zero at first.
/// The order depends on the boxes alone, not on threads. Errors: OUT_OF_MEMORY.
tact_result tact_box_order_make(tact_env* env, int threads, const tact_volume_view* of, tact_box_order* order);

void tact_box_order_release(tact_env* env, tact_box_order* order);

/// Whether every live box is in it once, and no other. For TACT_VALIDATE.
bool tact_box_order_is_valid(const tact_box_order* order, const tact_volume_view* of);
