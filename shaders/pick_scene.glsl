// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a fragment of a scene shows. The build puts this text where fragment shaders include it.

#include "pick_output.glsl"
#include "pick_along.glsl"

struct Record {
    uvec4 ids;     // mesh, instance, first slot of the piece, first vertex of the mesh
    vec4 turn[3];  // rows of the cofactors of object to world: they turn cross products; in w the vertex's `about`
    vec4 row_z;    // of object to the depth that is drawn, times w
    vec4 row_w;    // and w
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

// At a corner of the triangle, as the vertex shader placed it. False behind the eye, where there is none.
bool corner_depth(uint corner, out float depth)
{
    Record r = records[record];
    precise vec3 p = vertex(r.ids.w, corner) - vec3(r.turn[0].w, r.turn[1].w, r.turn[2].w);
    float w = tact_pick_along(r.row_w, p);
    depth = tact_pick_along(r.row_z, p) / (w > 0.0 ? w : 1.0);
    return w > 0.0;
}

// As it is drawn, without the sign of a zero. Devices extend the plane of a triangle from corners that they moved to a
// grid: where it is thinner than that, or seen edge-on, the plane has any depth. So none is let through that lies
// beyond those of the three corners; it is the one that is tested, too, or what is behind a wall would come through it.
// What is no number decides nothing.
float drawn_depth()
{
    float depth = gl_FragCoord.z, at[3];
    uint first = 3u * (records[record].ids.z + uint(gl_PrimitiveID));
    bool ahead = true;
    for (uint i = 0u; i < 3u; ++i)
        ahead = corner_depth(first + i, at[i]) && ahead;
    if (ahead) {
        if (depth < at[0] && depth < at[1] && depth < at[2]) depth = min(min(at[0], at[1]), at[2]);
        if (depth > at[0] && depth > at[1] && depth > at[2]) depth = max(max(at[0], at[1]), at[2]);
    }
    return depth > 0.0 ? min(depth, 1.0) : 0.0;
}

// What the planes keep of that: the view's own.
uint shown_depth(float drawn)
{
    return floatBitsToUint(turned != 0u ? max(1.0 - drawn, 0.0) : drawn);
}
