#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Meshes and the floor.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;

uniform mat4 view;
uniform mat4 projection;

out vec3 at;
out vec3 facing;
out vec3 place;  // in the world

void main()
{
    vec4 seen = view * vec4(position, 1.0);
    at = seen.xyz;
    facing = mat3(view) * normal;
    place = position;
    gl_Position = projection * seen;
}
