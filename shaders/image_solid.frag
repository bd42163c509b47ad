// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// Where a triangle covers the pixel's centre it turns over all cells whose centres are behind it, and always the last
// bit.
layout(location = 2) uniform uint planes;  // of 128 cells, the last bit of the last of which is no cell

layout(location = 0) out uvec4 cells_0;
layout(location = 1) out uvec4 cells_1;
layout(location = 2) out uvec4 cells_2;
layout(location = 3) out uvec4 cells_3;

#include "image_cells.glsl"
#include "image_face.glsl"

void main()
{
    float depth;
    if (!covered(ivec2(gl_FragCoord.xy) - tile.xy, depth)) discard;
    int first = image_first_cell(depth, 128 * int(planes) - 1);
    cells_0 = words_from(first, 0);
    cells_1 = cells_2 = cells_3 = uvec4(0u);
    if (planes > 1u) cells_1 = words_from(first, 128);
    if (planes > 2u) {
        cells_2 = words_from(first, 256);
        cells_3 = words_from(first, 384);
    }
}
