// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Tests in image space on a device: cpu_ref/image/image.h defines what they give.

#include "cpu_ref/image/image.h"
#include "gpu/blocks/blocks.h"
#include "gpu/device.h"
#include "gpu/raster.h"

// An object of an image-space test on the device: vertices, indices, and the bounds that the view is fitted to. Calls
// lie between tact_device_enter and tact_device_leave.

/// Buffers that are kept for the next object. All zeros at first.
typedef struct tact_image_stage {
    tact_device* device;
    tact_buffer *raw, *vertices, *indices, *mean, *inner, *outer, *words;
    tact_reduce* reduce;
    tact_raster_mesh mesh;     ///< instances are not set
    tact_image_bounds bounds;  ///< lower > upper: the object has no vertices
} tact_image_stage;

/// Brings a job's vertices and indices to where they can be drawn, and finds the objects' bounds. What is on the host
/// has been checked. INVALID_ARGUMENT: the detail says what is wrong with an object.
tact_result tact_image_stage_both(tact_device* device, tact_image_stage stages[2], tact_image_job* job);
void tact_image_stage_release(tact_image_stage* stage);

// What tests that draw many pairs into one target, a tile for each, have in common.

enum {
    TACT_IMAGE_TARGET = 1024,  ///< pixels of a target's side at most: no more than every device can draw
    TACT_IMAGE_TILES = 1024,   ///< tiles of a target at most
    TACT_IMAGE_INSTANCE = 16,  ///< floats of an instance: three rows, where the tile is, 2^bits and bits of its grid
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

/// Draws an object in the first `tiles` tiles, as the program and the pass in use say. In commands of some triangles,
/// each sent on its way, so that no driver takes one for a hang.
void tact_image_draw_tiles(tact_raster* raster, const tact_image_stage* stage, uint32_t tiles);

/// What the shaders want of an object in a test, but for where the tile is.
void tact_image_fill_instance(const tact_image_fit* fit, int which, float instance[TACT_IMAGE_INSTANCE]);

// Convex objects against each other in images, on an OpenGL device.

typedef struct tact_gpu_image tact_gpu_image;

/// UNSUPPORTED: not an OpenGL device.
tact_result tact_gpu_image_create(tact_device* device, tact_gpu_image** image);
/// NULL is allowed.
void tact_gpu_image_destroy(tact_gpu_image* image);

/// Runs the tests of a job about convex objects, whose bounds are found here. Enters the device itself.
tact_result tact_gpu_image_convex(tact_gpu_image* image, const tact_image_job* job);

// Objects of any shape against each other in cells, on any device.

typedef struct tact_gpu_concave tact_gpu_concave;

tact_result tact_gpu_concave_create(tact_device* device, tact_gpu_concave** concave);
/// NULL is allowed.
void tact_gpu_concave_destroy(tact_gpu_concave* concave);

/// Runs the tests of a job about closed objects, whose bounds are found here. Enters the device itself. `drawn`: by the
/// rasteriser, which an OpenGL device has; else by kernels, which never count by queries. Of a job by STENCIL it is
/// always drawn.
tact_result tact_gpu_concave_run(tact_gpu_concave* concave, const tact_image_job* job, bool drawn);

/// For tests: so many triangles are computed in one launch at most, from now on.
void tact_gpu_concave_limit(tact_gpu_concave* concave, uint32_t triangles);
