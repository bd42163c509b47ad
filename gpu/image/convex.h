// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Convex objects against each other in images, on an OpenGL device.

#include "gpu/device.h"
#include "tact/image_space.h"

typedef struct tact_gpu_image tact_gpu_image;

/// UNSUPPORTED: not an OpenGL device.
tact_result tact_gpu_image_create(tact_device* device, tact_gpu_image** image);
/// NULL is allowed.
void tact_gpu_image_destroy(tact_gpu_image* image);

/// As tact_image_convex(); the options are valid. Enters the device itself.
tact_result tact_gpu_image_convex(tact_gpu_image* image, const tact_image_body* a, const tact_image_body* b,
                                  const tact_image_options* options, tact_image_result* results, size_t count);

/// The images of the last test of a call by readback that drew it: four depths a pixel, A's front, B's front, A's back,
/// B's back.
tact_result tact_gpu_image_pixels(tact_gpu_image* image, uint32_t resolution, float* pixels);
