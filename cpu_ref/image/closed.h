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
