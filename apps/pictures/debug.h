// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The points, lines and triangles of the library's debug drawing in a picture.

#include <stdbool.h>
#include <stdint.h>

#include "tact/tact.h"

typedef struct tact_debug_picture {
    uint32_t width, height;
    unsigned char* rgb;
    /// Of each pixel how far what it shows is, infinite where nothing is: what lies behind shows through a little.
    /// NULL: nothing is hidden.
    const float* distance;
    /// Column and row of a place in the world, and how far it is. False: it lies behind the eye.
    bool (*project)(const void* user, const float position[3], double out[3]);
    const void* user;
} tact_debug_picture;

/// What draws into it.
tact_debug_draw tact_debug_picture_draw(tact_debug_picture* picture);

/// Draws what was collected: triangles, then lines, then points.
void tact_debug_picture_list(tact_debug_picture* picture, const tact_debug_list* list);
