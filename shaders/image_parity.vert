// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// A vertex moved to its tile and clipped to that; a driver's rasteriser does the rest. The view is skewed: what runs
// along it is common, such as the edges of boxes, and would have no pixel.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 row_x;
layout(location = 2) in vec4 row_y;
layout(location = 3) in vec4 row_z;
layout(location = 4) in vec4 tile;             // its lower left in pixels of the target
layout(location = 0) uniform vec2 target;      // pixels
layout(location = 1) uniform uint resolution;  // of a tile
layout(location = 2) uniform float slots;      // depths in a view: cells

out float gl_ClipDistance[4];
flat out vec2 corner;

const vec2 skew = vec2(0.17, 0.11);  // how far the view's far side is moved, in images

void main()
{
    float size = float(resolution);
    vec4 p = vec4(position, 1.0);
    float depth = dot(row_z, p) / slots;
    vec2 place = vec2(dot(row_x, p), dot(row_y, p)) * (1.0 - skew) + size * skew * (depth - 0.5);
    gl_ClipDistance[0] = 0.5 * size + place.x;
    gl_ClipDistance[1] = 0.5 * size - place.x;
    gl_ClipDistance[2] = 0.5 * size + place.y;
    gl_ClipDistance[3] = 0.5 * size - place.y;
    corner = tile.xy;
    gl_Position = vec4((tile.xy + 0.5 * size + place) / target * 2.0 - 1.0, depth * 2.0 - 1.0, 1.0);
}
