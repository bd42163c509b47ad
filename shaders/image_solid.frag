// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// Where a triangle covers the pixel's centre it turns over all cells whose centres are behind it, and always the last
// bit. Coverage is decided in whole numbers. A centre on an edge's line counts to the left of the edge as it runs from
// the lexicographically lesser end: as if all centres were moved up by next to nothing, and left by next to nothing of
// that. So of the triangles around a closed surface an even number covers each centre.
layout(location = 1) uniform uint resolution;
layout(location = 2) uniform uint planes;  // of 128 cells, the last bit of the last of which is no cell

flat in ivec4 first_two;
flat in ivec2 third;
flat in vec3 plane;
flat in vec2 range;
flat in ivec3 tile;

layout(location = 0) out uvec4 cells_0;
layout(location = 1) out uvec4 cells_1;
layout(location = 2) out uvec4 cells_2;
layout(location = 3) out uvec4 cells_3;

#include "image_cells.glsl"

// Corners are seen from the centre.
bool on_left(ivec2 a, ivec2 b, wide cross)
{
    bool swapped = a.x > b.x || (a.x == b.x && a.y > b.y);
    bool zero = cross.upper == 0 && cross.lower == 0u;
    return zero ? !swapped : cross.upper >= 0;
}

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy) - tile.xy;
    if (min(pixel.x, pixel.y) < 0 || max(pixel.x, pixel.y) >= int(resolution)) discard;
    ivec2 centre = (2 * pixel + 1 - int(resolution)) << (tile.z - 1);
    ivec2 a = first_two.xy - centre, b = first_two.zw - centre, c = third - centre;
    wide ab = cross_of(a, b), bc = cross_of(b, c), ca = cross_of(c, a);
    bool left = on_left(a, b, ab);
    if (on_left(b, c, bc) != left || on_left(c, a, ca) != left) discard;

    precise float depth = plane.x + (to_float(ca) * plane.y + to_float(ab) * plane.z);
    depth = depth < range.x ? range.x : depth;
    depth = depth > range.y ? range.y : depth;
    // The first cell whose centre is farther.
    precise float behind = floor(depth + 0.5);
    int slots = 128 * int(planes) - 1;
    int first = int(clamp(behind, 0.0, float(slots)));
    cells_0 = words_from(first, 0);
    cells_1 = cells_2 = cells_3 = uvec4(0u);
    if (planes > 1u) cells_1 = words_from(first, 128);
    if (planes > 2u) {
        cells_2 = words_from(first, 256);
        cells_3 = words_from(first, 384);
    }
}
