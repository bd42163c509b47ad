#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Of a box of multisampled planes: each pixel's nearest sample, the lowest of those at the same depth. Row after row
// from the lowest y on, without gaps, as glReadPixels gives planes that are not multisampled.
layout(local_size_x = 8, local_size_y = 8) in;

layout(binding = 0) uniform usampler2DMS ids;
layout(binding = 1) uniform usampler2DMS surfaces;
layout(std430, binding = 0) writeonly buffer Ids { uvec4 to_ids[]; };
layout(std430, binding = 1) writeonly buffer Surfaces { uvec2 to_surfaces[]; };

layout(location = 0) uniform uvec4 box;  // x, y, width, height
layout(location = 1) uniform uint samples;
layout(location = 2) uniform uint reversed;  // all ones: greater depths are nearer

const uint NOTHING = 0xffffffffu;

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= box.z || at.y >= box.w) return;
    ivec2 pixel = ivec2(box.xy + at);
    uvec4 id = uvec4(0u);
    uvec2 surface = uvec2(NOTHING);
    bool found = false;
    for (int i = 0; i < int(samples); ++i) {
        uvec2 s = texelFetch(surfaces, pixel, i).xy;
        if (s.x == NOTHING) continue;
        if (found && (s.x ^ reversed) >= (surface.x ^ reversed)) continue;
        found = true;
        surface = s;
        id = texelFetch(ids, pixel, i);
    }
    uint to = at.y * box.z + at.x;
    to_ids[to] = id;
    to_surfaces[to] = surface;
}
