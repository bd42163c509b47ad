// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Prints the text for shaders whose outputs go to the location that is the argument.
#include <stdio.h>
#include <stdlib.h>

#include "tact/pick_target.h"

int main(int argc, char** argv)
{
    static char text[16384];
    const uint32_t location = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
    if (tact_pick_target_glsl(location, text, sizeof text) > sizeof text) return 1;
    return fputs(text, stdout) < 0;
}
