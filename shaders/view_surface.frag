#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A key light over the left shoulder, sky and ground, a rim from behind: shapes read well from everywhere.
in vec3 world;
in vec3 facing;
flat in vec4 shown;

layout(location = 1) uniform vec3 eye;
layout(location = 2) uniform vec3 key;   // towards the lights
layout(location = 3) uniform vec3 rim;

out vec4 color_out;

void main()
{
    vec3 towards = normalize(eye - world);
    vec3 normal = facing;
    if (dot(normal, normal) < 0.01) normal = cross(dFdx(world), dFdy(world));
    normal = normalize(normal);
    if (dot(normal, towards) < 0.0) normal = -normal;
    float direct = max(dot(normal, key), 0.0);
    float above = 0.5 + 0.5 * normal.y;
    float edge = 1.0 - max(dot(normal, towards), 0.0);
    float behind = max(dot(normal, rim), 0.0) * edge * edge;
    float gloss = pow(max(dot(normal, normalize(key + towards)), 0.0), 48.0);
    vec3 light = shown.rgb * (1.05 * direct * vec3(1.0, 0.96, 0.90) +
                              mix(vec3(0.155, 0.145, 0.135), vec3(0.34, 0.38, 0.44), above));
    light += 0.30 * behind * vec3(0.65, 0.8, 1.0) + 0.10 * gloss * direct;
    // What is under the cursor or selected glows at its rim.
    light += shown.a * (0.10 + 0.9 * edge * edge) * (0.35 + shown.rgb);
    light = light / (1.0 + 0.18 * max(max(light.r, light.g), light.b));
    color_out = vec4(pow(min(light, 1.0), vec3(1.0 / 2.2)), 1.0);
}
