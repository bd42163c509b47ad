// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The parts of two bodies, or those of a body and of all of a set, the near ones first: as far as boxes show, and no
/// farther than a bound, which shrinks with what is found.

#include "cpu_ref/contacts/body_tree.h"
#include "cpu_ref/contacts/contacts.h"

/// Ends a walk when it is returned for a bound.
#define TACT_NEAR_STOP (-HUGE_VAL)

/// Two bodies, by their rows, and their parts; as the kernel reads them.
typedef struct tact_near_item {
    uint32_t a, b, part_a, part_b;
} tact_near_item;

/// Receives an item whose parts are at least `least` apart, if rounding is taken into account; -DBL_MAX: they may
/// overlap. Returns the bound from then on.
typedef double tact_near_fn(tact_near_item item, double least, void* user);

/// One of two bodies.
typedef struct tact_near_body {
    const tact_body* body;
    uint32_t row;
} tact_near_body;

typedef struct tact_near_walk {
    const tact_shape_tables* tables;
    bool all;      ///< everything, whatever its boxes are, without trees: for the reference
    double bound;  ///< items that are farther apart are left out
    tact_near_fn* visit;
    void* user;
} tact_near_walk;

/// Visits parts of a and b; of two shapes without parts the bodies themselves.
void tact_near_parts(tact_near_walk* walk, tact_near_body a, tact_near_body b);

/// Bodies by id, and their boxes, a NaN for none.
typedef struct tact_near_set {
    const tact_body* bodies;
    const tact_aabb* boxes;
    size_t count;
    const tact_body_tree* tree;  ///< where `all` is not set
} tact_near_set;

/// Visits parts of all bodies of a set, as a, whose categories meet those of b, which lies in `box`.
void tact_near_bodies(tact_near_walk* walk, const tact_near_set* set, tact_near_body b, const tact_aabb* box);
