// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// The rectangle of the pixels that a triangle may touch, six vertices each: nothing comes from vertex arrays.
layout(std430, binding = 0) readonly buffer Setups { uvec4 setups[]; };  // kernels/filter_layout.h
layout(location = 0) uniform uint width;
layout(location = 1) uniform uint height;
layout(location = 3) uniform float slack;
layout(location = 5) uniform vec2 target;

void main()
{
    uint at = 4u * (uint(gl_VertexID) / 6u);
    uint which = uint(gl_VertexID) % 6u;
    vec4 ab = uintBitsToFloat(setups[at]);
    vec2 c = uintBitsToFloat(setups[at + 1u].xy);
    vec2 most = vec2(width, height) - 1.0;
    vec2 first = clamp(floor(min(min(ab.xy, ab.zw), c) - slack), vec2(0.0), most);
    vec2 last = clamp(floor(max(max(ab.xy, ab.zw), c) + slack), vec2(0.0), most) + 1.0;
    if (setups[at + 3u].z == 0u) last = first;
    // 0 1 2, 2 1 3
    uint corner = which < 3u ? which : which == 3u ? 2u : which == 4u ? 1u : 3u;
    vec2 place = vec2((corner & 1u) != 0u ? last.x : first.x, (corner & 2u) != 0u ? last.y : first.y);
    gl_Position = vec4(place / target * 2.0 - 1.0, 0.0, 1.0);
}
