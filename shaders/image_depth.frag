// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// How deep a face of a convex object is at the pixel's centre.
layout(location = 3) uniform uint channel;  // of the least depth; of the greatest two further

// The least of each is kept, so the greatest is negated.
layout(location = 0) out vec4 colour;

#include "image_cells.glsl"
#include "image_face.glsl"

void main()
{
    float depth;
    if (!covered(ivec2(gl_FragCoord.xy) - tile.xy, depth)) discard;
    gl_FragDepth = clamp(depth, 0.0, 1.0);
    colour = channel == 0u ? vec4(depth, 1e30, -depth, 1e30) : vec4(1e30, depth, 1e30, -depth);
}
