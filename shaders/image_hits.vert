// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// A tile's square.
layout(location = 0) in vec3 corner;  // 0 or 1
layout(location = 4) in vec4 tile;
layout(location = 0) uniform vec2 target;
layout(location = 1) uniform uint resolution;

void main()
{
    gl_Position = vec4((tile.xy + corner.xy * float(resolution)) / target * 2.0 - 1.0, 0.0, 1.0);
}
