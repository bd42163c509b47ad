// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the shaders that draw objects of image-space tests share with the kernels that compute such images. The build
// puts this text where they include it.
#include "../kernels/dialect_glsl.h"
#include "../kernels/image_raster.h"

uvec4 words_from(int first, int base)
{
    return uvec4(image_bits_from(first, base), image_bits_from(first, base + 32), image_bits_from(first, base + 64),
                 image_bits_from(first, base + 96));
}
