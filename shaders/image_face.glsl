// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where a triangle covers a pixel's centre, and how deep it is there. The build puts this text where it is included,
// after image_cells.glsl.
layout(location = 1) uniform uint resolution;

flat in ivec4 first_two;
flat in ivec2 third;
flat in vec3 plane;
flat in vec2 range;
flat in ivec3 tile;

bool covered(ivec2 pixel, out float depth)
{
    depth = 0.0;
    int size = int(resolution);
    if (min(pixel.x, pixel.y) < 0 || max(pixel.x, pixel.y) >= size) return false;
    image_face face = image_face(first_two.x, first_two.y, first_two.z, first_two.w, third.x, third.y, plane.x, plane.y,
                                 plane.z, range.x, range.y);
    image_seen seen = image_look(face, image_centre(pixel.x, size, tile.z), image_centre(pixel.y, size, tile.z));
    depth = seen.depth;
    return seen.covered;
}
