// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// The cells of a pixel that a triangle touches: marked with its object, or searched for those of more than one.
// gpu/filter_view.h says why none is missed.
layout(std430, binding = 0) readonly buffer Setups { uvec4 setups[]; };  // kernels/filter_layout.h
layout(std430, binding = 1) buffer Cells { uint cells[]; };
layout(std430, binding = 2) buffer Flags { uint flags[]; };
layout(location = 0) uniform uint width;
layout(location = 1) uniform uint height;
layout(location = 2) uniform uint depth;
layout(location = 3) uniform float slack;  // in cells
layout(location = 4) uniform float wide;   // half of a pixel, and the slack
layout(location = 6) uniform uint asking;
layout(location = 7) uniform uint first;   // slot of the first triangle

const uint MANY = 0xffffffffu;

// On which side of the edge from p, of this direction, the pixel's middle lies, and by how much that changes within it.
bool beside(vec2 p, vec2 edge, float turn, float area, float wrong)
{
    precise float v = (edge.y * p.x - edge.x * p.y) * turn;
    precise float reach = wide * (abs(edge.x) + abs(edge.y)) + wrong;
    return v >= -reach && v <= area + reach;
}

void mark(uint cell, uint object)
{
    uint there = cells[cell];
    if (there == object || there == MANY) return;
    there = atomicCompSwap(cells[cell], 0u, object);
    if (there != 0u && there != object) atomicMax(cells[cell], MANY);
}

void main()
{
    uint triangle = uint(gl_PrimitiveID) >> 1;
    uint at = 4u * triangle;
    uint object = setups[at + 3u].z;
    vec4 ab = uintBitsToFloat(setups[at]);
    vec4 more = uintBitsToFloat(setups[at + 1u]);
    precise vec2 a = ab.xy - gl_FragCoord.xy;
    precise vec2 b = ab.zw - gl_FragCoord.xy;
    precise vec2 c = more.xy - gl_FragCoord.xy;
    float turn = more.z < 0.0 ? -1.0 : 1.0;
    float area = abs(more.z);
    bool inside = beside(a, ab.zw - ab.xy, turn, area, more.w) && beside(b, more.xy - ab.zw, turn, area, more.w) &&
                  beside(c, ab.xy - more.xy, turn, area, more.w);
    vec4 plane = uintBitsToFloat(setups[at + 2u]);
    vec2 range = uintBitsToFloat(setups[at + 3u].xy);
    precise float middle = plane.z - plane.x * a.x - plane.y * a.y;
    precise float around = (abs(plane.x) + abs(plane.y)) * wide + plane.w;
    precise float low = max(middle - around, range.x) - slack;
    precise float high = min(middle + around, range.y) + slack;
    float most = float(depth - 1u);
    uint k = uint(clamp(floor(low), 0.0, most));
    uint end = inside && low <= high ? uint(clamp(floor(high), 0.0, most)) + 1u : 0u;
    uvec2 pixel = uvec2(gl_FragCoord.xy);
    uint row = (pixel.y * width + pixel.x) * depth;
    if (pixel.x >= width || pixel.y >= height || object == 0u) end = 0u;
    if (asking == 0u) {
        for (; k < end; ++k) mark(row + k, object);
    } else if (flags[first + triangle] == 0u) {
        bool found = false;
        for (; k < end && !found; ++k) found = cells[row + k] == MANY;
        if (found) flags[first + triangle] = 1u;
    }
}
