#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
in vec3 at;
in vec3 facing;
in vec3 place;

uniform vec3 sun;
uniform vec3 up;
uniform vec3 tint;
uniform vec3 background;
uniform vec4 fade;  // from where (x y z) and how far away it goes over into the background; 0: it does not

out vec4 color_out;

void main()
{
    vec3 normal = normalize(facing);
    if (dot(normal, at) > 0.0) normal = -normal;
    float direct = max(dot(normal, sun), 0.0);
    float above = 0.5 + 0.5 * dot(normal, up);
    vec3 light = tint * (1.25 * direct * vec3(1.0, 0.95, 0.87) + mix(vec3(0.20), vec3(0.52, 0.58, 0.68), above));
    if (fade.w > 0.0) light = mix(light, background, smoothstep(0.6 * fade.w, 2.4 * fade.w, distance(place, fade.xyz)));
    color_out = vec4(pow(min(light, 1.0), vec3(1.0 / 2.2)), 1.0);
}
