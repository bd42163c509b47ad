// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// A vertex of a scene to pick from. The matrix comes from the host, made in double precision for a place near the
// eye, which is taken off first: so what is near stays sharp however far both are from the origin. Every pass must get
// the same bits.
#include "pick_along.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec4 row_x;  // of object to clip
layout(location = 2) in vec4 row_y;
layout(location = 3) in vec4 row_z;
layout(location = 4) in vec4 row_w;
layout(location = 5) in vec4 about;  // that place, and the number of the record

flat out uint record;
invariant gl_Position;

void main()
{
    precise vec3 p = position - about.xyz;
    precise vec4 place = vec4(tact_pick_along(row_x, p), tact_pick_along(row_y, p), tact_pick_along(row_z, p),
                              tact_pick_along(row_w, p));
    gl_Position = place;
    record = uint(about.w);
}
