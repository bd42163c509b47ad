// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// A vertex moved to its tile and put on the tile's grid: x and y from the tile's middle in steps of 2^-bits pixels,
// depth from the near side, in cells or from 0 to 1. All that is drawn afterwards is decided by these numbers, so they have one order of
// operations.
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

float moved(vec4 row, vec3 p)
{
    precise float r = ((row.x * p.x + row.y * p.y) + row.z * p.z) + row.w;
    return r;
}

int snapped(float v, float steps)
{
    precise float s = floor(v * steps + 0.5);
    // Differences of such numbers, and of those and a pixel's centre, are whole in 32 bits.
    // Not a number: the least.
    s = s >= -536870912.0 ? s : -536870912.0;
    s = s <= 536870912.0 ? s : 536870912.0;
    return int(s);
}

void main()
{
    to.place = ivec2(snapped(moved(row_x, position), tile.z), snapped(moved(row_y, position), tile.z));
    float depth = moved(row_z, position);
    depth = depth >= -1e28 ? depth : -1e28;
    to.depth = depth <= 1e28 ? depth : 1e28;
    to.tile = ivec3(tile.xy, tile.w);
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}
