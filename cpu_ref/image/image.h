// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Whether the surface of an object of an image-space test is closed.

#include "base/env.h"
#include "tact/image_space.h"

/// INVALID_ARGUMENT, with the reason, for arrays on the host of a surface that is open or has edges of more than two
/// triangles, unless the body says that it is closed. The arrays are as long as they must be. Of arrays on the device
/// nothing is known. `once`: each edge is a side of two triangles that run along it in opposite directions.
tact_result tact_image_check_closed(tact_env* env, const tact_image_body* body, const char* name, bool* once);

// Whether an object of an image-space test is convex.

/// INVALID_ARGUMENT for arrays on the host of an object whose area or volume is not that of its hull, up to a millionth
/// and rounding of the vertices, unless the body says that it is convex. Nothing is known of arrays on the device or of
/// flat objects. Bad indices and vertices are left to tact_image_stage_body(). Takes the time of a convex hull.
tact_result tact_image_check_convex(tact_env* env, const tact_image_body* body, const char* name);

// Sizes of image-space tests.

/// Pixels along an image's side, at least and at most.
enum { TACT_IMAGE_RESOLUTION_MIN = 4, TACT_IMAGE_RESOLUTION_MAX = 1024 };
