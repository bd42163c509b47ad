#version 430 core
// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What callers put into their shaders, as a whole shader, so that the build can check it.
layout(early_fragment_tests) in;
#define TACT_PICK_LOCATION_0 0
#define TACT_PICK_LOCATION_1 1
#include "pick_snippet.glsl"

layout(location = 0) in vec3 position;

void main()
{
    tact_pick(1u, 2u, 3u, tact_pick_normal(position), vec3(1.0, 0.0, 0.0));
}
