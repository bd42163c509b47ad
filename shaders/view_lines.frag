#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
in vec4 tint;

layout(location = 3) uniform int points;

out vec4 color_out;

void main()
{
    if (points != 0 && distance(gl_PointCoord, vec2(0.5)) > 0.5) discard;
    color_out = tint;
}
