// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// A vertex moved to its tile and put on the tile's grid: x and y from the tile's middle in steps of 2^-bits pixels,
// depth from the near side, in cells or from 0 to 1. All that is drawn afterwards is decided by these numbers, so they
// have one order of operations.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 row_x;
layout(location = 2) in vec4 row_y;
layout(location = 3) in vec4 row_z;
layout(location = 4) in vec4 tile;  // its lower left in pixels of the target; 2^bits; bits

out corner {
    ivec2 place;
    float depth;
    ivec3 tile;
} to;

#include "image_cells.glsl"

void main()
{
    vec3 p = position;
    to.place = ivec2(image_snapped(image_moved(row_x, p.x, p.y, p.z), tile.z),
                     image_snapped(image_moved(row_y, p.x, p.y, p.z), tile.z));
    to.depth = image_depth(image_moved(row_z, p.x, p.y, p.z));
    to.tile = ivec3(tile.xy, tile.w);
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}
