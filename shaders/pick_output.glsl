// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#ifndef TACT_PICK_GLSL
#define TACT_PICK_GLSL
// What tact_pick_target_request() finds: object, instance, primitive, normal; and depth, barycentrics.
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

// Octahedral, 16 bits each way; 0x80008000: not known.
uint tact_pick_encode_normal(vec3 normal)
{
    vec3 a = abs(normal);
    float most = max(a.x, max(a.y, a.z));
    if (!(most > 0.0) || isinf(most) || isnan(a.x + a.y + a.z)) return 0x80008000u;
    vec3 n = normal / most;
    n /= abs(n.x) + abs(n.y) + abs(n.z);
    vec2 sides = vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);
    vec2 p = n.z < 0.0 ? (1.0 - abs(n.yx)) * sides : n.xy;
    ivec2 code = ivec2(round(clamp(p, -1.0, 1.0) * 32767.0));
    return (uint(code.x) & 0xffffu) | uint(code.y) << 16;
}

// Of the second and the third vertex; all ones: not known.
uint tact_pick_encode_barycentric(vec3 barycentric)
{
    vec3 a = abs(barycentric);
    float most = max(a.x, max(a.y, a.z));
    if (!(most > 0.0) || isinf(most) || isnan(a.x + a.y + a.z)) return 0xffffffffu;
    uvec2 code = uvec2(round(clamp(barycentric.yz, 0.0, 1.0) * 65535.0));
    return code.x | code.y << 16;
}

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
