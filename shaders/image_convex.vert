// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// A vertex of a convex object, moved to its tile: x and y in pixels from the tile's middle, z from 0 to 1 in the view.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 row_x;
layout(location = 2) in vec4 row_y;
layout(location = 3) in vec4 row_z;
layout(location = 4) in vec4 tile;
layout(location = 0) uniform vec3 inside;

out corner {
    vec3 place;
    vec3 inside;
    vec4 tile;
} to;

vec3 moved(vec3 p)
{
    return vec3(dot(row_x.xyz, p) + row_x.w, dot(row_y.xyz, p) + row_y.w, dot(row_z.xyz, p) + row_z.w);
}

void main()
{
    to.place = moved(position);
    to.inside = moved(inside);
    to.tile = tile;
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}
