// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What tests that draw many pairs into one target, a tile for each, have in common.

#include "gpu/raster.h"
#include "tact/image_space.h"

enum {
    TACT_IMAGE_TARGET = 1024,      ///< pixels of a target's side at most: no more than every device can draw
    TACT_IMAGE_TILES = 1024,       ///< tiles of a target at most
    TACT_IMAGE_INSTANCE = 16,      ///< floats of an instance: three rows, and what else shaders want of a tile
    TACT_IMAGE_FLUSH_QUERIES = 32  ///< between two flushes (tact_raster_flush)
};

/// A target that is kept from batch to batch. All zeros at first.
typedef struct tact_image_surface {
    tact_raster_target* target;
    tact_raster_target_desc desc;
} tact_image_surface;

/// One as wide as asked for and at least as high; a larger one is kept, but not one of which clearing takes most of the
/// time.
tact_result tact_image_hold_target(tact_raster* raster, tact_image_surface* surface,
                                   const tact_raster_target_desc* desc);

/// A float that is not less than the number.
float tact_image_at_least(double x);

/// The body's pose in a test; NULL is the identity.
const float* tact_image_pose(const tact_image_body* body, size_t test);
