// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/image/image.h"

uint32_t tact_image_slots(uint32_t resolution)
{
    if (resolution < TACT_IMAGE_RESOLUTION_MIN || resolution > TACT_IMAGE_RESOLUTION_MAX) return 0;
    // One, two or four planes of 128 bits a pixel, the last bit of which is no cell.
    return resolution <= 128 ? 127 : resolution <= 256 ? 255 : 511;
}
