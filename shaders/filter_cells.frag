// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// The cells of a pixel that a triangle touches: marked with its object, or searched for those of more than one. A cell
// is 0, an object + 1, or MANY and above: then the number of a brick of smaller cells, should there be bricks, plus 1
// plus MANY. gpu/filter/view.h says why none is missed.
layout(std430, binding = 0) readonly buffer Setups { uvec4 setups[]; };  // kernels/filter_layout.h
layout(std430, binding = 1) buffer Cells { uint cells[]; };
layout(std430, binding = 2) buffer Flags { uint flags[]; };
layout(std430, binding = 3) buffer Bricks { uint bricks[]; };
layout(std430, binding = 4) buffer Made { uint made[]; };  // how many bricks
layout(location = 0) uniform uint width;
layout(location = 1) uniform uint height;
layout(location = 2) uniform uint depth;
layout(location = 3) uniform float slack;  // in cells
layout(location = 4) uniform float wide;   // half of a pixel, and the slack
layout(location = 6) uniform uint asking;
layout(location = 7) uniform uint first;  // slot of the first triangle
layout(location = 8) uniform uint fine;   // these are the cells of bricks: 8 along each axis of a cell of the image
layout(location = 11) uniform float deep;  // as `wide`, for depths
layout(location = 9) uniform uint coarse_width;
layout(location = 10) uniform uint coarse_depth;

const uint MANY = 0x80000000u;
const uint NONE = 0xffffffffu;

// On which side of the edge from p, of this direction, the pixel's middle lies, and by how much that changes within it.
bool beside(vec2 p, vec2 edge, float turn, float area, float wrong)
{
    precise float v = (edge.y * p.x - edge.x * p.y) * turn;
    precise float reach = wide * (abs(edge.x) + abs(edge.y)) + wrong;
    return v >= -reach && v <= area + reach;
}

// Whoever brings a second object into a cell makes its brick. Bricks' numbers differ from run to run, what is in them
// does not.
void mark(uint cell, uint object)
{
    uint there = cells[cell];
    if (there == object || there >= MANY) return;
    there = atomicCompSwap(cells[cell], 0u, object);
    if (there == 0u || there == object || there >= MANY) return;
    if (atomicMax(cells[cell], MANY) >= MANY) return;
    atomicMax(cells[cell], MANY + 1u + atomicAdd(made[0], 1u));
}

void mark_fine(uint place, uint object)
{
    uint there = bricks[place];
    if (there == object || there == MANY) return;
    there = atomicCompSwap(bricks[place], 0u, object);
    if (there != 0u && there != object) atomicMax(bricks[place], MANY);
}

// Where in the bricks a cell is; NONE where only one object is near it.
uint place_of(uvec2 pixel, uint k)
{
    uvec2 at = pixel >> 3u;
    uint cell = cells[(at.y * coarse_width + at.x) * coarse_depth + (k >> 3u)];
    if (cell <= MANY) return NONE;
    return (((cell - MANY - 1u) * 8u + (pixel.y & 7u)) * 8u + (pixel.x & 7u)) * 8u + (k & 7u);
}

void main()
{
    uint triangle = uint(gl_PrimitiveID);
    uint at = 4u * triangle;
    uint object = setups[at + 3u].z;
    vec4 ab = uintBitsToFloat(setups[at]);
    vec4 more = uintBitsToFloat(setups[at + 1u]);
    precise vec2 a = ab.xy - gl_FragCoord.xy;
    precise vec2 b = ab.zw - gl_FragCoord.xy;
    precise vec2 c = more.xy - gl_FragCoord.xy;
    vec2 most_place = vec2(width, height) - 1.0;
    vec2 begin = clamp(floor(min(min(ab.xy, ab.zw), more.xy) - slack), vec2(0.0), most_place);
    vec2 last = clamp(floor(max(max(ab.xy, ab.zw), more.xy) + slack), vec2(0.0), most_place);
    vec2 here = floor(gl_FragCoord.xy);
    float turn = more.z < 0.0 ? -1.0 : 1.0;
    float area = abs(more.z);
    bool inside = all(greaterThanEqual(here, begin)) && all(lessThanEqual(here, last)) &&
                  beside(a, ab.zw - ab.xy, turn, area, more.w) && beside(b, more.xy - ab.zw, turn, area, more.w) &&
                  beside(c, ab.xy - more.xy, turn, area, more.w);
    vec4 plane = uintBitsToFloat(setups[at + 2u]);
    vec2 range = uintBitsToFloat(setups[at + 3u].xy);
    precise float middle = plane.z - plane.x * a.x - plane.y * a.y;
    precise float around = (abs(plane.x) + abs(plane.y)) * deep + plane.w;
    precise float low = max(middle - around, range.x) - slack;
    precise float high = min(middle + around, range.y) + slack;
    float most = float(depth - 1u);
    uint k = uint(clamp(floor(low), 0.0, most));
    uint end = inside && low <= high ? uint(clamp(floor(high), 0.0, most)) + 1u : 0u;
    uvec2 pixel = uvec2(gl_FragCoord.xy);
    uint row = (pixel.y * width + pixel.x) * depth;
    if (pixel.x >= width || pixel.y >= height || object == 0u) end = 0u;
    if (asking == 0u) {
        for (; k < end; ++k) {
            uint place = fine != 0u ? place_of(pixel, k) : row + k;
            if (fine == 0u) mark(place, object);
            else if (place != NONE) mark_fine(place, object);
        }
    } else if (flags[first + triangle] == 0u) {
        bool found = false;
        for (; k < end && !found; ++k) {
            uint place = fine != 0u ? place_of(pixel, k) : row + k;
            if (fine == 0u) found = cells[place] >= MANY;
            else if (place != NONE) found = bricks[place] == MANY;
        }
        if (found) flags[first + triangle] = 1u;
    }
}
