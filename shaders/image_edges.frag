// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// Sets all cells of the pixel's row through which the edge runs. Whether it runs through the pixel's square, its sides
// included, is decided in whole numbers; between which depths, in floats, a little too wide rather than too narrow.
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

// Whether the edge's line meets the square: the cross product at the centre is no larger than it gets at a corner.
bool line_meets(ivec2 d, ivec2 p, int reach)
{
    uint far_upper, far_lower;
    wide cross = cross_of(d, -p);
    int upper = cross.upper;
    uint lower = cross.lower;
    if (upper < 0) {
        lower = ~lower + 1u;
        upper = ~upper + (lower == 0u ? 1 : 0);
    }
    umulExtended(uint(reach), uint(abs(d.x)) + uint(abs(d.y)), far_upper, far_lower);
    return uint(upper) != far_upper ? uint(upper) < far_upper : lower <= far_lower;
}

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy) - tile.xy;
    if (min(pixel.x, pixel.y) < 0 || max(pixel.x, pixel.y) >= int(resolution)) discard;
    int reach = 1 << (tile.z - 1);
    ivec2 centre = (2 * pixel + 1 - int(resolution)) * reach;
    ivec2 p = ends.xy - centre, q = ends.zw - centre, d = ends.zw - ends.xy;
    ivec2 low = min(p, q), high = max(p, q);
    if (max(low.x, low.y) > reach || min(high.x, high.y) < -reach || !line_meets(d, p, reach)) discard;

    float enter = 0.0, leave = 1.0;
    for (int k = 0; k < 2; ++k) {
        if (d[k] == 0) continue;
        precise float s = to_float(-reach - p[k]) * inverses[k];
        precise float t = to_float(reach - p[k]) * inverses[k];
        float first = s < t ? s : t, last = s < t ? t : s;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    enter = enter > 1.0 ? 1.0 : enter;
    leave = leave < 0.0 ? 0.0 : leave;
    precise float rise = depths.y - depths.x;
    precise float z = depths.x + enter * rise;
    precise float w = depths.x + leave * rise;
    precise float wider = (abs(depths.x) + abs(depths.y)) * 9.5367431640625e-7;
    precise float near = (z < w ? z : w) - wider;
    precise float far = (z < w ? w : z) + wider;
    float slots = float(128 * int(planes) - 1);
    int first = int(clamp(ceil(near) - 1.0, 0.0, slots));
    int end = int(clamp(floor(far) + 1.0, 0.0, slots));
    if (first >= end) discard;
    cells_0 = words_from(first, 0) & ~words_from(end, 0);
    cells_1 = cells_2 = cells_3 = uvec4(0u);
    if (planes > 1u) cells_1 = words_from(first, 128) & ~words_from(end, 128);
    if (planes > 2u) {
        cells_2 = words_from(first, 256) & ~words_from(end, 256);
        cells_3 = words_from(first, 384) & ~words_from(end, 384);
    }
}
