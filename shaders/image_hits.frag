// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// Lets through the pixels that queries count: those in which an edge of one object is inside the other, or those in
// which the other's surface leaks.
layout(location = 0) uniform vec2 target;
layout(location = 2) uniform uint planes;
layout(location = 3) uniform uint leaks;
layout(location = 4) uniform uint plane;  // pixels

layout(std430, binding = 0) readonly buffer Solid
{
    uvec4 solid[];
};
layout(std430, binding = 1) readonly buffer Edges
{
    uvec4 edges[];
};

void main()
{
    uint pixel = uint(gl_FragCoord.y) * uint(target.x) + uint(gl_FragCoord.x);
    bool leak = solid[(planes - 1u) * plane + pixel].w >= 0x80000000u;
    if (leaks != 0u) {
        if (!leak) discard;
        return;
    }
    uvec4 common_cells = uvec4(0u);
    for (uint i = 0u; i < planes; ++i)
        common_cells |= solid[i * plane + pixel] & edges[i * plane + pixel];
    if (leak || common_cells == uvec4(0u)) discard;
}
