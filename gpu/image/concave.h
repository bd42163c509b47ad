// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Objects of any shape against each other in cells, on an OpenGL device. What is drawn, and so the answer:
///
/// Vertices are moved by the rows of tact_image_fit_cells() in single precision, ((x + y) + z) + w, x and y then times
/// 2^bits and rounded to whole numbers, halves up; depth stays a float, in cells. Pixel i's centre is at (2 i + 1 -
/// resolution) 2^(bits - 1).
///
/// *Solid*: a triangle covers a centre moved by (-e e, e), e next to nothing. Its depth there is interpolated from the
/// edges' cross products and kept within that of the corners; all cells are turned over whose centre is behind it,
/// floor(depth + 1/2) being the first, and the last bit always. After all triangles a cell is set if the ray to its
/// centre crosses the surface an odd number of times, and the last bit if the ray through everything does: a leak.
/// Whatever the triangles, a centre moved so lies on no edge, so that closed surfaces never leak.
///
/// *Edges*: an edge sets those cells of a pixel whose squares it meets, sides included, from ceil(near - w) - 1 to
/// floor(far + w), the depths at which it enters and leaves the square, w being 2^-20 of both ends' depths.
///
/// *Found*: cells of A's inside that hold an edge of B or are inside B too, and the other way round; leaking pixels of
/// either inside are as if it were empty there.
///
/// Theorem: with g, half of a cell's diagonal and what vertices and depths are moved by (tact_image_fit_cells),
/// (1) where a cell of an edge of B is inside A, the objects are no farther apart than g: a point of the edge is in the
/// cell, whose centre is in A, up to what is moved; where a cell is inside both, its centre is. (2) A point p of an
/// edge of B deeper in A than g is found: it is in the view, which is wide enough, so the edge sets the cell in which p
/// is; p's and the centre's distance is at most g, and as the surface does not come that near, the centre is inside as
/// p is. Likewise with A and B swapped. (3) A point deeper than g in both is found, for the same reason. Objects that
/// overlap with neither, such as two thin plates that cross, may be missed.

#include "gpu/device.h"
#include "tact/image_space.h"

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
