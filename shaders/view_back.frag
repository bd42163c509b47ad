#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The background: dusk above, mist below.
in vec2 place;

out vec4 color_out;

void main()
{
    float height = 0.5 + 0.5 * place.y;
    vec3 light = mix(vec3(0.235, 0.255, 0.285), vec3(0.085, 0.097, 0.122), smoothstep(0.0, 1.0, height));
    color_out = vec4(light, 1.0);
}
