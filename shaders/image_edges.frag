// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// Sets all cells of the pixel's row through which the edge runs.
layout(location = 1) uniform uint resolution;
layout(location = 2) uniform uint planes;

flat in ivec4 ends;
flat in vec2 depths;
flat in vec2 inverses;
flat in ivec3 tile;

layout(location = 0) out uvec4 cells_0;
layout(location = 1) out uvec4 cells_1;
layout(location = 2) out uvec4 cells_2;
layout(location = 3) out uvec4 cells_3;

#include "image_cells.glsl"

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy) - tile.xy;
    int size = int(resolution);
    if (min(pixel.x, pixel.y) < 0 || max(pixel.x, pixel.y) >= size) discard;
    image_edge e = image_edge(ends.x, ends.y, ends.z, ends.w, depths.x, depths.y, inverses.x, inverses.y);
    image_cells_range r = image_edge_cells(e, image_centre(pixel.x, size, tile.z), image_centre(pixel.y, size, tile.z),
                                           tile.z, 128 * int(planes) - 1);
    int first = r.first, end = r.end;
    if (first >= end) discard;
    cells_0 = words_from(first, 0) & ~words_from(end, 0);
    cells_1 = cells_2 = cells_3 = uvec4(0u);
    if (planes > 1u) cells_1 = words_from(first, 128) & ~words_from(end, 128);
    if (planes > 2u) {
        cells_2 = words_from(first, 256) & ~words_from(end, 256);
        cells_3 = words_from(first, 384) & ~words_from(end, 384);
    }
}
