// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

#include "pick_scene.glsl"

layout(location = 0) out uvec4 ids;
layout(location = 1) out uvec2 surface;

void main()
{
    float depth = drawn_depth();
    ids = shown_ids();
    surface = uvec2(shown_depth(depth), 0xffffffffu);
    gl_FragDepth = depth;
}
