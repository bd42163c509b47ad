// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Two clusters of a tree that is built on a device, and what they are together. Boxes are float bits; the last words of
// lower and upper sides are no sides.
#ifndef TACT_BVH_PAIR_H
#define TACT_BVH_PAIR_H

#include "ray_triangle.h"

FN float tact_bvh_half_area(uint4 al, uint4 au, uint4 bl, uint4 bu)
{
    PRECISE float x = tact_max(as_float(au.x), as_float(bu.x)) - tact_min(as_float(al.x), as_float(bl.x));
    PRECISE float y = tact_max(as_float(au.y), as_float(bu.y)) - tact_min(as_float(al.y), as_float(bl.y));
    PRECISE float z = tact_max(as_float(au.z), as_float(bu.z)) - tact_min(as_float(al.z), as_float(bl.z));
    PRECISE float area = x * y + y * z + z * x;
    return area;
}

FN uint tact_bvh_lesser(uint a, uint b)
{
    return as_float(a) < as_float(b) ? a : b;
}

FN uint tact_bvh_greater(uint a, uint b)
{
    return as_float(a) > as_float(b) ? a : b;
}

FN uint4 tact_bvh_join_lower(uint4 a, uint4 b, uint last)
{
    return make_uint4(tact_bvh_lesser(a.x, b.x), tact_bvh_lesser(a.y, b.y), tact_bvh_lesser(a.z, b.z), last);
}

FN uint4 tact_bvh_join_upper(uint4 a, uint4 b, uint last)
{
    return make_uint4(tact_bvh_greater(a.x, b.x), tact_bvh_greater(a.y, b.y), tact_bvh_greater(a.z, b.z), last);
}

// How many triangles, up to one more than a leaf has, and the height.
FN uint tact_bvh_join_facts(uint a, uint b)
{
    uint held = (a & 0xffu) + (b & 0xffu);
    uint height = (a > b ? a : b) >> 8u;
    return (held > TACT_BVH_LEAF_MOST ? TACT_BVH_LEAF_MOST + 1u : held) | ((height + 1u) << 8u);
}

// Whether a round joined less than a thirty-second part of what there was: the next one joins neighbours.
FN uint tact_bvh_few_joined(uint before, uint after)
{
    return before - after < before / 32u ? 1u : 0u;
}

#endif
