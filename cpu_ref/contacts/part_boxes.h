// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Boxes of bodies and of their parts as another body sees them.

#include "cpu_ref/contacts/contacts.h"

/// A box in double precision.
typedef struct tact_part_box {
    double lower[3], upper[3];
    double radius;  ///< around that
} tact_part_box;

/// One body as another sees it.
typedef struct tact_seen {
    double axes[3][3];
    double at[3];
    double scale;
} tact_seen;

/// B in the frame of A, in units of A's shape.
tact_seen tact_seen_from(const tact_pose* a, const tact_pose* b);

/// What `box`, of the other body, covers in a frame, with room for a margin, and for what is rounded.
tact_part_box tact_part_cover(const tact_part_box* box, const tact_seen* other, double margin);

/// The box of a whole shape that is no half-space.
tact_part_box tact_shape_box(const tact_shape_tables* tables, uint32_t shape);

/// More than what a part with this box is rounded by, by its size and its place.
static inline double tact_part_slack(float lower, float upper)
{
    return 4e-5 * ((double)upper - (double)lower) + 1e-6 * (fabs((double)lower) + fabs((double)upper));
}

/// TACT_KIND_SPHERE or another.
static inline uint32_t tact_shape_kind(const tact_shape_tables* tables, uint32_t shape)
{
    return tables->shapes[TACT_SHAPE_ROWS * (size_t)shape].x;
}

// Places of trees over parts.

static inline bool tact_child_is_leaf(const tact_bvh_child* child)
{
    return (child->child & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
}

static inline bool tact_child_is_absent(const tact_bvh_child* child)
{
    return tact_child_is_leaf(child) && child->count == 0;
}

/// The longest edge of its box.
static inline double tact_child_size(const tact_bvh_child* c)
{
    const float x = c->upper[0] - c->lower[0], y = c->upper[1] - c->lower[1], z = c->upper[2] - c->lower[2];
    return (double)(x > y ? (x > z ? x : z) : (y > z ? y : z));
}
