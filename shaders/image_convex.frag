// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

layout(location = 1) uniform float side;

flat in vec4 plane;
flat in vec3 where;
layout(location = 0) out vec4 colour;

void main()
{
    vec2 p = gl_FragCoord.xy - where.xy;
    if (abs(p.x) > where.z || abs(p.y) > where.z) discard;
    float depth = plane.z + plane.x * p.x + plane.y * p.y;
    depth = side > 0.0 ? min(depth, plane.w) : max(depth, plane.w);
    gl_FragDepth = clamp(depth, 0.0, 1.0);
    colour = vec4(depth);
}
