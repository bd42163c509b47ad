// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// Lets through the pixels that queries count: those in which an edge of one object is inside the other (what: 0), in
// which the other's surface leaks (1), or with cells inside both (2).
layout(location = 0) uniform vec2 target;
layout(location = 2) uniform uint planes;
layout(location = 3) uniform uint what;
layout(location = 4) uniform uint plane;  // pixels

layout(std430, binding = 0) readonly buffer Solid
{
    uvec4 solid[];
};
layout(std430, binding = 1) readonly buffer Edges
{
    uvec4 edges[];
};
layout(std430, binding = 2) readonly buffer Other
{
    uvec4 other[];  // the other's inside
};

void main()
{
    uint pixel = uint(gl_FragCoord.y) * uint(target.x) + uint(gl_FragCoord.x);
    uint last = (planes - 1u) * plane + pixel;
    bool leak = solid[last].w >= 0x80000000u;
    if (what == 1u) {
        if (!leak) discard;
        return;
    }
    if (leak || (what == 2u && other[last].w >= 0x80000000u)) discard;
    uvec4 common_cells = uvec4(0u);
    for (uint i = 0u; i < planes; ++i) {
        uint k = i * plane + pixel;
        common_cells |= solid[k] & (what == 2u ? other[k] : edges[k]);
    }
    if (common_cells == uvec4(0u)) discard;
}
