// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Tests of objects of any shape, from the inside: a batch of them at a time is drawn in cells (drawn.c, on OpenGL) or
/// computed (computed.c), either with the same images; or its parities are counted in the stencil buffer (stencil.c, on
/// OpenGL). Calls lie between tact_device_enter and tact_device_leave.

#include "gpu/image/image.h"

enum {
    TACT_IMAGE_MASKS = 4,   ///< A's solid, edges of B, B's solid, edges of A
    TACT_IMAGE_QUERIES = 5  ///< counts of a tile that queries tell, of which 3 and 4 are leaks of A, of B
};

/// The tests whose images are made together, a tile for each.
typedef struct tact_image_batch {
    uint32_t resolution, planes;
    uint32_t columns, capacity;  ///< tiles in a row where they are drawn, and in all; no more than there are tests
    uint32_t tiles;
    uint32_t across, width, height;  ///< of those that there are: tiles in a row, and pixels
    bool once[2];
    uint32_t test[TACT_IMAGE_TILES];
    tact_image_fit fits[TACT_IMAGE_TILES];
    float instances[2][TACT_IMAGE_TILES][TACT_IMAGE_INSTANCE];
    /// Of each tile pixels with edges of B inside A, of A inside B, with cells inside both, leaks of A, of B.
    uint32_t counts[TACT_IMAGE_QUERIES][TACT_IMAGE_TILES];
    uint32_t found[TACT_IMAGE_TILES][TACT_IMAGE_FOUND];
} tact_image_batch;

typedef struct tact_image_drawer tact_image_drawer;
typedef struct tact_image_parity tact_image_parity;
typedef struct tact_image_computer tact_image_computer;

struct tact_gpu_concave {
    tact_device* device;
    tact_image_stage stages[2];
    tact_buffer* instances[2];
    tact_buffer* masks[TACT_IMAGE_MASKS];
    tact_buffer* found;
    uint32_t limit;                 ///< triangles computed in one launch; 0: as many as there is room for
    tact_image_drawer* drawer;      ///< NULL: nothing was drawn yet
    tact_image_parity* parity;      ///< NULL: no stencil was drawn yet
    tact_image_computer* computer;  ///< NULL: nothing was computed yet
};

/// Brings what is known of the batch's tiles to the device.
tact_result tact_image_hold_views(tact_gpu_concave* concave, const tact_image_batch* batch);

/// The same, and makes room for its images.
tact_result tact_image_hold_batch(tact_gpu_concave* concave, const tact_image_batch* batch);

/// Puts the batch's tiles, `across` in a row, to their places in a target.
void tact_image_place_tiles(tact_image_batch* batch, uint32_t across);

/// Finds what is in the images: tact_gpu_concave.found is then ready to be read.
tact_result tact_image_reduce_batch(tact_gpu_concave* concave, const tact_image_batch* batch);

/// Makes what draws. UNSUPPORTED: not an OpenGL device.
tact_result tact_image_drawer_create(tact_device* device, tact_image_drawer** drawer);
/// NULL is allowed.
void tact_image_drawer_destroy(tact_image_drawer* drawer);
/// Between tact_raster_begin() and tact_raster_end() of it batches are drawn.
tact_raster* tact_image_drawer_raster(const tact_image_drawer* drawer);
/// Draws a batch. With `readback` sets its found[], else its counts[], by queries.
tact_result tact_image_draw_batch(tact_gpu_concave* concave, tact_image_batch* batch, bool readback);

/// Makes what draws into the stencil buffer. UNSUPPORTED: not an OpenGL device.
tact_result tact_image_parity_create(tact_device* device, tact_image_parity** parity);
/// NULL is allowed.
void tact_image_parity_destroy(tact_image_parity* parity);
/// As tact_image_drawer_raster().
tact_raster* tact_image_parity_raster(const tact_image_parity* parity);
/// Draws a batch, and sets the first two of its counts[].
tact_result tact_image_parity_batch(tact_gpu_concave* concave, tact_image_batch* batch);

tact_result tact_image_computer_create(tact_device* device, tact_image_computer** computer);
/// NULL is allowed.
void tact_image_computer_destroy(tact_image_computer* computer);
/// Computes a batch, and sets its found[].
tact_result tact_image_compute_batch(tact_gpu_concave* concave, tact_image_batch* batch);
