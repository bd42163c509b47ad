// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// Pixels that the stencil lets through, counted by tiles.
layout(early_fragment_tests) in;
layout(location = 0) uniform vec2 target;
layout(location = 1) uniform uint resolution;
layout(location = 2) uniform uint first;  // of the counts

layout(std430, binding = 0) buffer Counts
{
    uint counts[];
};

void main()
{
    uvec2 tile = uvec2(gl_FragCoord.xy) / resolution;
    atomicAdd(counts[first + tile.y * (uint(target.x) / resolution) + tile.x], 1u);
}
