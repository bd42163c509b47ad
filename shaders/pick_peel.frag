// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// A layer of what lies behind one another: only what comes after the pixel's last layer by depth and, where depths are
// equal, by the order of drawing, of which the depth test keeps the first.
#include "pick_scene.glsl"

layout(std430, binding = 4) readonly buffer Orders { uvec4 orders[]; };  // of the last layer
layout(location = 1) uniform uint width;
layout(location = 2) uniform uint behind;    // there is a last layer
layout(location = 3) uniform uint reversed;  // greater depths are nearer, as drawn
layout(location = 4) uniform uint first;     // number of the first record there is, in the order of drawing

layout(location = 0) out uvec4 ids;
layout(location = 1) out uvec2 surface;
layout(location = 2) out uvec4 order;  // record, triangle, depth as drawn, 1: there is something

void main()
{
    float drawn = drawn_depth();
    uint depth = floatBitsToUint(drawn);
    uvec2 place = uvec2(first + record, uint(gl_PrimitiveID));
    if (behind != 0u) {
        uvec4 last = orders[uint(gl_FragCoord.y) * width + uint(gl_FragCoord.x)];
        // Nothing was left here, and nothing comes after.
        if (last.w == 0u) discard;
        bool beyond = reversed != 0u ? depth < last.z : depth > last.z;
        bool after = place.x > last.x || (place.x == last.x && place.y > last.y);
        if (!beyond && !(depth == last.z && after)) discard;
    }
    ids = shown_ids();
    surface = uvec2(shown_depth(drawn), 0xffffffffu);
    order = uvec4(place, depth, 1u);
    gl_FragDepth = drawn;
}
