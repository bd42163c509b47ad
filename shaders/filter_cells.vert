// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// The rectangle of the pixels that a triangle may touch, as half of one twice as large, of which the fragment shader
// leaves out the rest: with few pixels vertices cost more than these do. Nothing comes from vertex arrays.
layout(std430, binding = 0) readonly buffer Setups { uvec4 setups[]; };  // kernels/filter_layout.h
layout(std430, binding = 5) readonly buffer Near { uint near[]; };       // touches a cell of more than one object
layout(location = 0) uniform uint width;
layout(location = 1) uniform uint height;
layout(location = 3) uniform float slack;
layout(location = 5) uniform vec2 target;
layout(location = 7) uniform uint first;
layout(location = 8) uniform uint fine;

void main()
{
    uint triangle = uint(gl_VertexID) / 3u;
    uint at = 4u * triangle;
    uint which = uint(gl_VertexID) % 3u;
    vec4 ab = uintBitsToFloat(setups[at]);
    vec2 c = uintBitsToFloat(setups[at + 1u].xy);
    vec2 most = vec2(width, height) - 1.0;
    vec2 begin = clamp(floor(min(min(ab.xy, ab.zw), c) - slack), vec2(0.0), most);
    vec2 end = clamp(floor(max(max(ab.xy, ab.zw), c) + slack), vec2(0.0), most) + 1.0;
    if (setups[at + 3u].z == 0u || (fine != 0u && near[first + triangle] == 0u)) end = begin;
    vec2 size = 2.0 * (end - begin);
    vec2 place = begin + vec2(which == 1u ? size.x : 0.0, which == 2u ? size.y : 0.0);
    gl_Position = vec4(place / target * 2.0 - 1.0, 0.0, 1.0);
}
