#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Points, lines and triangles of debug drawing.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;

layout(location = 0) uniform mat4 world_to_clip;
layout(location = 1) uniform float opacity;
layout(location = 2) uniform float size;  // of points, pixels
layout(location = 3) uniform int points;

out vec4 tint;

void main()
{
    tint = vec4(color.rgb, color.a * opacity);
    gl_Position = world_to_clip * vec4(position, 1.0);
    // Lines on a surface are a little in front of it; points, which face the viewer, so far that none is cut in half.
    gl_Position.z -= (points != 0 ? 3e-3 : 3e-5) * gl_Position.w;
    gl_PointSize = size;
}
