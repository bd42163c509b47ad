// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What callers put into their fragment shaders: tact_pick_target_glsl() returns it, and an installation has it as a file.
// Its two outputs have other locations where the shader defines both of these first.
#ifndef TACT_PICK_LOCATION_0
#define TACT_PICK_LOCATION_0 1
#define TACT_PICK_LOCATION_1 2
#endif
#ifndef TACT_PICK_GLSL
#define TACT_PICK_GLSL
// What tact_pick_target_submit() finds: object, instance, primitive, normal; and depth, barycentrics.
layout(location = TACT_PICK_LOCATION_0) out uvec4 tact_pick_ids;
layout(location = TACT_PICK_LOCATION_1) out uvec2 tact_pick_surface;

// The bits of a depth from 0 to 1, which order as whole numbers; also for what is clamped, -0 and NaN.
uint tact_pick_depth_bits(float depth)
{
    return depth >= 1.0 ? 0x3f800000u : depth > 0.0 ? floatBitsToUint(depth) : 0u;
}

// For shaders that write gl_FragDepth: the depth that counts, after tact_pick().
void tact_pick_depth(float depth)
{
    tact_pick_surface.x = tact_pick_depth_bits(depth);
}

#include "pick_output.glsl"

void tact_pick(uint object, uint instance, uint primitive, vec3 normal, vec3 barycentric)
{
    tact_pick_ids = uvec4(object, instance, primitive, tact_pick_encode_normal(normal));
    tact_pick_surface = uvec2(tact_pick_depth_bits(gl_FragCoord.z), tact_pick_encode_barycentric(barycentric));
}

void tact_pick(uint object, uint instance, uint primitive, vec3 normal)
{
    tact_pick(object, instance, primitive, normal, vec3(0.0));
}

void tact_pick(uint object, uint instance, uint primitive)
{
    tact_pick(object, instance, primitive, vec3(0.0), vec3(0.0));
}

void tact_pick(uint object, uint instance)
{
    tact_pick(object, instance, uint(gl_PrimitiveID), vec3(0.0), vec3(0.0));
}

void tact_pick(uint object)
{
    tact_pick(object, 0u, uint(gl_PrimitiveID), vec3(0.0), vec3(0.0));
}

// From the slope of the position: towards the viewer for front faces, away for back faces.
vec3 tact_pick_normal(vec3 world_position)
{
    vec3 normal = cross(dFdx(world_position), dFdy(world_position));
    return gl_FrontFacing ? normal : -normal;
}
#endif
