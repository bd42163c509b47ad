// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// A line along the border of a tile may have pixels in the next one.
layout(location = 1) uniform uint resolution;

flat in vec2 corner;

void main()
{
    vec2 place = gl_FragCoord.xy - corner;
    if (any(lessThan(place, vec2(0.0))) || any(greaterThan(place, vec2(float(resolution))))) discard;
}
