// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the kernels that walk a cloud's tree share. Not for C.
#ifndef TACT_CLOUD_WALK_H
#define TACT_CLOUD_WALK_H

#include "cloud_layout.h"
#include "cloud_point.h"

// How many children of `width` the place has, which are numbered from `from` on at a level with so many.
FN uint tact_cloud_there(uint from, uint width, uint size)
{
    uint left = size - from;
    return left < width ? left : width;
}

FN uint tact_cloud_place(uint level, uint index)
{
    return (level << TACT_CLOUD_LEVEL_SHIFT) | index;
}

// The square of the distance of child i of the node whose words begin at `node`.
FN float tact_cloud_gap2(FROM(float, nodes) uint node, uint i, float x, float y, float z)
{
    return tact_box_gap2(x, y, z, nodes[node + i], nodes[node + 8u + i], nodes[node + 16u + i], nodes[node + 24u + i],
                         nodes[node + 32u + i], nodes[node + 40u + i]);
}

#endif
