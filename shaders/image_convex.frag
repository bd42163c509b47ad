// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

layout(location = 3) uniform uint channel;  // of the fronts; of the backs two further

flat in vec4 plane;
flat in vec4 where;
// The least of each is kept: fronts as they are, backs negated.
layout(location = 0) out vec4 colour;

void main()
{
    vec2 p = gl_FragCoord.xy - where.xy;
    if (abs(p.x) > where.z || abs(p.y) > where.z) discard;
    float depth = plane.z + plane.x * p.x + plane.y * p.y;
    depth = where.w > 0.0 ? min(depth, plane.w) : max(depth, plane.w);
    gl_FragDepth = clamp(depth, 0.0, 1.0);
    colour = vec4(1e30);
    if (where.w > 0.0) {
        if (channel == 0u) colour.x = depth;
        else colour.y = depth;
    } else {
        if (channel == 0u) colour.z = -depth;
        else colour.w = -depth;
    }
}
