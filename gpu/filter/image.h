// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Which triangles of many objects come near another object, seen in images. On an OpenGL device; calls lie between
/// tact_device_enter and tact_device_leave.
///
/// The image is a row of cells for each pixel, one word each: no object, one object, or more than one. All triangles
/// are drawn twice: at first each fragment goes through the cells that its triangle touches within its pixel and leaves
/// its object's number, or, where another's is, the mark of many; then each looks whether one of its cells has this
/// mark. Those cells are few, since most of space is empty; each gets a brick of TACT_FILTER_BRICK cubed smaller ones,
/// in which the triangles that touch it are drawn twice again. What then is not named has no other object in any of its
/// cells, and is left out. The order in which fragments arrive decides where bricks lie in memory and nothing else, so
/// that which triangles are left is defined. Views in other frames have other cells and leave out others, and fewer
/// triangles may have smaller ones.
///
/// The first image, of all triangles, tells for each of them whether it is left; objects and parts are left that have
/// such a triangle, so they need no images of their own: the counts of OBJECTS and PARTS say what leaving out no more
/// than whole objects, or parts, would have kept. The time of the first image is in OBJECTS.
///
/// Device memory: 4 bytes for each cell of the image, 4 for each of a brick, of which there are at most four times as
/// many as the image may have cells, and 2^20 in any case; 4 for each pixel; 64 a triangle for up to 2^18 of them; 12
/// for each triangle of the objects, counted as a multiple of 32 of each object; and two lists of 8 for each triangle
/// that the first image leaves.

#include "gpu/filter/scene.h"
#include "gpu/filter/view.h"
#include "gpu/raster.h"

typedef struct tact_gpu_filter_image tact_gpu_filter_image;

tact_result tact_gpu_filter_image_create(tact_device* device, tact_gpu_filter_image** image);
/// NULL is allowed.
void tact_gpu_filter_image_destroy(tact_gpu_filter_image* image);

/// Device memory that it holds.
uint64_t tact_gpu_filter_image_bytes(const tact_gpu_filter_image* image);

/// Leaves out what it can; of the job it needs the options, and asks its progress before each image but the first.
/// `*left` is a buffer of the image's, two words each (object, triangle of its shape),
/// ascending, valid until the next call; `*count` how many. Fills in the counts of the stages OBJECTS, PARTS and
/// TRIANGLES. Errors: those of the device; INVALID_ARGUMENT of tact_raster_begin(); LIMIT, CANCELLED.
tact_result tact_gpu_filter_image_run(tact_gpu_filter_image* image, const tact_gpu_filter_scene* scene,
                                      const tact_filter_job* job, tact_buffer** left, uint32_t* count,
                                      tact_filter_count counts[TACT_FILTER_STAGES]);

/// For tests: so many images at most, from now on; 1 is that of all triangles.
void tact_gpu_filter_image_limit(tact_gpu_filter_image* image, uint32_t rounds);
/// Of the last image.
const tact_filter_view* tact_gpu_filter_image_view(const tact_gpu_filter_image* image);
