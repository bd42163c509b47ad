// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// A layer of what lies behind one another: only what comes after the pixel's last layer by depth and, where depths are
// equal, by the order of drawing, of which the depth test keeps the first.
#include "pick_scene.glsl"

layout(std430, binding = 4) readonly buffer Surfaces { uvec2 surfaces[]; };  // of the last layer
layout(std430, binding = 5) readonly buffer Orders { uvec2 orders[]; };
layout(location = 0) uniform uint width;
layout(location = 1) uniform uint behind;    // there is a last layer
layout(location = 2) uniform uint reversed;  // greater depths are nearer
layout(location = 3) uniform uint first;     // number of the first record there is, in the order of drawing

layout(location = 0) out uvec4 ids;
layout(location = 1) out uvec2 surface;
layout(location = 2) out uvec2 order;

void main()
{
    uint depth = shown_depth();
    uvec2 place = uvec2(first + record, uint(gl_PrimitiveID));
    if (behind != 0u) {
        uint at = uint(gl_FragCoord.y) * width + uint(gl_FragCoord.x);
        uvec2 last = orders[at];
        uint front = surfaces[at].x;
        // Nothing was left here, and nothing comes after.
        if (front == 0xffffffffu) discard;
        bool beyond = reversed != 0u ? depth < front : depth > front;
        bool after = place.x > last.x || (place.x == last.x && place.y > last.y);
        if (!beyond && !(depth == front && after)) discard;
    }
    ids = shown_ids();
    surface = uvec2(depth, 0xffffffffu);
    order = place;
}
