// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Pictures of what image-space tests saw, as PNG files.

#include "apps/pictures/picture.h"
#include "tact/image_space.h"

/// Three panels beside each other, each resolution * scale wide: the fronts of A (orange) and B (blue), the nearer
/// before the other, light where near; the backs likewise, the farther before the other; and what the test found there:
/// dark where nothing or one object is, blue where B is wholly in front, orange where A is, white where they overlap.
bool tact_picture_of_layers(const char* path, const tact_image_layers* layers, uint32_t resolution, uint32_t scale,
                            tact_problem* problem);

/// Three panels likewise, of a test of concave objects: how thick A is along the view (orange), with the edges of B
/// over it; how thick B is (blue), with those of A; and how many cells count, edges of either inside the other and what
/// is inside both, from red for one through yellow to white for the most. Magenta: pixels in which a surface leaks.
bool tact_picture_of_cells(const char* path, const tact_image_cells* cells, uint32_t resolution, uint32_t scale,
                           tact_problem* problem);
