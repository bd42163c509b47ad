// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Which triangles of many objects come near another object, seen in images. Calls lie between tact_device_enter and
/// tact_device_leave.
///
/// The image is a row of cells for each pixel, one word each: no object, one object, or more than one. Kernels go
/// through all triangles twice: at first each goes through the cells that it touches within its pixels and leaves its
/// object's number, or, where another's is, the mark of many; then it looks whether one of its cells has this mark.
/// Those cells are few, since most of space is empty; each gets a brick of TACT_FILTER_BRICK cubed smaller ones, in
/// which the triangles that touch it do both again. What then is not named has no other object in any of its cells, and
/// is left out. The order of items decides where bricks lie in memory and nothing else, so that which triangles are
/// left is defined, and the same on every device whose buffers are large enough. Views in other frames have other cells
/// and leave out others, and fewer triangles may have smaller ones.
///
/// An item goes through a bounded number of cells: of triangles with many a run of pixels in a row is one, a piece. How
/// many pieces and bricks there are, and triangles that are left, only the device has. Launches and room are for a
/// quarter more than the last run's image had, by the length of its list, and what was not enough shows when the survey
/// of what is left is read, an image's only wait: then, or where no such run was before, the image is made again and
/// waits for each of these numbers.
///
/// The first image, of all triangles, tells for each of them whether it is left; objects and parts are left that have
/// such a triangle, so they need no images of their own: the counts of OBJECTS and PARTS say what leaving out no more
/// than whole objects, or parts, would have kept. The time of the first image is in OBJECTS.
///
/// Device memory: 4 bytes for each cell of the image, 4 for each of a brick, of which there are at most four times as
/// many as the image may have cells, and 2^20 in any case; 68 a triangle for up to 2^18 of them; 12
/// for each triangle of the objects, counted as a multiple of 32 of each object; and two lists of 8 for each triangle
/// that the first image leaves; all these may be half as large again.

#include "gpu/filter/scene.h"
#include "gpu/filter/view.h"

typedef struct tact_gpu_filter_image tact_gpu_filter_image;

tact_result tact_gpu_filter_image_create(tact_device* device, tact_gpu_filter_image** image);
/// NULL is allowed.
void tact_gpu_filter_image_destroy(tact_gpu_filter_image* image);

/// Device memory that it holds.
uint64_t tact_gpu_filter_image_bytes(const tact_gpu_filter_image* image);

/// Leaves out what it can; of the job it needs the options, and asks its progress before each image but the first.
/// `*left` is a buffer of the image's, two words each (object, triangle of its shape),
/// ascending, valid until the next call; `*count` how many. Fills in the counts of the stages OBJECTS, PARTS and
/// TRIANGLES. Errors: those of the device; LIMIT, CANCELLED, OUT_OF_MEMORY.
tact_result tact_gpu_filter_image_run(tact_gpu_filter_image* image, const tact_gpu_filter_scene* scene,
                                      const tact_filter_job* job, tact_buffer** left, uint32_t* count,
                                      tact_filter_count counts[TACT_FILTER_STAGES]);

/// For tests: so many images at most, from now on; 1 is that of all triangles.
void tact_gpu_filter_image_limit(tact_gpu_filter_image* image, uint32_t rounds);
/// Of the last image.
const tact_filter_view* tact_gpu_filter_image_view(const tact_gpu_filter_image* image);
