// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a fragment of a scene shows. The build puts this text where fragment shaders include it.

#include "pick_output.glsl"

struct Record {
    uvec4 ids;     // mesh, instance, first slot of the piece, first vertex of the mesh
    vec4 turn[3];  // rows of the cofactors of object to world: they turn cross products
};
layout(std430, binding = 0) readonly buffer Records { Record records[]; };
layout(std430, binding = 1) readonly buffer Indices { uint indices[]; };
layout(std430, binding = 2) readonly buffer Vertices { float vertices[]; };
layout(std430, binding = 3) readonly buffer Primitives { uint primitives[]; };

layout(location = 0) uniform uint turned;  // greater depths are nearer, and in the view they are not

flat in uint record;

vec3 vertex(uint base, uint corner)
{
    uint at = 3u * (base + indices[corner]);
    return vec3(vertices[at], vertices[at + 1u], vertices[at + 2u]);
}

float largest(vec3 v)
{
    return max(max(abs(v.x), abs(v.y)), abs(v.z));
}

// Of (b - a) x (c - a) in the world. Lengths are made small before products are taken, which could overflow or vanish.
uint normal_code(uint slot)
{
    const uint NONE = 0x80008000u;
    uvec4 ids = records[record].ids;
    vec3 a = vertex(ids.w, 3u * slot);
    vec3 u = vertex(ids.w, 3u * slot + 1u) - a;
    vec3 v = vertex(ids.w, 3u * slot + 2u) - a;
    float size = max(largest(u), largest(v));
    if (!(size > 0.0)) return NONE;
    vec3 across = cross(u / size, v / size);
    size = largest(across);
    if (!(size > 0.0)) return NONE;
    across /= size;
    return tact_pick_encode_normal(vec3(dot(records[record].turn[0].xyz, across),
                                        dot(records[record].turn[1].xyz, across),
                                        dot(records[record].turn[2].xyz, across)));
}

uvec4 shown_ids()
{
    uvec4 ids = records[record].ids;
    uint slot = ids.z + uint(gl_PrimitiveID);
    return uvec4(ids.x, ids.y, primitives[slot], normal_code(slot));
}

// As it is drawn, without the sign of a zero; and the view's own.
uint drawn_depth()
{
    return gl_FragCoord.z > 0.0 ? floatBitsToUint(gl_FragCoord.z) : 0u;
}

uint shown_depth()
{
    return turned != 0u ? floatBitsToUint(max(1.0 - gl_FragCoord.z, 0.0)) : drawn_depth();
}
