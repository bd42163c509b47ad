#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A sphere as a square that faces the eye, just large enough to cover it.
layout(location = 0) in vec4 sphere;    // x y z radius
layout(location = 1) in vec4 velocity;  // the last part is not used
layout(location = 2) in uvec2 tag;      // id; material + 256 * group

uniform mat4 view;        // world to eye: a rotation and a translation
uniform mat4 projection;
uniform int color;        // 0: by id, 1: by speed, 2: by size
uniform int own_ids;      // 0: the id is the number of the sphere drawn
uniform vec3 stops[5];    // of the scale of colours, in linear light
uniform vec2 range;       // what the scale's ends stand for

out vec3 at;              // in the eye's space
flat out vec3 centre;
flat out float radius;
flat out vec3 tint;

vec3 scale(float t)
{
    float x = clamp(t, 0.0, 1.0) * 4.0;
    int k = min(int(x), 3);
    return mix(stops[k], stops[k + 1], x - float(k));
}

void main()
{
    uint id = own_ids != 0 ? tag.x : uint(gl_InstanceID);
    float value = color == 0 ? float(id) : color == 1 ? length(velocity.xyz) : sphere.w;
    tint = scale(range.y > range.x ? (value - range.x) / (range.y - range.x) : 0.0);
    if (color == 0) tint *= 0.82 + 0.36 * float((id * 2654435761u) >> 24) / 255.0;
    centre = (view * vec4(sphere.xyz, 1.0)).xyz;
    radius = sphere.w;
    float away = length(centre);
    vec3 towards = -centre / max(away, 1e-20);
    vec3 side = normalize(cross(abs(towards.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), towards));
    vec3 up = cross(towards, side);
    // The cone about the sphere is wider at its centre than the sphere is.
    float reach = radius * away / sqrt(max(away * away - radius * radius, 1e-3 * away * away));
    vec2 corner = vec2((gl_VertexID & 1) != 0 ? 1.0 : -1.0, (gl_VertexID & 2) != 0 ? 1.0 : -1.0);
    at = centre + reach * (corner.x * side + corner.y * up);
    gl_Position = projection * vec4(at, 1.0);
}
