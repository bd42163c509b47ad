// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How a pair of objects is looked at, and what that is worth. Numbers only: no device.

#include "gpu/blocks/blocks.h"
#include "gpu/device.h"
#include "gpu/raster.h"
#include "tact/image_space.h"

/// What the device does to vertices on their way to pixels.
typedef struct tact_image_grid {
    uint32_t resolution;     ///< pixels of a tile
    uint32_t target;         ///< pixels of all tiles beside each other
    uint32_t subpixel_bits;  ///< the rasteriser's
} tact_image_grid;

typedef struct tact_image_fit {
    bool meets;  ///< false: the boxes do not, and the rest is not set
    tact_image_view view;
    double rows[2][3][4];  ///< of A and of B: to pixels from the tile's middle, and to 0 to 1 in depth
    double slack[2];       ///< how far a face may be drawn off its place, in pixels
    double near_depth;     ///< position of the near side along the third axis
    double gap, depth;     ///< as tact_image_result has them
    uint32_t bits;         ///< of tact_image_fit_cells()
} tact_image_fit;

/// A NULL pose is the identity. All numbers are finite and within TACT_MAX_COORDINATE.
tact_image_fit tact_image_fit_view(const tact_image_bounds* a, const float* pose_a, const tact_image_bounds* b,
                                   const float* pose_b, const tact_image_grid* grid);

/// The same for tests in cells, `slots` of them along the view: rows lead to pixels from the tile's middle and to cells
/// from the near side; `bits` is of the grid that vertices are then put on, 1 to 8, so that no coordinate is beyond
/// 2^28 of its steps. The view is wider than what is in both boxes, by half a cell and by more than vertices are moved.
/// `gap` and `depth` are the same; `slack` is not set.
tact_image_fit tact_image_fit_cells(const tact_image_bounds* a, const float* pose_a, const tact_image_bounds* b,
                                    const float* pose_b, uint32_t resolution, uint32_t slots);

// An object of an image-space test on the device: vertices, indices, and the bounds that the view is fitted to. Calls
// lie between tact_device_enter and tact_device_leave.

/// Buffers that are kept for the next object. All zeros at first.
typedef struct tact_image_stage {
    tact_device* device;
    tact_buffer *raw, *vertices, *indices, *inner, *outer, *words;
    tact_reduce* reduce;
    tact_raster_mesh mesh;     ///< instances are not set
    tact_image_bounds bounds;  ///< lower > upper: the object has no vertices
} tact_image_stage;

/// Brings an object's vertices and indices to where they can be drawn, and finds its bounds. INVALID_ARGUMENT: the
/// detail says what is wrong with the object; `name` is what it is called there.
tact_result tact_image_stage_body(tact_image_stage* stage, const tact_image_body* body, const char* name);
void tact_image_stage_release(tact_image_stage* stage);

// What tests that draw many pairs into one target, a tile for each, have in common.

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

// Convex objects against each other in images, on an OpenGL device.

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

// Objects of any shape against each other in cells, on an OpenGL device. What is drawn, and so the answer:
//
// Vertices are moved by the rows of tact_image_fit_cells() in single precision, ((x + y) + z) + w, x and y then times
// 2^bits and rounded to whole numbers, halves up; depth stays a float, in cells. Pixel i's centre is at (2 i + 1 -
// resolution) 2^(bits - 1).
//
// *Solid*: a triangle covers a centre moved by (-e e, e), e next to nothing. Its depth there is interpolated from the
// edges' cross products and kept within that of the corners; all cells are turned over whose centre is behind it,
// floor(depth + 1/2) being the first, and the last bit always. After all triangles a cell is set if the ray to its
// centre crosses the surface an odd number of times, and the last bit if the ray through everything does: a leak.
// Whatever the triangles, a centre moved so lies on no edge, so that closed surfaces never leak.
//
// *Edges*: an edge sets those cells of a pixel whose squares it meets, sides included, from ceil(near - w) - 1 to
// floor(far + w), the depths at which it enters and leaves the square, w being 2^-20 of both ends' depths.
//
// *Found*: cells of A's inside that hold an edge of B or are inside B too, and the other way round; leaking pixels of
// either inside are as if it were empty there.
//
// Theorem: with g, half of a cell's diagonal and what vertices and depths are moved by (tact_image_fit_cells),
// (1) where a cell of an edge of B is inside A, the objects are no farther apart than g: a point of the edge is in the
// cell, whose centre is in A, up to what is moved; where a cell is inside both, its centre is. (2) A point p of an
// edge of B deeper in A than g is found: it is in the view, which is wide enough, so the edge sets the cell in which p
// is; p's and the centre's distance is at most g, and as the surface does not come that near, the centre is inside as
// p is. Likewise with A and B swapped. (3) A point deeper than g in both is found, for the same reason. Objects that
// overlap with neither, such as two thin plates that cross, may be missed.

typedef struct tact_gpu_concave tact_gpu_concave;

/// UNSUPPORTED: not an OpenGL device.
tact_result tact_gpu_concave_create(tact_device* device, tact_gpu_concave** concave);
/// NULL is allowed.
void tact_gpu_concave_destroy(tact_gpu_concave* concave);

/// As tact_image_concave(); the options are valid. `once`: each edge of A, and of B, is known to be a side of triangles
/// in both directions. Enters the device itself.
tact_result tact_gpu_concave_run(tact_gpu_concave* concave, const tact_image_body* a, const tact_image_body* b,
                                 const bool once[2], const tact_image_options* options, tact_image_result* results,
                                 size_t count);

/// The cells of the last test of a call that drew it. 0: A's solid, 1: edges of B, 2: B's solid, 3: edges of A.
tact_result tact_gpu_concave_cells(tact_gpu_concave* concave, uint32_t resolution, uint32_t mask, uint32_t* cells);
