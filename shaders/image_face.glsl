// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where a triangle covers a pixel's centre, and how deep it is there. Coverage is decided in whole numbers. A centre on
// an edge's line counts to the left of the edge as it runs from the lexicographically lesser end: as if all centres
// were moved up by next to nothing, and left by next to nothing of that. So of the triangles around a closed surface an
// even number covers each centre. The build puts this text where it is included, after image_cells.glsl.
layout(location = 1) uniform uint resolution;

flat in ivec4 first_two;
flat in ivec2 third;
flat in vec3 plane;
flat in vec2 range;
flat in ivec3 tile;

// Corners are seen from the centre.
bool on_left(ivec2 a, ivec2 b, wide cross)
{
    bool swapped = a.x > b.x || (a.x == b.x && a.y > b.y);
    bool zero = cross.upper == 0 && cross.lower == 0u;
    return zero ? !swapped : cross.upper >= 0;
}

bool covered(ivec2 pixel, out float depth)
{
    depth = 0.0;
    if (min(pixel.x, pixel.y) < 0 || max(pixel.x, pixel.y) >= int(resolution)) return false;
    ivec2 centre = (2 * pixel + 1 - int(resolution)) << (tile.z - 1);
    ivec2 a = first_two.xy - centre, b = first_two.zw - centre, c = third - centre;
    wide ab = cross_of(a, b), bc = cross_of(b, c), ca = cross_of(c, a);
    bool left = on_left(a, b, ab);
    if (on_left(b, c, bc) != left || on_left(c, a, ca) != left) return false;
    precise float there = plane.x + (to_float(ca) * plane.y + to_float(ab) * plane.z);
    there = there >= range.x ? there : range.x;
    depth = there <= range.y ? there : range.y;
    return true;
}
