// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Whether an object of an image-space test is convex.

#include "base/env.h"
#include "tact/image_space.h"

/// INVALID_ARGUMENT for arrays on the host of an object whose area or volume is not that of its hull, up to a millionth
/// and rounding of the vertices, unless the body says that it is convex. Nothing is known of arrays on the device or of
/// flat objects. Bad indices and vertices are left to tact_image_stage_body(). Takes the time of a convex hull.
tact_result tact_image_check_convex(tact_env* env, const tact_image_body* body, const char* name);
