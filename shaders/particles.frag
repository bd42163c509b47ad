#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Where the ray through the pixel meets the sphere: its depth and its light.
in vec3 at;
flat in vec3 centre;
flat in float radius;
flat in vec3 tint;

uniform mat4 projection;
uniform vec3 sun;  // towards it, in the eye's space
uniform vec3 up;   // the world's

out vec4 color_out;

void main()
{
    vec3 ray = normalize(at);
    float along = dot(ray, centre);
    vec3 nearest = ray * along - centre;
    float inside = radius * radius - dot(nearest, nearest);
    if (inside < 0.0) discard;
    vec3 surface = ray * (along - sqrt(inside));
    vec3 normal = (surface - centre) / radius;
    vec4 clip = projection * vec4(surface, 1.0);
    gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
    float direct = max(dot(normal, sun), 0.0);
    float above = 0.5 + 0.5 * dot(normal, up);
    // Crevices between spheres see little of the sky: their sides, seen from the eye, are darker than their fronts.
    float open = 0.35 + 0.65 * smoothstep(0.0, 0.9, dot(normal, -ray));
    float gloss = pow(max(dot(normalize(sun - ray), normal), 0.0), 32.0);
    vec3 light = tint * (1.25 * direct * vec3(1.0, 0.95, 0.87) + open * mix(vec3(0.20), vec3(0.52, 0.58, 0.68), above)) +
                 0.16 * gloss * direct;
    color_out = vec4(pow(min(light, 1.0), vec3(1.0 / 2.2)), 1.0);
}
