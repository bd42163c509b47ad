// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A coordinate of a vertex. The build puts this text where shaders include it: every stage and pass must get the same
// bits.
float tact_pick_along(vec4 row, vec3 p)
{
    precise float sum = ((row.x * p.x + row.y * p.y) + row.z * p.z) + row.w;
    return sum;
}
