#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the viewer shows: triangles with normals, and a look for each object.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 normal;
layout(location = 2) in vec4 look;  // a tint in linear light; how much it glows

layout(location = 0) uniform mat4 world_to_clip;

out vec3 world;
out vec3 facing;
flat out vec4 shown;

void main()
{
    world = position;
    facing = normal.xyz;
    shown = look;
    gl_Position = world_to_clip * vec4(position, 1.0);
}
