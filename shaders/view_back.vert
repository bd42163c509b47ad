#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A triangle over all of the view.
out vec2 place;

void main()
{
    vec2 corner = vec2((gl_VertexID & 1) != 0 ? 3.0 : -1.0, (gl_VertexID & 2) != 0 ? 3.0 : -1.0);
    place = corner;
    gl_Position = vec4(corner, 1.0, 1.0);
}
